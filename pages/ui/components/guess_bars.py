"""A guess of words as bars; where the bars were before stays as an outline."""

from encoder.metrics.guess import WordGuess
from encoder.support.formatting import percent
from pages.ui.component import component

_bars = component(__file__, "guess_bars", "<div class='guess' role='group'></div>")


def draw(key: str, guess: WordGuess) -> None:
    """Draw the words of a guess with their probabilities, the first on top."""
    before = guess.before or (None,) * len(guess.words)
    _bars(
        key=key,
        data={
            "said": guess.sentence,
            "words": [
                {"word": word, "now": now, "before": was, "said": percent(now)}
                for word, now, was in zip(guess.words, guess.now, before, strict=True)
            ],
        },
    )
