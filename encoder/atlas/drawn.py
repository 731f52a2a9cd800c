"""What the files of an atlas say, as numbers that can be drawn."""

import numpy as np
from numpy.typing import NDArray

from encoder.atlas.corpus import AtlasError
from encoder.atlas.reading import Atlas
from encoder.atlas.searching import heads_from

Floats = NDArray[np.float64]
RANKS = 201  # units of a layer that a curve over all of them goes through
RARE = 0.1  # of the tokens: a unit that fires at more is no rare one


def pair_weights(atlas: Atlas, start: str, end: str) -> Floats:
    """What every head gives from tokens of one kind to those of another, as a share of its weight: [n_layers, H].

    Raises:
        AtlasError: the corpus has no such pair.
    """
    weights = np.zeros((atlas.card.sizes["layers"], atlas.card.sizes["heads"]))
    heads = heads_from(atlas, start, end)
    if not heads:
        raise AtlasError(f"no token of this corpus is of the kind {start!r} with another of the kind {end!r}")
    for head in heads:
        weights[head.layer, head.head] = head.weight
    return weights


def vector_lengths(atlas: Atlas) -> dict[str, Floats]:
    """The mean length of words and of special tokens, and that of the mean of all words: each [n_layers + 1]."""
    rows = atlas.layers
    return {
        "words": rows["length_words"].to_numpy(),
        "special tokens": rows["length_special"].to_numpy(),
        "their mean vector": np.linalg.norm(np.array(rows["mean_vector"].to_pylist()), axis=-1),
    }


def firing_shares(atlas: Atlas, layer: int) -> Floats:
    """The share of the tokens at which each feed-forward unit of a layer fires: [d_ff]."""
    width = atlas.card.sizes["units"]
    shares: Floats = atlas.units.slice(layer * width, width)["firings"].to_numpy() / max(1, atlas.card.tokens)
    return shares


def ranked_shares(atlas: Atlas, layer: int) -> tuple[NDArray[np.int64], Floats]:
    """Up to RANKS ranks of a layer's units by how often they fire, evenly over all of them, and those shares."""
    shares = np.sort(firing_shares(atlas, layer))[::-1]
    ranks = np.linspace(0, len(shares) - 1, min(len(shares), RANKS)).astype(int)
    return ranks, shares[ranks]


def telling_unit(atlas: Atlas, layer: int) -> int:
    """Of a layer's units that are RARE, the one that writes the longest vectors when it fires."""
    width = atlas.card.sizes["units"]
    rows = atlas.units.slice(layer * width, width)
    written = rows["mean"].to_numpy() * rows["written_per_one"].to_numpy()
    return int(np.where(firing_shares(atlas, layer) < RARE, written, -1).argmax())
