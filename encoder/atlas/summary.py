"""Heads in numbers: what was summed up over a corpus, divided, with the controls of the labels."""

from typing import Any

import numpy as np
import pyarrow as pa

from encoder.atlas.collecting import RunningCounts
from encoder.atlas.pairs import ACROSS, FROM, TO
from encoder.atlas.ranking import Ranking, decile_bounds
from encoder.atlas.running_sums import ANY, BY_KEY, BY_ROW
from encoder.metrics.roles import ROLES, Role, chance_of, labels
from encoder.model.config import EncoderConfig

ONE_IN_TWENTY = 1.645  # standard deviations that a normal number exceeds in 1 of 20 tries


def head_rows(running: RunningCounts, config: EncoderConfig) -> dict[str, Any]:
    """Return a row for each head: its measures, its label with both controls, and how its values are spread."""
    layers, heads = config.n_layers, config.n_heads
    at = {name: value.numpy() for name, value in running.sums.values.items()}
    by_row = at["by_row"] / max(float(at["rows"]), 1)
    roles = [role for layer in range(layers) for role in labelled(running, layer)]
    rows: dict[str, Any] = {
        "layer": np.repeat(np.arange(layers, dtype=np.uint8), heads),
        "head": np.tile(np.arange(heads, dtype=np.uint8), layers),
    }
    rows |= {name: by_row[..., i].ravel().astype(np.float32) for i, name in enumerate(BY_ROW)}
    for name, (start, end) in by_key(running).items():
        queries = at["queries"][start, end]
        rows[name] = (at["pairs"][:, :, start, end] / max(queries, 1)).ravel().astype(np.float32)
        rows[f"{name}_uniform"] = np.full(layers * heads, at["uniform"][start, end] / max(queries, 1), np.float32)
        rows[f"{name}_queries"] = np.full(layers * heads, queries, np.uint32)
    rows["firings"] = at["sure"].ravel().astype(np.uint32)
    rows |= {
        "label": [role.label for role in roles],
        "nearest": [role.nearest for role in roles],
        "nearest_mass": np.array([role.mass for role in roles], np.float32),
        "nearest_uniform": np.array([role.uniform for role in roles], np.float32),
        "nearest_shuffled": np.array([role.shuffled for role in roles], np.float32),
    }
    for kind in ("weight", "written"):
        ranking = running.rankings[kind]
        count = ranking.counts.sum(-1).numpy()
        rows[f"{kind}_mean"] = (ranking.sums.numpy() / np.maximum(count, 1)).ravel().astype(np.float32)
        rows[f"{kind}_deciles"] = deciles(ranking)
    return rows


def by_key(running: RunningCounts) -> dict[str, tuple[int, int]]:
    """The measures that are weight from tokens to tokens: of what number in FROM, and in TO, with SIDES where there.

    Those of ACROSS are there where texts are pairs of sentences.
    """
    froms, tos = running.sums.kinds
    across = {name: (measure.start, measure.end) for name, measure in ACROSS.items() if measure.start in froms}
    places = {name: (FROM[ANY], name) for name in TO if name in BY_KEY} | across
    return {name: (froms.index(start), tos.index(end)) for name, (start, end) in places.items()}


def pair_rows(running: RunningCounts, config: EncoderConfig) -> dict[str, Any]:
    """A row for each head and each pair of FROM and TO that the corpus has: what it gives from the one to the other.

    `chance` is what 1 of 20 tries would exceed in which each sentence's part above or below even weights had its sign
    by lot (a test of signs, by its normal limit).
    """
    at = {name: value.numpy() for name, value in running.sums.values.items()}
    there = at["queries"] > 0  # [FROM, TO]
    heads, count = config.n_layers * config.n_heads, int(there.sum())
    queries = np.where(there, at["queries"], 1)
    weight, uniform = at["pairs"] / queries, at["uniform"] / queries
    chance = uniform + ONE_IN_TWENTY * np.sqrt(at["squares"]) / queries
    start, end = np.nonzero(there)
    froms, tos = running.sums.kinds
    names = [np.tile(kind, heads).astype(np.int8) for kind in (start, end)]
    return {
        "layer": np.repeat(np.arange(config.n_layers, dtype=np.uint8), config.n_heads * count),
        "head": np.tile(np.repeat(np.arange(config.n_heads, dtype=np.uint8), count), config.n_layers),
        "from": pa.DictionaryArray.from_arrays(names[0], list(froms)),
        "to": pa.DictionaryArray.from_arrays(names[1], list(tos)),
        "weight": weight[:, :, there].ravel().astype(np.float32),
        "uniform": np.tile(uniform[there], heads).astype(np.float32),
        "chance": chance[:, :, there].ravel().astype(np.float32),
        "queries": np.tile(at["queries"][there], heads).astype(np.uint32),
    }


def deciles(ranking: Ranking) -> pa.Array:
    """Return the 11 bounds between the tenths of what each unit of all layers shows; 0 where it shows nothing."""
    low = ranking.smallest.numpy()
    low = np.where(np.isfinite(low), low, 0)  # [layers, units]
    high = ranking.events["top"]["value"][:, 0].numpy()
    bounds = [decile_bounds(*layer) for layer in zip(ranking.counts.numpy(), low, high, strict=True)]
    return lists(np.concatenate(bounds))


def labelled(running: RunningCounts, layer: int) -> list[Role]:
    """Return what can be said of each head of a layer; shuffled are the first sentences of each running."""
    at, count = running.sums.values, len(ROLES)
    queries = at["queries"][ANY, :count].clamp_min(1)
    mass = at["pairs"][layer, :, ANY, :count] / queries  # [H, roles]
    ideal = (at["queries"][ANY, :count] > 0).double().diag()  # one head for each role that does nothing else
    chance = chance_of(at["shuffled"][layer], at["tried"].clamp_min(1))
    return labels(mass.new_tensor(np.concatenate([mass, ideal])), at["uniform"][ANY, :count] / queries, chance, queries)


def lists(rows: np.ndarray) -> pa.Array:
    """Return rows of numbers as a column of lists."""
    return pa.FixedSizeListArray.from_arrays(pa.array(rows.astype(np.float32).ravel()), rows.shape[1])
