"""A panel in a column of a printed figure: how high it is, and how its maps or its chart are drawn there."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from encoder.pictures.paper.map_cells import Box, add_axes, draw_bar, draw_map, scale_kind, write
from encoder.pictures.paper.printed_chart import draw_chart
from encoder.pictures.paper.printed_panel import HeatMap, Panel
from encoder.pictures.paper.sheet import Sheet
from encoder.pictures.paper.type import POINT, fitted, width

BAR = 1.6  # mm of a colour scale
MOST_CELL = 12.0  # mm of a cell's side
FLAT, CHART = 0.5, 0.6  # height over width of maps whose cells are no squares, and of charts
TRIAL = 80.0  # mm of a chart whose margins are measured
MOST_SHAPES = 12_000  # cells of a panel; of more the cells are pixels, and only the words are text
TICKS = 6  # along columns that are counted
TILE_GAP = 1.5  # mm between the maps of one panel


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
        title = fitted(self.panel.title, self.sheet.letters, x + self.wide - left)
        write(figure, left, y + self.line, title, self.sheet)


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
        self.title = 1.5 * self.line if any(matrix.title for matrix in panel.maps) else 0.0
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
        shapes = not self.sheet.in_page and sum(matrix.values.size for matrix in self.panel.maps) <= MOST_SHAPES
        for i, (matrix, place) in enumerate(zip(self.panel.maps, places, strict=True)):
            draw_map(figure, matrix, place, self.sheet, shapes)
            if matrix.title:
                small, title = smaller(matrix.title, self.sheet.letters, place.wide)
                write(figure, place.x, place.y - 0.35 * self.line, title, self.sheet, points=small)
            if i % self.across == 0:
                self.draw_rows(figure, matrix, place)
            if self.named and i < self.across:
                self.draw_columns(figure, matrix, replace(place, y=y + self.head + self.above))
            elif not self.named and i >= self.many - self.across:
                self.draw_counts(figure, matrix, place)
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
        for i, matrix in enumerate(self.scales):
            left = x + i * each
            top = y + (1.4 * self.line if count > 1 else 0.0)
            if count > 1:
                small, title = smaller(matrix.title, self.sheet.letters, 0.9 * each)
                write(figure, left, y + 0.9 * self.line, title, self.sheet, points=small)
            draw_bar(figure, matrix, Box(left, top, wide, BAR), self.sheet)

    def draw_rows(self, figure: Figure, matrix: HeatMap, place: Box) -> None:
        """The names of rows, as many as have room; that of the row which the map is about is one of them."""
        side = place.high / len(matrix.rows)
        every = math.ceil(1.05 * self.line / side)
        for i in range(self.subject[0] % every, len(matrix.rows), every):
            at = place.y + (i + 0.5) * side
            write(figure, place.x - 0.8, at, matrix.rows[i], self.sheet, ha="right", va="center_baseline")

    def draw_columns(self, figure: Figure, matrix: HeatMap, place: Box) -> None:
        """The names of columns upright above them, as many as have room, and likewise that of the one it is about."""
        side = place.wide / len(matrix.columns)
        every = math.ceil(1.05 * self.line / side)
        for i in range(self.subject[1] % every, len(matrix.columns), every):
            at = place.x + (i + 0.5) * side
            write(figure, at, place.y - 0.8, matrix.columns[i], self.sheet, ha="center", va="bottom", turn=90)

    def draw_counts(self, figure: Figure, matrix: HeatMap, place: Box) -> None:
        """A few of the numbers of columns below them, and what is counted."""
        columns = matrix.shape[1]
        step = nice_step(columns, max(2, int(place.wide / width("00000", self.sheet.letters))))
        y = place.y + place.high + 0.6 + 0.5 * self.line
        for at in [1, *range(step, columns + 1, step)]:
            where = place.x + (at - 0.5) * place.wide / columns
            write(figure, where, y, str(at), self.sheet, ha="center", va="center_baseline")
        middle = place.x + place.wide / 2
        write(figure, middle, y + 1.35 * self.line, str(matrix.columns), self.sheet, ha="center", va="center_baseline")


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
    alike: dict[tuple[str, float, float], list[HeatMap]] = {}
    for matrix in panel.maps:
        alike.setdefault((scale_kind(matrix), matrix.low, matrix.high), []).append(matrix)
    return [replace(same[0], title=", ".join(matrix.title for matrix in same)) for same in alike.values()]


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
