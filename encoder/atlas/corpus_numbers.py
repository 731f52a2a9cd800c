"""What an atlas says of all heads and units, as numbers that can be drawn and compared."""

import numpy as np
import torch
from numpy.typing import NDArray

from encoder.atlas.atlas_reader import Atlas
from encoder.atlas.corpus import AtlasError
from encoder.atlas.searching import heads_from
from encoder.metrics.head_measures import HEAD_MEASURES, HeadSurvey
from encoder.metrics.roles import Role

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


def firing_shares(atlas: Atlas, layer: int) -> Floats:
    """Return the share of the tokens at which each feed-forward unit of a layer fires: [d_ff]."""
    width = atlas.card.sizes["units"]
    shares: Floats = atlas.units.slice(layer * width, width)["firings"].to_numpy() / max(1, atlas.card.tokens)
    return shares


def ranked_shares(atlas: Atlas, layer: int) -> tuple[NDArray[np.int64], Floats]:
    """Return up to RANKS ranks of a layer's units by how often they fire, evenly over all of them, and those shares."""
    shares = np.sort(firing_shares(atlas, layer))[::-1]
    ranks = np.linspace(0, len(shares) - 1, min(len(shares), RANKS)).astype(int)
    return ranks, shares[ranks]


def telling_unit(atlas: Atlas, layer: int) -> int:
    """Return the unit, of those of a layer that are RARE, that writes the longest vectors when it fires."""
    width = atlas.card.sizes["units"]
    rows = atlas.units.slice(layer * width, width)
    written = rows["mean"].to_numpy() * rows["written_per_one"].to_numpy()
    return int(np.where(firing_shares(atlas, layer) < RARE, written, -1).argmax())


class AtlasMeasures(dict[str, torch.Tensor]):
    """The measures that an atlas has, by their names; of one that is newer than the atlas it is said what to do."""

    def __init__(self, measures: dict[str, torch.Tensor], command: str) -> None:
        super().__init__(measures)
        self.command = command

    def __missing__(self, name: str) -> torch.Tensor:
        title = HEAD_MEASURES[name].title
        raise AtlasError(f"this atlas was made before “{title}” was measured; make it anew: {self.command}")


def head_survey(atlas: Atlas) -> HeadSurvey:
    """The measures and labels of all heads over the corpus, as `encoder.metrics.survey` makes them of its sentences.

    `tokens` are those of the text. Labels shuffle the keys of the first sentences of each part, and not of all.
    `measures` lacks those that are newer than the atlas; to ask for one of these is an AtlasError.
    """
    card, rows = atlas.card, atlas.heads
    shape = card.sizes["layers"], card.sizes["heads"]
    there = [name for name in HEAD_MEASURES if name in rows.column_names]
    measures = {name: rows[name].to_numpy().astype(np.float32).reshape(shape) for name in there}
    names = ("label", "nearest", "nearest_mass", "nearest_uniform", "nearest_shuffled")
    roles = [Role(*(row[name] for name in (*names, f"{row['nearest']}_queries"))) for row in rows.to_pylist()]
    return HeadSurvey(
        card.sentences,
        card.tokens,
        AtlasMeasures({name: torch.from_numpy(values.copy()) for name, values in measures.items()}, card.command),
        [roles[i * shape[1] : (i + 1) * shape[1]] for i in range(shape[0])],
    )
