"""The film of a training in the browser: a sentence's arcs, the axis of moments with its curves, and the guesses."""

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from encoder.exam.relation_curve import RelationCurve
from encoder.tasks.kept_moments import GapMoments, WordMoments
from pages.ui import browser_scripts
from pages.ui.component import component
from pages.ui.state import session_state as state

FINEST = 65535  # a share of 1 in 16 bits

_kit = component(__file__, "kit", "<div class='kit'></div>")


def draw(part: str, key: str, data: Mapping[str, Any], **events: Callable[[], None]) -> None:
    """Draw a part of the browser's kit; `events` hear what is chosen in it."""
    script = browser_scripts.address("pages.js")
    _kit(key=key, data={"script": script, "part": part, **data}, **events)


def digits(values: Sequence[float]) -> tuple[float | None, ...]:
    """Shares with as many digits as are seen; what is no number is none."""
    return tuple(None if value != value else round(float(value), 5) for value in values)


def line(title: str, shares: Sequence[float]) -> dict[str, Any]:
    """A curve as the film has it."""
    return {"title": title, "shares": digits(shares)}


def packed(shares: np.ndarray) -> str:
    """Shares as numbers of 16 bits, the low ones first."""
    return base64.b64encode((shares.clip(0, 1) * FINEST).round().astype("<u2").tobytes()).decode("ascii")


def rules(curve: RelationCurve) -> list[dict[str, Any]]:
    """The shares of the best fixed distance and of the best rule; of two forms also that of a coin flip."""
    flat = {f"always {curve.fixed_name}": curve.fixed, f"the best simple rule, {curve.rule_name}": curve.rule}
    if curve.place is None:
        flat["a coin flip"] = 0.5
    return [{"name": name, "share": share} for name, share in flat.items()]


def of_words(seen: WordMoments, most: int) -> dict[str, Any]:
    """The first `most` words, with where each looks at every moment."""
    words = seen.words[:most]
    weights = seen.weights[:, : len(words), : len(words)].numpy()
    return {"words": words, "weights": packed(weights), "parked": packed(seen.parked[:, : len(words)].numpy())}


def of_guesses(seen: GapMoments, hidden: str, around: tuple[str, str]) -> dict[str, Any]:
    """What is guessed at every moment, and how likely each of these words is at all."""
    vocabulary = list(seen.shares)
    return {
        "hidden": hidden,
        "around": around,
        "vocabulary": vocabulary,
        "guessed": tuple(digits(shares) for shares in seen.shares.values()),
        "tops": tuple(tuple(vocabulary.index(word) for word, _ in row) for row in seen.guesses),
    }


def picked(key: str, what: str, offered: Sequence[int], act: Callable[[int], None]) -> None:
    """Hand on a number that was chosen; what comes from a browser is checked first."""
    value = state.picked(key, what)
    if type(value) is int and value in offered:
        act(value)
