"""The files of an atlas; README.md beside this file says what is in them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch

from encoder.atlas.card import CARD, FORMAT, VERSION
from encoder.atlas.collecting import RunningCounts
from encoder.atlas.corpus import named
from encoder.atlas.making import AtlasPlan, MeasuredCorpus, sha256, vectors_of
from encoder.atlas.ranking import FAR, Ranking, bin_of, decile_of
from encoder.atlas.summary import deciles, head_rows, pair_rows
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics.neurons import unit_vector
from encoder.support import whole_file

ROWS = 4096  # of a row group: what is read at once
LISTS = ("top", "sample")
HEAD_COLUMNS = ["head", "by", "list", "rank", "decile", "sentence", "position", "token"]
HEAD_COLUMNS += ["looks_at", "token_looked_at", "weight", "written"]


def write(plan: AtlasPlan, encoder: TextEncoder, corpus: MeasuredCorpus, running: RunningCounts) -> None:
    """Write every file, the card last: a folder without one is no atlas."""
    out, config = plan.out, encoder.config
    sentences(out / "sentences.parquet", plan)
    table(out / "heads.parquet", head_rows(running, config))
    table(out / "pairs.parquet", pair_rows(running, config))
    table(out / "units.parquet", unit_rows(running.rankings["unit"], encoder))
    for layer in range(config.n_layers):
        table(out / f"heads-layer-{layer}.parquet", head_contexts(running, encoder, layer))
        table(out / f"units-layer-{layer}.parquet", contexts(running.rankings["unit"], encoder, layer, "unit"))
    if plan.kept.stream or plan.kept.heads:
        vectors(plan, encoder, corpus.sentences)
    tokens = running.sums.values["tokens"].tolist()
    card = {
        "format": FORMAT,
        "version": VERSION,
        "model": {
            "name": encoder.source.name,
            "sha256": encoder.source.sha256,
            "layers": config.n_layers,
            "heads": config.n_heads,
            "units": config.d_ff,
            "width": config.d_model,
        },
        "corpus": {
            "name": named(plan.corpus.files),
            "sha256": corpus.sha256,
            "sentences": corpus.sentences,
            "tokens": int(tokens[0]),
            "special_tokens": int(tokens[1]),
            "cut": int(running.sums.values["cut"]),
            "every": plan.corpus.every,
            "licence": plan.licence,
            **plan.corpus.kind,
            **({"left_out": corpus.left_out} if plan.corpus.screened else {}),
        },
        "vectors": list(plan.kept.stream),
        "head_vectors": list(plan.kept.heads),
        "command": plan.command,
        "files": {path.name: {"bytes": path.stat().st_size, "sha256": sha256(path)} for path in files(out)},
    }
    whole_file.write(out / CARD, (json.dumps(card, indent=1) + "\n").encode("utf-8"))


def files(out: Path) -> list[Path]:
    """Return the files that a card lists."""
    return sorted([*out.glob("*.parquet"), *out.glob("*.npy")])


def table(path: Path, columns: dict[str, Any]) -> None:
    """Write columns as Parquet."""
    pq.write_table(pa.table(columns), path, row_group_size=ROWS, compression="zstd", compression_level=15)


def sentences(path: Path, plan: AtlasPlan) -> None:
    """The text, a row group at a time; of a pair the second sentence is in a column of its own."""
    names = ("text", "pair") if plan.corpus.pairs else ("text",)
    schema = pa.schema({"sentence": pa.uint32(), **dict.fromkeys(names, pa.string())})
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=15) as writer:
        for first, texts in plan.corpus.parts(ROWS):
            numbers = np.arange(first, first + len(texts), dtype=np.uint32)
            columns = zip(*texts, strict=True) if plan.corpus.pairs else [texts]
            writer.write_table(pa.table({"sentence": numbers, **dict(zip(names, columns, strict=True))}, schema))


def unit_rows(ranking: Ranking, encoder: TextEncoder) -> dict[str, Any]:
    """Return a row for each unit: how often it fires, how strongly, and how long what it then writes is."""
    layers, units = ranking.sums.shape
    counts = ranking.counts.numpy()
    fired = counts.sum(-1)  # [layers, units]
    with torch.inference_mode():
        columns = [torch.stack([unit_vector(encoder, i, u) for u in range(units)]).norm(dim=-1) for i in range(layers)]
    return {
        "layer": np.repeat(np.arange(layers, dtype=np.uint8), units),
        "unit": np.tile(np.arange(units, dtype=np.uint16), layers),
        "firings": fired.ravel().astype(np.uint32),
        "mean": (ranking.sums.numpy() / np.maximum(fired, 1)).ravel().astype(np.float32),
        "written_per_one": torch.cat(columns).numpy(),
        "deciles": deciles(ranking),
    }


def contexts(ranking: Ranking, encoder: TextEncoder, layer: int, called: str) -> dict[str, Any]:
    """The contexts of one layer, sorted by unit, list and rank: the largest values first, a sample by its deciles."""
    parts = [one_list(ranking, layer, number) for number in range(len(LISTS))]
    every = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.lexsort((every["rank"], every["list"], every["unit"]))
    sorted_ = {name: column[order] for name, column in every.items()}
    columns: dict[str, Any] = {called: sorted_.pop("unit").astype(np.uint16)}
    columns["list"] = pa.DictionaryArray.from_arrays(sorted_.pop("list").astype(np.int8), list(LISTS))
    columns |= {name: sorted_[name].astype(np.uint8) for name in ("rank", "decile")}
    columns["sentence"] = sorted_["sentence"].astype(np.uint32)
    columns["position"] = sorted_["position"].astype(np.uint16)
    columns["token"] = spelled(sorted_["id"], encoder)
    if "key" in sorted_:
        columns["looks_at"] = sorted_["key"].astype(np.uint16)
        columns["token_looked_at"] = spelled(sorted_["key_id"], encoder)
        columns["other"] = sorted_["other"]
    return columns | {"value": sorted_["value"]}


def one_list(ranking: Ranking, layer: int, number: int) -> dict[str, np.ndarray]:
    """Return the kept events of a list, one by one, with unit, rank and decile."""
    kind = LISTS[number]
    events = {name: values[layer].numpy() for name, values in ranking.events[kind].items()}  # [kept, units]
    order = ranking.order[kind][layer].numpy()
    there = order > 0 if kind == "top" else order < FAR
    values = events["value"]
    counts = ranking.counts[layer].numpy()
    bins = bin_of(torch.from_numpy(np.maximum(values, 1e-30)), counts.shape[-1]).numpy()
    deciles = decile_of(counts, bins.T).T
    if kind == "sample":  # by value, the largest first, and not in the order of the lots
        place = np.lexsort((order, -np.where(there, values, -1)), axis=0)
    else:
        place = np.broadcast_to(np.arange(len(order))[:, None], order.shape)
    take = {name: np.take_along_axis(values, place, 0) for name, values in (events | {"decile": deciles}).items()}
    there = np.take_along_axis(there, place, 0)
    rank, unit = np.nonzero(there)
    columns = {name: values[there] for name, values in take.items()}
    return columns | {"unit": unit, "rank": rank, "list": np.full(len(unit), number)}


def spelled(ids: np.ndarray, encoder: TextEncoder) -> pa.Array:
    """Return tokens in letters, each written once."""
    every, place = np.unique(ids, return_inverse=True)
    words = [str(encoder.tokenizer.id_to_token(int(i))) for i in every]
    return pa.DictionaryArray.from_arrays(pa.array(place.astype(np.int32)), pa.array(words, pa.string()))


def head_contexts(running: RunningCounts, encoder: TextEncoder, layer: int) -> dict[str, Any]:
    """Return the contexts of a layer's heads, those by weight and those by what is written, each with both numbers."""
    kinds = ("weight", "written")
    parts = [pa.table(contexts(running.rankings[kind], encoder, layer, "head")) for kind in kinds]
    names = {
        "weight": {"value": "weight", "other": "written"},
        "written": {"value": "written", "other": "weight"},
    }
    both = []
    for kind, part in zip(kinds, parts, strict=True):
        renamed = part.rename_columns([names[kind].get(name, name) for name in part.column_names])
        by = pa.array([kind] * len(part), pa.string())
        plain = [
            column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column for column in renamed.columns
        ]
        both.append(pa.table([by, *plain], ["by", *renamed.column_names]).select(HEAD_COLUMNS))
    joined = pa.concat_tables(both).sort_by(
        [("head", "ascending"), ("by", "ascending"), ("list", "descending"), ("rank", "ascending")]
    )
    return {name: joined[name] for name in joined.column_names}


def vectors(plan: AtlasPlan, encoder: TextEncoder, sentences: int) -> None:
    """The vectors of the text's tokens in float16, which tokens they are of, and how long each is."""
    count, config = sum(len(state.get("places", ())) for state in vectors_of(plan, sentences)), encoder.config
    heads = (config.n_heads, count, config.d_model // config.n_heads)
    names = {f"vectors.{i}": plan.out / f"vectors-layer-{i}.npy" for i in plan.kept.stream}
    names |= {f"heads.{i}": plan.out / f"heads-layer-{i}.npy" for i in plan.kept.heads}
    shapes = {name: heads if name.startswith("heads") else (count, config.d_model) for name in names}
    files = {
        name: np.lib.format.open_memmap(path, mode="w+", dtype=np.float16, shape=shapes[name])
        for name, path in names.items()
    }
    lengths = {i: np.zeros(count, np.float32) for i in plan.kept.stream}
    places, start = np.zeros((count, 3), np.int64), 0
    for state in vectors_of(plan, sentences):
        if "places" not in state:
            continue
        here = slice(start, start + len(state["places"]))
        places[here] = state["places"].numpy()
        for name, file in files.items():
            file[(slice(None), here) if name.startswith("heads") else here] = state[name].numpy()
        for i, of in lengths.items():
            of[here] = state[f"vectors.{i}"].float().norm(dim=-1).numpy()
        start = here.stop
    for file in files.values():
        file.flush()
    columns: dict[str, Any] = {"sentence": places[:, 0].astype(np.uint32), "position": places[:, 1].astype(np.uint16)}
    columns |= {"token": spelled(places[:, 2], encoder)}
    table(plan.out / "vectors.parquet", columns | {f"length_{i}": of for i, of in lengths.items()})
