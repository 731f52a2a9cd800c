"""What the model would say, layer by layer: its masked-language-model head on every layer's output (logit lens).

The head was only ever trained on the last layer's output; what it says of earlier ones is a reading, not a belief, and
its biases lean to frequent words whatever it is given.
"""

from collections.abc import Sequence
from dataclasses import astuple

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.support.errors import EncoderError, integer, several
from encoder.trace.trace import Trace
from encoder.trace.unpadded import stream


@torch.inference_mode()
def logit_lens(encoder: TextEncoder, trace: Trace, positions: Sequence[int] | None = None) -> Tensor:
    """The head's words for the embedding (l = 0) and each layer's output: ln softmax(head(h_l)) (nostalgebraist 2020).

    A model with a final norm applies it first, as it does to the last layer. The last row is ln mlm.probabilities.

    Args:
        encoder: the encoder that made the trace.
        trace: a run.
        positions: tokens to look at, all by default. The result takes 4 (n_layers + 1) n vocab bytes.

    Returns:
        [n_layers + 1, n, vocab] log-probabilities in nats.

    Raises:
        EncoderError: the model has no masked-language-model head, or it is not the one that made the trace.
    """
    model = encoder.model
    if model.mlm_head is None:
        raise EncoderError(f"{encoder.source.name!r} has no masked-language-model head; it cannot name words")
    encoder.check_own(trace)
    x = stream(trace)
    if positions is not None:
        x = x[:, several("position", positions, 0, x.shape[1] - 1)]
    logits = model.predict(x if model.final_norm is None else model.final_norm(x))
    assert logits is not None
    return logits.log_softmax(-1)


def lens_words(encoder: TextEncoder, lens: Tensor, k: int = 5) -> list[list[list[tuple[str, float]]]]:
    """The k likeliest words at each layer and position, likeliest first, with their probabilities."""
    top = lens.topk(min(integer("k", k, 1), lens.shape[-1]))
    return [
        [[(word(encoder, i), p) for i, p in zip(ids, ps, strict=True)] for ids, ps in zip(row_ids, row_ps, strict=True)]
        for row_ids, row_ps in zip(top.indices.tolist(), top.values.exp().tolist(), strict=True)
    ]


def likeliest_ids(values: Tensor, k: int = 5) -> Tensor:
    """The ids of the k words with the largest values [n, vocab] at each position, best first: [n, k]."""
    return values.topk(min(integer("k", k, 1), values.shape[-1])).indices


def likeliest_words(encoder: TextEncoder, values: Tensor, k: int = 5) -> list[list[tuple[str, float]]]:
    """The words of `likeliest_ids` with their values [n, vocab]: n lists of k, best first."""
    ids = likeliest_ids(values, k)
    largest = values.gather(-1, ids).tolist()
    return [
        [(word(encoder, i), value) for i, value in zip(row, numbers, strict=True)]
        for row, numbers in zip(ids.tolist(), largest, strict=True)
    ]


def final_answer(lens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """How the model's answer forms: the last layer's likeliest word, followed back through the layers.

    Returns:
        its id [n]; its probability at every layer [n_layers + 1, n]; its rank there, 1 for the likeliest.
    """
    answer = lens[-1].argmax(-1)
    value = lens.gather(-1, answer.expand(len(lens), -1)[..., None])
    return answer, value[..., 0].exp(), (lens > value).sum(-1) + 1


def race(lens: Tensor, words: int) -> tuple[Tensor, Tensor]:
    """The last layer's likeliest words, and where each stands before: lens [n_layers + 1, vocab] of one token.

    Returns:
        their ids [words], best first; their ranks [n_layers + 1, words], 1 for the likeliest.
    """
    best = lens[-1].topk(integer("words", words, 1, lens.shape[-1])).indices
    return best, (lens[:, None] > lens[:, best, None]).sum(-1) + 1


def settled(rank: Tensor) -> int:
    """The first row from which on the final answer stays the first choice; `rank` [n_layers + 1] of one token.

    The ranks are those of `final_answer`, so the last one is 1.
    """
    others = (rank != 1).nonzero()
    return int(others[-1]) + 1 if len(others) else 0


def word(encoder: TextEncoder, token_id: int) -> str:
    """The tokenizer's word for an id, or #id where the vocabulary has none."""
    return encoder.tokenizer.id_to_token(token_id) or f"#{token_id}"


def goes_on(encoder: TextEncoder) -> Tensor:
    """Which rows of the vocabulary are pieces that go on with a word, as ##ing: [vocab] of bool."""
    names = (encoder.tokenizer.id_to_token(i) or "" for i in range(encoder.config.vocab_size))
    return torch.tensor([name.startswith("##") for name in names])


def wordless(encoder: TextEncoder) -> Tensor:
    """Which rows of the vocabulary stand for no word: special and unused tokens, and rows without one: [vocab] of bool.

    The vectors of such rows say nothing of meaning; most were hardly trained.
    """
    tokenizer, special = encoder.tokenizer, {name for name in astuple(encoder.special) if name}
    special |= {token.content for token in tokenizer.get_added_tokens_decoder().values() if token.special}
    names = (tokenizer.id_to_token(i) for i in range(encoder.config.vocab_size))
    return torch.tensor([name is None or name in special or name.startswith("[unused") for name in names])
