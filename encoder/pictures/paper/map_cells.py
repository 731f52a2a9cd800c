"""What is drawn on the sheet of a printed figure: words, the cells of maps and their colour scales; lengths in mm."""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import Affine2D

from encoder.pictures.paper.printed_panel import HeatMap
from encoder.pictures.paper.sheet import Sheet
from encoder.pictures.paper.type import POINT, drawable, fitted, width
from encoder.support.formatting import short
from encoder.support.theme import GRID, INK, MUTED, WITH_SIGN, Kind, Theme, palette

SIDES = {0.0: "left", 0.5: "center", 1.0: "right"}  # how the numbers of a colour scale are anchored
FINE = 400  # pixels along a side of such a map, at least
LEVELS = 255  # colours of a scale, as on the screen
MOST_NUMBERS = 2500  # of a map
LEAST_NUMBER, LEAST_WORD = 3.5, 4.5  # points


def level(value: Any, low: float, high: float) -> Any:
    """Which of the colours of its scale a number has."""
    return np.rint(np.clip((np.asarray(value, dtype=np.float64) - low) / (high - low), 0, 1) * (LEVELS - 1)).astype(int)


def colour_of(value: float, matrix: HeatMap, theme: Theme) -> tuple[float, float, float]:
    """The colour of a number in a map, as red, green and blue up to 1."""
    red, green, blue = ramp(matrix.kind, theme)[int(level(value, matrix.low, matrix.high))].tolist()
    return red, green, blue


@dataclass(frozen=True)
class Box:
    """A box on the sheet, in mm from its upper left corner."""

    x: float
    y: float
    wide: float
    high: float


def size(figure: Figure) -> tuple[float, float]:
    """Width and height in mm."""
    wide, high = figure.get_size_inches()
    return float(wide) * 25.4, float(high) * 25.4


def add_axes(figure: Figure, place: Box) -> Axes:
    """Axes in a place of the sheet."""
    wide, high = size(figure)
    return figure.add_axes((place.x / wide, 1 - (place.y + place.high) / high, place.wide / wide, place.high / high))


def write(
    figure: Figure,
    x: float,
    y: float,
    text: str,
    sheet: Sheet,
    *,
    ha: str = "left",
    va: str = "baseline",
    turn: float = 0,
    bold: bool = False,
    points: float = 0,
    muted: bool = False,
    ink: str = "",
) -> None:
    """A text at a point of the sheet."""
    if not text:
        return
    wide, high = size(figure)
    ink = ink or (MUTED if muted else INK)[sheet.theme]
    figure.text(
        x / wide,
        1 - y / high,
        drawable(text),
        fontsize=points or sheet.letters,
        color=ink,
        ha=ha,
        va=va,
        rotation=turn,
        weight="bold" if bold else "normal",
    )


@cache
def ramp(kind: Kind, theme: Theme) -> Any:
    """The colours of a scale, [LEVELS, 3], from 0 to 1."""
    return np.asarray(palette(kind, theme, LEVELS)) / 255


def draw_map(figure: Figure, matrix: HeatMap, place: Box, sheet: Sheet, shapes: bool) -> None:
    """The cells of a map as shapes or as pixels, with numbers or words in them where they have room."""
    rows, columns = matrix.shape
    finite = np.isfinite(matrix.values)
    i, j = np.nonzero(finite)
    colours = ramp(matrix.kind, sheet.theme)[level(matrix.values[finite], matrix.low, matrix.high)]
    if shapes:
        draw_cells(figure, place, (columns, rows), (j, i), colours)
    else:
        pixels = np.zeros((rows, columns, 4))
        pixels[i, j] = np.concatenate([colours, np.ones((len(colours), 1))], 1)
        draw_pixels(figure, place, pixels, sheet)
    draw_frame(figure, place, sheet)
    cell = Box(place.x, place.y, place.wide / columns, place.high / rows)
    if matrix.cells:
        write_cells(figure, matrix, [list(row) for row in matrix.cells], cell, sheet, cut=True)
    elif sheet.numbers == "fit" and matrix.values.size <= MOST_NUMBERS:
        numbers = [[short_number(v) if np.isfinite(v) else "" for v in row] for row in matrix.values.tolist()]
        write_cells(figure, matrix, numbers, cell, sheet)


class PagePixels(Artist):
    """Pixels [rows, columns, channels] from 0 to 1 that an SVG scales to a box; axes for each would take longer."""

    def __init__(self, pixels: Any, place: Box, high: float) -> None:
        super().__init__()
        self.pixels, self.place, self.high = np.rint(255 * pixels).astype(np.uint8), place, high

    def draw(self, renderer: Any) -> None:  # noqa: D102
        place, high = self.place, self.high
        context = renderer.new_gc()
        wide, down = (side / POINT for side in (place.wide, -place.high))
        renderer.draw_image(
            context, place.x / POINT, (high - place.y) / POINT, self.pixels, Affine2D().scale(wide, down)
        )
        context.restore()


def draw_pixels(figure: Figure, place: Box, pixels: Any, sheet: Sheet) -> None:
    """Pixels [rows, columns, 4] that fill a place."""
    if sheet.in_page:
        figure.add_artist(PagePixels(pixels, place, size(figure)[1]))
        return
    rows, columns, _ = pixels.shape
    axes = add_axes(figure, place)
    axes.axis("off")
    larger = pixels.repeat(math.ceil(FINE / rows), 0).repeat(math.ceil(FINE / columns), 1)  # PDF readers would blur it
    axes.imshow(larger, aspect="auto", interpolation="none")


def draw_cells(figure: Figure, place: Box, count: tuple[int, int], at: tuple[Any, Any], colours: Any) -> None:
    """Cells of a grid of so many columns and rows in a place, those at these columns and rows [k], colours [k, 3]."""
    first = np.stack(at, 1).astype(float)
    corners = first[:, None] + np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    wide, high = size(figure)
    corners = corners * (place.wide / count[0], place.high / count[1]) + (place.x, place.y)
    figure.add_artist(
        PolyCollection(
            corners / (wide, -high) + (0, 1),
            facecolors=colours,
            edgecolors=colours,
            linewidths=0.15,
            transform=figure.transFigure,
        )
    )


def draw_frame(figure: Figure, place: Box, sheet: Sheet) -> None:
    """A thin line around a map."""
    wide, high = size(figure)
    corner = (place.x / wide, 1 - (place.y + place.high) / high)
    figure.add_artist(
        Rectangle(
            corner,
            place.wide / wide,
            place.high / high,
            fill=False,
            edgecolor=GRID[sheet.theme],
            linewidth=0.4,
            transform=figure.transFigure,
        )
    )


def short_number(value: float) -> str:
    """A number as it stands in a cell: two digits after the point up to ten, else three digits."""
    return f"{value:.2f}" if abs(value) < 10 else short(float(f"{value:.3g}"))


def write_cells(
    figure: Figure, matrix: HeatMap, texts: list[list[str]], cell: Box, sheet: Sheet, *, cut: bool = False
) -> None:
    """Words in cells, all of one size; none where they would have no room, or each `cut` to its cell.

    `cell` is the first one.
    """
    points = min(sheet.letters, 0.75 * cell.high / POINT)
    longest = max((width(text, sheet.letters) for row in texts for text in row), default=0.0) / sheet.letters
    if longest:
        points = min(points, max(0.82 * cell.wide / longest, LEAST_WORD if cut else 0.0))
    if points < LEAST_NUMBER:
        return
    for (i, j), value in np.ndenumerate(matrix.values):
        text = fitted(texts[i][j], points, 0.94 * cell.wide) if cut else texts[i][j]
        dark = luminance(colour_of(float(value), matrix, sheet.theme)) < 0.45 if np.isfinite(value) else False
        x, y = cell.x + (j + 0.5) * cell.wide, cell.y + (i + 0.5) * cell.high
        ink = "#ffffff" if dark else "#10131a"
        write(figure, x, y, text, sheet, ha="center", va="center_baseline", points=points, ink=ink)


def luminance(colour: tuple[float, float, float]) -> float:
    """How light a colour looks, from 0 to 1."""
    return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]


def draw_bar(figure: Figure, matrix: HeatMap, place: Box, sheet: Sheet) -> None:
    """A colour scale with the numbers at its ends and in the middle."""
    colours = ramp(matrix.kind, sheet.theme)
    if sheet.in_page:
        draw_pixels(figure, place, np.insert(colours, 3, 1.0, 1)[None], sheet)
    else:
        draw_cells(figure, place, (LEVELS, 1), (np.arange(LEVELS), np.zeros(LEVELS)), colours)
    line = sheet.letters * POINT
    words = {
        share: short(matrix.low + share * (matrix.high - matrix.low)).replace("-", "\u2212")
        for share in (0.0, 0.5, 1.0)
    }
    if sum(width(word, sheet.letters) + line for word in words.values()) > place.wide:
        del words[0.5]
    for share, text in words.items():
        write(
            figure,
            place.x + share * place.wide,
            place.y + place.high + 1.1 * line,
            text,
            sheet,
            ha=SIDES[share],
            muted=True,
        )


def scale_kind(matrix: HeatMap) -> Kind:
    """Which maps share a scale: those with a sign, and those without."""
    return matrix.kind if matrix.kind in WITH_SIGN else "positive"
