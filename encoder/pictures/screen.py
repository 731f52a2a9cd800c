"""How each kind of picture is drawn on the screen, by Plotly."""

from collections.abc import Callable

import numpy as np

from encoder.pictures.chart import Chart, small_maps
from encoder.pictures.figures import charts, scatter
from encoder.pictures.figures.areas import parameter_areas
from encoder.pictures.figures.charts import outlines, units_on_curve
from encoder.pictures.figures.drawn import Drawn
from encoder.pictures.figures.matrix import matrix, tiles
from encoder.pictures.figures.scatter import links
from encoder.pictures.numbers import array
from encoder.support.theme import Theme

FOR_PAPER = (
    "followed",
    "framed",
    "least",
    "mark",
    "path",
    "points_of",
    "screen",
    "standing",
    "written",
)  # what only a printed picture is told


def draw_matrix(chart: Chart, theme: Theme) -> Drawn:
    """Rows and columns, coloured."""
    columns = chart.numbers.along(chart.numbers.dims[1])
    return matrix(
        chart.numbers.array,
        chart.names(0),
        columns,
        kind=chart.values,
        theme=theme,
        at=chart.at,
        **{name: of for name, of in chart.look.items() if name not in FOR_PAPER},
    )


def draw_strips(chart: Chart, theme: Theme) -> Drawn:
    """Vectors below one another."""
    return matrix(chart.numbers.array, chart.names(0), chart.numbers.dims[1], kind=chart.values, theme=theme)


def draw_tiles(chart: Chart, theme: Theme) -> Drawn:
    """A matrix for each place of the first dimension, on one colour scale."""
    columns = chart.numbers.along(chart.numbers.dims[2])
    values = chart.numbers.array
    return tiles(values, chart.names(1), columns, chart.names(0), kind=chart.values, theme=theme, **chart.look)


def draw_bars(chart: Chart, theme: Theme) -> Drawn:
    """A bar for each place of the last dimension, and one beside it for each series."""
    asked = {name: of for name, of in chart.look.items() if name in ("title", "logarithmic", "paints")}
    options = {"title": chart.unit, "at": chart.at} | asked
    return charts.token_bars(chart.series, chart.names(-1), theme=theme, **options)


def draw_terms(chart: Chart, theme: Theme) -> Drawn:
    """The largest terms of a sum as bars, and the sum of all others as one more; `names` in the look go below them."""
    numbers, names = chart.numbers.array, chart.look.get("names") or chart.names(0)
    return charts.term_bars(numbers, names, theme)


def draw_curve(chart: Chart, theme: Theme) -> Drawn:
    """A line for each series over the places of the last dimension, which are numbers or counted from 0."""
    dim = chart.numbers.dims[-1]
    along = chart.numbers.names.get(dim, "")
    counted = isinstance(along, str) or any(isinstance(name, str) for name in along)
    places = np.arange(chart.numbers.array.shape[-1]) if counted else np.array(along, dtype=float)
    options = {"titles": (dim, chart.unit)} | {name: of for name, of in chart.look.items() if name not in FOR_PAPER}
    return charts.lines(chart.series, places, theme=theme, **options)


def draw_race(chart: Chart, theme: Theme) -> Drawn:
    """The rank of each word after each layer, the first on top."""
    return charts.race(chart.numbers.array, chart.names(1), theme, **chart.look)


def draw_words(chart: Chart, theme: Theme) -> Drawn:
    """The likeliest words of each row."""
    words, values = [list(row) for row in chart.numbers.words], chart.numbers.array
    options = {name: of for name, of in chart.look.items() if name not in FOR_PAPER}
    return charts.likeliest(words, values, chart.names(0), kind=chart.values, theme=theme, **options)


def draw_points(chart: Chart, theme: Theme) -> Drawn:
    """Named points in a plane whose axes mean nothing by themselves, or which have `titles`."""
    draw: Callable[..., Drawn] = scatter.plane if "titles" in chart.look else scatter.named_points
    return draw(chart.numbers.array, chart.names(0), theme=theme, **chart.look)


def draw_paths(chart: Chart, theme: Theme) -> Drawn:
    """A line for each token through the layers, in a plane."""
    return scatter.paths(chart.numbers.array, chart.names(1), theme=theme, **chart.look)


def draw_links(chart: Chart, theme: Theme) -> Drawn:
    """Lines from token to token, as thick as the weight."""
    options = {"chosen": []} | dict(chart.look)
    return links(chart.numbers.array, chart.names(0), theme=theme, at=chart.at, **options)


def draw_outlines(chart: Chart, theme: Theme) -> Drawn:
    """How several sets of numbers are spread: the share of each in bins of equal width."""
    along = chart.numbers.names[chart.numbers.dims[-1]]
    return outlines(np.array(along, dtype=float), chart.series, chart.unit, theme)


def draw_maps(chart: Chart, theme: Theme) -> Drawn:
    """A map for each place of all dimensions but the last two, as tiles on one colour scale."""
    maps = small_maps(chart)
    kind = next((small.kind for small in maps if small.kind == "signed"), maps[0].kind)
    values = np.stack([small.coloured for small in maps])
    titles, across = [small.title for small in maps], chart.look.get("columns", 0)
    return tiles(values, chart.names(-2), chart.names(-1), titles, kind=kind, theme=theme, across=across)


def draw_signed_bars(chart: Chart, theme: Theme) -> Drawn:
    """A bar for each term of a sum, those below zero in a colour of their own."""
    return charts.signed_bars(chart.numbers.array, chart.names(0), theme)


def draw_units(chart: Chart, theme: Theme) -> Drawn:
    """The units of a token, before and after the activation, on its `curve`."""
    x, y = (array(side) for side in chart.look["curve"])
    before, after = chart.numbers.array.T
    return units_on_curve((x, y), before, after, theme)


def draw_areas(chart: Chart, theme: Theme) -> Drawn:
    """Parameters as areas: a column for each layer, its heads above its feed-forward."""
    return parameter_areas(chart.look["areas"], theme)


KINDS: dict[str, Callable[[Chart, Theme], Drawn]] = {
    "matrix": draw_matrix,
    "tiles": draw_tiles,
    "bars": draw_bars,
    **dict.fromkeys(("arcs", "circuit", "lying", "stack"), draw_bars),  # the browser draws these in ways of its own
    "spine": draw_signed_bars,
    "sum": draw_terms,
    "strips": draw_strips,
    "waves": draw_strips,
    "terms": draw_terms,
    "curve": draw_curve,
    "race": draw_race,
    "words": draw_words,
    "points": draw_points,
    "paths": draw_paths,
    "links": draw_links,
    "outlines": draw_outlines,
    "maps": draw_maps,
    "signed bars": draw_signed_bars,
    "units": draw_units,
    "areas": draw_areas,
}
