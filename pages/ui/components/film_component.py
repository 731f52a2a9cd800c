"""The film of a training in the browser: curves to play and drag; arcs, guesses and heads move with them."""

import base64
from collections.abc import Callable, Sequence

import numpy as np

from encoder.exam.moments import Moments
from encoder.exam.rise import Place, Rise, best, every_head, rise
from encoder.tasks.kept_moments import GapMoments, WordMoments
from pages.ui.component import component
from pages.ui.state import session_state as state

FINEST = 65535  # a share of 1 in 16 bits


def html(label: str) -> str:
    """What a part of the film is drawn into."""
    return f"<section class='film' aria-label='{label}'></section>"


_curves = component(__file__, "film", html("Curves by training step"))
_arcs = component(__file__, "film_arcs", html("A sentence by training step"))
_guess = component(__file__, "film_guess", html("Guesses by training step"))
_heads = component(__file__, "film_heads", html("All heads by training step"))


def digits(values: Sequence[float]) -> tuple[float, ...]:
    """Shares with as many digits as are seen."""
    return tuple(round(float(value), 5) for value in values)


def draw_curves(
    key: str,
    curves: Sequence[tuple[str, Rise]],
    chosen: int,
    label: str,
    start: int,
    on_walk: Callable[[int], None],
    on_choose: Callable[[int], None],
    beside: tuple[str, Rise] | None = None,
) -> None:
    """Draw the curves with their rules.

    `on_walk` gets the step whose network somebody wants to walk, `on_choose` the number of a curve that is chosen.

    `beside` is the curve of another training, with its name, over that of the chosen one.
    """
    rising = curves[chosen][1]
    _curves(
        key=key,
        on_walk_change=lambda: walked(key, rising.steps, on_walk),
        on_curve_change=lambda: chose(key, len(curves), on_choose),
        data={
            "steps": rising.steps,
            "curves": [
                {"title": title, "shares": digits([*each.shares.values()]), "rule": each.rule} for title, each in curves
            ],
            "chosen": chosen,
            "rule": rising.rule_name,
            "fixed": {"name": rising.fixed_name, "share": rising.fixed},
            "near": digits([*rising.near.values()]),
            "intervals": [digits(ends) for ends in rising.intervals],
            "beside": beside
            and {"title": beside[0], "steps": beside[1].steps, "shares": digits([*beside[1].shares.values()])},
            "film": rising.relation,
            "start": start,
            "label": label,
        },
    )


def walked(key: str, steps: Sequence[int], on_walk: Callable[[int], None]) -> None:
    """Hand on the step that was asked for; what comes from a browser is checked first."""
    step = state.picked(key, "walk")
    if type(step) is int and step in steps:
        on_walk(step)


def chose(key: str, count: int, on_choose: Callable[[int], None]) -> None:
    """Hand on the curve that was chosen; what comes from a browser is checked first."""
    curve = state.picked(key, "curve")
    if type(curve) is int and 0 <= curve < count:
        on_choose(curve)


def draw_arcs(
    key: str,
    steps: Sequence[int],
    seen: WordMoments,
    most: int,
    asked: int,
    gold: tuple[int, int] | None,
    who: str,
    start: int,
    on_word: Callable[[int], None],
) -> None:
    """Draw the first `most` words with the arcs from the `asked` one; `on_word` gets one that is tapped."""
    words = seen.words[:most]
    _arcs(
        key=key,
        on_word_change=lambda: tapped(key, len(words), on_word),
        data={
            "steps": list(steps),
            "words": words,
            "weights": packed(seen.weights[:, : len(words), : len(words)].numpy()),
            "parked": tuple(digits(row) for row in seen.parked[:, : len(words)].tolist()),
            "from": asked,
            "gold": gold,
            "who": who,
            "start": start,
        },
    )


def packed(shares: np.ndarray) -> str:
    """Shares as numbers of 16 bits, the low ones first."""
    return base64.b64encode((shares.clip(0, 1) * FINEST).round().astype("<u2").tobytes()).decode("ascii")


def tapped(key: str, count: int, on_word: Callable[[int], None]) -> None:
    """Hand on the word that was tapped; what comes from a browser is checked first."""
    word = state.picked(key, "word")
    if type(word) is int and 0 <= word < count:
        on_word(word)


def draw_guess(
    key: str, steps: Sequence[int], seen: GapMoments, forms: Sequence[str], sentence: str, label: str, start: int
) -> None:
    """Draw what is guessed at a gap, and the probabilities of two forms."""
    _guess(
        key=key,
        data={
            "steps": list(steps),
            "sentence": sentence,
            "guesses": tuple(tuple((word, round(share, 5)) for word, share in row) for row in seen.guesses),
            "forms": [
                {"name": form, "shares": digits(row)} for form, row in zip(forms, seen.forms.tolist(), strict=True)
            ],
            "start": start,
            "label": label,
        },
    )


def draw_heads(key: str, moments: Moments, relation: str, start: int) -> None:
    """Draw a small curve for every head at a relation."""
    every, bests = every_head(moments, relation), best(moments, relation)
    heads = len(next(iter(moments.right.values()))[relation][0])
    places: list[Place] = [divmod(i, heads) for i in range(len(every))]
    _heads(
        key=key,
        data={
            "steps": [*moments.right],
            "names": [f"Layer {layer}, head {head}" for layer, head in places],
            "shares": tuple(digits(row) for row in every.tolist()),
            "rule": rise(moments, relation).rule,
            "best": [places.index(place) for place in bests],
            "heads": heads,
            "start": start,
        },
    )
