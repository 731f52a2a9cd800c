"""A picture as one HTML file to read offline: drawing, caption, numbers and the lines that make them."""

from encoder.browser.markup import text
from encoder.pictures.paper.files import PaperFigure
from encoder.pictures.paper.sheet import Sheet
from encoder.pictures.paper.type import typeface
from encoder.pictures.picture import Answer
from encoder.support.theme import Theme

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
{letters}</body></html>
"""
DRAWING = """<figure>{svg}<figcaption>{caption}</figcaption></figure>
<p><b>{sentence}</b></p>
<details><summary>Numbers</summary><table>{table}</table></details>"""


def page_of(answer: Answer, theme: Theme = "light") -> str:
    """The page; no text in it is read as HTML."""
    drawing = drawing_of(answer, theme)
    texts = {"title": answer.title, "question": answer.picture.question, "code": answer.code}
    escaped = {name: text(said) for name, said in texts.items()}
    return PAGE.format(drawing=drawing, letters=typeface(drawing), **escaped)


def drawing_of(answer: Answer, theme: Theme = "light") -> str:
    """The drawing as SVG with its caption, finding and numbers: HTML, whose letters `typeface` of it carries along.

    Raises:
        EncoderError: it is too large for a sheet of paper.
    """
    svg = PaperFigure((answer.panel(theme),), Sheet(theme=theme, in_page=True)).svg()
    rows = "".join(f"<tr>{''.join(f'<td>{text(cell_text(cell))}</td>' for cell in row)}</tr>" for row in answer.rows())
    texts = {"caption": answer.caption, "sentence": answer.sentence}
    return DRAWING.format(svg=svg, table=rows, **{name: text(said) for name, said in texts.items()})


def cell_text(cell: object) -> str:
    """A cell of the table."""
    return f"{cell:.6g}" if isinstance(cell, float) or hasattr(cell, "dtype") else str(cell)
