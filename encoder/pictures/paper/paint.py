"""A printed figure as drawn: panels with letters in a grid, every length in mm, text as text."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import Affine2D

from encoder.pictures.paper.chart import draw_chart
from encoder.pictures.paper.panel import HeatMap, Panel
from encoder.pictures.paper.sheet import LIMITS, MOST_COLUMNS, Sheet
from encoder.pictures.paper.type import POINT, SETTINGS, drawable, fitted, width
from encoder.support.errors import EncoderError
from encoder.support.formatting import short
from encoder.support.theme import BACKGROUND, GRID, INK, MUTED, Kind, Theme, palette

EDGE, GAP, TILE_GAP = 1.5, 4.0, 1.5  # mm around all, between panels, between the maps of one
SIDES = {0.0: "left", 0.5: "center", 1.0: "right"}  # how the numbers of a colour scale are anchored
BAR = 1.6  # mm of a colour scale
MOST_CELL = 12.0  # mm of a cell's side
FLAT, CHART = 0.5, 0.6  # height over width of maps whose cells are no squares, and of charts
TRIAL = 80.0  # mm of a chart whose margins are measured
MOST_SHAPES = 12_000  # cells of a panel; of more the cells are pixels, and only the words are text
FINE = 400  # pixels along a side of such a map, at least
LEVELS = 255  # colours of a scale, as on the screen
MOST_NUMBERS = 2500  # of a map
LEAST_NUMBER, LEAST_WORD = 3.5, 4.5  # points
SMALLER, ENOUGH = (1.0, 0.8, 0.65, 0.5), 0.6  # labels on a sheet of given height, until so much is drawn of its size
TICKS = 6  # along columns that are counted


def level(value: Any, low: float, high: float) -> Any:
    """Which of the colours of its scale a number has."""
    return np.rint(np.clip((np.asarray(value, dtype=np.float64) - low) / (high - low), 0, 1) * (LEVELS - 1)).astype(int)


def colour_of(value: float, one: HeatMap, theme: Theme) -> tuple[float, float, float]:
    """The colour of a number in a map, as red, green and blue up to 1."""
    red, green, blue = ramp(one.kind, theme)[int(level(value, one.low, one.high))].tolist()
    return red, green, blue


@dataclass(frozen=True)
class Box:
    """A box on the sheet, in mm from its upper left corner."""

    x: float
    y: float
    wide: float
    high: float


class PanelDrawing(ABC):
    """A panel in a column of so many mm: how high it is, and how it is drawn there."""

    def __init__(self, panel: Panel, wide: float, letter: str, sheet: Sheet) -> None:
        self.panel, self.wide, self.letter, self.sheet = panel, wide, letter, sheet
        self.line = sheet.letters * POINT  # mm of a letter
        self.head = 1.9 * self.line if letter or panel.title else 0.0

    @abstractmethod
    def height(self, scale: float) -> float:
        """How high it is when what is drawn is `scale` times as large as it has room for."""

    def used(self, scale: float) -> float:
        """How much of its width is drawn on."""
        return self.wide

    @abstractmethod
    def draw(self, figure: Figure, x: float, y: float, scale: float) -> None:
        """Draw it with its upper left corner there."""

    def draw_head(self, figure: Figure, x: float, y: float) -> None:
        """Its letter and its title."""
        left = x
        if self.letter:
            write(figure, left, y + self.line, self.letter, self.sheet, bold=True)
            left += width(f"{self.letter} ", self.sheet.letters, True) + 1.0
        said = fitted(self.panel.title, self.sheet.letters, x + self.wide - left)
        write(figure, left, y + self.line, said, self.sheet)


class MapsOfPanel(PanelDrawing):
    """A panel of maps: names along their left and upper sides, their colour scale below."""

    def __init__(self, panel: Panel, wide: float, letter: str, sheet: Sheet, bar: bool) -> None:
        super().__init__(panel, wide, letter, sheet)
        first = panel.maps[0]
        self.subject = first.named  # of all its maps: they share the names at their sides
        self.many = len(panel.maps)
        self.across = min(self.many, panel.across or in_a_row(self.many))
        self.named = not isinstance(first.columns, str)
        self.left = max(self.names(first.rows)) + 1.0
        self.above = (max(self.names(first.columns)) + 1.0) if self.named else 0.0
        self.below = 0.0 if self.named else 2.9 * self.line
        self.title = 1.5 * self.line if any(one.title for one in panel.maps) else 0.0
        self.scales = scales(panel) if bar else []
        self.bar = (BAR + 2.6 * self.line + (1.4 * self.line if len(self.scales) > 1 else 0.0)) if bar else 0.0

    def names(self, names: Sequence[str]) -> list[float]:
        """How wide names are."""
        return [width(name, self.sheet.letters) for name in names]

    def cell(self, scale: float) -> tuple[float, float]:
        """How wide and high a cell is."""
        rows, columns = self.panel.maps[0].shape
        room = self.wide - self.left - 0.5 - (self.across - 1) * TILE_GAP
        wide = scale * min(room / self.across / columns, MOST_CELL if self.named else math.inf)
        if self.named and self.panel.maps[0].pairs:
            return wide, wide if self.sheet.square else FLAT * wide
        return wide, scale * min(1.35 * self.line, FLAT * room / self.across / rows if self.many > 1 else math.inf)

    def tile(self, scale: float) -> tuple[float, float]:
        """How wide and high a map is."""
        wide, high = self.cell(scale)
        rows, columns = self.panel.maps[0].shape
        return wide * columns, high * rows

    def height(self, scale: float) -> float:  # noqa: D102
        down = math.ceil(self.many / self.across)
        maps = down * (self.tile(scale)[1] + self.title) + (down - 1) * TILE_GAP
        return self.head + self.above + maps + self.below + self.bar

    def used(self, scale: float) -> float:  # noqa: D102
        maps = self.across * (self.tile(scale)[0] + TILE_GAP) - TILE_GAP
        return self.left + max(maps, self.bars()[2] if self.bar else 0.0)

    def places(self, x: float, y: float, scale: float) -> list[Box]:
        """Where each map stands."""
        wide, high = self.tile(scale)
        top = y + self.head + self.above
        return [
            Box(
                x + self.left + i % self.across * (wide + TILE_GAP),
                top + i // self.across * (high + self.title + TILE_GAP) + self.title,
                wide,
                high,
            )
            for i in range(self.many)
        ]

    def draw(self, figure: Figure, x: float, y: float, scale: float) -> None:  # noqa: D102
        self.draw_head(figure, x, y)
        places = self.places(x, y, scale)
        shapes = not self.sheet.in_page and sum(one.values.size for one in self.panel.maps) <= MOST_SHAPES
        for i, (one, place) in enumerate(zip(self.panel.maps, places, strict=True)):
            draw_map(figure, one, place, self.sheet, shapes)
            if one.title:
                small, said = smaller(one.title, self.sheet.letters, place.wide)
                write(figure, place.x, place.y - 0.35 * self.line, said, self.sheet, points=small)
            if i % self.across == 0:
                self.draw_rows(figure, one, place)
            if self.named and i < self.across:
                self.draw_columns(figure, one, replace(place, y=y + self.head + self.above))
            elif not self.named and i >= self.many - self.across:
                self.draw_counts(figure, one, place)
        if self.bar:
            bottom = max(place.y + place.high for place in places) + self.below + self.line
            self.draw_bars(figure, x + self.left, bottom)

    def bars(self) -> tuple[float, float, float]:
        """How far apart the colour scales stand, how wide each is, and all of them together."""
        count = len(self.scales)
        each = (self.wide - self.left) / count
        wide = min(40.0, (0.6 if count == 1 else 0.85) * each)
        return each, wide, (count - 1) * each + wide

    def draw_bars(self, figure: Figure, x: float, y: float) -> None:
        """Each colour scale once, with the name of its maps where there are several."""
        count, (each, wide, _) = len(self.scales), self.bars()
        for i, one in enumerate(self.scales):
            left = x + i * each
            top = y + (1.4 * self.line if count > 1 else 0.0)
            if count > 1:
                small, said = smaller(one.title, self.sheet.letters, 0.9 * each)
                write(figure, left, y + 0.9 * self.line, said, self.sheet, points=small)
            draw_bar(figure, one, Box(left, top, wide, BAR), self.sheet)

    def draw_rows(self, figure: Figure, one: HeatMap, place: Box) -> None:
        """The names of rows, as many as have room; that of the row which the map is about is one of them."""
        side = place.high / len(one.rows)
        every = math.ceil(1.05 * self.line / side)
        for i in range(self.subject[0] % every, len(one.rows), every):
            at = place.y + (i + 0.5) * side
            write(figure, place.x - 0.8, at, one.rows[i], self.sheet, ha="right", va="center_baseline")

    def draw_columns(self, figure: Figure, one: HeatMap, place: Box) -> None:
        """The names of columns upright above them, as many as have room, and likewise that of the one it is about."""
        side = place.wide / len(one.columns)
        every = math.ceil(1.05 * self.line / side)
        for i in range(self.subject[1] % every, len(one.columns), every):
            at = place.x + (i + 0.5) * side
            write(figure, at, place.y - 0.8, one.columns[i], self.sheet, ha="center", va="bottom", turn=90)

    def draw_counts(self, figure: Figure, one: HeatMap, place: Box) -> None:
        """A few of the numbers of columns below them, and what is counted."""
        columns = one.shape[1]
        step = nice_step(columns, max(2, int(place.wide / width("00000", self.sheet.letters))))
        y = place.y + place.high + 0.6 + 0.5 * self.line
        for at in [1, *range(step, columns + 1, step)]:
            where = place.x + (at - 0.5) * place.wide / columns
            write(figure, where, y, str(at), self.sheet, ha="center", va="center_baseline")
        middle = place.x + place.wide / 2
        write(figure, middle, y + 1.35 * self.line, str(one.columns), self.sheet, ha="center", va="center_baseline")


class ChartOfPanel(PanelDrawing):
    """A panel of bars or lines."""

    def __init__(self, panel: Panel, wide: float, letter: str, sheet: Sheet) -> None:
        super().__init__(panel, wide, letter, sheet)
        left, right, self.above, self.below = margins(panel, sheet.letters)
        most = 0.4 * wide
        self.left, self.right = min(left, most), min(right, most)

    def height(self, scale: float) -> float:  # noqa: D102
        return self.head + self.above + scale * CHART * (self.wide - self.left - self.right) + self.below

    def draw(self, figure: Figure, x: float, y: float, scale: float) -> None:  # noqa: D102
        self.draw_head(figure, x, y)
        wide = self.wide - self.left - self.right
        high = scale * CHART * wide
        axes = add_axes(figure, Box(x + self.left, y + self.head + self.above, wide, high))
        draw_chart(axes, self.panel, self.sheet.theme, self.sheet.letters, min(TICKS, int(high / (2 * self.line))))


@lru_cache(maxsize=128)
def margins(panel: Panel, letters: float) -> tuple[float, float, float, float]:
    """What stands around the axes of a chart, in mm: left, right, above, below."""
    trial = Figure((TRIAL / 25.4, CHART * TRIAL / 25.4), dpi=72)
    canvas = FigureCanvasAgg(trial)
    axes = trial.add_axes((0.15, 0.15, 0.8, 0.7))
    draw_chart(axes, panel, "light", letters, TICKS)
    inner = axes.get_window_extent()
    outer = axes.get_tightbbox(canvas.get_renderer()) or inner  # type: ignore[no-untyped-call]
    around = (inner.x0 - outer.x0, outer.x1 - inner.x1, outer.y1 - inner.y1, inner.y0 - outer.y0)
    left, right, above, below = (max(0.5, float(distance) * POINT) for distance in around)
    return left, right, above, below


def smaller(text: str, points: float, room: float) -> tuple[float, str]:
    """The size in points at which a text has room in so many mm, not below half of `points`; and what has room."""
    size = points * max(0.5, min(1.0, room / max(width(text, points), 1e-9)))
    return size, text if size > 0.5 * points else fitted(text, size, room)


def scales(panel: Panel) -> list[HeatMap]:
    """The first map of each colour scale in a panel; their titles name all that have it."""
    found: dict[tuple[str, float, float], list[HeatMap]] = {}
    for one in panel.maps:
        found.setdefault((scale_kind(one), one.low, one.high), []).append(one)
    return [replace(same[0], title=", ".join(one.title for one in same)) for same in found.values()]


def in_a_row(count: int) -> int:
    """How many of so many maps stand in a row where nothing says it."""
    if count <= 3:
        return count
    return next((n for n in (4, 6, 3, 5, 8) if count % n == 0 and n * n >= count), math.ceil(math.sqrt(count)))


def nice_step(count: int, most: int) -> int:
    """A round distance that gives a handful of numbers from 1 to `count`, `most` of them where that is fewer."""
    most = min(most, TICKS)
    power = 10 ** math.floor(math.log10(max(1, count / most)))
    return max(1, next(int(power * n) for n in (1, 2, 5, 10) if count / (power * n) <= most))


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


def draw_map(figure: Figure, one: HeatMap, place: Box, sheet: Sheet, shapes: bool) -> None:
    """The cells of a map as shapes or as pixels, with numbers or words in them where they have room."""
    rows, columns = one.shape
    finite = np.isfinite(one.values)
    i, j = np.nonzero(finite)
    colours = ramp(one.kind, sheet.theme)[level(one.values[finite], one.low, one.high)]
    if shapes:
        draw_cells(figure, place, (columns, rows), (j, i), colours)
    else:
        pixels = np.zeros((rows, columns, 4))
        pixels[i, j] = np.concatenate([colours, np.ones((len(colours), 1))], 1)
        draw_pixels(figure, place, pixels, sheet)
    draw_frame(figure, place, sheet)
    cell = Box(place.x, place.y, place.wide / columns, place.high / rows)
    if one.cells:
        write_cells(figure, one, [list(row) for row in one.cells], cell, sheet, cut=True)
    elif sheet.numbers == "fit" and one.values.size <= MOST_NUMBERS:
        said = [[short_number(v) if np.isfinite(v) else "" for v in row] for row in one.values.tolist()]
        write_cells(figure, one, said, cell, sheet)


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
    figure: Figure, one: HeatMap, said: list[list[str]], cell: Box, sheet: Sheet, *, cut: bool = False
) -> None:
    """Words in cells, all of one size; none where they would have no room, or each `cut` to its cell.

    `cell` is the first one.
    """
    points = min(sheet.letters, 0.75 * cell.high / POINT)
    longest = max((width(text, sheet.letters) for row in said for text in row), default=0.0) / sheet.letters
    if longest:
        points = min(points, max(0.82 * cell.wide / longest, LEAST_WORD if cut else 0.0))
    if points < LEAST_NUMBER:
        return
    for (i, j), value in np.ndenumerate(one.values):
        text = fitted(said[i][j], points, 0.94 * cell.wide) if cut else said[i][j]
        dark = luminance(colour_of(float(value), one, sheet.theme)) < 0.45 if np.isfinite(value) else False
        x, y = cell.x + (j + 0.5) * cell.wide, cell.y + (i + 0.5) * cell.high
        ink = "#ffffff" if dark else "#10131a"
        write(figure, x, y, text, sheet, ha="center", va="center_baseline", points=points, ink=ink)


def luminance(colour: tuple[float, float, float]) -> float:
    """How light a colour looks, from 0 to 1."""
    return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]


def draw_bar(figure: Figure, one: HeatMap, place: Box, sheet: Sheet) -> None:
    """A colour scale with the numbers at its ends and in the middle."""
    colours = ramp(one.kind, sheet.theme)
    if sheet.in_page:
        draw_pixels(figure, place, np.insert(colours, 3, 1.0, 1)[None], sheet)
    else:
        draw_cells(figure, place, (LEVELS, 1), (np.arange(LEVELS), np.zeros(LEVELS)), colours)
    line = sheet.letters * POINT
    words = {share: short(one.low + share * (one.high - one.low)).replace("-", "\u2212") for share in (0.0, 0.5, 1.0)}
    if sum(width(word, sheet.letters) + line for word in words.values()) > place.wide:
        del words[0.5]
    for share, said in words.items():
        write(
            figure,
            place.x + share * place.wide,
            place.y + place.high + 1.1 * line,
            said,
            sheet,
            ha=SIDES[share],
            muted=True,
        )


def prepared(panels: Sequence[Panel], sheet: Sheet) -> list[Panel]:
    """The panels as they are drawn: without added tokens, and on one scale, where the sheet says so."""
    found = [panel.words_only() for panel in panels] if sheet.words_only else list(panels)
    if not sheet.shared:
        return found
    largest: dict[Kind, float] = {}
    for one in (one for panel in found for one in panel.maps):
        largest[scale_kind(one)] = max(largest.get(scale_kind(one), 0.0), one.largest)
    return [
        replace(panel, maps=tuple(one.scaled(largest[scale_kind(one)] or 1.0) for one in panel.maps)) for panel in found
    ]


def scale_kind(one: HeatMap) -> Kind:
    """Which maps share a scale: those with a sign, and those without."""
    return "signed" if one.kind == "signed" else "positive"


def arranged(panels: Sequence[Panel], sheet: Sheet) -> tuple[list[list[PanelDrawing]], float]:
    """The panels in rows, and how large what they draw is: 1 on a sheet that is as high as needed.

    On a sheet of given height they stand in the rows that leave most room; where that is little, labels are smaller.
    """
    count = len(panels)
    if not sheet.height:
        return blocks(panels, sheet, sheet.across(count)), 1.0
    ways = [sheet.across(count)] if sheet.columns else list(range(1, min(count, MOST_COLUMNS) + 1))
    found: list[tuple[list[list[PanelDrawing]], float]] = []
    for smaller in SMALLER:
        own = replace(sheet, letters=max(LIMITS["letters"][0], smaller * sheet.letters))
        found = [(rows, fitting(rows, sheet)) for rows in (blocks(panels, own, across) for across in ways)]
        if max(scale for _, scale in found) >= ENOUGH:
            break
    return max(found, key=lambda one: one[1] * one[0][0][0].wide)


def blocks(panels: Sequence[Panel], sheet: Sheet, across: int) -> list[list[PanelDrawing]]:
    """The panels in rows of so many."""
    wide = (sheet.width - 2 * EDGE - (across - 1) * GAP) / across
    found: list[PanelDrawing] = []
    for i, panel in enumerate(panels):
        letter = f"({chr(97 + i)})" if len(panels) > 1 else ""
        worded = bool(panel.maps) and bool(panel.maps[0].cells)
        found.append(
            MapsOfPanel(panel, wide, letter, sheet, not worded)
            if panel.maps
            else ChartOfPanel(panel, wide, letter, sheet)
        )
    return [found[i : i + across] for i in range(0, len(found), across)]


def needed(rows: list[list[PanelDrawing]], sheet: Sheet, scale: float) -> float:
    """How high all rows are together, with the title."""
    title = 2.4 * sheet.letters * POINT if sheet.title else 0.0
    return 2 * EDGE + title + sum(max(one.height(scale) for one in row) for row in rows) + GAP * (len(rows) - 1)


def fitting(rows: list[list[PanelDrawing]], sheet: Sheet) -> float:
    """The largest scale at which all have room on the sheet."""
    if not sheet.height or needed(rows, sheet, 1.0) <= sheet.height:
        return 1.0
    low, high = 0.05, 1.0
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (middle, high) if needed(rows, sheet, middle) <= sheet.height else (low, middle)
    return low


@dataclass(frozen=True)
class Placed:
    """What is on a sheet and where: its height in mm, the size of what is drawn, each upper left corner."""

    high: float
    scale: float
    drawings: tuple[tuple[PanelDrawing, float, float], ...]

    def maps(self) -> list[Box]:
        """Where every map stands."""
        return [
            box for one, x, y in self.drawings if isinstance(one, MapsOfPanel) for box in one.places(x, y, self.scale)
        ]


def placed(panels: Sequence[Panel], sheet: Sheet) -> Placed:
    """Where each panel stands."""
    with rc_context(SETTINGS):  # type: ignore[arg-type]
        rows, scale = arranged(prepared(panels, sheet), sheet)
    high, full = sheet.height, needed(rows, sheet, scale)
    y = EDGE + (2.4 * sheet.letters * POINT if sheet.title else 0.0) + max(0.0, (high or full) - full) / 2
    found = []
    for row in rows:
        for i, one in enumerate(row):
            middle = (one.wide - one.used(scale)) / 2 if high else 0.0
            found.append((one, EDGE + i * (one.wide + GAP) + middle, y))
        y += max(one.height(scale) for one in row) + GAP
    return Placed(high or full, scale, tuple(found))


def paint(panels: Sequence[Panel], sheet: Sheet) -> Figure:
    """The figure of one or more panels.

    Raises:
        EncoderError: there is no panel.
    """
    if not panels:
        raise EncoderError("a figure needs a panel")
    return painted(placed(panels, sheet), sheet)


def painted(whole: Placed, sheet: Sheet) -> Figure:
    """The figure of what stands on a sheet."""
    with rc_context(SETTINGS):  # type: ignore[arg-type]
        figure = Figure((sheet.width / 25.4, whole.high / 25.4), dpi=72, facecolor=BACKGROUND[sheet.theme])
        FigureCanvasAgg(figure)
        if sheet.title:
            points = 1.2 * sheet.letters
            said = fitted(sheet.title, points, sheet.width - 2 * EDGE, True)
            write(figure, EDGE, EDGE + points * POINT, said, sheet, bold=True, points=points)
        for one, x, y in whole.drawings:
            one.draw(figure, x, y, whole.scale)
        return figure
