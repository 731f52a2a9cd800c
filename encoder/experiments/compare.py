"""Two runs side by side: which tokens belong together, where and how far the runs part, what a patch brings back."""

from collections.abc import Generator, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from typing import NamedTuple

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.experiments.ablation import ROWS, WatchedWord, log_probability, outcomes
from encoder.metrics.weight_matrices import subtract
from encoder.support.errors import EncoderError
from encoder.trace.tokens import Tokens
from encoder.trace.trace import Trace
from encoder.trace.unpadded import rows, stream, tokens


class Pair(NamedTuple):
    """A token of A beside one of B; None where the other has no such token. `same`: it belongs to the same word."""

    a: int | None
    b: int | None
    same: bool


Word = tuple[str, tuple[int, ...]]  # how it is spelled, and the positions of its pieces


def align(words_a: Sequence[Word], words_b: Sequence[Word]) -> list[Pair]:
    """Line up two sentences word by word, in reading order.

    Words that stand in both are paired. Where as many words were replaced by others, they are paired in order too, with
    `same` false, if they have as many pieces. Every other token stands alone.
    """
    spelled_a, spelled_b = ([word for word, _ in words] for words in (words_a, words_b))
    pairs: list[Pair] = []
    for tag, a, end_a, b, end_b in SequenceMatcher(None, spelled_a, spelled_b, autojunk=False).get_opcodes():
        matched = end_a - a == end_b - b
        for i in range(max(end_a - a, end_b - b)):
            of_a = words_a[a + i][1] if a + i < end_a else ()
            of_b = words_b[b + i][1] if b + i < end_b else ()
            if matched and len(of_a) == len(of_b):
                pairs += [Pair(p, q, tag == "equal") for p, q in zip(of_a, of_b, strict=True)]
            else:
                pairs += [Pair(p, None, False) for p in of_a] + [Pair(None, q, False) for q in of_b]
    return pairs


def spelled_words(trace: Trace) -> list[Word]:
    """The words of a run as they were typed, whatever their case, [PAD] left out."""
    pieces, n = trace.tokenization, len(tokens(trace))
    return [(pieces.spelled(word).casefold(), word) for word in pieces.words if word[0] < n]


def aligned_tokens(a: Trace, b: Trace) -> list[Pair]:
    """The tokens of two runs lined up by what was typed, [PAD] left out.

    So a word is the same for two tokenizers, and at the start of a text, where a byte-level one has another token.
    """
    return align(spelled_words(a), spelled_words(b))


def holding(texts: Sequence[Tokens], word: str) -> list[tuple[Tokens, tuple[int, ...]]]:
    """The texts in which a word stands, each with the positions of its pieces where it first does."""
    result = []
    for text in texts:
        with suppress(ValueError):
            result.append((text, text.find(word)))
    return result


def both(pairs: Sequence[Pair]) -> tuple[list[int], list[int]]:
    """The positions in A and in B of the tokens that stand in both."""
    places = [(pair.a, pair.b) for pair in pairs if pair.a is not None and pair.b is not None]
    return [a for a, _ in places], [b for _, b in places]


def beside(a: Trace, b: Trace, step: str, pairs: Sequence[Pair] | None = None) -> tuple[Tensor, Tensor]:
    """A step of both runs at the m tokens that stand in both; its shape with n replaced by m (rows, and keys).

    Raises:
        EncoderError: a step that is not in both, or has another width there.
    """
    missing = [run for run in (a, b) if step not in run]
    if missing:
        raise EncoderError(f"{missing[0].unknown(step)} ({missing[0].source.name})")
    dimensions = a.step(step).shape
    sizes = [[s for d, s in zip(dimensions, run[step].shape, strict=False) if d != "n"] for run in (a, b)]
    if b.step(step).shape != dimensions or sizes[0] != sizes[1]:
        shapes = [list(run[step].shape) for run in (a, b)]
        raise EncoderError(f"{step} is {shapes[0]} in A and {shapes[1]} in B; they cannot be compared")
    values = []
    for run, places in zip((a, b), both(aligned_tokens(a, b) if pairs is None else pairs), strict=True):
        value = run[step]
        for axis, dimension in enumerate(dimensions):
            if dimension == "n":
                value = value.index_select(axis, torch.tensor(places, dtype=torch.long))
        values.append(value)
    return values[0], values[1]


def difference(a: Trace, b: Trace, step: str, pairs: Sequence[Pair] | None = None) -> Tensor:
    """B - A of a step at the m tokens that stand in both; 0 where both are the same, infinite scores included.

    Returns:
        the step's shape with n replaced by m.

    Raises:
        EncoderError: a step that is not in both, or has another width there.
    """
    return subtract(*beside(a, b, step, pairs))


def first_difference(a: Trace, b: Trace, tolerance: float = 1e-6, pairs: Sequence[Pair] | None = None) -> str | None:
    """The first step in the order of computation where the runs differ, or None.

    A step differs where some number is off by more than `tolerance` times the step's largest finite number in A, or
    times 1 if that is less. Without `pairs`, only tokens of words that are in both sentences count.

    Raises:
        EncoderError: a step that is not in both, or has another width there.
    """
    pairs = [pair for pair in aligned_tokens(a, b) if pair.same] if pairs is None else pairs
    return next((step for step in a if differs(*beside(a, b, step, pairs), tolerance)), None)


def differs(ours: Tensor, theirs: Tensor, tolerance: float = 1e-6) -> bool:
    """Whether two values of a step, of one shape, are further apart than what `first_difference` says."""
    if torch.equal(ours, theirs):
        return False
    apart = float(subtract(ours, theirs).abs().max())
    if apart <= tolerance:  # whatever the size: it counts as 1 at the least
        return False
    size = float(ours[ours.isfinite()].abs().max()) if bool(ours.isfinite().any()) else 0.0
    return not apart <= tolerance * max(1.0, size)


def relative_difference(a: Trace, b: Trace, pairs: Sequence[Pair] | None = None) -> Tensor:
    """How far each token's vector is apart, |B - A| / |A|, before the first layer and after each one.

    Returns:
        [n_layers + 1, m] for the m tokens that stand in both; 0 where the vectors are equal.

    Raises:
        EncoderError: models with other numbers of layers or dimensions.
    """
    if (a.config.n_layers, a.config.d_model) != (b.config.n_layers, b.config.d_model):
        sizes = [f"{run.config.n_layers} layers of {run.config.d_model}" for run in (a, b)]
        raise EncoderError(f"A has {sizes[0]}, B has {sizes[1]}; they cannot be compared")
    of_a, of_b = both(aligned_tokens(a, b) if pairs is None else pairs)
    ours, theirs = stream(a)[:, of_a], stream(b)[:, of_b]
    apart = torch.linalg.vector_norm(subtract(ours, theirs), dim=-1)
    return torch.where(apart == 0, 0, apart / torch.linalg.vector_norm(ours, dim=-1))


def token_cosine(a: Trace, position_a: int, b: Trace, position_b: int) -> Tensor:
    """Cosine of one token's vector in A and one's in B, before the first layer and after each: [n_layers + 1].

    Raises:
        EncoderError: a position that is not there, or models with other numbers of layers or dimensions.
    """
    return word_cosines((a, b), (position_a, position_b))[:, 0, 1]


def turned_most(a: Trace, b: Trace, pairs: Sequence[Pair]) -> int:
    """Which of these words, that stand in both runs, ends with the least alike vectors; typed ones come first.

    Raises:
        EncoderError: no pair, one with a token in one run alone, or models of other numbers of layers or dimensions.
    """
    both = [(i, p.a, p.b) for i, p in enumerate(pairs) if p.a is not None and p.b is not None]
    if not pairs or len(both) < len(pairs):
        raise EncoderError(f"{len(pairs)} pairs, {len(both)} of them with a token in both; give 1 or more that have")
    special = a.tokenization.special
    typed = [places for places in both if not special[places[1]]] or both
    check_comparable((a, b))
    which, in_a, in_b = zip(*typed, strict=True)
    last = f"layers.{a.config.n_layers - 1}.output"
    alike = torch.nn.functional.cosine_similarity(rows(a, last)[list(in_a)], rows(b, last)[list(in_b)], dim=-1)
    return int(which[int(alike.argmin())])


def word_cosines(traces: Sequence[Trace], positions: Sequence[int]) -> Tensor:
    """Cosine of one token's vector in each of k runs with that in every other one, layer by layer.

    Returns:
        [n_layers + 1, k, k], from -1 to 1.

    Raises:
        EncoderError: a position that is not there, or models with other numbers of layers or dimensions.
    """
    for trace, position in zip(traces, positions, strict=True):
        last = len(tokens(trace)) - 1
        if not 0 <= position <= last:
            raise EncoderError(f"position {position} is not in {trace.text!r}; positions go from 0 to {last}")
    check_comparable(traces)
    return cosines([stream(trace)[:, position] for trace, position in zip(traces, positions, strict=True)])


def check_comparable(traces: Sequence[Trace]) -> None:
    """See that the runs' models have as many layers of as many dimensions.

    Raises:
        EncoderError: they have not.
    """
    shapes = {(trace.config.n_layers, trace.config.d_model) for trace in traces}
    if len(shapes) > 1:
        text = " and ".join(f"{layers} layers of {d_model}" for layers, d_model in sorted(shapes))
        raise EncoderError(f"the models have {text}; their vectors cannot be compared")


def cosines(vectors: list[Tensor]) -> Tensor:
    """Cosine of one token's vectors in each of k runs [n_layers + 1, d] with those in every other, layer by layer.

    Returns:
        [n_layers + 1, k, k], from -1 to 1.
    """
    unit = torch.nn.functional.normalize(torch.stack(vectors, 1), dim=-1)  # [n_layers + 1, k, d_model]
    return unit @ unit.mT


def mean_between(alike: Tensor) -> Tensor:
    """The mean of `word_cosines` over every two different runs, at each layer: [..., k, k] -> [...].

    Raises:
        EncoderError: fewer than two runs.
    """
    k = alike.shape[-1]
    if k < 2:
        raise EncoderError(f"got {k} run; a mean between runs takes 2 or more")
    return alike[..., ~torch.eye(k, dtype=torch.bool)].mean(-1)


def recovered(patched: Tensor, b: Tensor, a: Tensor) -> float:
    """The share of the way from B to A that a patch has gone: (P - B) · (A - B) / |A - B|², over all numbers.

    0 where the patch changed nothing, 1 where it made B into A; below 0 or over 1 where it led away or beyond. For
    single numbers it is (P - B) / (A - B).

    Raises:
        EncoderError: A and B are equal, so that there is nothing to recover.
    """
    way = (a - b).double().flatten()
    if not way.any():
        raise EncoderError("A and B are equal there: there is nothing to recover")
    return float((patched - b).double().flatten() @ way / (way @ way))


class Recovery(NamedTuple):
    """How far a patch sweep is: `share` [n_layers, positions] of the difference recovered, NaN where not run yet."""

    done: int
    total: int
    share: Tensor


def patch_sweep(
    encoder: TextEncoder,
    a: Trace,
    b: Trace,
    step: str = "output",
    *,
    heads: tuple[int, ...] | None = None,
    positions: Sequence[int] | None = None,
    at: int | None = None,
    watch: WatchedWord | None = None,
    batch: int = ROWS,
) -> Generator[Recovery, None, None]:
    """Patch a step from A into B, at every layer and one position at a time, and read what share comes back.

    Args:
        encoder: the model that made B.
        a: the run that numbers are taken from.
        b: the run they are put into; as many tokens as A.
        step: a name within a layer, such as "output" or "attention.heads".
        heads: which heads of a step that has heads; all without it.
        positions: which positions, one after the other; all without it.
        at: the token whose output vector is held against A's; all tokens without it.
        watch: the word whose log-probability is held against A's, instead of the output.
        batch: runs in one forward at most.

    Returns:
        a generator of `Recovery`, once before the first forward and once after each; leaving it cancels the rest.

    Raises:
        EncoderError: runs of other lengths, models or equal results; a step, head, position or word that is not there.
    """
    n, config = len(tokens(b)), encoder.config
    if len(tokens(a)) != n:
        raise EncoderError(f"A has {len(tokens(a))} tokens, B has {n}; a patch sweep needs equal lengths")
    if at is not None and not 0 <= at < n:
        raise EncoderError(f"position {at} is outside the sentence; positions go from 0 to {n - 1}")
    places = list(range(n) if positions is None else positions)
    if not places:
        raise EncoderError("positions is empty; a patch sweep needs at least one")
    layers = range(config.n_layers)
    edits = [Edit(f"layers.{i}.{step}", "patch", heads, (place,), a) for i in layers for place in places]
    chunks = outcomes(encoder, b, edits, watch, batch)
    read = slice(None) if at is None else slice(at, at + 1)

    def result(output: Tensor, log_share: float | None) -> Tensor:
        return output[read] if log_share is None else torch.tensor(log_share, dtype=torch.float64)

    ends = [
        result(rows(t, "output"), log_probability(t["mlm.logits"][watch.position], watch) if watch else None)
        for t in (b, a)
    ]
    recovered(ends[0], *ends)  # refuse equal runs now, not later

    def sweep() -> Generator[Recovery, None, None]:
        share = torch.full((len(edits),), torch.nan)
        done = 0
        yield Recovery(done, len(edits), share.view(len(layers), -1).clone())
        for chunk in chunks:
            shares = [recovered(result(outcome.output, outcome.log_probability), *ends) for outcome in chunk]
            share[done : done + len(chunk)] = torch.tensor(shares)
            done += len(chunk)
            yield Recovery(done, len(edits), share.view(len(layers), -1).clone())

    return sweep()
