"""What small models learned in eight tries each, with another seed in each: trained once, and stored.

What learns better or faster takes more tries than a page can wait for.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from encoder.tasks.learning import KINDS

SHIPPED = Path(__file__).with_suffix(".json")
SEEDS = range(8)
TRAINED = {2: KINDS, 3: ("post-norm", "without residuals"), 6: ("post-norm", "pre-norm")}  # the kinds, by the layers
HEADS = (1, 2)


@dataclass(frozen=True)
class Tries:
    """What came out, and when and by what.

    `losses[layers][kind]` [tries][looks] are the losses of `learning_curve` after each of `steps`, `right` [tries] the
    shares that are right in the end; `pairs[heads]` [tries] is what `pairs_right` gives.
    """

    date: str
    command: str
    steps: Sequence[int]
    losses: Mapping[str, Mapping[str, Sequence[Sequence[float]]]]
    right: Mapping[str, Mapping[str, Sequence[float]]]
    pairs: Mapping[str, Sequence[float]]

    @property
    def sentence(self) -> str:
        """When they were trained and by what, as a sentence."""
        return f"Stored: trained on {self.date} by “{self.command}”."


@cache
def tries() -> Tries:
    """Return what is shipped."""
    return Tries(**json.loads(SHIPPED.read_text(encoding="utf-8")))


def steps_until(losses: Sequence[float], steps: Sequence[int], loss: float) -> int | None:
    """Return at which of the steps that were looked at the loss is this or less for the first time; None at none."""
    return next((step for step, value in zip(steps, losses, strict=True) if value <= loss), None)
