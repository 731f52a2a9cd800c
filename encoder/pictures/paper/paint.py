"""A printed figure as drawn: panels with letters in a grid, every length in mm, text as text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from encoder.pictures.paper.map_cells import Box, scale_kind, write
from encoder.pictures.paper.panel_blocks import ChartOfPanel, MapsOfPanel, PanelDrawing
from encoder.pictures.paper.printed_panel import Panel
from encoder.pictures.paper.sheet import LIMITS, MOST_COLUMNS, Sheet
from encoder.pictures.paper.type import POINT, SETTINGS, fitted
from encoder.support.errors import EncoderError
from encoder.support.theme import BACKGROUND, Kind

EDGE, GAP = 1.5, 4.0  # mm around all, and between panels
SMALLER, ENOUGH = (1.0, 0.8, 0.65, 0.5), 0.6  # labels on a sheet of given height, until so much is drawn of its size


def prepared(panels: Sequence[Panel], sheet: Sheet) -> list[Panel]:
    """The panels as they are drawn: without added tokens, and on one scale, where the sheet says so."""
    shown = [panel.words_only() for panel in panels] if sheet.words_only else list(panels)
    if not sheet.shared:
        return shown
    largest: dict[Kind, float] = {}
    for matrix in (matrix for panel in shown for matrix in panel.maps):
        largest[scale_kind(matrix)] = max(largest.get(scale_kind(matrix), 0.0), matrix.largest)
    return [
        replace(panel, maps=tuple(matrix.scaled(largest[scale_kind(matrix)] or 1.0) for matrix in panel.maps))
        for panel in shown
    ]


def arranged(panels: Sequence[Panel], sheet: Sheet) -> tuple[list[list[PanelDrawing]], float]:
    """The panels in rows, and how large what they draw is: 1 on a sheet that is as high as needed.

    On a sheet of given height they stand in the rows that leave most room; where that is little, labels are smaller.
    """
    count = len(panels)
    if not sheet.height:
        return blocks(panels, sheet, sheet.across(count)), 1.0
    ways = [sheet.across(count)] if sheet.columns else list(range(1, min(count, MOST_COLUMNS) + 1))
    ways_tried: list[tuple[list[list[PanelDrawing]], float]] = []
    for smaller in SMALLER:
        own = replace(sheet, letters=max(LIMITS["letters"][0], smaller * sheet.letters))
        ways_tried = [(rows, fitting(rows, sheet)) for rows in (blocks(panels, own, across) for across in ways)]
        if max(scale for _, scale in ways_tried) >= ENOUGH:
            break
    return max(ways_tried, key=lambda block: block[1] * block[0][0][0].wide)


def blocks(panels: Sequence[Panel], sheet: Sheet, across: int) -> list[list[PanelDrawing]]:
    """The panels in rows of so many."""
    wide = (sheet.width - 2 * EDGE - (across - 1) * GAP) / across
    drawings: list[PanelDrawing] = []
    for i, panel in enumerate(panels):
        letter = f"({chr(97 + i)})" if len(panels) > 1 else ""
        worded = bool(panel.maps) and bool(panel.maps[0].cells)
        drawings.append(
            MapsOfPanel(panel, wide, letter, sheet, not worded)
            if panel.maps
            else ChartOfPanel(panel, wide, letter, sheet)
        )
    return [drawings[i : i + across] for i in range(0, len(drawings), across)]


def needed(rows: list[list[PanelDrawing]], sheet: Sheet, scale: float) -> float:
    """How high all rows are together, with the title."""
    title = 2.4 * sheet.letters * POINT if sheet.title else 0.0
    return 2 * EDGE + title + sum(max(block.height(scale) for block in row) for row in rows) + GAP * (len(rows) - 1)


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
            box
            for block, x, y in self.drawings
            if isinstance(block, MapsOfPanel)
            for box in block.places(x, y, self.scale)
        ]


def placed(panels: Sequence[Panel], sheet: Sheet) -> Placed:
    """Where each panel stands."""
    with rc_context(SETTINGS):  # type: ignore[arg-type]
        rows, scale = arranged(prepared(panels, sheet), sheet)
    high, full = sheet.height, needed(rows, sheet, scale)
    y = EDGE + (2.4 * sheet.letters * POINT if sheet.title else 0.0) + max(0.0, (high or full) - full) / 2
    spots = []
    for row in rows:
        for i, block in enumerate(row):
            middle = (block.wide - block.used(scale)) / 2 if high else 0.0
            spots.append((block, EDGE + i * (block.wide + GAP) + middle, y))
        y += max(block.height(scale) for block in row) + GAP
    return Placed(high or full, scale, tuple(spots))


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
            title = fitted(sheet.title, points, sheet.width - 2 * EDGE, True)
            write(figure, EDGE, EDGE + points * POINT, title, sheet, bold=True, points=points)
        for block, x, y in whole.drawings:
            block.draw(figure, x, y, whole.scale)
        return figure
