"""Finding units and heads by the tokens of their contexts, and tokens by their vectors."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from encoder.atlas.atlas_reader import Atlas
from encoder.atlas.collecting import narrowed
from encoder.atlas.corpus import AtlasError
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics import length
from encoder.metrics.roles import MARGIN, MOST
from encoder.model.block import Block

if TYPE_CHECKING:  # an extra of the package, which only who has an atlas needs
    import pyarrow as pa

TINY = torch.finfo(torch.float32).tiny
PLACE = ("sentence", "position", "token")
CHUNK = 4096  # vectors that are held in float32 at once: few enough for the memory near the processor


@dataclass(frozen=True)
class WordUnit:
    """A unit and how many of its kept firings, drawn evenly and largest, are on a token."""

    layer: int
    unit: int
    sampled: int
    of_sampled: int
    top: int
    of_top: int


@dataclass(frozen=True)
class WordHead:
    """A head and how many of its kept contexts look from one token to another."""

    layer: int
    head: int
    sampled: int
    of_sampled: int
    top: int
    of_top: int


@dataclass(frozen=True)
class PairHead:
    """A head and the mean weight that it gives from tokens of one kind to those of another, over `queries` tokens.

    `uniform` is what even weights would give, `chance` what 1 of 20 tries would exceed, and `anyone` what it gives
    there from tokens of all kinds.
    """

    layer: int
    head: int
    weight: float
    uniform: float
    chance: float
    queries: int
    anyone: float

    @property
    def clear(self) -> bool:
        """Whether it is as much, and as far above chance, as a label asks for."""
        return self.weight > MOST and self.weight - self.chance > MARGIN


@dataclass(frozen=True)
class NearToken:
    """A token of the corpus and the cosine of its vector with the one that was asked for."""

    sentence: int
    position: int
    token: str
    cosine: float


def units_on(atlas: Atlas, word: str, most: int = 20) -> list[WordUnit]:
    """The units whose firings are most often on a token, whatever its case: by the sample, then by the largest."""
    units = []
    for layer in range(atlas.card.sizes["layers"]):
        rows = atlas.tokens(f"units-layer-{layer}.parquet", "unit", "list", "token")
        units += [WordUnit(layer, *counts) for counts in counted(rows, "unit", matches(rows, "token", word))]
    return sorted(units, key=lambda unit: (-unit.sampled, -unit.top, unit.layer, unit.unit))[:most]


def heads_between(atlas: Atlas, query: str, key: str, most: int = 20) -> list[WordHead]:
    """Return the heads that look from one token to another in their contexts by weight; an empty word is any token.

    Every token of the text is an event of every head, so the sample is of the same tokens: the largest come first.
    """
    heads = []
    for layer in range(atlas.card.sizes["layers"]):
        rows = atlas.tokens(f"heads-layer-{layer}.parquet", "head", "list", "by", "token", "token_looked_at")
        rows = rows.filter(matches(rows, "by", "weight"))
        both = matches(rows, "token", query) & matches(rows, "token_looked_at", key)
        heads += [WordHead(layer, *counts) for counts in counted(rows, "head", both)]
    return sorted(heads, key=lambda head: (-head.top, -head.sampled, head.layer, head.head))[:most]


def heads_from(atlas: Atlas, start: str, end: str) -> list[PairHead]:
    """Return all heads by what they give from tokens of a kind to tokens of a kind, those that give most first.

    `start` is one of FROM and `end` one of TO in `encoder.atlas.pairs`; none where the corpus has no such pair.
    """
    import pyarrow.compute as pc

    rows = atlas.pairs.filter(pc.equal(atlas.pairs["to"], end))
    of_any, chosen = (rows.filter(pc.equal(rows["from"], kind)).to_pylist() for kind in ("any", start))
    anyone = {(row["layer"], row["head"]): row["weight"] for row in of_any}
    names = ("layer", "head", "weight", "uniform", "chance", "queries")
    heads = [
        PairHead(**{name: row[name] for name in names}, anyone=anyone[row["layer"], row["head"]]) for row in chosen
    ]
    return sorted(heads, key=lambda head: (-head.weight, head.layer, head.head))


def matches(rows: "pa.Table", column: str, word: str) -> np.ndarray:
    """Return where a column holds a token: true everywhere for an empty word."""
    if not word:
        return np.ones(len(rows), bool)
    import pyarrow as pa
    import pyarrow.compute as pc

    tokens = rows[column]
    encoded = tokens if pa.types.is_dictionary(tokens.type) else pc.dictionary_encode(tokens)
    chunk = encoded.unify_dictionaries().combine_chunks()
    wanted = {i for i, token in enumerate(chunk.dictionary.to_pylist()) if token.casefold() == word.casefold()}
    return np.isin(chunk.indices.to_numpy(), list(wanted))


def counted(rows: "pa.Table", name: str, hit: np.ndarray) -> list[tuple[int, int, int, int, int]]:
    """For each unit with a hit: its number, hits and contexts in the sample, hits and contexts among the largest."""
    units = rows[name].to_numpy()
    sampled = matches(rows, "list", "sample")
    size = int(units.max(initial=0)) + 1
    hits, every = (
        [np.bincount(units[which & kind], minlength=size) for kind in (sampled, ~sampled)]
        for which in (hit, np.ones(len(units), bool))
    )
    there = np.nonzero(hits[0] + hits[1])[0]
    return [(int(u), int(hits[0][u]), int(every[0][u]), int(hits[1][u]), int(every[1][u])) for u in there]


@torch.inference_mode()
def nearest_tokens(atlas: Atlas, layer: int, vector: Tensor, k: int = 12) -> list[NearToken]:
    """The tokens of the corpus whose vectors after a layer have the largest cosine with a vector [d_model]: exact.

    Raises:
        AtlasError: the atlas keeps no vectors of that layer, or the vector has another width.
    """
    if layer not in atlas.card.vectors:
        layers = ", ".join(map(str, atlas.card.vectors)) or "none"
        raise AtlasError(f"this atlas keeps no vectors of layer {layer}; it keeps {layers}")
    vectors = kept_vectors(atlas, f"vectors-layer-{layer}.npy", 2)
    names = atlas.tokens("vectors.parquet", *PLACE)
    check_sizes(atlas, vectors, len(names), vector)
    products = torch.cat([part @ vector.float() for part in parts(vectors)])
    column = f"length_{layer}"
    lengths = torch.from_numpy(atlas.tokens("vectors.parquet", column)[column].to_numpy().copy())
    return nearest(products / (lengths * vector.norm()).clamp_min(TINY), names, k)


@torch.inference_mode()
def nearest_outputs(
    atlas: Atlas, encoder: TextEncoder, layer: int, head: int, z: Tensor, k: int = 12
) -> list[NearToken]:
    """Return the tokens of the corpus to which a head writes the vectors most alike to Z_h W_O^h: exact cosines.

    What is kept is Z_h, the head's row of attention.heads, as `z` [d_head] is; W_O^h is that of the encoder, and the
    lengths are those of d_model numbers.

    Raises:
        AtlasError: the atlas keeps no outputs of that layer's heads, there is no such head, or z has another width.
    """
    if layer not in atlas.card.head_vectors or not 0 <= head < atlas.card.sizes["heads"]:
        layers = ", ".join(map(str, atlas.card.head_vectors)) or "none"
        raise AtlasError(
            f"this atlas keeps no outputs of head {head} of layer {layer}; it keeps those of layers {layers}"
        )
    vectors = kept_vectors(atlas, f"heads-layer-{layer}.npy", 3)[head]
    names = atlas.tokens("vectors.parquet", *PLACE)
    check_sizes(atlas, vectors, len(names), z)
    block = encoder.model.layers[layer]
    assert isinstance(block, Block)
    narrow = narrowed(block.attention)[head]  # as long as W_O^h makes them, and alike as much
    target = z.float() @ narrow
    written = (part @ narrow for part in parts(vectors))
    cosines = [(word @ target) / (length(word) * target.norm()).clamp_min(TINY) for word in written]
    return nearest(torch.cat(cosines), names, k)


def kept_vectors(atlas: Atlas, name: str, dimensions: int) -> np.ndarray:
    """Return a file of vectors in float16, read where it is looked at."""
    try:
        vectors: np.ndarray = np.load(atlas.folder / name, mmap_mode="c")
    except (OSError, ValueError) as error:
        raise AtlasError(f"{atlas.folder.name} is damaged: {name} cannot be read") from error
    if vectors.dtype != np.float16 or vectors.ndim != dimensions:
        raise AtlasError(f"{atlas.folder.name} is damaged: {name} does not fit its card")
    return vectors


def check_sizes(atlas: Atlas, vectors: np.ndarray, tokens: int, vector: Tensor) -> None:
    """Refuse vectors [tokens, width] that are not those of the tokens, and a vector of another width."""
    if len(vectors) != tokens:
        raise AtlasError(f"{atlas.folder.name} is damaged: it has {len(vectors):,} vectors of {tokens:,} tokens")
    if vector.shape != vectors.shape[1:]:
        raise AtlasError(f"the vector is {list(vector.shape)}; it must be [{vectors.shape[1]}]")


def parts(vectors: np.ndarray) -> Iterator[Tensor]:
    """Vectors in float32, a few at a time, each in the memory of those before: fresh memory takes longer to get."""
    held = torch.empty(CHUNK, vectors.shape[1])
    for start in range(0, len(vectors), CHUNK):
        some = torch.from_numpy(vectors[start : start + CHUNK])
        yield held[: len(some)].copy_(some)


def nearest(cosines: Tensor, names: "pa.Table", k: int) -> list[NearToken]:
    """Return the tokens with the largest cosines."""
    top = cosines.topk(min(k, len(cosines)))
    rows = names.take(top.indices.tolist()).to_pylist()
    return [
        NearToken(row["sentence"], row["position"], row["token"], value)
        for row, value in zip(rows, top.values.tolist(), strict=True)
    ]
