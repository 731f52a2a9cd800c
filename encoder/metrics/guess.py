"""The words that a model guesses at one place, beside what it guessed there in another run of the same tokens."""

from dataclasses import dataclass

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics.lens import word
from encoder.support.errors import EncoderError
from encoder.support.formatting import percent, shown
from encoder.trace.trace import Trace
from encoder.trace.unpadded import once, tokens
from encoder.trace.words import punctuation


@dataclass(frozen=True)
class WordGuess:
    """The likeliest words at a place, best first, with their probabilities now and in the run before.

    `before` is empty where there is no other run; `first_before` is then the first word itself.
    """

    position: int
    place: str
    words: tuple[str, ...]
    now: tuple[float, ...]
    before: tuple[float, ...]
    first_before: str
    share_before: float

    @property
    def sentence(self) -> str:
        """The first choice, and what became of it."""
        first, share = self.words[0], percent(self.now[0])
        at = f"At “{self.place}” ({self.position}) the model says “{first}”, with {share}"
        if not self.before:
            return f"{at}."
        had = percent(self.share_before)
        if first == self.first_before:
            return f"{at}; without the changes it is “{first}” too, with {had}."
        return f"{at}; without the changes it is “{self.first_before}”, with {had}."


@once
def guess_place(trace: Trace, mask_token: str | None) -> int:
    """Where a guess is worth reading: at the first mask; where there is none, at the word it is the least sure of."""
    names, special = tokens(trace), trace.tokenization.special
    typed = [i for i in range(len(names)) if not special[i]] or [0]
    words = [i for i in typed if not punctuation(names[i])] or typed
    masks = [i for i, name in enumerate(names) if name == mask_token]
    if masks or "mlm.probabilities" not in trace:
        return [*masks, words[0]][0]
    sure = trace["mlm.probabilities"].max(-1).values
    return min(words, key=lambda i: float(sure[i]))


def word_guess(
    encoder: TextEncoder, trace: Trace, position: int, before: Trace | None = None, k: int = 5
) -> WordGuess | None:
    """The k likeliest words at a position; None for a model that guesses no words.

    Raises:
        EncoderError: a trace of another model, or `before` reads other tokens.
    """
    encoder.check_own(trace)
    if "mlm.probabilities" not in trace:
        return None
    if before is not None and before.ids != trace.ids:
        raise EncoderError(f"the other run reads {len(before.ids)} tokens that are not these {len(trace.ids)}")
    shares = trace["mlm.probabilities"][position]
    top = shares.topk(min(k, encoder.config.vocab_size))
    ids = top.indices.tolist()
    other = None if before is None else before["mlm.probabilities"][position]
    was = ids[0] if other is None else int(other.argmax())
    return WordGuess(
        position,
        shown(trace.tokens[position]),
        tuple(shown(word(encoder, i)) for i in ids),
        tuple(top.values.tolist()),
        () if other is None else tuple(other[ids].tolist()),
        shown(word(encoder, was)),
        float((shares if other is None else other)[was]),
    )
