"""Level 12 of a packet: what each part costs a word at any position, or the lead of one word over another."""

from collections.abc import Sequence

import torch

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics.answer import answers, name_of
from encoder.packet.format import Stored, exact, pack
from encoder.packet.run import shares_without_each_part
from encoder.packet.sum_level import check_differ, place_of, typed
from encoder.support.errors import EncoderError
from encoder.trace.trace import Trace


@torch.inference_mode()
def level_12(encoder: TextEncoder, trace: Trace, step: str, index: Sequence[int], words: Sequence[str] = ()) -> bytes:
    """Return the shares of one or two words at a position, or labels, when one part alone gives zeros.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        step: that of the shares.
        index: the position; nothing for a label of the sentence.
        words: the word, and the one that it is held against, as somebody types them; an empty first one is what is
            guessed, without a second the share itself is told.

    Raises:
        EncoderError: another step, an index of another shape, a word that the vocabulary does not have, twice the same
            word, or a model that guesses none.
    """
    how = answers(encoder.config)
    if not how.part or not how.in_shares:
        raise EncoderError(encoder.why_no_guesses)
    position = place_of(encoder, trace, step, index, "probabilities", "what parts cost is told of")
    now = how.shares(how.scores(trace, position))
    if not bool(now.isfinite().all()):
        raise EncoderError("the shares at this position are not finite numbers")
    guess, over = typed(encoder, trace, position, words)
    first = int(now.argmax()) if guess is None else guess
    check_differ(first, over)
    ids = [first] if over is None else [first, over]
    heads, blocks, places = shares_without_each_part(encoder, trace, position)
    about = {"position": position, "words": [name_of(encoder, i) for i in ids], "shares": now[ids].tolist()}
    arrays: dict[str, Stored] = {"off": exact(heads[..., ids].numpy()), "parts": exact(blocks[..., ids].numpy())}
    arrays |= {} if places is None else {"places": exact(places[ids].numpy())}
    return pack(12, about, arrays)
