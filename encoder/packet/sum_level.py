"""Level 10 of a packet: guesses as exact sums of the words of a sentence, and what the loss of each really costs."""

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.gradients import without_each_token
from encoder.experiments.attributions.target import Logits, whole_words
from encoder.experiments.attributions.word_sums import BESIDE, sum_over_words
from encoder.metrics.lens import logit_lens
from encoder.packet.after_layers import followed
from encoder.packet.format import Stored, Values, exact, pack
from encoder.packet.run import LONGEST
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from encoder.trace.trace import Trace

STEP = "mlm.logits"  # whose numbers are shared out
MOST_TOKENS = 64  # of a run whose guesses are added up


def level_10(encoder: TextEncoder, trace: Trace, step: str, index: Sequence[int]) -> bytes:
    """Return the logits of the words that level 5 tells of at a position, each as a sum over the words of the sentence.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        step: STEP.
        index: the position.

    Raises:
        EncoderError: another step, an index of another shape, more than MOST_TOKENS, or see `sum_over_words`.
    """
    if step != STEP or len(index) != 1:
        raise EncoderError(f"a sum over words is of {STEP}, at one position")
    if len(trace.tokens) > MOST_TOKENS:
        raise EncoderError(
            f"words are added up in texts of {MOST_TOKENS} tokens at most; this one has {len(trace.tokens)}"
        )
    position = index[0]
    ids = followed(logit_lens(encoder, trace, [position])[:, 0], trace.ids[position])[0].tolist()
    shared, words = sum_over_words(encoder, trace, position, ids), whole_words(trace)
    about = {
        "position": position,
        "places": [[word[0], len(word)] for word in words],
        "names": [shown(trace.tokenization.spelled(word), LONGEST) for word in words],
    }
    arrays: dict[str, Stored] = {"adds": exact(folded(shared.adds, words)), "read": exact(folded(shared.read, words))}
    value, after = without_each_token(encoder, trace, Logits(position, tuple(ids)))
    arrays["lost"] = exact(folded((value - after).T, words, beside=0))
    return pack(10, about, arrays)


def folded(values: Tensor, words: Sequence[tuple[int, ...]], beside: int = BESIDE) -> Values:
    """Numbers of tokens [..., n + beside] as those of words, whose pieces are added: [..., words + beside]."""
    numbers = values.double().numpy()
    n = numbers.shape[-1] - beside
    by_word = [numbers[..., list(word)].sum(-1) for word in words]
    result: Values = np.stack([*by_word, *np.moveaxis(numbers[..., n:], -1, 0)], -1).astype(np.float32)
    return result
