"""What the parameters of trials may hold: numbers within a range, texts up to a length, and lists of them."""

import math
from dataclasses import dataclass

from encoder.experiments.dropout import PLACES
from encoder.experiments.learning import KINDS, MOST_LAYERS
from encoder.experiments.probes.layers import TASKS
from encoder.model.activations import ACTIVATIONS
from encoder.model.config import PRESETS
from encoder.tasks.on_digits import ON_DIGITS
from encoder.teach.trials.grammar import RELATIONS
from encoder.teach.trials.layout import FIELDS
from encoder.teach.trials.links import LINKS
from encoder.teach.trials.reasons import METHODS
from encoder.teach.trials.sizes import PARTS
from encoder.teach.trials.wiring import POSITION_WISE


@dataclass(frozen=True)
class Text:
    """A text of 1 to `longest` characters, one of `choices` if there are any."""

    longest: int = 600
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        return f"one of {', '.join(self.choices)}" if self.choices else f"text of 1 to {self.longest} characters"

    def fits(self, value: object) -> bool:
        """Whether a value is such a text."""
        return isinstance(value, str) and 0 < len(value) <= self.longest and (not self.choices or value in self.choices)


@dataclass(frozen=True)
class Number:
    """A number from `low` to `high`, whole or not."""

    low: float
    high: float
    whole: bool = True

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        return f"a {'whole ' if self.whole else ''}number from {self.low:g} to {self.high:g}"

    def fits(self, value: object) -> bool:
        """Whether a value is such a number."""
        if not isinstance(value, int | float) or isinstance(value, bool) or (self.whole and not isinstance(value, int)):
            return False
        return math.isfinite(value) and self.low <= value <= self.high


@dataclass(frozen=True)
class ListOf:
    """A list of 1 to `most` of the same kind."""

    each: Text | Number
    most: int = 16

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        return f"a list of 1 to {self.most}, each {self.each.allowed}"

    def fits(self, value: object) -> bool:
        """Whether a value is such a list."""
        return isinstance(value, list) and 1 <= len(value) <= self.most and all(map(self.each.fits, value))


# What each parameter may hold, in every trial that takes it.
PARAMETERS: dict[str, Text | Number | ListOf] = {
    **dict.fromkeys(("sentence", "other", "short", "text", "denial"), Text()),
    **dict.fromkeys(("word", "target", "first", "second", "near", "far"), Text(40)),
    "step": Text(80),
    "of": Text(choices=("pair", "dimension")),
    "stand_in": Text(40),
    "norm": Text(choices=("post", "pre")),
    "edits": Text(4000),
    **dict.fromkeys(("sentences", "neutral"), ListOf(Text(), 8)),
    "positions": Text(choices=("off", "on")),
    "mask": Text(choices=("kept", "forgotten")),
    "between": Text(choices=("nothing", *ACTIVATIONS)),
    "part": Text(choices=tuple(PARTS)),
    "place": Text(choices=tuple(PLACES)),
    "heads": Number(1, 128),
    "chosen": ListOf(Number(0, 127)),
    "where": ListOf(Number(1, 96)),
    "lengths": ListOf(Number(1, 8192), 8),
    "widths": Number(1, 100),
    "method": Text(choices=METHODS),
    "task": Text(choices=tuple(ON_DIGITS)),
    **dict.fromkeys(("kind", "than"), Text(choices=KINDS)),
    "job": Text(choices=tuple(LINKS)),
    "relation": Text(choices=RELATIONS),
    "layer": Number(0, 95),
    "head": Number(0, 127),
    "layers": Number(1, 96),
    "index": ListOf(Number(0, 1_000_000), 4),
    "steps": Number(1, 500),
    "width": Number(2, 1024),
    "depth": Number(2, 48),
    "longest": Number(16, 512),
    "low": Number(-1e30, -1e4, whole=False),
    "scores": ListOf(Number(-1000, 1000, whole=False)),
    "expected": ListOf(Number(0, 1e12, whole=False)),
    "field": Text(choices=tuple(FIELDS)),
    "preset": Text(choices=tuple(PRESETS)),
    "rate": Number(2, 1_000_000),
    "value": Number(1, 1_000_000_000),
    "p": Number(0, 0.9, whole=False),
    "ids": ListOf(Number(0, 1_000_000), 32),
}
# Where one trial wants another kind of value than all others under the same name.
OWN: dict[tuple[str, str], Text | Number | ListOf] = {
    ("shape_is", "width"): Number(0, 8192),
    ("shape_is", "expected"): ListOf(Number(1, 1_000_000), 4),
    ("batch_is", "expected"): ListOf(Number(1, 1024), 4),
    ("block_takes", "expected"): ListOf(Number(1, 1024), 3),
    ("each_alone", "part"): Text(choices=POSITION_WISE),
    ("own_class", "part"): Text(choices=("whole", "block")),
    ("told_in", "task"): Text(choices=tuple(TASKS)),
    ("learns_better", "layers"): Number(1, MOST_LAYERS),
    ("bare_is", "expected"): ListOf(Number(1, 8192), 2),
    ("part_size", "expected"): Number(1, 1e12, whole=False),
}
