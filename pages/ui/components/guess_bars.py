"""A guess of words as bars: large on a page, or as a strip; where the bars were before stays as an outline."""

from typing import Literal

from encoder.formatting import percent
from encoder.metrics.guess import WordGuess
from pages.ui.component import component

_bars = component(__file__, "guess_bars", "<div class='guess' role='group'></div>")


def draw(key: str, guess: WordGuess, form: Literal["large", "strip"]) -> None:
    """Draw the words of a guess with their probabilities, the first on top, or at the left of a strip."""
    before = guess.before or (None,) * len(guess.words)
    _bars(
        key=key,
        data={
            "form": form,
            "title": f"At {guess.place} ({guess.position})",
            "said": guess.sentence,
            "words": [
                {"word": word, "now": now, "before": was, "said": percent(now)}
                for word, now, was in zip(guess.words, guess.now, before, strict=True)
            ],
        },
    )
