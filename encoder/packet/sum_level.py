"""Level 10 of a packet: guesses as exact sums of words, and of the model's parts, and what each word really costs."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.contributions import BIAS, EMBEDDING, REST, logits_by_part
from encoder.experiments.attributions.gradients import without_each_token
from encoder.experiments.attributions.target import Logits, whole_words
from encoder.experiments.attributions.word_sums import BESIDE, sum_over_words
from encoder.metrics.answer import SENTENCE, answer_after_layers, answer_id, answers, name_of
from encoder.packet.after_layers import followed
from encoder.packet.format import Stored, Values, exact, pack
from encoder.packet.rival import rival_of
from encoder.packet.run import LONGEST, gaps_of, likeliest, scores_without_each_head
from encoder.packet.taught import seen, taught
from encoder.support.errors import EncoderError, integer
from encoder.support.formatting import shown
from encoder.trace.trace import Trace
from encoder.trace.unpadded import tokens

MOST_LABELS = 10  # that are told of
MOST_TOKENS = 64  # of a run whose guesses are added up
BESIDE_BLOCKS = (EMBEDDING, BIAS, REST)  # what adds to a guess beside the heads and feed-forward blocks of the layers


def level_10(
    encoder: TextEncoder,
    trace: Trace,
    step: str,
    index: Sequence[int],
    words: Sequence[str] = (),
    *,
    parts: bool = True,
) -> bytes:
    """Return the logits of words at a position, or of labels, as sums over the sentence's words and the model's parts.

    The words are those that level 5 tells of, the other number of a verb that is guessed, and `words`. The labels are
    the first MOST_LABELS and `words`.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        step: that of the logits.
        index: the position; nothing for labels of the sentence.
        words: what is guessed and what it is held against, as somebody types them; empty ones are the first guess, and
            the other number of a verb or else the next guess.
        parts: whether labels without each head are told too, where level 1 does not: numbers of a regression, and other
            words of a tagger; it takes a part of a run for each.

    Raises:
        EncoderError: another step, an index of another shape, more than MOST_TOKENS, a word that is not in the
            vocabulary, or see `sum_over_words`.
    """
    position = place_of(encoder, trace, step, index, "logits", "a sum over words is of")
    if len(trace.tokens) > MOST_TOKENS:
        raise EncoderError(
            f"words are added up in texts of {MOST_TOKENS} tokens at most; this one has {len(trace.tokens)}"
        )
    how, scores = answers(encoder.config), answer_after_layers(encoder, trace, position)
    shares = how.shares(scores)
    if how.labels is None:
        usual = followed(scores.log_softmax(-1), trace.ids[position])[0].tolist()
    else:
        usual = list(likeliest(scores[-1], MOST_LABELS)) if how.in_shares else list(range(min(how.count, MOST_LABELS)))
    pair = competing(encoder, trace, position, words)
    ids = list(dict.fromkeys((*usual, *(i for i in pair if i is not None))))
    shared, by_part = sum_over_words(encoder, trace, position, ids), logits_by_part(encoder, trace, position, ids)
    of_sentence = whole_words(trace)
    about: dict[str, Any] = {
        "step": step,
        "index": list(index),
        "places": [[word[0], len(word)] for word in of_sentence],
        "names": [shown(trace.tokenization.spelled(word), LONGEST) for word in of_sentence],
        "ids": ids,
        "words": [name_of(encoder, i) for i in ids],
        "pair": [-1 if i is None else ids.index(i) for i in pair],
    }
    some = shares[:, ids]
    arrays: dict[str, Stored] = {
        "adds": exact(folded(shared.adds, of_sentence)),
        "read": exact(folded(shared.read, of_sentence)),
        "blocks": exact(single(torch.stack([part.grid(trace.config) for part in by_part]))),
        "beside": exact(
            single(torch.stack([torch.tensor([part.of(name) for name in BESIDE_BLOCKS]) for part in by_part]))
        ),
        "share": exact(single(some)),
        "rank": exact(single(torch.stack([1 + (shares > of_word[:, None]).sum(-1) for of_word in some.T], -1))),
    }
    if encoder.mask_token is not None:
        value, after = without_each_token(encoder, trace, Logits(position, tuple(ids)))
        arrays["lost"] = exact(folded((value - after).T, of_sentence, beside=0))
    in_level_1 = how.in_shares and position in how.places(trace, [])[:1]
    if how.labels is not None and parts and not in_level_1:
        every = scores_without_each_head(encoder, trace, position)
        arrays["without"] = exact(single(every[..., ids]))
        arrays["without_share"] = exact(single(how.shares(every)[..., ids]))
    if sentences := taught(encoder):
        about["taught"] = {"judged": sentences, "seen": seen(sentences, about["names"], how.count)}
    return pack(10, about, arrays)


def sum_places(encoder: TextEncoder, trace: Trace) -> list[int]:
    """Return the places of answers that can be shared out, such as gaps; none of a text that is too long."""
    how = answers(encoder.config)
    if not how.part or len(trace.tokens) > MOST_TOKENS:
        return []
    return [i for i in how.places(trace, gaps_of(encoder, trace)) if bool(how.scores(trace, i).isfinite().all())]


def sum_at(encoder: TextEncoder, trace: Trace, place: int, *, parts: bool) -> bytes:
    """Return level 10 of a run at one of `sum_places`."""
    index = () if place == SENTENCE else (place,)
    return level_10(encoder, trace, f"{answers(encoder.config).part}.logits", index, parts=parts)


def place_of(encoder: TextEncoder, trace: Trace, step: str, index: Sequence[int], last: str, what: str) -> int:
    """Return the place of the answer that a packet is asked about.

    Raises:
        EncoderError: a trace of another model, another step, or an index of another shape; the message begins with
            `what`.
    """
    encoder.check_own(trace)
    how = answers(encoder.config)
    if step != f"{how.part or 'mlm'}.{last}" or len(index) != (0 if how.of_sentence else 1):
        where = "for the sentence" if how.of_sentence else "at one position"
        raise EncoderError(f"{what} {how.part or 'mlm'}.{last}, {where}")
    return SENTENCE if how.of_sentence else integer("index", index[0], 0, len(tokens(trace)) - 1)


def competing(encoder: TextEncoder, trace: Trace, position: int, words: Sequence[str]) -> tuple[int, int | None]:
    """Return the ids of what is answered at a position and of what it is held against; None where nothing competes.

    Raises:
        EncoderError: a word that the vocabulary does not have, or twice the same one.
    """
    guess, over = typed(encoder, trace, position, words)
    how = answers(encoder.config)
    scores = how.scores(trace, position)
    likeliest_id = int(scores.argmax()) if how.in_shares else 0
    first = likeliest_id if guess is None else guess
    if how.labels is not None and (not how.competing or how.count == 1):
        return first, None
    second = over if over is not None else likeliest_id if first != likeliest_id else next_of(encoder, trace, position)
    check_differ(first, second)
    return first, second


def next_of(encoder: TextEncoder, trace: Trace, position: int) -> int:
    """Return the id of what the first answer at a position is held against where nobody says it."""
    how = answers(encoder.config)
    return rival_of(encoder, trace, position) if how.labels is None else likeliest(how.scores(trace, position), 2)[1]


def typed(encoder: TextEncoder, trace: Trace, position: int, words: Sequence[str]) -> tuple[int | None, int | None]:
    """Return the ids of two words or labels as somebody types them; None for one that is empty or not there.

    Raises:
        EncoderError: the vocabulary, or the model's labels, have not got one.
    """
    first, second = (word.strip() for word in (*words, "", "")[:2])
    ids = [answer_id(encoder, trace, position, text) if text else None for text in (first, second)]
    return ids[0], ids[1]


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
