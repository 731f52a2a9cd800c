"""A picture as one HTML file to read offline: drawing, caption, numbers and the lines that make them."""

import html

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
<figure>{svg}<figcaption>{caption}</figcaption></figure>
<p><b>{sentence}</b></p>
<details><summary>Numbers</summary><table>{table}</table></details>
<details open><summary>Lines that run by themselves and print these numbers</summary><pre>{code}</pre></details>
{letters}</body></html>
"""


def page_of(answer: Answer, theme: Theme = "light") -> str:
    """The page; no text in it is read as HTML."""
    figure = PaperFigure((answer.panel(theme),), Sheet(theme=theme, in_page=True))
    rows = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell_text(cell))}</td>' for cell in row)}</tr>" for row in answer.rows()
    )
    svg = figure.svg()
    texts = {
        "title": answer.title,
        "question": answer.picture.question,
        "caption": answer.caption,
        "sentence": answer.sentence,
        "code": answer.code,
    }
    return PAGE.format(
        svg=svg, table=rows, letters=typeface(svg), **{name: html.escape(text) for name, text in texts.items()}
    )


def cell_text(cell: object) -> str:
    """A cell of the table."""
    return f"{cell:.6g}" if isinstance(cell, float) or hasattr(cell, "dtype") else str(cell)
