"""The story of a run: which stops it has, in which chapters."""

from collections.abc import Callable
from dataclasses import replace

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics import first_lost
from encoder.metrics.word_kinds import is_word
from encoder.support.errors import integer
from encoder.teach.story import guess_chapter, layers_chapter, looks, words_chapter
from encoder.teach.story.stop import StoryStop, Subject, subject
from encoder.trace.trace import Trace
from encoder.trace.unpadded import tokens

Teller = Callable[[TextEncoder, Trace, Subject], StoryStop]


def chapters(count: int) -> dict[str, tuple[Teller, ...]]:
    """The chapters of a model of so many layers, and who tells the stops of each."""
    return {
        "Words become numbers": (words_chapter.pieces, words_chapter.nearest, words_chapter.places),
        "Who looks at whom": (looks.strongest, looks.parked, looks.agreeing),
        "What is carried": (layers_chapter.flowing, layers_chapter.added),
        f"Again, {count} times" if count > 1 else "One layer": (
            layers_chapter.most_added,
            layers_chapter.growing_alike,
        ),
        "The guess": (guess_chapter.first_choice, guess_chapter.settling),
    }


def story(encoder: TextEncoder, trace: Trace, word: int | None = None) -> tuple[StoryStop, ...]:
    """The twelve stops of a run, in the numbers of this run; none where it does not end in finite numbers.

    It follows the word at a position; without one the mask, if there is one, else the word that looks hardest.

    Raises:
        EncoderError: the trace is of another model, or does not hold its own, or `word` is no position of it.
    """
    encoder.check_own(trace)
    if first_lost(trace):
        return ()
    names = tokens(trace)
    mask = encoder.mask_token
    if word is None and mask is not None and mask in names and any(is_word(trace)):
        word = names.index(mask)
    if word is not None:
        word = integer("word", word, 0, len(names) - 1)
    about, told = subject(trace, word), chapters(trace.config.n_layers)
    return tuple(
        replace(tell(encoder, trace, about), chapter=name) for name, tellers in told.items() for tell in tellers
    )
