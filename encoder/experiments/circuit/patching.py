"""What is taken from one run of a pair into the other, as edits, and how much of the flip comes with it.

For a set of heads: A is run with what each of them writes where the answer is read (attention.heads) taken from B. What
that carries is (lead in A - lead in A as patched) / flip: 0 where nothing turns, 1 where the lead is B's. Interventions
on single heads as Vig et al. 2020 (arXiv 2004.12265) and Finlayson et al. 2021 (arXiv 2106.06087) make them in
decoders.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.experiments.ablation import first_layer, forward, together
from encoder.experiments.circuit.minimal_pair import PairRun
from encoder.model.config import EncoderConfig

Head = tuple[int, int]  # a layer, and a head of it
Change = tuple[Edit, ...]
ENOUGH = 0.8  # of the flip, that a small set carries
MOST_HEADS = 4  # of a small set
CONTROLS = 20  # random sets that stand beside it
SEED = 0


class Edge(NamedTuple):
    """What a head takes from some positions to one, or to all from which the label of a sentence is read."""

    head: Head
    sources: tuple[int, ...]
    target: int


def every_head(config: EncoderConfig) -> list[Head]:
    """All heads of a model, layer by layer."""
    return [(layer, head) for layer in range(config.n_layers) for head in range(config.n_heads)]


def writing(donor: object, heads: Iterable[Head], positions: tuple[int, ...]) -> Change:
    """What these heads write at these positions, taken from another run: an edit for each layer, the lowest first."""
    layers: dict[int, list[int]] = {}
    for layer, head in sorted(heads):
        layers.setdefault(layer, []).append(head)
    return tuple(
        Edit(f"layers.{layer}.attention.heads", "patch", tuple(some), positions, donor)  # type: ignore[arg-type]
        for layer, some in layers.items()
    )


def looking(run: PairRun, heads: Iterable[Head]) -> Change:
    """Where these heads look from the positions that the answer is read from (attention.weights), taken from B."""
    return tuple(
        Edit(f"layers.{layer}.attention.weights", "patch", (head,), run.reads, run.b) for layer, head in sorted(heads)
    )


def reading(run: PairRun, edges: Iterable[Edge]) -> Change:
    """What heads read at the sources (attention.v), taken from B, while each looks as in A and only its target sees it.

    So what a head writes anywhere else is put back to what it is in A.
    """
    ends: dict[Head, tuple[set[int], set[int]]] = {}
    for edge in edges:
        sources, targets = ends.setdefault(edge.head, (set(), set()))
        sources.update(edge.sources)
        targets.update(targets_of(run, edge.target))
    edits = list[Edit]()
    for (layer, head), (sources, targets) in sorted(ends.items()):
        others = tuple(i for i in range(len(run.a.tokens)) if i not in targets)
        edits.append(Edit(f"layers.{layer}.attention.v", "patch", (head,), tuple(sources), run.b))
        edits.append(Edit(f"layers.{layer}.attention.heads", "patch", (head,), others, run.a))
    return tuple(edits)


def targets_of(run: PairRun, target: int) -> tuple[int, ...]:
    """The positions that a target stands for."""
    return run.reads if target == run.place else (target,)


def outcomes(encoder: TextEncoder, run: PairRun, changes: Sequence[Change]) -> Iterator[list[tuple[int, Tensor]]]:
    """Run A once with each change, many in one forward: after each forward, the changes' numbers and their logits.

    Yields:
        pairs of a place in `changes` and the scores [count] of the answer; those that start in the lowest layers first.

    Raises:
        EncoderError: a run of another model.
    """
    encoder.check_own(run.a)
    config = encoder.config
    first = [first_layer(change[0], config) for change in changes]
    start = {i: -1 if layer is None else layer for i, layer in enumerate(first)}  # before the first layer
    order, size = sorted(start, key=start.__getitem__), together(len(run.a.tokens))
    for i in range(0, len(order), size):
        some = order[i : i + size]  # they start where the first of them does
        _, logits = forward(encoder, run.a, [changes[j] for j in some], {}, run.place)
        yield [(j, row) for j, row in zip(some, logits, strict=True) if row is not None]


def falls(encoder: TextEncoder, run: PairRun, changes: Sequence[Change]) -> list[float]:
    """How far the lead falls below that in A with each of the changes, in nats: shares of the flip, times the flip.

    Raises:
        EncoderError: a run of another model.
    """
    by_change = {i: run.leads[0] - run.lead(row) for some in outcomes(encoder, run, changes) for i, row in some}
    return [by_change[i] for i in range(len(changes))]


def ranked(each: dict[Head, float]) -> list[Head]:
    """Heads by what each carries alone, the most first."""
    return sorted(each, key=lambda head: (-each[head], head))


def growing(each: dict[Head, float]) -> list[tuple[Head, ...]]:
    """The sets of the heads that carry most alone: of one head, of two, up to MOST_HEADS."""
    order = ranked(each)
    return [tuple(order[: size + 1]) for size in range(min(MOST_HEADS, len(order)))]


def smallest(shares: Sequence[float]) -> int:
    """The place of the first growing set that carries ENOUGH; of the one that carries most where none does."""
    enough = [i for i, share in enumerate(shares) if share >= ENOUGH]
    return enough[0] if enough else max(range(len(shares)), key=shares.__getitem__)


def random_sets(config: EncoderConfig, without: Sequence[Head], seed: int = SEED) -> list[tuple[Head, ...]]:
    """CONTROLS sets of as many heads as `without` has, drawn by a seed from all others; fewer where there are fewer."""
    others = [head for head in every_head(config) if head not in without]
    if len(others) < len(without):
        return []
    lot, sets = random.Random(seed), dict[tuple[Head, ...], None]()
    for _ in range(20 * CONTROLS):
        sets[tuple(sorted(lot.sample(others, len(without))))] = None
        if len(sets) == CONTROLS:
            break
    return list(sets)
