"""Level 4 of a packet: the way of each token to the first layer, the words most like it, and the places."""

import math
from collections.abc import Sequence
from typing import Any

import torch

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics import cosine_matrix, length
from encoder.metrics.lens import goes_on, word, wordless
from encoder.model.steps.catalogue import nowhere
from encoder.packet.format import Stored, exact, pack, signed
from encoder.packet.run import LONGEST, MOST_BYTES, MOST_SCORED, gaps_of, kept_rows
from encoder.support.formatting import shown
from encoder.trace.trace import Trace

NEAREST = 10  # words for each token
MOST_ROWS = 256  # tokens whose vectors are sent
AT_ONCE = 64  # tokens whose cosines with the whole vocabulary are worked out together
STEPS = ("tokens", "scaled", "positions", "segments", "sum", "output")  # of the embedding, where a model has them


def level_4(encoder: TextEncoder, trace: Trace) -> bytes:
    """Return the embedding of a run: its steps, the nearest words of each token, how alike its places are.

    The tokens are those whose rows level 1 has, at most MOST_ROWS around their middle.

    Raises:
        EncoderError: a trace of another model.
    """
    encoder.check_own(trace)
    rows, config = rows_of(encoder, trace), trace.config
    names = [name for name in STEPS if f"embedding.{name}" in trace]
    own = {name: trace.array(f"embedding.{name}")[rows.start : rows.stop] for name in names}
    unlike = {name: values for name, values in own.items() if name != "scaled" or config.scale_embeddings}
    send = exact if len(trace.tokens) <= MOST_SCORED else signed
    arrays = {name: send(values) for name, values in unlike.items()}
    places = trace["embedding.positions"][rows.start : rows.stop]
    if bool(places.any()):
        arrays["alike"] = signed(cosine_matrix(places).numpy())
    about: dict[str, Any] = {"rows": list(rows), "positions": nowhere(config), "width": config.d_embedding}
    about["factor"] = config.d_model**0.5 if config.scale_embeddings else None
    about["table"] = encoder.model.embedding.tokens.num_embeddings
    about["ids"] = [trace.ids[i] for i in rows]
    about |= nearest(encoder, about["ids"])
    if config.embedding_norm:
        about["norm"], parts = norm_of(encoder, trace, rows)
        arrays |= parts
    if config.positions == "rotary":
        about["theta"], about["divisor"] = config.turns_of(0)
        for name in ("cos", "sin"):
            turns = trace.array(f"layers.0.attention.{name}")[rows.start : rows.stop]
            arrays[name] = signed(turns[:, : turns.shape[-1] // 2])  # the second half is the first again
    return pack(4, about, arrays)


def rows_of(encoder: TextEncoder, trace: Trace) -> range:
    """Return the tokens that are sent: those that level 1 has, at most so many."""
    gap = next(iter(gaps_of(encoder, trace)), 0)
    rows = kept_rows(trace, gap, MOST_BYTES)
    if len(rows) <= MOST_ROWS:
        return rows
    first = max(rows.start, min(gap - MOST_ROWS // 2, rows.stop - MOST_ROWS))
    return range(first, first + MOST_ROWS)


def chance(count: int, width: int) -> float:
    """Return about how large the largest cosine of a vector with so many random ones is: √(2 ln count / width)."""
    return min(1.0, math.sqrt(2 * math.log(max(count, 1)) / width))


@torch.inference_mode()
def nearest(encoder: TextEncoder, ids: Sequence[int]) -> dict[str, Any]:
    """Return the words whose rows of the table are most like those of tokens.

    `chance` is how large the largest cosine of a random vector would be; `near` holds `[word, cosine]` of each
    different token, the nearest first, without pieces that go on with a word where it is none; `any` the mean cosine
    of each with all words; `near_of` says which of them is whose.
    """
    table, words_alone = encoder.model.embedding.tokens.weight, ~wordless(encoder)
    lengths, different = length(table), list(dict.fromkeys(ids))
    pieces = goes_on(encoder)
    tiny, count = torch.finfo(torch.float32).tiny, min(NEAREST, int(words_alone.sum()) - 1)
    near: list[list[list[Any]]] = []
    means: list[float] = []
    for start in range(0, len(different), AT_ONCE):
        some = torch.tensor(different[start : start + AT_ONCE])
        cosines = table[some] @ table.mT / (lengths[some, None] * lengths).clamp_min(tiny)
        cosines[torch.arange(len(some)), some] = -torch.inf
        cosines[:, ~words_alone] = -torch.inf
        means += cosines.masked_fill(cosines.isneginf(), torch.nan).nanmean(1).tolist()
        values, words = cosines.masked_fill(pieces & ~pieces[some, None], -torch.inf).topk(count)
        for own, others in zip(values.tolist(), words.tolist(), strict=True):
            pairs = zip(others, own, strict=True)
            near.append([[shown(word(encoder, i), LONGEST), round(c, 6)] for i, c in pairs if c > -math.inf])
    by_chance = chance(int(words_alone.sum()) - 1, encoder.config.d_embedding)
    return {
        "chance": by_chance,
        "near": near,
        "any": [round(mean, 6) for mean in means],
        "near_of": [different.index(i) for i in ids],
    }


def norm_of(encoder: TextEncoder, trace: Trace, rows: range) -> tuple[dict[str, Any], dict[str, Stored]]:
    """Return what a norm is, and its numbers: mean and variance of each token, gamma and beta."""
    config, prefix = trace.config, "embedding.norm." if trace.config.embedding_size is not None else "embedding."
    norm = encoder.model.embedding.norm
    arrays = {
        name: exact(trace.array(prefix + name)[rows.start : rows.stop])
        for name in ("mean", "variance", "mean_square")
        if prefix + name in trace
    }
    if config.embedding_size is not None:
        arrays["normed"] = signed(trace.array(f"{prefix}output")[rows.start : rows.stop])
    for name, values in (("gamma", getattr(norm, "weight", None)), ("beta", getattr(norm, "bias", None))):
        if values is not None:
            arrays[name] = exact(values.detach().numpy())
    return {"kind": config.norm, "eps": config.norm_eps}, arrays
