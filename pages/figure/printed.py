"""The figure as it will be printed: what is chosen, the preview in true size, and the files."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from encoder.pictures.export.caption import file_name
from encoder.pictures.paper.files import DPI, NAME, PaperFigure
from pages.figure import begin, example, preview
from pages.figure.choices import chosen
from pages.figure.panels import shown
from pages.ui.downloads.button import save
from pages.ui.state import session_state as state
from pages.ui.text import plain


def draw() -> None:
    """What will come out on the left, on a phone on top, and the choices beside it."""
    left, right = st.columns([5, 2])
    with right:
        begin.draw()
        sheet = chosen()
    with left:
        if panels := shown():
            state.session().printed = figure = preview.painted(panels, sheet)
            preview.draw(figure)
            files(figure)
            st.markdown(f"**Caption** {plain(figure.caption)}")
            st.code(figure.latex(f"{NAME}.pdf"), language="latex", wrap_lines=True)
        else:
            example.draw(sheet)


def files(figure: PaperFigure) -> None:
    """A button for each file."""
    name = file_name(figure.sheet.title) if figure.sheet.title else NAME
    kinds: dict[str, tuple[str, Callable[[], bytes], str]] = {
        "PDF": ("pdf", figure.pdf, "application/pdf"),
        "SVG": ("svg", lambda: figure.svg().encode(), "image/svg+xml"),
        **{f"PNG {dpi} dpi": (f"{dpi}.png", partial(figure.png, dpi), "image/png") for dpi in DPI},
        "CSV": ("csv", lambda: figure.csv().encode(), "text/csv"),
        "LaTeX": ("tex", lambda: figure.latex(f"{name}.pdf").encode(), "text/plain"),
        "Markdown": ("md", lambda: figure.markdown(f"{name}.svg").encode(), "text/plain"),
        "All in one zip": ("zip", lambda: figure.zip(name), "application/zip"),
    }
    with st.container(horizontal=True, key="figure_files"):
        for label, (ending, make, mime) in kinds.items():
            save(label, f"figure_{ending.replace('.', '_')}", f"{name}.{ending}", make, mime)
