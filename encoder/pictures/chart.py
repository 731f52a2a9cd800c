"""What is drawn of a picture: its numbers, and how they look."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from encoder.pictures.numbers import Numbers
from encoder.support.theme import Kind


@dataclass(frozen=True, eq=False)
class Chart:
    """What is drawn: numbers, the rows first.

    Attributes:
        numbers: with their names.
        values: how they are coloured.
        unit: what they are.
        at: the positions of the tokens that are drawn, where they are some of many.
        look: what else the function that draws them is told.
    """

    numbers: Numbers
    values: Kind
    unit: str
    at: Sequence[int] | None = None
    look: Mapping[str, Any] = field(default_factory=dict)

    def names(self, axis: int) -> list[str]:
        """A name for each place along an axis; places without one have their number."""
        along = self.numbers.along(self.numbers.dims[axis])
        return along if isinstance(along, list) else [str(i) for i in range(self.numbers.array.shape[axis])]

    @property
    def series(self) -> dict[str, np.ndarray]:
        """The numbers of each series by its name; one without a name is called by the unit."""
        if len(self.numbers.dims) == 1:
            return {self.unit: self.numbers.array}
        return dict(zip(self.names(0), self.numbers.array, strict=True))
