"""The files of a picture or a figure by how their names end: drawing, page to read offline, and a notebook's cell."""

import math
import re
from collections.abc import Callable
from html import escape
from pathlib import Path

from encoder.browser.cell import LivingCell, drawn
from encoder.browser.held import held
from encoder.browser.living import written
from encoder.browser.page_table import PAGES
from encoder.pictures.picture import Answer
from encoder.pictures.printing import DPI, MOST_PIXELS, Sheet, TooLargeError

CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")  # no page may hold these
OF_SHEET: dict[str, Callable[[Sheet, Path, int], bytes]] = {
    ".pdf": lambda sheet, out, dpi: sheet.pdf(),
    ".svg": lambda sheet, out, dpi: sheet.svg().encode(),
    ".png": lambda sheet, out, dpi: sheet.png(dpi),
    ".csv": lambda sheet, out, dpi: sheet.csv().encode(),
    ".tex": lambda sheet, out, dpi: sheet.latex(f"{out.stem}.pdf").encode(),
    ".md": lambda sheet, out, dpi: sheet.markdown(f"{out.stem}.svg").encode(),
    ".zip": lambda sheet, out, dpi: sheet.zip(out.stem),
}
OF_ANSWER: dict[str, Callable[[Answer], bytes]] = {
    ".csv": lambda answer: answer.csv().encode(),
    ".json": lambda answer: answer.json().encode(),
    ".npz": lambda answer: answer.npz(),
    ".py": lambda answer: answer.code.encode(),
    ".html": lambda answer: page_of(answer).encode(),
}


def file_of(answer: Answer, ending: str, size: str = "shown") -> bytes:
    """The file of a picture whose name ends so; on a sheet of a size of `SIZES`.

    Raises:
        EncoderError: it is too large for a sheet of paper, or for so many pixels.
    """
    if ending in OF_ANSWER:
        return OF_ANSWER[ending](answer)
    return OF_SHEET[ending](Sheet((answer,), size), Path(f"{answer.file_name}{ending}"), DPI[0])


def fits(answer: Answer, ending: str) -> bool:
    """Whether a picture has a file whose name ends so: one on paper may be too large for that."""
    if ending in OF_ANSWER:
        return True
    try:
        sheet = Sheet((answer,))
    except TooLargeError:
        return False
    return ending != ".png" or math.prod(sheet.dots(DPI[0])) <= MOST_PIXELS


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>
body {{ font: 16px/1.5 sans-serif; max-width: 60rem; margin: 1rem auto; padding: 0 1rem; }}
svg {{ max-width: 100%; height: auto; }} pre, table {{ overflow-x: auto; display: block; font-size: .85rem; }}
td, th {{ padding: 0 .5rem; text-align: right; white-space: nowrap; }}
</style></head><body>
<h1>{question}</h1>
{drawing}
<details open><summary>Lines that run by themselves and print these numbers</summary><pre>{code}</pre></details>
</body></html>
"""
DRAWING = """<figure>{svg}<figcaption>{caption}</figcaption></figure>
<p><b>{sentence}</b></p>
<details><summary>Numbers</summary><table>{table}</table></details>"""


def page_of(answer: Answer) -> str:
    """The page; no text in it is read as HTML."""
    drawing = drawing_of(answer)
    texts = {"title": answer.title, "question": answer.picture.question, "code": answer.code}
    escaped = {name: text(words) for name, words in texts.items()}
    return PAGE.format(drawing=drawing, **escaped)


def drawing_of(answer: Answer) -> str:
    """The drawing as SVG with its caption, finding and numbers, as HTML.

    Raises:
        EncoderError: it is too large for a sheet of paper.
    """
    svg = Sheet((answer,)).svg(in_page=True)
    rows = "".join(f"<tr>{''.join(f'<td>{text(cell_text(cell))}</td>' for cell in row)}</tr>" for row in answer.rows())
    texts = {"caption": answer.caption, "sentence": answer.sentence}
    return DRAWING.format(svg=svg, table=rows, **{name: text(words) for name, words in texts.items()})


def text(raw: str) -> str:
    """A text as HTML shows it: every letter itself, and a sign for those that no page may hold."""
    return escape(CONTROLS.sub("\ufffd", raw))


def cell_text(cell: object) -> str:
    """A cell of the table."""
    return f"{cell:.6g}" if isinstance(cell, float) or hasattr(cell, "dtype") else str(cell)


IN_BROWSER = (  # the pictures that the browser's pages show
    *(
        "all_heads",
        "alike_place",
        "alike_places",
        "arcs",
        "beside_change",
        "carried",
        "carried_board",
        "embedding_strips",
        "guess_changed",
        "head_board",
        "heads_carry",
        "label_hidden",
    ),
    *("layer_step", "length_parts", "lens", "moves", "near_words", "norm_strips", "part_board", "part_costs"),
    *("picture", "place_waves", "terms", "units_on_curve", "why_parts", "why_sum", "words_moved"),
)
ABOVE = ("numbers", "number", "cell")  # choices that only a server can show


def cell_of(answer: Answer) -> LivingCell:
    """Return what a notebook shows of a picture: the page of its run with what it shows chosen, or it as SVG.

    Raises:
        EncoderError: it is too large for a sheet of paper, or its run cannot be told.
    """
    scene, page = answer.scene, answer.picture.page
    words = f"<p dir='auto'>{written(answer.caption)}</p>"
    if answer.picture.key not in IN_BROWSER or page not in PAGES or scene.run is None or scene.other:
        return LivingCell(page_of(answer), answer.alt, words)
    runs = [(scene.encoder, scene.run)]
    query = {name: text for name, text in answer.query.items() if name not in ABOVE}
    packets = held(runs, page=page, layer=scene.view.layer)
    return LivingCell(drawn(packets, page, query, kept=True).file, answer.alt, words)
