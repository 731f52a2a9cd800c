"""Many pairs: the heads that carry their flips. A share is the sum of what is carried over the sum of the flips.

Heads are sought, and controls and edges measured, on some pairs that are spread evenly over all; what the set carries
is measured on all of them.
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.circuit.found_circuit import Circuit, EdgeShare, PairShare
from encoder.experiments.circuit.minimal_pair import NOISE, MinimalPair, PairError, PairRun, check_reacts, run_pair
from encoder.experiments.circuit.own_pair import LEAST, MOST_EDGES
from encoder.experiments.circuit.patching import (
    Change,
    Edge,
    Head,
    every_head,
    falls,
    growing,
    random_sets,
    ranked,
    reading,
    smallest,
    writing,
)
from encoder.support.errors import EncoderError
from encoder.support.progress import progress, pulse

REACTS = 1.0  # nats: a pair of many counts where its flip is as large
SAMPLE = 60  # pairs, at most, on which heads are sought
T = TypeVar("T")


def find_circuit(
    encoder: TextEncoder,
    pairs: Sequence[MinimalPair],
    *,
    least: float = REACTS,
    heads: Sequence[Head] | None = None,
    edges: bool = True,
) -> Circuit:
    """Find the heads that carry the flips of many pairs.

    Args:
        encoder: a model that guesses words.
        pairs: what to run; what is no minimal pair for this model is left out, and counted by why.
        least: nats, from NOISE on; a pair with a smaller flip is left out.
        heads: the set that is measured; without it, it is sought.
        edges: whether they are sought too, which takes as long as the rest.

    Raises:
        EncoderError: no pair counts, `least` is below NOISE, or there is no such head.
    """
    if not least >= NOISE:
        raise EncoderError(f"least is {least}; it must be {NOISE} nats or more, for below that a share is noise")
    every = every_head(encoder.config)
    if heads is not None and (not heads or not set(heads) <= set(every)):
        raise EncoderError(f"heads is {heads}; it must hold pairs of a layer and a head of {encoder.source.name}")
    stage = Stage(encoder, pairs, least)
    alone = stage.falls("heads", stage.sample, lambda run: [writing(run.b, [head], run.reads) for head in every])
    each = dict(zip(every, stage.shares(alone), strict=True))
    sets = growing(each) if heads is None else [tuple(sorted(heads))]
    grown = stage.falls("sets of heads", stage.sample, lambda run: [writing(run.b, some, run.reads) for some in sets])
    chosen = sets[smallest(stage.shares(grown))]
    others = tuple(head for head in ranked(each) if head not in chosen)[: len(chosen)]
    random = random_sets(encoder.config, chosen)

    def controls(run: PairRun) -> list[Change]:
        identities = [writing(run.b, every, run.reads), writing(run.a, every, run.reads)]
        return [*identities, *(writing(run.b, some, run.reads) for some in random)]

    all_heads, none, *by_chance = stage.shares(stage.falls("controls", stage.sample, controls))
    carrying, together = stage.edges(chosen) if edges else ((), 0.0)
    compared = [chosen, others] if others else [chosen]
    of_set = stage.falls("pairs", stage.counted, lambda run: [writing(run.b, some, run.reads) for some in compared])
    flips = torch.tensor([pair.flip for pair in stage.counted], dtype=torch.float64)
    shares = of_set / flips[:, None]  # [pairs, 1 or 2]
    over_all = (of_set.sum(0) / flips.sum()).tolist()
    return Circuit(
        model=encoder.source.name,
        fingerprint=encoder.source.fingerprint,
        pairs=len(stage.counted),
        of_pairs=tuple(
            PairShare(counted.pair.a, counted.pair.b, counted.words, counted.flip, row[0], row[1] if others else 0.0)
            for counted, row in zip(stage.counted, shares.tolist(), strict=True)
        ),
        left_out=dict(stage.left_out),
        sample=len(stage.sample),
        flip=float(flips.mean()),
        heads=tuple(sorted(chosen)),
        share=over_all[0],
        each=each,
        random=tuple(by_chance),
        control=others,
        control_share=over_all[1] if others else 0.0,
        all=all_heads,
        none=none,
        halves=tuple(half(of_set, flips, first) for first in range(2)) if len(flips) > 1 else (),
        median=statistics.median(shares[:, 0].tolist()),
        over_half=float((shares[:, 0] > 0.5).double().mean()),
        turned=sum(counted.turned for counted in stage.counted) / len(stage.counted),
        edges=carrying,
        together=together,
    )


def half(fallen: Tensor, flips: Tensor, first: int) -> float:
    """Return the share of the set, the first column, in every second pair."""
    return float(fallen[first::2, 0].sum() / flips[first::2].sum())


class Counted(NamedTuple):
    """A pair that counts, with its two words, its flip in nats, and whether A's word leads in A and B's in B."""

    pair: MinimalPair
    words: tuple[str, str]
    flip: float
    turned: bool


class Stage:
    """The pairs of a list that count for a model, each run anew for whatever is tried of it, and a sample of them.

    Raises:
        EncoderError: none counts.
    """

    def __init__(self, encoder: TextEncoder, pairs: Sequence[MinimalPair], least: float) -> None:
        self.encoder = encoder
        self.counted = list[Counted]()
        self.left_out = Counter[str]()
        first = ""
        for pair in seen("pairs that react", pairs):
            try:
                run = run_pair(encoder, pair)
                check_reacts(run, least)
            except PairError as error:
                self.left_out[error.kind] += 1
                first = first or f"; the first: {error}"
                continue
            self.counted.append(Counted(pair, run.words, run.flip, run.leads[0] > 0 > run.leads[1]))
        if not self.counted:
            raise EncoderError(f"none of {len(pairs)} pairs can be used{first}")
        self.sample = self.counted[:: math.ceil(len(self.counted) / SAMPLE)]

    def falls(self, what: str, some: Sequence[Counted], changes: Callable[[PairRun], list[Change]]) -> Tensor:
        """Run pairs with the changes that are made of their runs: how far leads fall, [pairs, changes] in nats."""
        rows = []
        for counted in seen(what, some):
            run = run_pair(self.encoder, counted.pair)
            rows.append(falls(self.encoder, run, changes(run)))
        return torch.tensor(rows, dtype=torch.float64)

    def shares(self, fallen: Tensor) -> list[float]:
        """What changes carry over the sample, from [sample, changes]."""
        carried: list[float] = (fallen.sum(0) / sum(counted.flip for counted in self.sample)).tolist()
        return carried

    def edges(self, heads: Sequence[Head]) -> tuple[tuple[EdgeShare, ...], float]:
        """Find from which words the heads get what they carry, and who wrote it there: the edges, and all together."""
        known = self.kept("edges", [(head, source, "gap") for head in heads for source in ("changed", "gap", "others")])
        readers = [edge.head[0] for edge in known if edge.source == "others"]
        if readers:
            below = [head for head in every_head(self.encoder.config) if head[0] < max(readers)]
            written = self.falls(
                "heads before",
                self.sample,
                lambda run: [writing(run.b, [head], places(run)["others"]) for head in below],
            )
            carriers = dict(zip(below, self.shares(written), strict=True))
            back = [head for head in ranked(carriers)[:2] if carriers[head] >= LEAST]
            known += self.kept("edges before", [(head, "changed", "others") for head in back]) if back else []
        largest = sorted(known, key=lambda edge: -edge.share)[:MOST_EDGES]
        if not largest:
            return (), 0.0
        joined = self.falls("edges together", self.sample, lambda run: [reading(run, edges_of(run, *largest))])
        return tuple(largest), self.shares(joined)[0]

    def kept(self, what: str, tried: Sequence[tuple[Head, str, str]]) -> list[EdgeShare]:
        """Return those edges that carry LEAST or more."""
        edges = [EdgeShare(*each, 0.0) for each in tried]
        fallen = self.falls(what, self.sample, lambda run: [reading(run, edges_of(run, edge)) for edge in edges])
        carried = [replace(edge, share=share) for edge, share in zip(edges, self.shares(fallen), strict=True)]
        return [edge for edge in carried if edge.share >= LEAST]


def seen(what: str, some: Sequence[T]) -> Iterator[T]:
    """Yield them one by one, and show how far the work is."""
    with progress(what, "pairs") as hear:
        for done, each in enumerate(some):
            pulse()
            hear(done, len(some))
            yield each


def places(run: PairRun) -> dict[str, tuple[int, ...]]:
    """Return the positions of what differs, of the gap and of all others."""
    ends = {"changed": (run.changed,), "gap": run.reads}
    return ends | {"others": tuple(i for i in range(len(run.a.tokens)) if i not in (run.changed, *run.reads))}


def edges_of(run: PairRun, *edges: EdgeShare) -> list[Edge]:
    """Return the edges in one pair."""
    at = places(run)
    return [Edge(edge.head, at[edge.source], target) for edge in edges for target in at[edge.target]]
