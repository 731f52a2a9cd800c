"""A prediction beside what came out, and the distance between them."""

from dataclasses import dataclass

from torch import Tensor

from encoder.pictures.labs.trial import Finding
from encoder.support.formatting import brief, percent
from encoder.trace.trace import Trace


@dataclass(frozen=True)
class GuessOutcome:
    """How a guess did: whether it was right, how far off it was, and a sentence that says both."""

    right: bool
    distance: float
    sentence: str


def most_looked_at(trace: Trace, layer: int, head: int, query: int) -> tuple[Tensor, int]:
    """The weights [n] of one token in one head, and the position that gets the most."""
    row = trace[f"layers.{layer}.attention.weights"][head, query]
    return row, int(row.argmax())


def token(trace: Trace, layer: int, head: int, query: int, guess: int | None) -> GuessOutcome:
    """Where a token looks most, and how many tokens away from it was marked."""
    row, best = most_looked_at(trace, layer, head, query)
    name = f"“{trace.tokens[query]}” ({query})"
    most = f"{name} looks most at “{trace.tokens[best]}” ({best}), with {percent(float(row[best]))} of its weight."
    if guess is None:
        return GuessOutcome(False, float("nan"), most)
    if guess == best:
        return GuessOutcome(True, 0.0, f"Right. {most}")
    above = int((row > row[guess]).sum())
    apart = abs(guess - best)
    text = (
        f"{most} You marked “{trace.tokens[guess]}” ({guess}), {apart} token{'s' if apart > 1 else ''} away: it gets "
        f"{percent(float(row[guess]))}, place {above + 1} of {len(row)}."
    )
    return GuessOutcome(False, float(apart), text)


def number(finding: Finding, low: float, high: float, guess: float | None) -> GuessOutcome:
    """The measured number, and how far off it was guessed; within 5 % of the range counts as right."""
    text = f"Measured: {brief(finding.value)} ({finding.what})."
    if guess is None:
        return GuessOutcome(False, float("nan"), text)
    apart = abs(guess - finding.value)
    right = apart <= 0.05 * (high - low)
    return GuessOutcome(
        right, apart, f"{'Close. ' if right else ''}{text} You guessed {brief(guess)}, {brief(apart)} away."
    )


def verdict(finding: Finding, guess: str | None) -> GuessOutcome:
    """Whether the verdict was foreseen."""
    text = f"The verdict from the number: {finding.verdict.value}."
    if guess is None:
        return GuessOutcome(False, float("nan"), text)
    right = guess == finding.verdict.value
    return GuessOutcome(right, float(not right), f"{'Right. ' if right else ''}{text} You said: {guess}.")
