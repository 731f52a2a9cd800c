"""Level 10 of a packet: guesses as exact sums of words, and of the model's parts, and what each word really costs."""

from collections.abc import Sequence

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.contributions import BIAS, EMBEDDING, REST, logits_by_part
from encoder.experiments.attributions.gradients import without_each_token
from encoder.experiments.attributions.target import Logits, whole_words
from encoder.experiments.attributions.word_sums import BESIDE, sum_over_words
from encoder.metrics.lens import logit_lens
from encoder.packet.after_layers import followed
from encoder.packet.format import Stored, Values, exact, pack
from encoder.packet.rival import rival_of
from encoder.packet.run import LONGEST, shown_word
from encoder.support.errors import EncoderError, integer
from encoder.support.formatting import shown
from encoder.trace.trace import Trace
from encoder.trace.unpadded import tokens

STEP = "mlm.logits"  # whose numbers are shared out
MOST_TOKENS = 64  # of a run whose guesses are added up
BESIDE_BLOCKS = (EMBEDDING, BIAS, REST)  # what adds to a guess beside the heads and feed-forward blocks of the layers


def level_10(encoder: TextEncoder, trace: Trace, step: str, index: Sequence[int], words: Sequence[str] = ()) -> bytes:
    """Return the logits of words at a position, each as a sum over the sentence's words and the model's parts.

    The words are those that level 5 tells of, the other number of a verb that is guessed, and `words`.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        step: STEP.
        index: the position.
        words: what is guessed and what it is held against, as somebody types them; empty ones are the first guess, and
            the other number of a verb or else the next guess.

    Raises:
        EncoderError: another step, an index of another shape, more than MOST_TOKENS, a word that is not in the
            vocabulary, or see `sum_over_words`.
    """
    if step != STEP or len(index) != 1:
        raise EncoderError(f"a sum over words is of {STEP}, at one position")
    if len(trace.tokens) > MOST_TOKENS:
        raise EncoderError(
            f"words are added up in texts of {MOST_TOKENS} tokens at most; this one has {len(trace.tokens)}"
        )
    position = integer("index", index[0], 0, len(tokens(trace)) - 1)
    lens = logit_lens(encoder, trace, [position])[:, 0]
    usual = [int(i) for i in followed(lens, trace.ids[position])[0]]
    pair = competing(encoder, trace, position, words)
    ids = list(dict.fromkeys((*usual, *pair)))
    shared, parts = sum_over_words(encoder, trace, position, ids), logits_by_part(encoder, trace, position, ids)
    of_sentence = whole_words(trace)
    about = {
        "step": step,
        "index": [position],
        "places": [[word[0], len(word)] for word in of_sentence],
        "names": [shown(trace.tokenization.spelled(word), LONGEST) for word in of_sentence],
        "ids": ids,
        "words": [shown_word(encoder, i) for i in ids],
        "pair": [ids.index(i) for i in pair],
    }
    value, after = without_each_token(encoder, trace, Logits(position, tuple(ids)))
    some = lens[:, ids]
    arrays: dict[str, Stored] = {
        "adds": exact(folded(shared.adds, of_sentence)),
        "read": exact(folded(shared.read, of_sentence)),
        "lost": exact(folded((value - after).T, of_sentence, beside=0)),
        "blocks": exact(single(torch.stack([part.grid(trace.config) for part in parts]))),
        "beside": exact(
            single(torch.stack([torch.tensor([part.of(name) for name in BESIDE_BLOCKS]) for part in parts]))
        ),
        "share": exact(single(some.exp())),
        "rank": exact(single(torch.stack([1 + (lens > of_word[:, None]).sum(-1) for of_word in some.T], -1))),
    }
    return pack(10, about, arrays)


def competing(encoder: TextEncoder, trace: Trace, position: int, words: Sequence[str]) -> tuple[int, int]:
    """Return the ids of the word that is guessed at a position and of the one that it is held against.

    Raises:
        EncoderError: a word that the vocabulary does not have, or twice the same one.
    """
    guess, over = typed(encoder, trace, position, words)
    likeliest = int(trace["mlm.logits"][position].argmax())
    first = likeliest if guess is None else guess
    second = over if over is not None else likeliest if first != likeliest else rival_of(encoder, trace, position)
    check_differ(first, second)
    return first, second


def typed(encoder: TextEncoder, trace: Trace, position: int, words: Sequence[str]) -> tuple[int | None, int | None]:
    """Return the ids of two words as somebody types them; None for one that is empty or not there.

    Raises:
        EncoderError: the vocabulary does not have one.
    """
    first, second = (word.strip() for word in (*words, "", "")[:2])
    return (
        encoder.word_id(trace, position, first) if first else None,
        encoder.word_id(trace, position, second) if second else None,
    )


def check_differ(first: int, second: int | None) -> None:
    """Refuse twice the same word.

    Raises:
        EncoderError: it is.
    """
    if first == second:
        raise EncoderError("both words are the same, so neither leads")


def single(values: Tensor) -> Values:
    """Numbers as they are sent."""
    result: Values = values.float().numpy()
    return result


def folded(values: Tensor, words: Sequence[tuple[int, ...]], beside: int = BESIDE) -> Values:
    """Numbers of tokens [..., n + beside] as those of words, whose pieces are added: [..., words + beside]."""
    numbers = values.double()
    n = numbers.shape[-1] - beside
    by_word = [numbers[..., list(word)].sum(-1) for word in words]
    return single(torch.stack([*by_word, *numbers[..., n:].unbind(-1)], -1))
