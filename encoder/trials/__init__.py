"""Trials: claims about encoders as functions that measure them now, by the names that lesson files use.

A lesson file can name a trial and give it numbers, words and sentences; nothing in a file is ever run as code. What a
trial takes stands in its signature, and what each name may hold in PARAMETERS.
"""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from encoder.text_encoder import TextEncoder
from encoder.trials import arithmetic, looking, order, sizes, stacks
from encoder.trials.finding import Bars, Curves, Finding, Grid, Picture, Verdict
from encoder.trials.looking import position_of

Value = str | int | float | list[str] | list[int] | list[float]


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
class Several:
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
PARAMETERS: dict[str, Text | Number | Several] = {
    **dict.fromkeys(("sentence", "other", "short", "text"), Text()),
    **dict.fromkeys(("word", "target", "first", "second", "near", "far"), Text(40)),
    "step": Text(80),
    "edits": Text(4000),
    "sentences": Several(Text(), 8),
    "positions": Text(choices=("off", "on")),
    "mask": Text(choices=("kept", "forgotten")),
    "between": Text(choices=("nothing", "relu", "gelu")),
    "part": Text(choices=tuple(sizes.PARTS)),
    "job": Text(choices=tuple(looking.LINKS)),
    "layer": Number(0, 95),
    "head": Number(0, 127),
    "layers": Number(1, 96),
    "index": Several(Number(0, 1_000_000), 4),
    "steps": Number(1, 500),
    "width": Number(2, 1024),
    "depth": Number(2, 48),
    "longest": Number(16, 512),
    "low": Number(-1e30, -1e4, whole=False),
    "scores": Several(Number(-1000, 1000, whole=False)),
    "expected": Several(Number(0, 1e12, whole=False)),
    "ids": Several(Number(0, 1_000_000), 32),
}
# Where one trial wants another kind of value than all others under the same name.
OWN: dict[tuple[str, str], Text | Number | Several] = {
    ("shape_is", "expected"): Several(Number(1, 1_000_000), 4),
    ("part_size", "expected"): Number(1, 1e12, whole=False),
}

Trial = Callable[..., Finding]
TRIALS: dict[str, Trial] = {
    trial.__name__: trial
    for trial in (
        order.same_vectors,
        order.identical_rows,
        order.position_values,
        order.one_frequency,
        order.one_rotation,
        order.only_distance,
        looking.looks_at,
        looking.linked,
        looking.refers,
        looking.contexts,
        looking.leans,
        looking.head_job,
        looking.layers_rise,
        arithmetic.by_hand,
        arithmetic.softmax_is,
        arithmetic.rows_sum,
        arithmetic.spread_grows,
        arithmetic.saturates,
        arithmetic.division_matters,
        stacks.residuals_keep,
        stacks.norms_keep_length,
        stacks.gradients_vanish,
        stacks.pre_norm_deeper,
        stacks.std_norm_is,
        stacks.layers_collapse,
        stacks.activation_needed,
        stacks.attention_linear,
        stacks.padding_ignored,
        stacks.masks_alike,
        sizes.block_size,
        sizes.part_size,
        sizes.query_key_value,
        sizes.shape_is,
        sizes.one_width,
        sizes.time_constant,
        sizes.ids_say,
    )
}


def takes(name: str) -> dict[str, bool]:
    """The parameters of a trial besides the model, and whether each must be given."""
    signature = inspect.signature(TRIALS[name])
    return {p.name: p.default is p.empty for p in list(signature.parameters.values())[1:]}


def claim(name: str) -> str:
    """What a trial puts to the test, in one sentence: the first line of its docstring."""
    return inspect.getdoc(TRIALS[name]).partition("\n")[0]  # type: ignore[union-attr]


def kind(name: str, parameter: str) -> Text | Number | Several:
    """What a parameter of a trial may hold."""
    return OWN.get((name, parameter)) or PARAMETERS[parameter]


def problems(name: object, given: Mapping[str, object], sentence: bool = False) -> list[str]:
    """What is wrong with a trial's name and parameters, one sentence each; `sentence` is given by the view."""
    if not isinstance(name, str) or name not in TRIALS:
        return [f"there is no trial {str(name)[:60]!r}; the trials are {', '.join(TRIALS)}"]
    known = takes(name)
    found = [
        f"{str(p)[:40]} is no parameter of {name}; it takes {', '.join(known) or 'none'}"
        for p in given
        if p not in known
    ]
    for parameter, needed in known.items():
        allowed = kind(name, parameter)
        if parameter not in given:
            if needed and not (sentence and parameter == "sentence"):
                found.append(f"{parameter} of {name} is missing; it must be {allowed.allowed}")
        elif not allowed.fits(given[parameter]):
            found.append(f"{parameter} of {name} is {str(given[parameter])[:60]!r}; it must be {allowed.allowed}")
    return found


def run(name: str, encoder: TextEncoder, given: Mapping[str, Any]) -> Finding:
    """Measure now.

    Args:
        name: one of TRIALS.
        encoder: the model to measure.
        given: the trial's parameters.

    Raises:
        ValueError: a name or parameter that `problems` finds fault with, or one that does not fit model and sentence.
    """
    if wrong := problems(name, given):
        raise ValueError(wrong[0])
    return TRIALS[name](encoder, **given)


__all__ = [
    "PARAMETERS",
    "TRIALS",
    "Bars",
    "Curves",
    "Finding",
    "Grid",
    "Picture",
    "Verdict",
    "claim",
    "kind",
    "position_of",
    "problems",
    "run",
    "takes",
]
