"""Many runs of one sentence, each with one more edit, in a few batched forwards: what does each part matter?"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit, check
from encoder.edits.editor import editor
from encoder.metrics.answer import answer_scores, answers, at_place
from encoder.model.config import EncoderConfig
from encoder.model.steps.catalogue import by_name
from encoder.support.errors import EncoderError
from encoder.support.progress import pulse
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace
from encoder.trace.unpadded import rows, tokens

KNOCKED_OUT = ("attention.heads", "feed_forward.output")
ROWS = 16  # runs in one forward
TOKENS = 2048  # and tokens in one forward, whatever comes first


class WatchedWord(NamedTuple):
    """The word whose probability is watched: a position in the sentence, and the word's id.

    Of a model that names labels it is a label, and the position of a sentence's `encoder.metrics.answer.SENTENCE`.
    """

    position: int
    token: int


@dataclass(frozen=True)
class Outcome:
    """What a run with one more edit ends in.

    `output` [n, d_model] without padding; where a word is watched, its `log_probability` in nats and the `logits`
    [vocab] of all words at its position, else None.
    """

    edit: Edit
    output: Tensor
    log_probability: float | None
    logits: Tensor | None = None


@dataclass(frozen=True)
class Effect:
    """What one edit does to the encoder's output, against the same run without it.

    `relative_change` is |edited - before| / |before| over all tokens and dimensions, `cosine` that of each token's
    vectors before and after, averaged over tokens, and `log_probability` the change for the watched word, in nats.
    """

    edit: Edit
    relative_change: float
    cosine: float
    log_probability: float | None

    @property
    def cosine_distance(self) -> float:
        """1 minus the cosine: 0 where no vector has turned."""
        return 1 - self.cosine

    @property
    def loss(self) -> float | None:
        """How much of the watched word's log-probability is lost, in nats: above 0 the edit does harm."""
        return None if self.log_probability is None else -self.log_probability


class Progress(NamedTuple):
    """How far a sweep is, and what it has found so far, in the order of its edits."""

    done: int
    total: int
    effects: tuple[Effect, ...]


def knock_outs(config: EncoderConfig, steps: Sequence[str] = KNOCKED_OUT, action: str = "zero") -> list[Edit]:
    """One edit for every head of every layer of a step that has heads, and one for every layer of a step without.

    Args:
        config: the model's configuration.
        steps: names within a layer, such as "attention.heads".
        action: what to do to them; one that needs no value.

    Raises:
        EncoderError: no step of a layer is called so, or the action is unknown or needs a value.
    """
    edits = []
    for layer in range(config.n_layers):
        for local in steps:
            step = by_name(config).get(f"layers.{layer}.{local}")
            if step is None:
                raise EncoderError(f"no step of a layer is called {local!r}")
            every: list[tuple[int, ...] | None] = [(head,) for head in range(config.n_heads)]
            edits += [Edit(step.name, action, heads=heads) for heads in (every if "H" in step.shape else [None])]
    return edits


def ablate_each(
    encoder: TextEncoder,
    trace: Trace | Text,
    steps: Sequence[str] = KNOCKED_OUT,
    *,
    action: str = "zero",
    watch: WatchedWord | None = None,
    batch: int = ROWS,
) -> Generator[Progress, None, None]:
    """Knock out every head and every feed-forward block in turn, each alone, on top of the trace's own edits.

    Args:
        encoder: the model that made the trace.
        trace: the run that everything is held against, or a sentence to run first.
        steps: what to knock out: names within a layer; a step with heads goes head by head.
        action: "zero", or "mean", the mean over tokens.
        watch: the word whose log-probability is read as well.
        batch: runs in one forward at most.

    Returns:
        a generator of `Progress`, once before the first forward and once after each; leaving it cancels the rest.

    Raises:
        EncoderError: a step, action or watched word that is not there, or a trace of another model.
    """
    trace = trace if isinstance(trace, Trace) else encoder.trace(trace)
    edits = knock_outs(encoder.config, steps, action)
    chunks = outcomes(encoder, trace, edits, watch, batch)
    effect = effects(trace, watch)
    return progress(len(edits), (list(map(effect, chunk)) for chunk in chunks))


def progress(total: int, chunks: Iterator[list[Effect]]) -> Generator[Progress, None, None]:
    """The state of a sweep before its first chunk and after each."""
    effects_so_far: tuple[Effect, ...] = ()
    yield Progress(0, total, effects_so_far)
    for chunk in chunks:
        effects_so_far += tuple(chunk)
        yield Progress(len(effects_so_far), total, effects_so_far)


def effects(trace: Trace, watch: WatchedWord | None) -> Callable[[Outcome], Effect]:
    """What turns an outcome into its effect against a run."""
    before = rows(trace, "output").double()
    size = torch.linalg.vector_norm(before)
    watched = log_probability(answers(trace.config).scores(trace, watch.position), watch) if watch else 0.0

    def effect(outcome: Outcome) -> Effect:
        after = outcome.output.double()
        change = float(torch.linalg.vector_norm(after - before) / size)
        cosine = float(torch.nn.functional.cosine_similarity(after, before, dim=-1).mean())
        there = outcome.log_probability
        return Effect(outcome.edit, change, cosine, None if there is None else there - watched)

    return effect


def log_probability(logits: Tensor, watch: WatchedWord) -> float:
    """The natural logarithm of the watched word's share, from the logits [vocab] of its position."""
    return float(logits.double().log_softmax(-1)[watch.token])


def outcomes(
    encoder: TextEncoder, trace: Trace, edits: Sequence[Edit], watch: WatchedWord | None, batch: int
) -> Iterator[list[Outcome]]:
    """Run the trace's sentence with each of the edits, each alone on top of the trace's own.

    The rows of one forward share the layer that they start from: what comes before it is as recorded.

    Raises:
        EncoderError: an edit, batch or watched word that cannot be, or a trace of another model; at once, not later.
    """
    n, config = len(tokens(trace)), encoder.config
    encoder.check_own(trace)
    if batch < 1:
        raise EncoderError(f"batch is {batch}; it must be 1 or more")
    if watch and not answers(config).part:
        raise EncoderError("this model has no head that guesses words; none can be watched")
    if watch and answers(config).labels:
        answers(config).check(watch.position, n)
    elif watch and not (0 <= watch.position < n and 0 <= watch.token < config.vocab_size):
        raise EncoderError(
            f"watch is {tuple(watch)}; positions go from 0 to {n - 1}, words from 0 to {config.vocab_size - 1}"
        )
    check(edits, config, n)
    runs = encoder.runs_to_patch_from((*trace.edits, *edits))
    size = together(len(trace.tokens), batch)
    groups = (list(group) for _, group in groupby(edits, lambda edit: first_layer(edit, config)))
    chunks = (group[i : i + size] for group in groups for i in range(0, len(group), size))
    return (run(encoder, trace, chunk, runs, watch) for chunk in chunks)


def first_layer(edit: Edit, config: EncoderConfig) -> int | None:
    """The layer whose input is the last thing an edit leaves as it is; n_layers after the stack, None before it."""
    step = by_name(config)[edit.step]
    if step.layer is None:
        return None if step.part == "embedding" else config.n_layers
    return step.layer


def together(n: int, most: int = ROWS) -> int:
    """How many runs of n tokens pass in one forward."""
    return max(1, min(most, TOKENS // n))


def run(
    encoder: TextEncoder, trace: Trace, edits: Sequence[Edit], runs: dict[str, Trace], watch: WatchedWord | None
) -> list[Outcome]:
    """One forward with a row for each edit; all of them start from the same layer."""
    output, watched = forward(encoder, trace, [(edit,) for edit in edits], runs, watch.position if watch else None)
    n = len(tokens(trace))
    return [
        Outcome(edit, row[:n], log_probability(logits, watch) if watch and logits is not None else None, logits)
        for edit, row, logits in zip(edits, output, watched, strict=True)
    ]


@torch.inference_mode()
def forward(
    encoder: TextEncoder,
    trace: Trace,
    changes: Sequence[tuple[Edit, ...]],
    runs: dict[str, Trace],
    position: int | None = None,
) -> tuple[Tensor, Sequence[Tensor | None]]:
    """One forward with a row for each change, of one edit or several; the first edits of all start from the same layer.

    Returns:
        the outputs [rows, n, d_model], and for each row the logits [vocab] at `position`, None where none is given.
    """
    pulse()
    model, config, size = encoder.model, encoder.config, len(changes)
    n = len(tokens(trace))
    tap = editor(config, [(n, (*trace.edits, *edits)) for edits in changes], runs)
    start = first_layer(changes[0][0], config)
    if start is None:
        ids = torch.tensor([trace.ids]).expand(size, -1)
        segments = torch.tensor([trace.segments]).expand(size, -1)
        start, x = 0, model.embedding(ids, segments, tap.inside("embedding"))
    else:
        name = f"layers.{start - 1}.output" if start else "embedding.output"
        x = trace[name].expand(size, -1, -1)
        if name in tap.seen:
            tap.seen[name] = x
    output = model.resume(x, start, encoder.mask([n], len(trace.tokens), trace.hidden), tap)
    if position is None:
        return output, [None] * size
    if answers(config).labels:
        masked = encoder.mask([n] * size, len(trace.tokens), trace.hidden)
        return output, list(at_place(answer_scores(model, output, masked, tap), position))
    every = (*trace.edits, *(edit for edits in changes for edit in edits))
    edited = any(edit.step.startswith("mlm.") for edit in every)
    read = slice(None) if edited else slice(position, position + 1)  # the head reads each row alone
    logits = model.predict(output[:, read], tap)
    assert logits is not None
    return output, [row[position if edited else 0] for row in logits]


def grid(result: Sequence[Effect], config: EncoderConfig, measure: str = "relative_change") -> Tensor:
    """The effects as a map [n_layers, n_heads + 1]: a column for each head, and one for edits of a whole layer.

    `measure` names a field or property of Effect. What was not run, or not watched, is NaN.
    """
    table = torch.full((config.n_layers, config.n_heads + 1), torch.nan)
    for effect in result:
        layer = by_name(config)[effect.edit.step].layer
        value = getattr(effect, measure)
        if layer is not None and value is not None:
            table[layer, effect.edit.heads[0] if effect.edit.heads else config.n_heads] = value
    return table
