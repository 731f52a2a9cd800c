"""Level 13 of a packet: what carries the change from one sentence to another to the guess at the gap, or the label."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.circuit import (
    Board,
    Control,
    Edge,
    HeadSet,
    MinimalPair,
    PairError,
    PairRun,
    check_reacts,
    circuits_by_content,
    edges,
    reading,
    run_pair,
)
from encoder.experiments.circuit.own_pair import before_edges
from encoder.experiments.circuit.patching import Head, every_head, outcomes, targets_of
from encoder.experiments.circuit.small_changes import small_changes
from encoder.metrics.answer import SENTENCE, answers, label_names, name_of
from encoder.model.config import EncoderConfig
from encoder.packet.format import Stored, exact, pack
from encoder.packet.run import LONGEST, MOST_LABELS
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from encoder.support.screening import is_fit
from encoder.trace.trace import Trace

Told = tuple[dict[str, Any], dict[str, Stored]]  # what the header says, and the arrays
OF_EDGE = 4  # numbers that spell an edge: layer, head, first token of the word that is read, position that reads
MOST_CUT = 16


@torch.inference_mode()
def level_13(
    encoder: TextEncoder, a: str, b: str, step: str, index: Sequence[int] = (), words: Sequence[str] = ()
) -> bytes:
    """Return a part of what is known of a pair of sentences.

    Args:
        encoder: the model.
        a: a sentence, for a model that guesses words with a gap.
        b: the same but for one token; for "changes" and "sentences" nothing.
        step: "heads": what each head carries alone, the smallest set, and random ones beside it; "edges": from which
            words the heads of the set take it; "cut": the answer when some of these edges have what they carry in B;
            "changes": sentences that B could be; "sentences": what heads carry in the pairs that are shipped.
        index: the position of the gap or of the word with a label, or the number of tokens for that of the sentence;
            then for "edges" each head of the set (layer, head), and for "cut" each edge
            (layer, head, the first token of the word that it reads, the position that reads); nothing for the rest.
        words: the two answers that compete, as somebody types them; none are those that `MinimalPair` has.

    Raises:
        EncoderError: another step, sentences that are no minimal pair, or heads, edges or words that are not there.
    """
    if step not in STEPS:
        raise EncoderError(f"{step!r:.60} is not part of a circuit: {', '.join(STEPS)} are")
    about, arrays = STEPS[step](encoder, a, b, index, words)
    return pack(13, {"circuit": step} | about, arrays)


def run_of(encoder: TextEncoder, a: str, b: str, index: Sequence[int], words: Sequence[str]) -> PairRun:
    """Run a pair whose answers stand at the first number of an index; without any at the first place there is."""
    first, second = (word.strip() for word in (*words, "", "")[:2])
    if bool(first) != bool(second):
        raise EncoderError("two answers compete: give both, or none")
    return run_pair(encoder, MinimalPair(a, b, (first, second) if first else None, index[0] if index else None))


def as_index(run: PairRun, place: int) -> int:
    """Return a place as a packet tells it: that of a label of the sentence is behind the last token."""
    return len(run.a.tokens) if place == SENTENCE else place


def of_heads(encoder: TextEncoder, a: str, b: str, index: Sequence[int], words: Sequence[str]) -> Told:
    """What each head carries, the smallest set and its controls; where nothing is to be carried, why."""
    try:
        run = run_of(encoder, a, b, index, words)
    except PairError as error:
        return {"why": str(error), "kind": error.kind, "labels": label_names(encoder)[:MOST_LABELS]}, {}
    in_a, in_b = (answers(encoder.config).scores(trace, run.place) for trace in (run.a, run.b))
    known: dict[str, Any] = {
        "labels": label_names(encoder)[:MOST_LABELS],
        "place": as_index(run, run.place),
        "reads": list(run.reads),
        "changed": list(run.a.tokenization.word_of(run.changed)),
        "was": spelled(run.a, run.changed),
        "new": spelled(run.b, run.changed),
        "words": [name_of(encoder, answer) for answer in run.answers],
        "leads": list(run.leads),
        "flip": run.flip,
        "a": guess(encoder, run, in_a),
        "b": guess(encoder, run, in_b),
        "total": len(every_head(encoder.config)),
    }
    try:
        check_trained(encoder)
        check_reacts(run)
    except PairError as error:
        return known | {"why": str(error), "kind": error.kind}, {}
    board, heads, control = Board({}, 0), None, None
    for result in before_edges(encoder, run):
        if isinstance(result, Board):
            board = result
        elif isinstance(result, HeadSet):
            heads = result
        else:
            control = result
    assert isinstance(heads, HeadSet) and isinstance(control, Control)
    known |= {
        "heads": [list(head) for head in heads.heads],
        "share": heads.share,
        "small": heads.small,
        "patched": guess(encoder, run, heads.logits),
        "lead": run.lead(heads.logits),
        "random": list(control.random),
        "all": control.all,
        "everything": control.everything,
        "none": control.none,
    }
    return known, {"each": exact(as_board(board.each, encoder.config).numpy())}


def check_trained(encoder: TextEncoder) -> None:
    """Refuse a model whose weights are random: what it reacts to means nothing.

    Raises:
        PairError: they are.
    """
    if encoder.source.seed is not None:
        raise PairError("untrained", "The weights of this model are random, so that it reacts means nothing.")


def of_edges(encoder: TextEncoder, a: str, b: str, index: Sequence[int], words: Sequence[str]) -> Told:
    """From which words heads take what they carry, and where each looks in A and in B."""
    run = run_of(encoder, a, b, index[:1], words)
    check_reacts(run)
    numbers = list(index[1:])
    heads = tuple(zip(numbers[::2], numbers[1::2], strict=False))
    if not heads or len(numbers) % 2 or not set(heads) <= set(every_head(encoder.config)):
        raise EncoderError("these are not heads of this model: name each by its layer and its number")
    ways = edges(encoder, run, heads)
    rows = [
        {
            "head": list(edge.head),
            "sources": list(edge.sources),
            "target": as_index(run, edge.target),
            "share": share,
            "looks": [looks(run, trace, edge) for trace in (run.a, run.b)],
        }
        for edge, share in ways.shares.items()
    ]
    where = [{"head": list(head), "share": share} for head, share in ways.looks.items()]
    return {"edges": rows, "together": ways.together, "where": where}, {}


def of_cut(encoder: TextEncoder, a: str, b: str, index: Sequence[int], words: Sequence[str]) -> Told:
    """What is answered when some edges have what they carry in B: one run."""
    run = run_of(encoder, a, b, index[:1], words)
    numbers, every = list(index[1:]), set(every_head(encoder.config))
    if not numbers or len(numbers) % OF_EDGE or len(numbers) > OF_EDGE * MOST_CUT:
        raise EncoderError("an edge is four numbers: layer, head, the word that it reads, the position that reads")
    cut = [edge_of(run, every, numbers[i : i + OF_EDGE]) for i in range(0, len(numbers), OF_EDGE)]
    ((_, logits),) = next(outcomes(encoder, run, [reading(run, cut)]))
    lead = run.lead(logits)
    share = (run.leads[0] - lead) / run.flip if run.flip else 0.0
    return {"guess": guess(encoder, run, logits), "lead": lead, "share": share}, {}


def of_changes(encoder: TextEncoder, a: str, b: str, index: Sequence[int], words: Sequence[str]) -> Told:
    """Sentences that differ from A in one word, those that turn the answer first."""
    changes = small_changes(encoder, a, index[0] if index else None)
    return {"changes": [vars(change) for change in changes]}, {}


def of_sentences(encoder: TextEncoder, a: str, b: str, index: Sequence[int], words: Sequence[str]) -> Told:
    """The pairs that are shipped of this model, with what the set of heads that was found of them carries in each."""
    shipped = circuits_by_content(encoder.source.fingerprint)
    if shipped is None or answers(encoder.config).labels is not None:
        return {"sentences": []}, {}
    natural = shipped.natural
    numbers = torch.tensor([[pair.share, pair.control] for pair in natural.of_pairs])
    about = {
        "sentences": [[*both, *pair.words] for pair in natural.of_pairs for both in [fit_or_empty(pair.a, pair.b)]],
        "heads": [list(head) for head in natural.heads],
        "control": [list(head) for head in natural.control],
        "share": natural.share,
        "control_share": natural.control_share,
        "random": max(natural.random),
        "over_half": natural.over_half,
    }
    return about, {"shares": exact(numbers.numpy())}


def fit_or_empty(a: str, b: str) -> tuple[str, str]:
    """Return the two sentences of a pair; "" for both where one is not to be shown to a class."""
    return (a, b) if is_fit(a, b) else ("", "")


STEPS: Mapping[str, Callable[[TextEncoder, str, str, Sequence[int], Sequence[str]], Told]] = {
    "heads": of_heads,
    "edges": of_edges,
    "cut": of_cut,
    "changes": of_changes,
    "sentences": of_sentences,
}


def edge_of(run: PairRun, every: set[Head], numbers: Sequence[int]) -> Edge:
    """Return the edge that four numbers spell: all pieces of the word that is read are.

    Raises:
        EncoderError: there is no such head or position.
    """
    layer, head, source, target = numbers
    tokens = set(range(len(run.a.tokens)))
    if (layer, head) not in every or source not in tokens or target not in tokens | {as_index(run, run.place)}:
        raise EncoderError(f"there is no head {head} of layer {layer} that reads {source} at {target}")
    at = target if target in tokens else SENTENCE
    return Edge((layer, head), run.a.tokenization.word_of(source), at)


def as_board(each: Mapping[Head, float], config: EncoderConfig) -> Tensor:
    """Shares of heads as [layers, heads]."""
    return torch.tensor([each[head] for head in every_head(config)]).reshape(config.n_layers, config.n_heads)


def guess(encoder: TextEncoder, run: PairRun, logits: Tensor) -> dict[str, Any]:
    """The shares of the two answers in the scores [count] at their place, and the likeliest one with its share."""
    shares = logits.double().softmax(-1)
    first = int(shares.argmax())
    return {"shares": shares[list(run.answers)].tolist(), "first": [name_of(encoder, first), float(shares[first])]}


def looks(run: PairRun, trace: Trace, edge: Edge) -> float:
    """The share with which the head of an edge looks from its target, a mean of several, at the word that it reads."""
    layer, head = edge.head
    weights = trace[f"layers.{layer}.attention.weights"][head, list(targets_of(run, edge.target))]
    return float(weights[:, list(edge.sources)].sum(-1).mean())


def spelled(trace: Trace, position: int) -> str:
    """The word that a position belongs to, as it is shown."""
    return shown(trace.tokenization.spelled(trace.tokenization.word_of(position)), LONGEST)
