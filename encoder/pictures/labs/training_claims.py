"""Trials of what belongs to training: gradients, time, and what a model guesses without a part of it.

What small models learn is read from `encoder.tasks.tries`: a verdict takes more tries than a page can wait for.
"""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter

import torch
from torch import Tensor, nn

from encoder.checkpoint.build import on_meta, untrained
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.model.config import EncoderConfig
from encoder.pictures.labs.trial import Evidence, Finding, Judgement, bars, claim, curves, judge, trial, untried
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, listed, percent, points
from encoder.tasks.learning import scores_without_parts
from encoder.tasks.tries import Tries, steps_until, tries
from encoder.tasks.two_relations import STEPS

LAB = "Trained without a part"  # that shows it
CLEAR = 2.0  # standard errors
SURELY = 0.05  # how seldom so many of all tries would be won by a coin
DEPTH = "2"  # layers of the models whose tries are judged
LOSS = 1.0  # in nats, that a model is to reach
TRAINED_LAYERS, TRAINED_ROWS = 2, 2
LONGEST = 64  # tokens of a row that is trained on
CLEARLY = 1.1  # times as long, from which one takes longer than the other


@claim("feed-forward-needed", "tutorial guide", page="what_if")
@trial(runs=90, held=32)
def feed_forward_needed(encoder: TextEncoder) -> Finding:
    """Without feed-forward the model guesses far worse.

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
    picture = bars({"guessed first": [score.top_1 for score in scores.values()]}, list(scores), "share guessed first")
    return Finding(lost, "share of guesses lost without feed-forward", text, judge(lost > CLEAR * error), picture)


def by_luck(wins: int, losses: int) -> float:
    """How often a coin is ahead in so many of all tries that were won or lost, or in more."""
    decided = wins + losses
    return sum(math.comb(decided, k) for k in range(wins, decided + 1)) / 2.0**decided


def by_tries(wins: int, losses: int, tries: int) -> Judgement:
    """Hold what is ahead so often that a coin seldom would be; on a condition what is ahead more often than behind."""
    condition = f"in {wins} of {tries} tries, which chance may make" if wins > losses else ""
    return judge(by_luck(wins, losses) < SURELY, condition)


def told_tries(wins: int, losses: int, tries: int) -> str:
    """How often one is ahead and how often behind, and whether that decides between the two."""
    surely = by_luck(max(wins, losses), min(wins, losses)) < SURELY
    return f"in {wins} of {tries} tries and behind in {losses}{'' if surely else ': neither is surely ahead'}"


@claim(
    "narrow",
    "tutorial",
    "A model with a narrow feed-forward learns less.",
    lab=LAB,
    kind="post-norm",
    than="narrow feed-forward",
)
@claim(
    "root-factor",
    "guide",
    "Multiplying the embedding by √d_model helps training.",
    lab=LAB,
    kind="post-norm",
    than="without the factor",
)
@claim(
    "pre-norm-end",
    "block",
    "Pre-norm ends slightly worse than post-norm: two layers.",
    lab=LAB,
    kind="post-norm",
    than="pre-norm",
)
@trial(seconds=0.0)
def learns_better(encoder: TextEncoder, kind: str, than: str) -> Finding:
    """A small model of one kind learns better in the same steps than one of another kind.

    Both learnt to count like letters from the same inputs, in several tries; what counts is the loss on unseen inputs.
    """
    stored = tries()
    ours, theirs = map(torch.tensor, trained(kind, than))
    wins, losses = (int((a[:, -1] < b[:, -1]).sum()) for a, b in ((ours, theirs), (theirs, ours)))
    ends = [float(side[:, -1].mean()) for side in (ours, theirs)]
    right = [sum(stored.right[DEPTH][model]) / len(ours) for model in (kind, than)]
    text = (
        f"Models of {DEPTH} layers learnt to count letters, in {stored.steps[-1]} steps and {len(ours)} tries. "
        f"In the end “{kind}” has a mean loss of {brief(ends[0])} nats and {percent(right[0])} of the answers right, "
        f"“{than}” {brief(ends[1])} nats and {percent(right[1])}. “{kind.capitalize()}” is ahead "
        f"{told_tries(wins, losses, len(ours))}. Larger models were not tried. {stored.sentence}"
    )
    picture = both_curves(stored, {kind: ours, than: theirs})
    what = "difference of the loss in the end, in nats"
    return Finding(ends[0] - ends[1], what, text, by_tries(wins, losses, len(ours)), picture)


@claim(
    "norms-faster", "tutorial", "Norms make training converge faster.", lab=LAB, kind="post-norm", than="without norms"
)
@trial(seconds=0.0)
def learns_faster(encoder: TextEncoder, kind: str, than: str) -> Finding:
    """A small model of one kind reaches a loss in fewer steps than one of another kind.

    Both learnt to count like letters from the same inputs, in several tries. Every ten steps the loss on unseen inputs
    was looked at; one that never came down to the loss is behind every one that did.
    """
    stored = tries()
    losses = trained(kind, than)
    ours, theirs = ([steps_until(curve, stored.steps, LOSS) for curve in of_kind] for of_kind in losses)
    never = stored.steps[-1] + 1
    pairs = [(a or never, b or never) for a, b in zip(ours, theirs, strict=True)]
    wins, behind, count = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs), len(pairs)
    reached = [listed([str(step) if step else "never" for step in side]) for side in (ours, theirs)]
    text = (
        f"Models of {DEPTH} layers learnt to count letters, in {count} tries of {stored.steps[-1]} steps. The loss on "
        f"unseen inputs is {brief(LOSS)} or less from these steps on: with “{kind}” {reached[0]}, with “{than}” "
        f"{reached[1]}, try by try. “{kind.capitalize()}” is ahead {told_tries(wins, behind, count)}. Larger models "
        f"were not tried. {stored.sentence}"
    )
    picture = both_curves(stored, dict(zip((kind, than), map(torch.tensor, losses), strict=True)))
    earlier = sum(b - a for a, b in pairs) / count
    what = f"steps by which it is earlier on average, where never counts as {never:,}"
    return Finding(float(earlier), what, text, by_tries(wins, behind, count), picture)


def trained(*kinds: str) -> Sequence[Sequence[Sequence[float]]]:
    """The stored losses of models of these kinds [kinds][tries][looks].

    Raises:
        EncoderError: no model of that kind was trained with so many layers.
    """
    stored = tries().losses[DEPTH]
    if missing := [kind for kind in kinds if kind not in stored]:
        raise EncoderError(f"“{missing[0]}” was not trained with {DEPTH} layers; {listed(list(stored))} were")
    return [stored[kind] for kind in kinds]


def both_curves(stored: Tries, sides: Mapping[str, Tensor]) -> Evidence:
    """The mean losses of two kinds of model."""
    series = {model: side.mean(0) for model, side in sides.items()}
    return curves(series, stored.steps, ("training steps", "loss on unseen inputs, in nats"))


def by_threads(measure: Callable[[], tuple[float, float]]) -> dict[int, tuple[float, float]]:
    """What is measured on one thread, and on all that this machine gives, where these are more."""
    usual, result = torch.get_num_threads(), {}
    try:
        for threads in sorted({1, os.cpu_count() or 1}):
            torch.set_num_threads(threads)
            result[threads] = measure()
    finally:
        torch.set_num_threads(usual)
    return result


def held_by_threads(times: Mapping[int, tuple[float, float]]) -> Judgement:
    """Whether the LSTM takes clearly longer, with however many threads; else with how many it does."""
    longer = [on_threads(threads) for threads, (ours, theirs) in times.items() if theirs > CLEARLY * ours]
    return judge(len(longer) == len(times), listed(longer) if longer else "")


def on_threads(threads: int) -> str:
    """On how many threads, in words."""
    return "on one thread" if threads == 1 else f"on {threads} threads"


def told_times(times: Mapping[int, tuple[float, float]]) -> str:
    """What both took, thread by thread."""
    return "; ".join(
        f"{on_threads(threads)} {brief(1000 * ours)} ms and {brief(1000 * theirs)} ms, {brief(theirs / ours)} times as "
        f"long"
        for threads, (ours, theirs) in times.items()
    )


@claim("recurrent-training", "tutorial", lab=LAB)
@trial(seconds=4.0)
def trained_faster(encoder: TextEncoder) -> Finding:
    """A step of training takes an encoder less time than an LSTM of the same size.

    Forward, backward and the optimizer, over random ids; the quicker of two steps of each.
    """
    n = min(LONGEST, encoder.max_tokens)
    wide = width_of_lstm(encoder)
    times = by_threads(lambda: training_seconds(encoder, n, wide))
    text = (
        f"One step of training over {TRAINED_ROWS} × {n} tokens, of an encoder of {TRAINED_LAYERS} layers as wide as "
        f"this model and of an LSTM of as many layers, {wide} wide, which has as many parameters, takes: "
        f"{told_times(times)}. It counts as longer from {CLEARLY:g} times on. How many steps each needs, and other "
        f"lengths, larger models and GPUs, were not tried."
    )
    value = min(theirs / ours for ours, theirs in times.values())
    return Finding(value, "time of the LSTM over that of the encoder, at least", text, held_by_threads(times))


def trained_config(encoder: TextEncoder) -> EncoderConfig:
    """The shape of the small encoder that is trained."""
    return replace(
        encoder.config, n_layers=TRAINED_LAYERS, vocab_size=64, mlm_head=False, pooling=None, unit_length=False
    )


def width_of_lstm(encoder: TextEncoder) -> int:
    """How wide an LSTM is whose layers have as many parameters as the blocks of that encoder: 8 d² each."""
    layers = on_meta(trained_config(encoder)).layers
    counted = sum(p.numel() for p in layers.parameters()) / TRAINED_LAYERS
    return round(math.sqrt(counted / 8))


def training_seconds(encoder: TextEncoder, n: int, wide: int) -> tuple[float, float]:
    """The quicker of two steps of training of both; `wide` is the LSTM."""
    with torch.inference_mode(False), torch.enable_grad():
        model = untrained(trained_config(encoder), 0).train().requires_grad_(True)
        recurrent = nn.LSTM(wide, wide, TRAINED_LAYERS, batch_first=True)
        ids, x = torch.zeros(TRAINED_ROWS, n, dtype=torch.long), torch.randn(TRAINED_ROWS, n, wide)
        ours = quickest(model, lambda: model(ids))
        theirs = quickest(recurrent, lambda: recurrent(x)[0])
    return ours, theirs


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


@claim("two-heads", "tutorial", page="training")
@trial(seconds=0.0)
def heads_share_work(encoder: TextEncoder) -> Finding:
    """Two heads learn two relations better than one head does.

    Trained alike, and as wide together.
    """
    stored = tries()
    shares = {count: stored.pairs[str(count)] for count in (1, 2)}
    each = {count: listed([percent(share) for share in right]) for count, right in shares.items()}
    pairs = list(zip(*shares.values(), strict=True))
    wins, losses = sum(many > single for single, many in pairs), sum(many < single for single, many in pairs)
    text = (
        f"One layer, 32 wide, learnt to say two letters at each of 6 positions, the one before and the one that "
        f"mirrors it. After {STEPS} steps one head tells {each[1]} of the pairs, try by try, 2 heads {each[2]}: "
        f"these are ahead {told_tries(wins, losses, len(pairs))}. Longer training and larger models were not "
        f"tried. {stored.sentence}"
    )
    mean = [sum(right) / len(right) for right in shares.values()]
    picture = bars({"pairs told right": mean}, [f"{count} heads" for count in shares], "share right")
    judgement = by_tries(wins, losses, len(pairs))
    return Finding(mean[-1] - mean[0], "share of pairs that two heads tell more", text, judgement, picture)
