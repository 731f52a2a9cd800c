"""Finding units and heads by the tokens of their contexts, and tokens by their vectors."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from encoder.atlas.corpus import AtlasError
from encoder.atlas.reading import Atlas

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
class NearToken:
    """A token of the corpus and the cosine of its vector with the one that was asked for."""

    sentence: int
    position: int
    token: str
    cosine: float


def units_on(atlas: Atlas, word: str, most: int = 20) -> list[WordUnit]:
    """The units whose firings are most often on a token, whatever its case: by the sample, then by the largest."""
    found = []
    for layer in range(atlas.card.sizes["layers"]):
        rows = atlas.tokens(f"units-layer-{layer}.parquet", "unit", "list", "token")
        found += [WordUnit(layer, *counts) for counts in counted(rows, "unit", matches(rows, "token", word))]
    return sorted(found, key=lambda one: (-one.sampled, -one.top, one.layer, one.unit))[:most]


def heads_between(atlas: Atlas, query: str, key: str, most: int = 20) -> list[WordHead]:
    """The heads that look from one token to another in their contexts by weight; an empty word is any token.

    Every token of the text is an event of every head, so the sample is of the same tokens: the largest come first.
    """
    found = []
    for layer in range(atlas.card.sizes["layers"]):
        rows = atlas.tokens(f"heads-layer-{layer}.parquet", "head", "list", "by", "token", "token_looked_at")
        rows = rows.filter(matches(rows, "by", "weight"))
        both = matches(rows, "token", query) & matches(rows, "token_looked_at", key)
        found += [WordHead(layer, *counts) for counts in counted(rows, "head", both)]
    return sorted(found, key=lambda one: (-one.top, -one.sampled, one.layer, one.head))[:most]


def matches(rows: pa.Table, column: str, word: str) -> np.ndarray:
    """Where a column holds a token: true everywhere for an empty word."""
    if not word:
        return np.ones(len(rows), bool)
    tokens = rows[column]
    encoded = tokens if pa.types.is_dictionary(tokens.type) else pc.dictionary_encode(tokens)
    chunk = encoded.unify_dictionaries().combine_chunks()
    wanted = {i for i, token in enumerate(chunk.dictionary.to_pylist()) if token.casefold() == word.casefold()}
    return np.isin(chunk.indices.to_numpy(), list(wanted))


def counted(rows: pa.Table, name: str, hit: np.ndarray) -> list[tuple[int, int, int, int, int]]:
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
        kept = ", ".join(map(str, atlas.card.vectors)) or "none"
        raise AtlasError(f"this atlas keeps no vectors of layer {layer}; it keeps {kept}")
    try:
        vectors = np.load(atlas.folder / f"vectors-layer-{layer}.npy", mmap_mode="c")
    except (OSError, ValueError) as error:
        raise AtlasError(f"{atlas.folder.name} is damaged: vectors-layer-{layer}.npy cannot be read") from error
    names = atlas.table("vectors.parquet", ["sentence", "position", "token", f"length_{layer}"])
    if vectors.dtype != np.float16 or vectors.ndim != 2 or len(vectors) != len(names):
        raise AtlasError(f"{atlas.folder.name} is damaged: vectors-layer-{layer}.npy does not fit its card")
    if vector.shape != vectors.shape[1:]:
        raise AtlasError(f"the vector is {list(vector.shape)}; it must be [{vectors.shape[1]}]")
    products = torch.cat([
        torch.from_numpy(vectors[start : start + CHUNK]).float() @ vector.float()
        for start in range(0, len(vectors), CHUNK)
    ])  # fmt: skip
    lengths = torch.from_numpy(names[f"length_{layer}"].to_numpy().copy())
    cosines = products / (lengths * vector.norm()).clamp_min(torch.finfo(torch.float32).tiny)
    top = cosines.topk(min(k, len(cosines)))
    rows = names.take(top.indices.tolist()).to_pylist()
    return [
        NearToken(row["sentence"], row["position"], row["token"], value)
        for row, value in zip(rows, top.values.tolist(), strict=True)
    ]
