"""A card to share: 1200 x 630 pixels with the sentence, a picture and the address."""

import io
from dataclasses import replace

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from encoder.pictures.paper.map_cells import size, write
from encoder.pictures.paper.paint import EDGE, arranged, prepared
from encoder.pictures.paper.printed_panel import Panel, plain_text
from encoder.pictures.paper.sheet import Sheet
from encoder.pictures.paper.type import POINT, SETTINGS, drawing, fitted, wrapped
from encoder.support.theme import ACCENT, BACKGROUND, Theme

PIXELS = (1200, 630)
DPI = 144
LETTERS, LARGE = 9.0, (19.0, 16.0, 13.0, 11.0)  # points of labels, and of the sentence: the largest that has room
MARGIN = 8.0  # mm
SPACE = 60.0  # mm that a sentence may be high
MOST_LINES = 4  # of the title


def share_card(panel: Panel, sentence: str, address: str, theme: Theme = "light") -> bytes:
    """The card as PNG."""
    wide, high = (side / DPI * 25.4 for side in PIXELS)
    column = 0.46 * wide
    sheet = Sheet(wide - column - MARGIN, high - 2 * MARGIN, LETTERS, 1, theme, words_only=True)
    with drawing, rc_context(SETTINGS):  # type: ignore[arg-type]
        figure = Figure((wide / 25.4, high / 25.4), dpi=DPI, facecolor=BACKGROUND[theme])
        FigureCanvasAgg(figure)
        write_words(figure, panel, sentence, address, sheet, column - 2 * MARGIN)
        rows, scale = arranged(prepared([replace(panel, title="")], sheet), sheet)
        block = rows[0][0]
        block.draw(
            figure, column - EDGE + (block.wide - block.used(scale)) / 2, (high - block.height(scale)) / 2, scale
        )
        with io.BytesIO() as file:
            figure.savefig(file, format="png", dpi=DPI, facecolor=figure.get_facecolor())
            return file.getvalue()


def cut(lines: list[str], most: int, points: float, room: float) -> list[str]:
    """The first lines, the last of them with a sign that there is more; all, where there are no more than that."""
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], fitted(f"{lines[most - 1]} {lines[most]}", points, room)]


def write_words(figure: Figure, panel: Panel, sentence: str, address: str, sheet: Sheet, room: float) -> None:
    """The sentence, large; what the picture is; and where it can be seen."""
    for large in LARGE:
        lines, most = wrapped(plain_text(sentence), large, room), int(SPACE / (1.35 * large * POINT))
        if len(lines) <= most:
            break
    y = MARGIN + 1.2 * large * POINT
    for line in cut(lines, most, large, room):
        write(figure, MARGIN, y, line, sheet, bold=False, points=large)
        y += 1.35 * large * POINT
    y += 0.4 * large * POINT
    lines = cut(wrapped(panel.title, 1.2 * LETTERS, room), MOST_LINES, 1.2 * LETTERS, room)
    lines += wrapped(panel.not_drawn, 1.2 * LETTERS, room) if panel.not_drawn else []
    for line in lines:
        write(figure, MARGIN, y, line, sheet, points=1.2 * LETTERS, muted=True)
        y += 1.6 * LETTERS * POINT
    high = size(figure)[1]
    figure.text(
        MARGIN / size(figure)[0],
        MARGIN / high,
        fitted(address, 1.2 * LETTERS, room),
        fontsize=1.2 * LETTERS,
        color=ACCENT[sheet.theme],
        va="bottom",
    )
