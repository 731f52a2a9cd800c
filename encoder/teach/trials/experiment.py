"""An experiment as a value: what it is given, what it costs, and the measurement that puts its claim to the test.

What comes out is a `Finding`: a number, the verdict that follows from it, a sentence, and a picture behind it.
"""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.dropout import PLACES
from encoder.experiments.probes.layer_probes import probe_flops
from encoder.explain.cost import run_flops, size
from encoder.model.activations import ACTIVATIONS
from encoder.model.config import PRESETS
from encoder.tasks.learning import KINDS
from encoder.tasks.on_digits import ON_DIGITS
from encoder.teach.trials.finding import Finding

USUAL_TOKENS = 16  # of the sentences that an experiment brings along


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
        """Return whether a value is such a text."""
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
        """Return whether a value is such a number."""
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
        """Return whether a value is such a list."""
        return isinstance(value, list) and 1 <= len(value) <= self.most and all(map(self.each.fits, value))


Input: TypeAlias = Text | Number | ListOf
# What an input may hold in every experiment that does not say otherwise.
INPUTS: dict[str, Input] = {
    **dict.fromkeys(("sentence", "other", "short", "text", "denial"), Text()),
    **dict.fromkeys(("word", "target", "first", "second", "near", "far", "stand_in"), Text(40)),
    "step": Text(80),
    "of": Text(choices=("pair", "dimension")),
    "norm": Text(choices=("post", "pre")),
    "edits": Text(4000),
    **dict.fromkeys(("sentences", "neutral"), ListOf(Text(), 8)),
    "positions": Text(choices=("off", "on")),
    "mask": Text(choices=("kept", "forgotten")),
    "between": Text(choices=("nothing", *ACTIVATIONS)),
    "place": Text(choices=tuple(PLACES)),
    "heads": Number(1, 128),
    "chosen": ListOf(Number(0, 127)),
    "where": ListOf(Number(1, 96)),
    "lengths": ListOf(Number(1, 8192), 8),
    "widths": Number(1, 100),
    "task": Text(choices=tuple(ON_DIGITS)),
    **dict.fromkeys(("kind", "than"), Text(choices=KINDS)),
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
    "preset": Text(choices=tuple(PRESETS)),
    "rate": Number(2, 1_000_000),
    "value": Number(1, 1_000_000_000),
    "p": Number(0, 0.9, whole=False),
    "ids": ListOf(Number(0, 1_000_000), 32),
}


class Cost(NamedTuple):
    """Floating-point operations of the model's runs, bytes held meanwhile, and seconds of what is no run of it."""

    flops: float
    nbytes: float
    seconds: float


@dataclass(frozen=True)
class Experiment:
    """A claim that is put to the test, and all that is known of it before.

    Attributes:
        measure: the measurement; its first parameter is the model, all others are inputs, and the first line of its
            docstring is the claim.
        runs: of the model; where nothing is said, one for each text that is given, and one.
        held: how many of them are held at once.
        seconds: what takes time without a run of the model.
        probes: the tasks whose probes are fitted; "task" is the one that is given.
        own_cost: what works the cost out where runs do not tell it.
        own: inputs that hold something else here than in other experiments.
    """

    measure: Callable[..., Finding]
    runs: int | None = None
    held: int = 2
    seconds: float = 0.1
    probes: tuple[str, ...] = ()
    own_cost: Callable[[TextEncoder, Mapping[str, Any]], Cost] | None = None
    own: Mapping[str, Input] = field(default_factory=dict)

    def __call__(self, encoder: TextEncoder, *given: Any, **named: Any) -> Finding:
        """Measure now, whatever the inputs hold."""
        return self.measure(encoder, *given, **named)

    @property
    def name(self) -> str:
        """The name that lesson files use."""
        return self.measure.__name__

    @cached_property
    def claim(self) -> str:
        """What is put to the test, in one sentence."""
        return str(inspect.getdoc(self.measure)).partition("\n")[0]

    @cached_property
    def inputs(self) -> dict[str, Input]:
        """What each input may hold."""
        return {name: self.own.get(name) or INPUTS[name] for name in self.needed}

    @cached_property
    def needed(self) -> dict[str, bool]:
        """The inputs, and whether each must be given."""
        parameters = list(inspect.signature(self.measure).parameters.values())[1:]
        return {parameter.name: parameter.default is parameter.empty for parameter in parameters}

    def problems(self, given: Mapping[str, object], sentence: bool = False) -> list[str]:
        """Return what is wrong with the inputs, one sentence each; `sentence` is given by the view."""
        result = [
            f"{str(name)[:40]} is no parameter of {self.name}; it takes {', '.join(self.needed) or 'none'}"
            for name in given
            if name not in self.needed
        ]
        for name, allowed in self.inputs.items():
            if name in given and not allowed.fits(given[name]):
                result.append(f"{name} of {self.name} is {str(given[name])[:60]!r}; it must be {allowed.allowed}")
            elif name not in given and self.needed[name] and not (sentence and name == "sentence"):
                result.append(f"{name} of {self.name} is missing; it must be {allowed.allowed}")
        return result

    def cost(self, encoder: TextEncoder, given: Mapping[str, Any]) -> Cost:
        """Return about what it will take; the inputs need not be checked yet."""
        if self.own_cost:
            return self.own_cost(encoder, given)
        texts = [text for value in given.values() for text in (value if isinstance(value, list) else [value])]
        texts = [text for text in texts if isinstance(text, str)]
        n = max([USUAL_TOKENS, *(len(encoder.tokenize(text).ids) for text in texts)])
        runs = 1 + len(texts) if self.runs is None else self.runs
        fits = sum(probe_flops(encoder.config, given["task"] if task == "task" else task) for task in self.probes)
        nbytes = self.held * size(encoder.config).bytes_of_a_run(n)
        return Cost(runs * run_flops(encoder.config, n) + fits, nbytes, self.seconds)


def experiment(
    *,
    runs: int | None = None,
    held: int = 2,
    seconds: float = 0.1,
    probes: tuple[str, ...] = (),
    own_cost: Callable[[TextEncoder, Mapping[str, Any]], Cost] | None = None,
    **own: Input,
) -> Callable[[Callable[..., Finding]], Experiment]:
    """Make an experiment of a measurement, where it costs or takes something else than most."""
    return lambda measure: Experiment(measure, runs, held, seconds, probes, own_cost, own)
