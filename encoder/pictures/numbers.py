"""The numbers of a picture: an array whose dimensions have names, and names along them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from torch import Tensor

from encoder.pictures.export.tables import Rows, header, numbered

Names = Sequence[str] | Sequence[float] | str  # a name for each place, or what is counted along the dimension


def array(value: Any) -> np.ndarray:
    """Numbers of the library as one array: of a tensor, a list of them, or a mapping's values; of words with theirs."""
    if isinstance(value, Tensor):
        return value.detach().cpu().numpy()
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, Mapping):
        return array(list(value.values()))
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        return array(value[1])
    if isinstance(value, Sequence) and len(value):
        return np.stack([array(part) for part in value])
    return np.asarray(value)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers `values` with a name for each dimension, and names along some of them.

    `values` is whatever the measurement gave: an array, or a list with an array for each place of the first dimension,
    of which none is copied before it is asked for. `words` are those that stand in the cells, where there are some.
    """

    values: Any
    dims: tuple[str, ...]
    names: Mapping[str, Names] = field(default_factory=dict)
    words: tuple[tuple[str, ...], ...] = ()

    def at(self, **places: int) -> "Numbers":
        """The numbers at one place of some dimensions, such as `at(layer=5, head=6)`.

        Raises:
            KeyError: there is no such dimension.
            IndexError: there is no such place along it.
        """
        values, dims = self.values, self.dims
        for dim, place in places.items():
            if dim not in dims:
                raise KeyError(f"the dimensions are {', '.join(dims)}; there is no {dim}")
            axis = dims.index(dim)
            values = values[place] if axis == 0 else np.take(array(values), place, axis)
            dims = (*dims[:axis], *dims[axis + 1 :])
        return replace(self, values=values, dims=dims)

    @property
    def array(self) -> np.ndarray:
        """All of them as one array."""
        return array(self.values)

    def along(self, dim: str) -> list[str] | str:
        """The names along a dimension, or what is counted there."""
        names = self.names.get(dim, dim)
        return names if isinstance(names, str) else [str(name) for name in names]

    def cut(self, at: Sequence[int], *dims: str) -> "Numbers":
        """The numbers at some places of these dimensions, in order."""
        values, names = self.array, dict(self.names)
        for dim in dims:
            values = np.take(values, at, self.dims.index(dim))
            if not isinstance(every := names.get(dim, dim), str):
                names[dim] = [str(every[i]) for i in at]
        return replace(self, values=values, names=names)

    def table(self, at: Sequence[int] | None = None) -> Rows:
        """The numbers as rows, the header first: the last dimension across, all others down, each with its name.

        `at` are the positions of the rows, and of columns with names, where they are some of many.
        """
        values = self.array
        if self.words:
            yield (self.dims[0], "rank", "word", "value")
            for name, words, row in zip(self.places(0), self.words, values, strict=True):
                yield from ((name, r + 1, word, value) for r, (word, value) in enumerate(zip(words, row, strict=True)))
            return
        if values.ndim == 1:
            yield (self.dims[0], "value")
            yield from zip(self.places(0, at), values, strict=True)
            return
        last = self.names.get(self.dims[-1], self.dims[-1])
        across = header(last, values.shape[-1], at) if isinstance(last, str) else self.places(values.ndim - 1, at)
        yield (*self.dims[:-1], *map(str, across))
        for index in np.ndindex(*values.shape[:-1]):
            of_tokens = [axis == values.ndim - 2 and self.dims[axis] != "series" for axis in range(values.ndim - 1)]
            where = [self.places(axis, at if of_tokens[axis] else None)[i] for axis, i in enumerate(index)]
            yield (*where, *values[index])

    def places(self, axis: int, at: Sequence[int] | None = None) -> list[Any]:
        """What the places along an axis are called in a table: numbers as they are, names with their positions."""
        names = self.names.get(self.dims[axis], self.dims[axis])
        if isinstance(names, str):
            return list(range(self.array.shape[axis]))
        if all(isinstance(name, str) for name in names):
            return list(numbered([str(name) for name in names], at))
        return list(names)
