"""An experiment as a value: what it is given, what it costs, and the measurement that puts its claim to the test.

What comes out is a `Finding`: a number, the verdict that follows from it, a sentence, and a picture behind it.
"""

import inspect
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.dropout import PLACES
from encoder.experiments.probes.layer_probes import probe_flops
from encoder.explain.cost import run_flops, size
from encoder.model.activations import ACTIVATIONS
from encoder.model.config import PRESETS
from encoder.support.cached_property import cached_property
from encoder.tasks.learning import KINDS
from encoder.tasks.on_digits import ON_DIGITS
from encoder.teach.trials.finding import Finding

USUAL_TOKENS = 16  # of the sentences that an experiment brings along


@dataclass(frozen=True)
class Input:
    """What an input of an experiment may hold: in words, and whether a value is such a thing."""

    allowed: str
    fits: Callable[[object], bool]


def a_text(longest: int = 600, choices: Collection[str] = ()) -> Input:
    """A text of 1 to `longest` characters, one of `choices` if there are any."""

    def fits(value: object) -> bool:
        return isinstance(value, str) and 0 < len(value) <= longest and (not choices or value in choices)

    return Input(f"one of {', '.join(choices)}" if choices else f"text of 1 to {longest} characters", fits)


def a_number(low: float, high: float, whole: bool = True) -> Input:
    """A number from `low` to `high`, whole or not."""

    def fits(value: object) -> bool:
        if not isinstance(value, int | float) or isinstance(value, bool) or (whole and not isinstance(value, int)):
            return False
        return math.isfinite(value) and low <= value <= high

    return Input(f"a {'whole ' if whole else ''}number from {low:g} to {high:g}", fits)


def one_of_numbers(choices: Sequence[int]) -> Input:
    """One of these whole numbers."""
    allowed = ", ".join(map(str, choices))
    return Input(f"one of {allowed}", lambda value: type(value) is int and value in choices)


def a_list(each: Input, most: int = 16) -> Input:
    """A list of 1 to `most` of the same kind."""

    def fits(value: object) -> bool:
        return isinstance(value, list) and 1 <= len(value) <= most and all(map(each.fits, value))

    return Input(f"a list of 1 to {most}, each {each.allowed}", fits)


# What an input may hold in every experiment that does not say otherwise.
INPUTS: dict[str, Input] = {
    **dict.fromkeys(("sentence", "other", "short", "text", "denial"), a_text()),
    **dict.fromkeys(("word", "target", "first", "second", "near", "far", "stand_in"), a_text(40)),
    "step": a_text(80),
    "of": a_text(choices=("pair", "dimension")),
    "norm": a_text(choices=("post", "pre")),
    "edits": a_text(4000),
    **dict.fromkeys(("sentences", "neutral"), a_list(a_text(), 8)),
    "positions": a_text(choices=("off", "on")),
    "mask": a_text(choices=("kept", "forgotten")),
    "between": a_text(choices=("nothing", *ACTIVATIONS)),
    "place": a_text(choices=PLACES),
    "heads": a_number(1, 128),
    "chosen": a_list(a_number(0, 127)),
    "where": a_list(a_number(1, 96)),
    "lengths": a_list(a_number(1, 8192), 8),
    "widths": a_number(1, 100),
    "task": a_text(choices=ON_DIGITS),
    **dict.fromkeys(("kind", "than"), a_text(choices=KINDS)),
    "layer": a_number(0, 95),
    "head": a_number(0, 127),
    "layers": a_number(1, 96),
    "index": a_list(a_number(0, 1_000_000), 4),
    "steps": a_number(1, 500),
    "width": a_number(2, 1024),
    "depth": a_number(2, 48),
    "longest": a_number(16, 512),
    "low": a_number(-1e30, -1e4, whole=False),
    "scores": a_list(a_number(-1000, 1000, whole=False)),
    "expected": a_list(a_number(0, 1e12, whole=False)),
    "preset": a_text(choices=PRESETS),
    "rate": a_number(2, 1_000_000),
    "value": a_number(1, 1_000_000_000),
    "p": a_number(0, 0.9, whole=False),
    "ids": a_list(a_number(0, 1_000_000), 32),
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
