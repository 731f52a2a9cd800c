"""Parameters as areas: the embedding, a column for each layer with its heads above its feed-forward, the guess."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from encoder.explain.cost import Area
from encoder.pictures.figures.drawn import Drawn, draw, mark
from encoder.support.theme import ACCENT, BACKGROUND, Theme, colour, layout

# kind -> how strong its blue is; in this order they stand below one another, and as rows of a table
KINDS = {
    "embedding": 0.2,
    "attention": 0.7,
    "feed-forward": 0.33,
    "add & norm": 0.6,
    "guess": 1.0,
    "labels": 1.0,
    "sentence vector": 1.0,
}
WIDE = 3.4  # times as wide as high
LETTERS = 0.045  # of the width that a layer's number takes


class Rectangle(NamedTuple):
    """A part of the picture, whose sides are 1: where it begins at the left and on top, and its size."""

    x: float
    y: float
    width: float
    height: float


def colour_of(kind: str, theme: Theme) -> str:
    """The colour of a kind; heads have that of what is chosen on all pages."""
    return ACCENT[theme] if kind == "attention" else colour(KINDS[kind], "share", 1, theme)


def place(area: Area) -> tuple[int, int, str]:
    """Which column an area stands in: tables first, then what all layers share, the layers, and what follows them."""
    first = area.name.partition(".")[0] if area.layer is None else ""
    stages = {"embedding": 0, "attention": 1, "add & norm": 3, "guess": 4, "labels": 5}
    return (2, area.layer, "") if area.layer is not None else (stages[area.kind], 0, first)


def rectangles(areas: Sequence[Area]) -> list[Rectangle]:
    """Where each area stands: of all that there is it has just the share that it has of all parameters."""
    whole, left, places = sum(area.parameters for area in areas), 0.0, dict[Area, Rectangle]()
    order = sorted(areas, key=lambda area: (place(area), [*KINDS].index(area.kind)))
    for _, column in groupby(order, place):
        members = [*column]
        count, top = sum(area.parameters for area in members), 0.0
        width = count / whole
        heads = [area for area in members if area.head is not None]
        if heads:
            high = sum(area.parameters for area in heads) / count
            across = columns(len(heads), width * WIDE / high)
            each = Rectangle(0, 0, width / across, high * across / len(heads))
            for i, area in enumerate(heads):
                row, at = divmod(i, across)
                places[area] = each._replace(x=left + at * each.width, y=row * each.height)
            top = high
        for area in members[len(heads) :]:
            places[area] = Rectangle(left, top, width, area.parameters / count)
            top += area.parameters / count
        left += width
    return [places[area] for area in areas]


def columns(count: int, aspect: float) -> int:
    """How many boxes stand side by side in a field so much wider than high: full rows of near squares."""
    return min((n for n in range(1, count + 1) if count % n == 0), key=lambda n: abs(math.log(aspect * count / n**2)))


def layer_names(areas: Sequence[Area], places: Sequence[Rectangle]) -> list[tuple[str, float, float]]:
    """What stands below the columns of layers, where it begins and how wide it is; as many as have room."""
    sides: dict[str, list[float]] = {}
    for area, box in zip(areas, places, strict=True):
        if area.column:
            sides.setdefault(area.column, []).extend((box.x, box.x + box.width))
    names = [(name, min(ends), max(ends) - min(ends)) for name, ends in sides.items()]
    return names[:: math.ceil(LETTERS / min((width for _, _, width in names), default=1))]


class KindBars(NamedTuple):
    """The areas of a kind as bars with a width and a foot of their own."""

    kind: str
    areas: list[Area]
    middles: list[float]
    heights: list[float]
    widths: list[float]
    feet: list[float]


def bars_of(areas: Sequence[Area], boxes: Sequence[Rectangle]) -> Iterator[KindBars]:
    """The bars of every kind that there is, in the order of KINDS."""
    for kind in KINDS:
        mine = [(area, box) for area, box in zip(areas, boxes, strict=True) if area.kind == kind]
        if mine:
            yield KindBars(
                kind,
                [area for area, _ in mine],
                [box.x + box.width / 2 for _, box in mine],
                [box.height for _, box in mine],
                [box.width for _, box in mine],
                [1 - box.y - box.height for _, box in mine],
            )


def parameter_areas(areas: Sequence[Area], theme: Theme) -> Drawn:
    """The picture: rectangles are bars with a width and a foot of their own."""
    boxes = rectangles(areas)
    marks = [
        mark(
            "bar",
            name=bars.kind,
            x=bars.middles,
            y=bars.heights,
            base=bars.feet,
            width=bars.widths,
            text=[f"{area.name}: {area.parameters:,} parameters" for area in bars.areas],
            textposition="none",
            hovertemplate="%{text}<extra></extra>",
            marker={"color": colour_of(bars.kind, theme), "line": {"color": BACKGROUND[theme], "width": 1}},
        )
        for bars in bars_of(areas, boxes)
    ]
    names = layer_names(areas, boxes)
    across = {
        "range": [0, 1],
        "tickvals": [x + width / 2 for _, x, width in names],
        "ticktext": [name.removeprefix("layer ") for name, _, _ in names],
        "title": {"text": "layer"},
        "showgrid": False,
        "automargin": True,
        "zeroline": False,
    }
    frame = layout(theme, 320, xaxis=across, yaxis={"visible": False, "range": [0, 1]}, barmode="overlay")
    return draw(marks, frame | {"showlegend": True, "legend": {"orientation": "h", "y": 1.12}})
