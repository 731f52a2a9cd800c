"""The files of a picture or a figure, by how their names end."""

import math
from collections.abc import Callable
from pathlib import Path

from encoder.pictures.page import page_of
from encoder.pictures.paper.files import DPI, MOST_PIXELS, PaperFigure
from encoder.pictures.paper.panel import PanelError
from encoder.pictures.picture import Answer

OF_FIGURE: dict[str, Callable[[PaperFigure, Path, int], bytes]] = {
    ".pdf": lambda figure, out, dpi: figure.pdf(),
    ".svg": lambda figure, out, dpi: figure.svg().encode(),
    ".png": lambda figure, out, dpi: figure.png(dpi),
    ".csv": lambda figure, out, dpi: figure.csv().encode(),
    ".tex": lambda figure, out, dpi: figure.latex(f"{out.stem}.pdf").encode(),
    ".md": lambda figure, out, dpi: figure.markdown(f"{out.stem}.svg").encode(),
    ".zip": lambda figure, out, dpi: figure.zip(out.stem),
}
OF_ANSWER: dict[str, Callable[[Answer], bytes]] = {
    ".csv": lambda answer: answer.csv().encode(),
    ".json": lambda answer: answer.json().encode(),
    ".npz": lambda answer: answer.npz(),
    ".py": lambda answer: answer.code.encode(),
    ".html": lambda answer: page_of(answer).encode(),
}


def file_of(answer: Answer, ending: str) -> bytes:
    """The file of a picture whose name ends so.

    Raises:
        EncoderError: it is too large for a sheet of paper, or for so many pixels.
    """
    if ending in OF_ANSWER:
        return OF_ANSWER[ending](answer)
    return OF_FIGURE[ending](PaperFigure((answer.panel(),)), Path(f"{answer.file_name}{ending}"), DPI[0])


def fits(answer: Answer, ending: str) -> bool:
    """Whether a picture has a file whose name ends so: one on paper may be too large for that."""
    if ending in OF_ANSWER:
        return True
    try:
        figure = PaperFigure((answer.panel(),))
    except PanelError:
        return False
    return ending != ".png" or math.prod(figure.dots(DPI[0])) <= MOST_PIXELS
