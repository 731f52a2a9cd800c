"""Pictures on the screen: a function for each kind, from numbers and their names to a Plotly figure."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from encoder.figures import charts, scatter
from encoder.figures.drawn import Drawn
from encoder.figures.histogram import outlines
from encoder.figures.links import links
from encoder.figures.matrix import matrix
from encoder.figures.tiles import tiles
from encoder.theme import Theme

if TYPE_CHECKING:
    from encoder.pictures.picture import Answer


def look(answer: "Answer") -> dict[str, Any]:
    """What the picture tells the function that draws it."""
    return dict(answer.picture.look(answer))


def draw_matrix(answer: "Answer", theme: Theme) -> Drawn:
    """Rows and columns, coloured."""
    numbers = answer.numbers
    rows, columns = numbers.along(numbers.dims[0]), numbers.along(numbers.dims[1])
    rows = rows if isinstance(rows, list) else [str(i) for i in range(len(numbers.array))]
    seen = {} if answer.selection is None else {"at": answer.selection.at}
    return matrix(numbers.array, rows, columns, kind=answer.values, theme=theme, **seen, **look(answer))


def draw_tiles(answer: "Answer", theme: Theme) -> Drawn:
    """A matrix for each place of the first dimension, on one colour scale."""
    numbers = answer.numbers
    names, rows, columns = (numbers.along(dim) for dim in numbers.dims)
    assert isinstance(names, list) and isinstance(rows, list)
    return tiles(numbers.array, rows, columns, names, kind=answer.values, theme=theme, **look(answer))


def series(answer: "Answer") -> dict[str, np.ndarray]:
    """The numbers of each series by its name; one without a name is called by the unit."""
    numbers = answer.numbers
    if len(numbers.dims) == 1:
        return {unit(answer): numbers.array}
    names = numbers.along(numbers.dims[0])
    assert isinstance(names, list)
    return dict(zip(names, numbers.array, strict=True))


def unit(answer: "Answer") -> str:
    """What the numbers are."""
    from encoder.pictures.picture import given

    text: str = given(answer.picture.unit, answer.asked)
    return text


def draw_bars(answer: "Answer", theme: Theme) -> Drawn:
    """A bar for each place of the last dimension, and one beside it for each series."""
    names = answer.numbers.along(answer.numbers.dims[-1])
    names = names if isinstance(names, list) else [str(i) for i in range(answer.numbers.array.shape[-1])]
    return charts.token_bars(series(answer), names, title=unit(answer), theme=theme, **look(answer))


def draw_terms(answer: "Answer", theme: Theme) -> Drawn:
    """The largest terms of a sum as bars, and the sum of all others as one more."""
    numbers = answer.numbers.array
    names = answer.numbers.along(answer.numbers.dims[0])
    assert isinstance(names, list)
    order = np.argsort(-np.abs(numbers), kind="stable")
    return charts.term_bars(numbers[order], [names[i] for i in order], theme)


def draw_curve(answer: "Answer", theme: Theme) -> Drawn:
    """A line for each series over the places of the last dimension, which are numbers or counted from 0."""
    numbers = answer.numbers
    along = numbers.names.get(numbers.dims[-1], "")
    places = np.arange(numbers.array.shape[-1]) if isinstance(along, str) else np.array(along, dtype=float)
    options = {"titles": (numbers.dims[-1], unit(answer))} | look(answer)
    return charts.lines(series(answer), places, theme=theme, **options)


def draw_race(answer: "Answer", theme: Theme) -> Drawn:
    """The rank of each word after each layer, the first on top."""
    numbers = answer.numbers
    words = numbers.along(numbers.dims[1])
    assert isinstance(words, list)
    return charts.race(numbers.array, words, theme, **look(answer))


def draw_words(answer: "Answer", theme: Theme) -> Drawn:
    """The likeliest words of each row."""
    numbers = answer.numbers
    rows = numbers.along(numbers.dims[0])
    assert isinstance(rows, list)
    words = [list(row) for row in numbers.words]
    return charts.likeliest(words, numbers.array, rows, kind=answer.values, theme=theme, **look(answer))


def draw_points(answer: "Answer", theme: Theme) -> Drawn:
    """Named points in a plane whose axes mean nothing by themselves, or which have `titles`."""
    options = look(answer)
    names = answer.numbers.along(answer.numbers.dims[0])
    assert isinstance(names, list)
    draw = scatter.plane if "titles" in options else scatter.named_points
    return draw(answer.numbers.array, names, theme=theme, **options)


def draw_paths(answer: "Answer", theme: Theme) -> Drawn:
    """A line for each token through the layers, in a plane."""
    tokens = answer.numbers.along(answer.numbers.dims[1])
    assert isinstance(tokens, list)
    return scatter.paths(answer.numbers.array, tokens, theme=theme, **look(answer))


def draw_links(answer: "Answer", theme: Theme) -> Drawn:
    """Lines from token to token, as thick as the weight."""
    tokens = answer.numbers.along(answer.numbers.dims[0])
    assert isinstance(tokens, list)
    at = None if answer.selection is None else answer.selection.at
    return links(answer.numbers.array, tokens, theme=theme, at=at, **look(answer))


def draw_outlines(answer: "Answer", theme: Theme) -> Drawn:
    """How several sets of numbers are spread: the share of each in bins of equal width."""
    along = answer.numbers.names[answer.numbers.dims[-1]]
    return outlines(np.array(along, dtype=float), series(answer), unit(answer), theme)


KINDS: dict[str, Callable[["Answer", Theme], Drawn]] = {
    "matrix": draw_matrix,
    "tiles": draw_tiles,
    "bars": draw_bars,
    "terms": draw_terms,
    "curve": draw_curve,
    "race": draw_race,
    "words": draw_words,
    "points": draw_points,
    "paths": draw_paths,
    "links": draw_links,
    "outlines": draw_outlines,
}
