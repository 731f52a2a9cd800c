"""One pair: which heads carry its flip to the gap, beside random ones, and from which words; results as they come."""

from collections.abc import Generator
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.experiments.circuit.minimal_pair import PairRun, check_reacts
from encoder.experiments.circuit.patching import (
    ENOUGH,
    SEED,
    Change,
    Edge,
    Head,
    every_head,
    falls,
    growing,
    looking,
    outcomes,
    random_sets,
    ranked,
    reading,
    smallest,
    writing,
)

LEAST = 0.05  # of the flip, that an edge carries to be told
MOST_EDGES = 6
MOST_SOURCES = 8  # words from which an edge of a head is tried
MOST_WRITERS, MOST_BETWEEN = 2, 3  # heads one step back of a word, and such words


@dataclass(frozen=True)
class Board:
    """The share of the flip that each head carries alone at the gap, of those that were tried; `total` are to be."""

    each: dict[Head, float]
    total: int


@dataclass(frozen=True)
class HeadSet:
    """The smallest set of the largest heads that carries ENOUGH of the flip together, or the best of so few.

    `share` is what they carry together, `small` whether that is enough, and `logits` [count] are the scores of A with
    what these heads write there taken from B. `grown` are the shares of the growing sets, the largest head first.
    """

    heads: tuple[Head, ...]
    share: float
    small: bool
    grown: tuple[float, ...]
    logits: Tensor


@dataclass(frozen=True)
class Control:
    """The shares of random sets of the same size, of all heads at once, and of A's own values put in their place.

    `everything` is that of all heads and the token that differs itself, where a label is read from it too: what it
    brings past the heads is the difference of both.
    """

    random: tuple[float, ...]
    all: float
    none: float
    everything: float


@dataclass(frozen=True)
class Edges:
    """The ways by which the set gets what it carries: edges of at least LEAST of the flip, the largest first.

    `together` is the share of all of them at once. `looks` is what each head of the set carries where only where it
    looks is B's.
    """

    shares: dict[Edge, float]
    together: float
    looks: dict[Head, float]


@dataclass(frozen=True)
class CarriedChange:
    """What carries the flip of a pair: each head alone, the smallest set of heads, and the ways of that set."""

    each: dict[Head, float]
    heads: HeadSet
    ways: Edges

    @property
    def arrows(self) -> dict[Edge, float]:
        """The edges of the set, each with the share of the flip that it carries, the largest first."""
        return self.ways.shares

    @property
    def from_several(self) -> dict[Head, float]:
        """The heads of the set of which no single edge carries LEAST, each with what it carries alone."""
        return {head: self.each[head] for head in self.heads.heads if all(edge.head != head for edge in self.arrows)}


Result = Board | HeadSet | Control | Edges


def study(encoder: TextEncoder, run: PairRun) -> Generator[Result, None, None]:
    """Find what carries the flip of a pair to its gap.

    Yields:
        a `Board` before the first forward and after each until every head was tried, then a `HeadSet`, a `Control` and
        `Edges`; leaving it cancels the rest.

    Raises:
        PairError: the flip is too small; at once, not later.
        EncoderError: a run of another model; at once, not later.
    """
    encoder.check_own(run.a)
    check_reacts(run)
    return results(encoder, run)


def carried_change(encoder: TextEncoder, run: PairRun) -> CarriedChange:
    """Return what `study` finds in the end.

    Raises:
        PairError: the flip is too small.
        EncoderError: a run of another model.
    """
    *_, board, heads, _, ways = study(encoder, run)
    assert isinstance(board, Board) and isinstance(heads, HeadSet) and isinstance(ways, Edges)
    return CarriedChange(board.each, heads, ways)


def results(encoder: TextEncoder, run: PairRun) -> Generator[Result, None, None]:
    """Yield the results of a pair, each when it is there."""
    heads: tuple[Head, ...] = ()
    for result in before_edges(encoder, run):
        heads = result.heads if isinstance(result, HeadSet) else heads
        yield result
    yield edges(encoder, run, heads)


def before_edges(encoder: TextEncoder, run: PairRun) -> Generator[Board | HeadSet | Control, None, None]:
    """Yield the results of a pair that come before its edges: boards, the set, its controls."""
    config, reads, flip = encoder.config, run.reads, run.flip
    heads, each = every_head(config), dict[Head, float]()
    yield Board({}, len(heads))
    for some in outcomes(encoder, run, [writing(run.b, [head], reads) for head in heads]):
        each |= {heads[i]: (run.leads[0] - run.lead(logits)) / flip for i, logits in some}
        yield Board(dict(each), len(heads))

    sets = growing(each)
    rows = dict(pair for some in outcomes(encoder, run, [writing(run.b, s, reads) for s in sets]) for pair in some)
    grown = [(run.leads[0] - run.lead(rows[i])) / flip for i in range(len(sets))]
    size = smallest(grown)
    yield HeadSet(sets[size], grown[size], grown[size] >= ENOUGH, tuple(grown), rows[size])

    controls = random_sets(config, sets[size], SEED)
    every = writing(run.b, heads, reads)
    changes = [(*past(run), *every), every, writing(run.a, heads, reads), *(writing(run.b, s, reads) for s in controls)]
    everything, all_heads, none, *shares = (fall / flip for fall in falls(encoder, run, changes))
    yield Control(tuple(shares), all_heads, none, everything)


def edges(encoder: TextEncoder, run: PairRun, heads: tuple[Head, ...]) -> Edges:
    """Find from which words a set of heads gets what it carries to the gap, and who wrote it there.

    For a word that is not the one that differs it goes one step back: which head of a lower layer wrote it there, and
    from which word.

    Raises:
        EncoderError: a run of another model.
    """
    looks = [looking(run, [head]) for head in heads]
    direct = [Edge(head, word, run.place) for head in heads for word in sources(run, head, run.reads)]
    fallen = falls(encoder, run, [*looks, *(reading(run, [edge]) for edge in direct)])
    shares = kept(run, direct, fallen[len(heads) :])
    back = dict[Edge, float]()
    for word, below in middle(run, shares).items():
        writers = [head for head in every_head(encoder.config) if head[0] < below]
        alone = falls(encoder, run, [writing(run.b, [head], word) for head in writers])
        carriers = {head: fall / run.flip for head, fall in zip(writers, alone, strict=True)}
        best = [head for head in ranked(carriers)[:MOST_WRITERS] if carriers[head] >= LEAST]
        further = [Edge(head, source, at) for head in best for at in word for source in sources(run, head, (at,))]
        back |= kept(run, further, falls(encoder, run, [reading(run, [edge]) for edge in further]))
    largest = sorted({**shares, **back}.items(), key=lambda item: -item[1])[:MOST_EDGES]
    together = falls(encoder, run, [reading(run, [edge for edge, _ in largest])])[0] / run.flip if largest else 0.0
    return Edges(dict(largest), together, {head: fallen[i] / run.flip for i, head in enumerate(heads)})


def past(run: PairRun) -> Change:
    """What the token that differs brings to the answer past all heads: its own vector, where the answer reads it."""
    return (Edit("embedding.output", "patch", None, (run.changed,), run.b),) if run.changed in run.reads else ()


def sources(run: PairRun, head: Head, targets: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the words from which a head may bring most: by its weights there in A, times how far its value moves.

    At most MOST_SOURCES of them, in reading order; only these are tried.
    """
    layer, number = head
    ours, theirs = (trace[f"layers.{layer}.attention.v"][number] for trace in (run.a, run.b))
    size = run.a[f"layers.{layer}.attention.weights"][number, list(targets)].sum(0) * torch.linalg.vector_norm(
        theirs - ours, dim=-1
    )
    words = sorted(run.a.tokenization.words, key=lambda word: -float(size[list(word)].sum()))
    return sorted(words[:MOST_SOURCES])


def kept(run: PairRun, tried: list[Edge], fallen: list[float]) -> dict[Edge, float]:
    """Return the shares of the edges that carry LEAST or more."""
    shares = {edge: fall / run.flip for edge, fall in zip(tried, fallen, strict=True)}
    return {edge: share for edge, share in shares.items() if share >= LEAST}


def middle(run: PairRun, shares: dict[Edge, float]) -> dict[tuple[int, ...], int]:
    """Return the words that the set reads beside the one that differs and the gap, with the last layer that does.

    They are the MOST_BETWEEN from which most is read.
    """
    ends = {run.changed, run.place}
    layers = dict[tuple[int, ...], int]()
    for edge in sorted(shares, key=lambda edge: -shares[edge]):
        if not ends & set(edge.sources):
            layers[edge.sources] = max(edge.head[0], layers.get(edge.sources, 0))
    return dict(list(layers.items())[:MOST_BETWEEN])
