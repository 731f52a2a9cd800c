"""What may be changed in a run: an action on one step, at some heads and positions, and the rules it has to keep."""

import difflib
import math
import reprlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from torch import Tensor

from encoder.model.config import FLOAT32_MAX, LIMITS, LONGEST, EncoderConfig
from encoder.model.steps.catalogue import by_name
from encoder.model.steps.step import Step
from encoder.support.errors import EncoderError, listed

LARGEST_SEED = 2**31 - 1
LONGEST_SENTENCE = 2000  # characters of a sentence to patch from


@runtime_checkable
class Run(Protocol):
    """What a patch takes its numbers from; a Trace is one. The last `padding` tokens are [PAD]."""

    text: str
    tokens: list[str]
    padding: int

    def __contains__(self, name: object) -> bool: ...
    def __getitem__(self, name: str, /) -> Tensor: ...


def is_number(value: object) -> bool:
    """Whether it is a number that float32 can hold."""
    return isinstance(value, int | float) and type(value) in (int, float) and -FLOAT32_MAX <= value <= FLOAT32_MAX


def is_whole(value: object, low: int, high: int) -> bool:
    """Whether it is a whole number within a range."""
    return isinstance(value, int) and type(value) is int and low <= value <= high


def is_sentence(value: object) -> bool:
    """Whether it is a sentence to patch from; half of a surrogate pair is no character."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_SENTENCE:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


NOTHING: tuple[Callable[[object], bool], str] = (lambda value: value is None, "no value")
SEED: tuple[Callable[[object], bool], str] = (
    lambda value: is_whole(value, 0, LARGEST_SEED),
    f"a seed, a whole number from 0 to {LARGEST_SEED}",
)
PLACES = f"a whole number from {1 - LONGEST} to {LONGEST - 1}"
NUMBER = f"a number from {-FLOAT32_MAX:.3g} to {FLOAT32_MAX:.3g}"
VALUES: dict[str, tuple[Callable[[object], bool], str]] = {  # each action, and what its value must be
    "zero": NOTHING,
    "mean": NOTHING,
    "scale": (is_number, NUMBER),
    "noise": SEED,
    "replace": (lambda value: is_number(value) or value == -math.inf, f"{NUMBER}, or minus infinity"),
    "patch": (
        lambda value: is_sentence(value) or isinstance(value, Run),
        f"a sentence of 1 to {LONGEST_SENTENCE} characters, or a Trace",
    ),
    "bypass": NOTHING,
    "shuffle": SEED,
    "shift": (lambda value: is_whole(value, 1 - LONGEST, LONGEST - 1), PLACES),
    "causal": NOTHING,
}


@dataclass(frozen=True)
class Edit:
    """One change to a run: what `action` makes of a step, and everything after it follows.

    `step` is a full name of the catalogue, "layers.2.attention.heads". `heads` and `positions` choose where, None means
    all of them; `positions` are tokens, that is rows (query rows where the step has one row per query). Both are kept
    sorted and without repeats. What the actions do to the chosen numbers of one sentence:

    - zero: all become 0.
    - mean: each row becomes the mean over the chosen rows, per channel and head (per key for pairs of tokens).
    - scale: times `value`; an infinite score stays infinite.
    - noise: `value` is a seed; normal numbers about 0 with the standard deviation that the chosen numbers have, per
      head where there are heads, over all of them otherwise. The draw at a place does not depend on what else is
      chosen. An infinite score stays infinite.
    - replace: all become the number `value`.
    - patch: those of the same heads and positions in another run: `value` is a sentence, which is run by the same
      encoder without edits, or a Trace.
    - bypass: those of the step's first input in the catalogue, as if the step were not there.
    - shuffle: `value` is a seed; the chosen rows change places at random, in the same way for every head.
    - shift: every chosen row moves `value` places towards the end; those that leave it come in at the start.
    - causal: only of attention.masked: keys after the query get the model's mask value. A query that is left without
      any key, because the rest are hidden, gets no weights (NaN).

    Raises:
        EncoderError: a name, head, position or value that cannot be; the message names it and what is allowed.
    """

    step: str
    action: str
    heads: tuple[int, ...] | None = None
    positions: tuple[int, ...] | None = None
    value: float | str | Run | None = None

    def __post_init__(self) -> None:
        """Check what needs no model to be checked."""
        if not isinstance(self.step, str):
            raise EncoderError(
                f"step is {self.step!r}; it must be the name of a step, such as layers.0.attention.heads"
            )
        if not isinstance(self.action, str) or self.action not in VALUES:
            raise EncoderError(f"action is {reprlib.repr(self.action)}; it must be one of {', '.join(VALUES)}")
        fits, allowed = VALUES[self.action]
        if not fits(self.value):
            raise EncoderError(f"value is {reprlib.repr(self.value)}; {self.action} takes {allowed}")
        object.__setattr__(self, "heads", chosen("heads", self.heads, LIMITS["n_heads"][1]))
        object.__setattr__(self, "positions", chosen("positions", self.positions, LONGEST))


def chosen(name: str, numbers: Iterable[int] | None, count: int) -> tuple[int, ...] | None:
    """The chosen heads or positions, sorted and without repeats."""
    if numbers is None:
        return None
    indices = tuple(listed(name, numbers, f"whole numbers from 0 to {count - 1}, or None for all"))
    if not indices or not all(is_whole(number, 0, count - 1) for number in indices):
        raise EncoderError(
            f"{name} is {reprlib.repr(numbers)}; it must be a tuple of whole numbers from 0 to {count - 1}, "
            "or None for all"
        )
    return tuple(sorted(set(indices)))


def check(edits: Sequence[Edit], config: EncoderConfig, n: int) -> None:
    """Make sure that every edit fits a model of that configuration and a sentence of n tokens.

    Raises:
        EncoderError: an unknown step, a head or position that is not there, an action that this step cannot take.
    """
    for edit in edits:
        if not isinstance(edit, Edit):
            raise EncoderError(f"edits holds {reprlib.repr(edit)}; it must be a tuple of Edit")
        step = by_name(config).get(edit.step)
        if step is None:
            near = difflib.get_close_matches(edit.step[:100], by_name(config), 3, 0.5)
            raise EncoderError(
                f"no step is called {reprlib.repr(edit.step)}"
                + (f"; did you mean {' or '.join(near)}?" if near else "")
            )
        if "n" not in step.shape and step.part != "classifier":
            raise EncoderError(f"{edit.step} has no row for each token and cannot be changed; steps that have one can")
        if "n" not in step.shape and edit.positions is not None:
            raise EncoderError(f"positions is {edit.positions}; {edit.step} is of the sentence and has no tokens")
        if edit.heads is not None and "H" not in step.shape:
            raise EncoderError(f"heads is {edit.heads}; {edit.step} has no heads")
        if edit.heads is not None and edit.heads[-1] >= config.n_heads:
            raise EncoderError(f"{edit.step} has no head {edit.heads[-1]}; heads go from 0 to {config.n_heads - 1}")
        if edit.positions is not None and edit.positions[-1] >= n:
            raise EncoderError(f"position {edit.positions[-1]} is outside the sentence; positions go from 0 to {n - 1}")
        if edit.action == "causal" and step.local != "attention.masked":
            raise EncoderError(f"{edit.step} cannot be causal; only attention.masked can")
        if edit.action == "bypass":
            bypassed(step, config)


def bypassed(step: Step, config: EncoderConfig) -> str:
    """The name of the step that stands in for a bypassed one: its first input, of the same shape.

    Raises:
        EncoderError: the step has no input, or one of another shape.
    """
    first = by_name(config).get(step.inputs[0]) if step.inputs else None
    if first is None:
        raise EncoderError(f"{step.name} cannot be bypassed; it is not computed from another step")
    if first.shape != step.shape:
        shapes = f"[{', '.join(first.shape)}]", f"[{', '.join(step.shape)}]"
        raise EncoderError(f"{step.name} cannot be bypassed; its input {first.name} is {shapes[0]}, not {shapes[1]}")
    return first.name


def check_run(edit: Edit, run: Run, step: Step, config: EncoderConfig, n: int) -> None:
    """Make sure that a run holds what a patch takes from it into a sentence of n tokens.

    Raises:
        EncoderError: a step, size or position that is not in both.
    """
    who = f"the run of {reprlib.repr(run.text)}"
    if step.name not in run:
        raise EncoderError(f"{who} has no step {step.name!r}; it cannot be patched from there")
    theirs, ours = list(run[step.name].shape), list(step.sizes(config, len(run.tokens)))
    if theirs != ours:
        raise EncoderError(
            f"{step.name} is {theirs} in {who}; for its {len(run.tokens)} tokens it would be {ours} here"
        )
    length = len(run.tokens) - run.padding
    if step.shape.count("n") == 2 and length != n:
        raise EncoderError(
            f"{who} has {length} tokens and this one {n}; a patch of pairs of tokens needs equal lengths"
        )
    last = n - 1 if edit.positions is None else edit.positions[-1]
    if "n" in step.shape and last >= length:
        raise EncoderError(f"position {last} is not in {who}; its positions go from 0 to {length - 1}")


def reaches(edit: Edit, step: Step, index: Sequence[int], n: int) -> bool:
    """Whether an edit chose the number at `index` of its step, in a sentence of n tokens."""
    tokens = [i for i, dimension in zip(index, step.shape, strict=True) if dimension == "n"]
    if not tokens:
        return True
    head, position = index[0], tokens[0]
    return (
        max(tokens) < n
        and (edit.heads is None or head in edit.heads)
        and (edit.positions is None or position in edit.positions)
        and (edit.action != "causal" or tokens[1] > position)
    )


Place = tuple[str, int | None]  # a step, or "ids" or "hidden", and the one head of it that counts, None for all


def upstream(config: EncoderConfig, steps: Iterable[str], head: int | None = None) -> set[Place]:
    """The steps, and everything that they are computed from, back to what the person gave: "ids" and "hidden".

    With `head` only that head of the steps counts; it is computed from the same head of a step with heads, and from all
    of a step without.

    Raises:
        EncoderError: the model of that configuration has no such step.
    """
    known = by_name(config)
    if unknown := [name for name in steps if name not in known]:
        raise EncoderError(f"no step is called {unknown[0]!r}")
    ahead: list[Place] = [(name, head) for name in steps]
    places: set[Place] = set()
    while ahead:
        name, only = ahead.pop()
        step = known.get(name)
        place = (name, only if step and "H" in step.shape else None)
        if place not in places:
            places.add(place)
            ahead += [(source, place[1]) for source in step.inputs] if step else []
    return places


def reaching(edits: Sequence[Edit], places: set[Place]) -> tuple[Edit, ...]:
    """Those of the edits that change something at these places."""
    return tuple(edit for edit in edits if any(touches(edit, *place) for place in places))


def touches(edit: Edit, step: str, head: int | None) -> bool:
    """Whether an edit is at a step, and at that head of it."""
    return edit.step == step and (head is None or edit.heads is None or head in edit.heads)
