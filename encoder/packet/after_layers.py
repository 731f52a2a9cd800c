"""What a run would say after each layer, as a packet: level 5, of words, their shares and ranks, and of vectors."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.checkpoint.tokenizer_files import UNKNOWN
from encoder.metrics.layers import cosine, length
from encoder.metrics.lens import likeliest_ids, logit_lens
from encoder.packet.format import NO_SHARE, Stored, Values, exact, pack
from encoder.packet.run import MOST_BYTES, gaps_of, kept_rows, shown_word
from encoder.trace.trace import Trace
from encoder.trace.unpadded import stream

WORDS = 7  # told of at each token after each layer
AT_ONCE = 16_000_000  # numbers of the whole vocabulary that are held while they are read


def level_5(encoder: TextEncoder, trace: Trace, most_bytes: int = MOST_BYTES) -> bytes:
    """The likeliest words after each layer, the way of each of these through all layers, and the way of the vectors.

    The words are those of `logit_lens`, of the tokens whose rows level 1 keeps; lengths and cosines are of all tokens.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        most_bytes: of level 1's weights.

    Raises:
        EncoderError: a trace of another model.
    """
    encoder.check_own(trace)
    vectors = stream(trace)
    gap = next(iter(gaps_of(encoder, trace)), 0)
    rows = [row for row in kept_rows(trace, gap, most_bytes) if row < vectors.shape[1]]
    arrays = {"length": exact(length(vectors).numpy()), "cosine": exact(cosine(vectors, vectors[-1:]).numpy())}
    about: dict[str, Any] = {"why": encoder.why_no_guesses, "mask": encoder.mask_token, "spans": spans(trace)}
    if encoder.model.mlm_head is not None:
        ids, own, words = guesses(encoder, trace, rows)
        names = [shown_word(encoder, token) for token in ids]
        about |= {
            "positions": rows,
            "vocabulary": names,
            "ids": ids,
            "vocab_size": encoder.config.vocab_size,
            "own": own,
        }
        about["unknown"] = [row for row in rows if trace.tokens[row] in UNKNOWN]
        arrays |= words
    return pack(5, about, arrays)


def spans(trace: Trace) -> list[list[int]]:
    """Of each word of level 1 the sentence it stands in, 0 or 1, and which of its characters it takes."""
    text = trace.tokenization
    words = [pieces for pieces in text.words if not text.special[pieces[0]]]
    sides = text.segments or (0,) * len(text.ids)
    return [[sides[word[0]], text.spans[word[0]][0], text.spans[word[-1]][1]] for word in words]


def guesses(encoder: TextEncoder, trace: Trace, rows: list[int]) -> tuple[list[int], list[int], dict[str, Stored]]:
    """The words that are told of, and for each token which they are, which lead, and all their shares and ranks.

    Returns:
        the ids of the words; which of a token's words it is itself; the arrays.
    """
    config = encoder.config
    step = max(1, AT_ONCE // ((config.n_layers + 1) * config.vocab_size))
    parts = [
        followed(values, trace.ids[row])
        for first in range(0, len(rows), step)
        for row, values in zip(
            rows[first : first + step], logit_lens(encoder, trace, rows[first : first + step]).unbind(1), strict=True
        )
    ]
    vocabulary = sorted({i for ids, *_ in parts for i in ids.tolist()})
    most = max(len(ids) for ids, *_ in parts)
    place = {token: i for i, token in enumerate(vocabulary)}
    words = np.full((len(rows), most), NO_SHARE, np.uint16)
    share = np.full((config.n_layers + 1, len(rows), most), np.nan, np.float32)
    rank = share.copy()
    first = np.zeros((config.n_layers + 1, len(rows), parts[0][3].shape[1]), np.uint16)
    for i, (ids, shares, ranks, leading) in enumerate(parts):
        words[i, : len(ids)] = [place[token] for token in ids.tolist()]
        share[:, i, : len(ids)], rank[:, i, : len(ids)], first[:, i] = shares, ranks, leading
    arrays = {
        "words": Stored(words.astype("<u2"), 1.0),
        "first": Stored(first.astype("<u2"), 1.0),
        "share": exact(share),
        "rank": exact(rank),
    }
    own = [ids.tolist().index(trace.ids[row]) for row, (ids, *_) in zip(rows, parts, strict=True)]
    return vocabulary, own, arrays


def followed(lens: Tensor, own: int) -> tuple[Tensor, Values, Values, Values]:
    """One token's words over all layers, and itself, lens [n_layers + 1, vocab]; those that lead at the end first.

    Returns:
        their ids [words]; their shares and ranks [n_layers + 1, words]; which of them lead [n_layers + 1, WORDS].
    """
    leading = likeliest_ids(lens, WORDS)
    ids = torch.tensor(list(dict.fromkeys((*leading.flip(0).flatten().tolist(), own))))
    values = lens[:, ids]
    order = np.sort(lens.numpy(), -1)  # of each layer, the least likely word first; torch takes many times as long
    below = [np.searchsorted(row, its, "right") for row, its in zip(order, values.numpy(), strict=True)]
    rank = lens.shape[-1] - np.stack(below) + 1
    places = (leading[..., None] == ids).int().argmax(-1)
    return ids, values.exp().numpy(), rank.astype(np.float32), places.numpy()
