"""Trials of what belongs to training: dropout, gradients, and what a model guesses without a part of it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import torch
from torch import Tensor, nn

from encoder.checkpoint.build import untrained
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments import PAPER, dropout, softmax_slopes
from encoder.support.formatting import brief, listed, percent, points
from encoder.tasks.learning import MOST_LAYERS, learning_curve, scores_without_parts
from encoder.tasks.two_relations import STEPS, pairs_right
from encoder.teach.trials.experiment import Cost, a_number, experiment
from encoder.teach.trials.finding import Bars, Curves, Finding, array, judge, untried

NEAR = 0.02  # how far the share that drops out may be from p
CLEAR = 2.0  # standard errors
LEARNING_SEEDS = (0, 1)
TRAINED_LAYERS, TRAINED_ROWS = 2, 2
SECONDS_A_LAYER = 2.0  # of the models that are trained


@experiment(runs=9)
def dropout_share(encoder: TextEncoder, sentence: str, p: float, place: str = "") -> Finding:
    """Dropout sets a share p of the numbers to zero, and what is left still tells of the sentence.

    Dropped is at one place, or at all three of the paper. Measured are the share that is dropped, and the cosine of
    each token's vector with the one without dropout.
    """
    result = dropout(encoder, sentence, p, (place,) if place else PAPER)
    alike = float(result.alike.mean())
    text = (
        f"With p = {p:g}{f' ({place})' if place else ''}, {percent(result.dropped)} of the numbers were set to zero in "
        f"{len(result.runs)} runs. The vectors keep a cosine of {brief(alike)} with those of the run without dropout, "
        "which is how this model runs everywhere else."
    )
    bars = Bars({"cosine": array(result.alike_of_one)}, list(result.tokens), "cosine with the run without")
    as_asked = abs(result.dropped - p) < NEAR
    judgement = judge(
        as_asked and alike > 0.5,
        "the share is as asked, and what is left tells little of the sentence" if as_asked else "",
    )
    return Finding(result.dropped, "share of numbers set to zero", text, judgement, bars)


def gradient_needs_division(encoder: TextEncoder, width: int = 512) -> Finding:
    """Without the division by sqrt(d_head) nearly no gradient passes softmax at this width."""
    (result,) = softmax_slopes((width,))
    text = (
        f"For random queries and keys of {width} numbers the gradient of softmax is {brief(result.with_)} long on "
        f"average with the division and {brief(result.without)} without, {percent(result.without / result.with_)} of "
        "it."
    )
    judgement = judge(
        result.without < 0.25 * result.with_,
        "less than half of it passes, and more than a quarter" if result.without < 0.5 * result.with_ else "",
    )
    return Finding(result.without, "length of the gradient without the division", text, judgement)


@experiment(runs=90, held=32)
def feed_forward_needed(encoder: TextEncoder) -> Finding:
    """Without its feed-forward networks a model guesses far fewer hidden words.

    Over the bundled sentences, which no training has seen; a network that is left out adds nothing to the sum.
    """
    if encoder.model.mlm_head is None:
        return untried("This model has no head that guesses words.")
    scores = scores_without_parts(encoder)
    whole, without = scores["whole"], scores["without feed-forward"]
    if whole.top_1 <= CLEAR * whole.error:
        return untried(
            f"This model guesses {percent(whole.top_1)} of {whole.words} hidden words, not clearly more than none: "
            "nothing can be lost without feed-forward."
        )
    lost, error = whole.top_1 - without.top_1, math.hypot(whole.error, without.error)
    text = (
        f"Of {whole.words} hidden words the whole model guesses {percent(whole.top_1)} first, without feed-forward "
        f"{percent(without.top_1)}, without attention {percent(scores['without attention'].top_1)}. The difference "
        f"that feed-forward makes is {points(lost)}, give or take {points(error)}. Models "
        "that never had it are trained in Labs."
    )
    bars = Bars({"guessed first": array(score.top_1 for score in scores.values())}, list(scores), "share guessed first")
    return Finding(lost, "share of guesses lost without feed-forward", text, judge(lost > CLEAR * error), bars)


def cost_of_training(encoder: TextEncoder, given: Mapping[str, Any]) -> Cost:
    """Return what training small models of so many layers costs; of this model there is no run."""
    return Cost(0, 0, SECONDS_A_LAYER * given.get("layers", 2))


@experiment(own_cost=cost_of_training, layers=a_number(1, MOST_LAYERS))
def learns_better(encoder: TextEncoder, kind: str, than: str, layers: int = 2) -> Finding:
    """A small model of one kind, trained now, learns better in the same steps than one of another kind.

    Both learn to count like letters from the same inputs, for two seeds; what counts is the loss on unseen inputs.
    """
    pairs = [[learning_curve(model, layers, seed=seed) for model in (kind, than)] for seed in LEARNING_SEEDS]
    ours, theirs = (torch.stack([pair[side].loss for pair in pairs]) for side in (0, 1))
    wins = int((ours[:, -1] < theirs[:, -1]).sum())
    ends = [float(side[:, -1].mean()) for side in (ours, theirs)]
    right = [float(torch.stack([pair[side].right[-1] for pair in pairs]).mean()) for side in (0, 1)]
    text = (
        f"Models of {layers} layers learn to count letters, in {pairs[0][0].steps[-1]} steps and {len(pairs)} tries. "
        f"In the end “{kind}” has a loss of {brief(ends[0])} nats and {percent(right[0])} of the answers right, "
        f"“{than}” {brief(ends[1])} nats and {percent(right[1])}. “{kind.capitalize()}” ends lower in {wins} of "
        f"{len(pairs)} tries. Larger models were not tried."
    )
    curves = Curves(
        {model: array(side.mean(0)) for model, side in ((kind, ours), (than, theirs))},
        array(pairs[0][0].steps),
        ("training steps", "loss on unseen inputs, in nats"),
    )
    judgement = judge(wins == len(pairs), f"in {wins} of {len(pairs)} tries" if wins else "")
    return Finding(ends[0] - ends[1], "difference of the loss in the end, in nats", text, judgement, curves)


@torch.inference_mode()
def seconds(encoder: TextEncoder, n: int) -> tuple[float, float]:
    """The quickest of three runs over n tokens, of the encoder and of an LSTM of as many layers as wide."""
    config = encoder.config
    ids, x = torch.zeros(1, n, dtype=torch.long), torch.zeros(1, n, config.d_model)
    shape = (config.d_model, config.d_model, config.n_layers)
    recurrent = nn.LSTM(*shape, batch_first=True, device="meta").to_empty(device="cpu")
    for weight in recurrent.parameters():
        weight.zero_()  # no numbers drawn: how large they are takes no time
    times = []
    for _ in range(3):
        start = perf_counter()
        encoder.model(ids)
        between = perf_counter()
        recurrent(x)
        times.append((between - start, perf_counter() - between))
    ours, theirs = zip(*times, strict=True)
    return min(ours), min(theirs)


@experiment(runs=6 * 8)
def recurrent_slower(encoder: TextEncoder, longest: int = 128) -> Finding:
    """An encoder is faster than a recurrent network of as many layers and the same width."""
    n = min(longest, encoder.max_tokens)
    ours, theirs = seconds(encoder, n)
    text = (
        f"For {n} tokens, on one processor: {brief(1000 * ours)} ms for the encoder, {brief(1000 * theirs)} ms "
        "for an LSTM of as many layers, as wide. The LSTM takes its tokens one after the other, the encoder all at "
        "once: many processors would help the encoder more. Training was not timed."
    )
    return Finding(theirs / ours, "time of the LSTM over that of the encoder", text, judge(theirs > ours))


@experiment(seconds=2.0)
def trained_faster(encoder: TextEncoder, longest: int = 64) -> Finding:
    """A step of training takes an encoder less time than an LSTM of as many parameters, on one processor.

    Forward, backward and the optimizer, over random ids; the quicker of two steps of each.
    """
    n = min(longest, encoder.max_tokens)
    ours, theirs, wide = training_seconds(encoder, n)
    text = (
        f"One step of training over {TRAINED_ROWS} × {n} tokens takes {brief(1000 * ours)} ms for an encoder of "
        f"{TRAINED_LAYERS} layers of this width, and {brief(1000 * theirs)} ms for an LSTM of as many layers, {wide} "
        f"wide, which has as many parameters: {brief(theirs / ours)} times as long. How many steps each needs, and "
        "larger models and GPUs, were not tried."
    )
    return Finding(theirs / ours, "time of the LSTM over that of the encoder", text, judge(theirs > ours))


def training_seconds(encoder: TextEncoder, n: int) -> tuple[float, float, int]:
    """The quicker of two steps of training of both, and how wide the LSTM is."""
    with torch.inference_mode(False), torch.enable_grad():
        config = replace(
            encoder.config, n_layers=TRAINED_LAYERS, vocab_size=64, mlm_head=False, pooling=None, unit_length=False
        )
        model = untrained(config, 0).train().requires_grad_(True)
        wide = round((sum(p.numel() for p in model.layers.parameters()) / TRAINED_LAYERS / 8) ** 0.5)
        recurrent = nn.LSTM(wide, wide, TRAINED_LAYERS, batch_first=True)
        ids, x = torch.zeros(TRAINED_ROWS, n, dtype=torch.long), torch.randn(TRAINED_ROWS, n, wide)
        ours = quickest(model, lambda: model(ids))
        theirs = quickest(recurrent, lambda: recurrent(x)[0])
    return ours, theirs, wide


def quickest(model: nn.Module, run: Callable[[], Tensor]) -> float:
    """The seconds of the quicker of two steps of training, after one that lays out memory."""
    optimizer, taken = torch.optim.AdamW(model.parameters()), []
    for _ in range(3):
        start = perf_counter()
        optimizer.zero_grad()
        run().square().mean().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        taken.append(perf_counter() - start)
    return min(taken[1:])


@experiment(seconds=16.0)
def heads_share_work(encoder: TextEncoder, heads: int = 2) -> Finding:
    """Several heads learn a task of two relations better than one head does, trained alike, and as wide together."""
    shares = {count: [pairs_right(count, seed) for seed in LEARNING_SEEDS] for count in (1, heads)}
    each = {count: listed([percent(share) for share in right]) for count, right in shares.items()}
    wins = sum(many > single for single, many in zip(shares[1], shares[heads], strict=True))
    text = (
        f"One layer, 32 wide, learns to say two letters at each of 6 places, the one before and the one that mirrors "
        f"it. After {STEPS} steps one head tells {each[1]} of the pairs in {len(LEARNING_SEEDS)} tries, {heads} heads "
        f"{each[heads]}. Longer training and larger models were not tried."
    )
    mean = [sum(right) / len(right) for right in shares.values()]
    bars = Bars({"pairs told right": array(mean)}, [f"{count} heads" for count in shares], "share right")
    condition = f"in {wins} of {len(LEARNING_SEEDS)} tries" if wins else ""
    holds = judge(wins == len(LEARNING_SEEDS), condition)
    return Finding(mean[-1] - mean[0], "share of pairs that several heads tell more", text, holds, bars)
