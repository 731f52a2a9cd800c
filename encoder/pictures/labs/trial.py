"""A trial: what it is given, what it costs, how it judges what is measured, and the claims of tutorials it decides.

The picture of a lab measures where a trial names one, and is what is shown; else the trial measures by itself. What
comes out is a `Finding`: a number, the verdict that follows from it, a sentence, and the numbers behind it.
"""

import inspect
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.probes.layer_probes import probe_flops
from encoder.explain.cost import run_flops, size
from encoder.model.activations import ACTIVATIONS
from encoder.pictures.numbers import Names, Numbers
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene
from encoder.pictures.view import View
from encoder.support.cached_property import cached_property
from encoder.support.theme import Kind
from encoder.tasks.learning import KINDS
from encoder.tasks.on_digits import ON_DIGITS

USUAL_TOKENS = 16  # of the sentences that a trial brings along


class Verdict(StrEnum):
    """Whether a claim stands before the number that was measured, now or when it was stored."""

    HOLDS = "true"
    FAILS = "false"
    CONDITION = "it depends"
    UNTRIED = "cannot be tried here"


@dataclass(frozen=True)
class Judgement:
    """Whether a claim stands; where it does not, `condition` says under what it does, empty where under none."""

    holds: bool
    condition: str = ""

    @property
    def verdict(self) -> Verdict:
        """The judgement in a word."""
        return Verdict.HOLDS if self.holds else Verdict.CONDITION if self.condition else Verdict.FAILS


@dataclass(frozen=True)
class Evidence:
    """The numbers behind a finding, as they are drawn: their names, how they are drawn and coloured, what they are."""

    kind: str
    numbers: Numbers
    unit: str = ""
    values: Kind = "signed"
    look: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """The outcome of a trial.

    `value` is the number that decides, `what` says what it is, `measured` tells all that was measured; the verdict
    follows from the number, and is that the model cannot decide without a judgement. `picture` holds the numbers behind
    it for a drawing.
    """

    value: float
    what: str
    measured: str
    judgement: Judgement | None
    picture: Evidence | None = None

    @property
    def verdict(self) -> Verdict:
        """Whether the claim stands."""
        return self.judgement.verdict if self.judgement else Verdict.UNTRIED

    @property
    def sentence(self) -> str:
        """All that was measured, with the condition under which the claim holds where it does under one."""
        if self.judgement is None or self.verdict is not Verdict.CONDITION:
            return self.measured
        return f"{self.measured} True within limits: {self.judgement.condition}."


def judge(holds: bool, condition: str = "") -> Judgement:
    """The judgement: the claim holds; or under a condition, said without a full stop; or not at all."""
    return Judgement(holds, "" if holds else condition)


def untried(why: str) -> Finding:
    """A trial that this model cannot decide."""
    return Finding(float("nan"), "", why, None)


Series = Mapping[str, Tensor | Iterable[float]]


def array(values: Tensor | Iterable[float]) -> np.ndarray:
    """Plain numbers for a picture."""
    return values.double().numpy() if isinstance(values, Tensor) else np.array(list(values), dtype=np.float64)


def lined_up(kind: str, series: Series, dim: str, names: Names, unit: str, logarithmic: Any) -> Evidence:
    """Series over the same names or numbers."""
    values = np.stack([array(numbers) for numbers in series.values()])
    numbers = Numbers(values, ("series", dim), {"series": list(series), dim: names})
    return Evidence(kind, numbers, unit, look={"logarithmic": logarithmic})


def curves(series: Series, x: Iterable[float], titles: tuple[str, str], *logarithmic: bool) -> Evidence:
    """Up to four lines over the same x; `titles` name the axes x and y, `logarithmic` says which have powers."""
    return lined_up("curve", series, titles[0], list(x), titles[1], logarithmic or (False, False))


def bars(series: Series, names: Sequence[str], unit: str, *, logarithmic: bool = False) -> Evidence:
    """One or two bars for each name; on a logarithmic axis where one of them may be rounding errors."""
    return lined_up("bars", series, "name", list(names), unit, logarithmic)


def by_layer(series: Mapping[str, Sequence[float] | Tensor], unit: str) -> Evidence:
    """Bars for each layer."""
    return bars(series, [f"layer {i}" for i in range(len(next(iter(series.values()))))], unit)


def grid(values: Tensor | np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> Evidence:
    """A matrix of signed numbers."""
    return Evidence("matrix", Numbers(np.asarray(values), ("row", "column"), {"row": rows, "column": columns}))


def by_head(values: Tensor) -> Evidence:
    """A grid of signed numbers, one for each head of each layer: [n_layers, H]."""
    layers, heads = values.shape
    return grid(array(values), [f"layer {i}" for i in range(layers)], [f"head {h}" for h in range(heads)])


@dataclass(frozen=True)
class Input:
    """What an input of a trial may hold: in words, and whether a value is such a thing."""

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


# What an input may hold in every trial that does not say otherwise.
INPUTS: dict[str, Input] = {
    **dict.fromkeys(("sentence", "other", "short", "text", "denial"), a_text()),
    **dict.fromkeys(("word", "target", "first", "second", "near", "far", "stand_in"), a_text(40)),
    "step": a_text(80),
    **dict.fromkeys(("sentences", "neutral"), a_list(a_text(), 8)),
    "positions": a_text(choices=("off", "on")),
    "between": a_text(choices=("nothing", *ACTIVATIONS)),
    "chosen": a_list(a_number(0, 127)),
    "where": a_list(a_number(1, 96)),
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
    "scores": a_list(a_number(-1000, 1000, whole=False)),
    "expected": a_list(a_number(0, 1e12, whole=False)),
    "ids": a_list(a_number(0, 1_000_000), 32),
}


class Cost(NamedTuple):
    """Floating-point operations of the model's runs, bytes held meanwhile, and seconds of what is no run of it."""

    flops: float
    nbytes: float
    seconds: float


OwnCost = Callable[[TextEncoder, Mapping[str, Any]], Cost]


@dataclass(frozen=True)
class Claim:
    """What tutorials say, in our own words.

    `where` lists keys of SOURCES. `trial` and `given` are what measures it. `lesson` is the bundled lesson that tries
    it, `page` the page that shows it where there is none, and `lab` the experiment there.
    """

    key: str
    text: str
    where: tuple[str, ...]
    trial: str
    given: Mapping[str, Any] = field(default_factory=dict)
    lesson: str = ""
    page: str = ""
    lab: str = ""


@dataclass(frozen=True)
class Trial:
    """A claim that is put to the test, and all that is known of it before.

    Attributes:
        measure: the measurement, or the judge of what `picture` measured; its first parameter is the model, or the
            picture's answer, all others are inputs, and the first line of its docstring is the claim.
        picture: of a lab; it measures, and is drawn where the measurement names nothing else.
        sets: the options of the picture that are inputs, too.
        runs: of the model; where nothing is said, one for each text that is given, and one.
        held: how many of them are held at once.
        seconds: what takes time without a run of the model.
        probes: the tasks whose probes are fitted; "task" is the one that is given.
        own_cost: what works the cost out where runs do not tell it.
        own: inputs that hold something else here than in other trials.
        claims: what tutorials say that it decides.
    """

    measure: Callable[..., Finding]
    picture: Picture | None = None
    sets: Mapping[str, Option] = field(default_factory=dict)
    runs: int | None = None
    held: int = 2
    seconds: float = 0.1
    probes: tuple[str, ...] = ()
    own_cost: OwnCost | None = None
    own: Mapping[str, Input] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()

    def __call__(self, encoder: TextEncoder, **given: Any) -> Finding:
        """Measure now, whatever the inputs hold."""
        if self.picture is None:
            return self.measure(encoder, **given)
        choices = [(option.key, str(given.pop(name))) for name, option in self.sets.items() if name in given]
        sentence = "" if self.picture.needs == "model" else given.pop("sentence")
        view = View(sentence, layer=0, head=0, choices=tuple(sorted(choices)))
        answer = self.picture.of(Scene(view, encoder, encoder.trace(sentence) if sentence else None))
        finding = self.measure(answer, **given)
        if finding.picture or not finding.judgement:
            return finding
        chart = answer.chart
        return replace(finding, picture=Evidence(answer.kind, answer.numbers, chart.unit, chart.values, chart.look))

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
        pictured = {"sentence": True} if self.picture and self.picture.needs != "model" else {}
        each = {parameter.name: parameter.default is parameter.empty for parameter in parameters}
        return pictured | dict.fromkeys(self.sets, False) | each

    def problems(self, given: Mapping[str, object], sentence: bool = False) -> list[str]:
        """Return what is wrong with the inputs, one sentence each; `sentence` is given by the view."""
        result = [
            f"{str(name)[:40]} is not a parameter of {self.name}; it takes {', '.join(self.needed) or 'none'}"
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


MEASURES: dict[str, Callable[..., Finding]] = {}  # by the names of the trials


def trial(
    picture: Picture | None = None,
    *,
    sets: Mapping[str, Option] | None = None,
    runs: int | None = None,
    held: int = 2,
    seconds: float = 0.1,
    probes: tuple[str, ...] = (),
    own_cost: OwnCost | None = None,
    **own: Input,
) -> Callable[[Callable[..., Finding]], Trial]:
    """Make a trial of a measurement, or of the judge of a lab's picture."""

    def of(measure: Callable[..., Finding]) -> Trial:
        MEASURES[measure.__name__] = measure
        return Trial(measure, picture, sets or {}, runs, held, seconds, probes, own_cost, own)

    return of


def as_judged(name: str, **given: Any) -> Callable[[Answer], str]:
    """Return what says the finding of a lab's picture in the words of the trial that judges it."""
    return lambda answer: MEASURES[name](answer, **given).measured


def claim(
    key: str, where: str, text: str = "", /, *, lesson: str = "", page: str = "", lab: str = "", **given: Any
) -> Callable[[Trial], Trial]:
    """Say what tutorials say that a trial decides, with what it is given; in its own words where there is no text."""

    def says(of: Trial) -> Trial:
        shown = page or ("lessons" if lab else "")
        more = Claim(key, text or of.claim, tuple(where.split()), of.name, given, lesson, shown, lab)
        return replace(of, claims=(more, *of.claims))

    return says
