"""Trials of what holds a deep stack together: residuals, norms, the mask, and what is not linear in a block."""

import math
from dataclasses import replace

from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments import (
    DEPTHS,
    SHAPE,
    Halved,
    collapse,
    gradients,
    halved,
    hidden_row,
    missed_by_random_sums,
    missed_by_sums,
    norms,
    padding,
    residuals,
    softmax_of,
)
from encoder.experiments.depth import VARIANTS
from encoder.model.attention import Attention
from encoder.support.formatting import brief, listed, percent
from encoder.teach.trials.experiment import experiment
from encoder.teach.trials.finding import Bars, Curves, Finding, array, by_layer, judge

APART = 0.01  # 1 - cosine below which tokens have nearly become one; two random ones are about 1 apart
ROUNDING = 1e-5
LOST = 0.01  # of a gradient that is left, below which it counts as lost
MANY = 1000  # times, from which only a power of ten is said
RANGE = (LOST, 100.0)  # factors by which a gradient may change on its way and can still be learned from
CLOSE = 0.01  # a factor this near to 1
TINY = 0.001  # a deviation beside which eps is not small
WHOLE = ((True, True),)  # a stack with residuals and norms
FLOOR = 1e-10  # 1 - cosine that float32 streams do not tell from 0
DRAWN = {"Xavier weights": None, "normal weights of deviation 0.02": 0.02}  # how the weights of random stacks are drawn


def residuals_keep(encoder: TextEncoder, depth: int = 6) -> Finding:
    """With residuals the tokens of a random stack stay apart, without them they become one."""
    result = residuals((depth,))
    ours, theirs = result.curve(True, True).apart, result.curve(False, True).apart
    value, lost = float(ours[depth]), float(theirs[depth])
    paths = missing_paths()
    text = (
        f"After {depth} random post-norm blocks 1 - cosine between two tokens is {apart(value)} with residuals and "
        f"{apart(lost)} without; it was {brief(float(ours[0]))} at the start. Below {APART:g} they count as one.{paths}"
    )
    curves = by_depth({"with residuals": ours, "without": theirs}, "1 - cosine between tokens")
    further = lost < APART and value > 10 * lost and not paths
    judgement = judge(
        value > APART > lost and not paths, "further apart than without, and still nearly one" if further else ""
    )
    return Finding(value, f"1 - cosine after {depth} blocks with residuals", text, judgement, curves)


def missing_paths(norm_first: bool = False) -> str:
    """A sentence where a block of this kind does not add what goes into a part to what it gives, for both parts."""
    missed = missed_by_random_sums(replace(SHAPE, norm_first=norm_first))
    if missed < ROUNDING:
        return ""
    return (
        f" But these blocks have no whole residual: a sum misses what went in plus what came out by {percent(missed)} "
        f"of its size."
    )


def residuals_add(encoder: TextEncoder, sentence: str) -> Finding:
    """What attention and feed-forward give is added to what went into them, in every layer.

    What went in is what the part before gave out.
    """
    missed = missed_by_sums(encoder.trace(sentence).__getitem__, encoder.config)
    each = [
        f"{name} in {int((column < ROUNDING).sum())} of {len(column)} layers, but for {brief(float(column.max()))} of "
        f"its size at most"
        for name, column in zip(("attention", "feed-forward"), missed.T, strict=True)
    ]
    text = f"What went in plus what came out is the sum that was recorded: for {listed(each)}."
    added = [bool((column < ROUNDING).all()) for column in missed.T]
    names = [name for name, whole in zip(("attention", "feed-forward"), added, strict=True) if whole]
    judgement = judge(all(added), f"for {names[0]} alone" if names else "")
    return Finding(float(missed.max()), "largest distance of a sum from what was added", text, judgement)


@experiment(seconds=0.5)
def residuals_deep(encoder: TextEncoder, norm: str = "post") -> Finding:
    """With residuals the tokens of a random stack stay apart however deep it is, without them they become one."""
    result, paths = residuals(DEPTHS, replace(SHAPE, norm_first=norm == "pre")), missing_paths(norm == "pre")
    ours, theirs = result.curve(True, True).apart, result.curve(False, True).apart
    kept = [depth for depth in DEPTHS if float(ours[depth]) > APART > float(theirs[depth])]
    values = [f"after {d} blocks {apart(float(ours[d]))} and {apart(float(theirs[d]))}" for d in DEPTHS]
    text = (
        f"1 - cosine between two tokens is about 1 at the start, and below {APART:g} they count as one. In a random "
        f"{norm}-norm stack (Xavier weights), with residuals and without, it is {'; '.join(values)}. So residuals keep "
        f"them apart {f'at depth {listed([str(d) for d in kept])}' if kept else 'at none of these depths'}.{paths}"
    )
    curves = by_depth({"with residuals": ours, "without": theirs}, "1 - cosine between tokens")
    at_some = f"at depth {listed([str(d) for d in kept])}" if kept and not paths else ""
    judgement = judge(len(kept) == len(DEPTHS) and not paths, at_some)
    return Finding(
        float(len(kept)), f"of {len(DEPTHS)} depths at which residuals keep tokens apart", text, judgement, curves
    )


def by_depth(measured: dict[str, Tensor], what: str) -> Curves:
    """Curves of what was measured before the first block and after each, on a scale of powers."""
    blocks = array(range(len(next(iter(measured.values())))))
    return Curves({name: array(values) for name, values in measured.items()}, blocks, ("blocks", what), (False, True))


def apart(value: float) -> str:
    """1 - cosine in words: what is only rounding says so."""
    return brief(value) if value > FLOOR else "0 up to rounding"


@experiment(seconds=0.5)
def norms_keep_length(encoder: TextEncoder, depth: int = 24) -> Finding:
    """With norms the length of a vector stays in its range through a random stack; without them it does not."""
    result = residuals((depth,))
    ours, theirs = result.curve(True, True).length, result.curve(True, False).length
    grown, kept = float(theirs[depth] / theirs[0]), float(ours[depth] / ours[0])
    text = (
        f"Through {depth} random blocks the length of a vector becomes {brief(kept)} times what it was with norms, and "
        f"{brief(grown)} times without."
    )
    curves = by_depth({"with norms": ours, "without": theirs}, "length of a vector")
    return Finding(
        grown, "growth of the length without norms", text, judge(0.1 < kept < 10 and not 0.1 < grown < 10), curves
    )


def gradient_left(depth: int, residual: bool, norm: bool) -> float:
    """The gradient before the first block of a stack over that after the last one."""
    slopes = gradients(depth, residual=residual, norm=norm)
    return float(slopes[0] / slopes[-1])


@experiment(seconds=0.4)
def norms_keep_gradients(encoder: TextEncoder, depth: int = 24) -> Finding:
    """With norms the gradient stays in its range on its way back through a random stack; without them it does not."""
    kept, lost = (gradient_left(depth, True, norm) for norm in (True, False))
    text = (
        f"Through {depth} random blocks (Xavier weights) with residuals and norms the gradient at the start is "
        f"{times(kept)} that at the end; with residuals alone it is {times(lost)} that."
    )
    holds = judge(RANGE[0] < kept < RANGE[1] and not RANGE[0] < lost < RANGE[1])
    return Finding(kept, "gradient that is left with norms", text, holds)


@experiment(seconds=0.7)
def gradients_vanish(encoder: TextEncoder, depth: int = 24) -> Finding:
    """Without residuals the gradient is lost on its way back."""
    both, alone, without, bare = (gradient_left(depth, *kind) for kind in VARIANTS)
    paths = missing_paths()
    text = (
        f"On its way back through {depth} random blocks (Xavier weights) with residuals and norms a gradient becomes "
        f"{times(both)} as long, with norms alone {times(without)}, with neither {times(bare)} and with residuals "
        f"alone {times(alone)}. It counts as lost below {LOST:g} times.{paths}"
    )
    without_norms = "where there are no norms either" if bare < LOST and not paths else ""
    judgement = judge(without < LOST and not paths, without_norms)
    return Finding(without, "gradient that is left without residuals", text, judgement)


def times(factor: float) -> str:
    """A growth in words: of a large one only the power of ten, as all else is chance."""
    if not math.isfinite(factor):
        return "more times than float32 can hold"
    return f"{brief(factor)} times" if factor < MANY else f"over {10 ** int(math.log10(factor)):,} times"


@experiment(seconds=1.4)
def pre_norm_deeper(encoder: TextEncoder, depth: int = 48) -> Finding:
    """In a deep random stack pre-norm keeps tokens apart where post-norm does not, however its weights are drawn."""
    ends, curves, kept = [], dict[str, Tensor](), []
    for drawn, deviation in DRAWN.items():
        post, pre = (
            residuals((depth,), replace(SHAPE, norm_first=first), deviation=deviation, kinds=WHOLE)
            .curve(*WHOLE[0])
            .apart
            for first in (False, True)
        )
        curves |= {f"pre-norm, {drawn}": pre, f"post-norm, {drawn}": post}
        ends.append((float(pre[depth]), float(post[depth])))
        kept.append(ends[-1][0] > 10 * ends[-1][1] and ends[-1][0] > APART)
    text = " ".join(
        f"With {drawn} 1 - cosine between two tokens is {apart(pre)} after {depth} pre-norm blocks and {apart(post)} "
        f"after as many post-norm blocks."
        for drawn, (pre, post) in zip(DRAWN, ends, strict=True)
    )
    paths = missing_paths() + missing_paths(norm_first=True)
    text += f" How well such stacks can be trained is not tried here.{paths}"
    kept_with = [drawn for drawn, apart_there in zip(DRAWN, kept, strict=True) if apart_there]
    picture = by_depth(curves, "1 - cosine between tokens")
    judgement = judge(all(kept) and not paths, f"with {listed(kept_with)}" if kept_with and not paths else "")
    return Finding(ends[0][0], f"1 - cosine after {depth} pre-norm blocks of Xavier weights", text, judgement, picture)


def std_norm_is(encoder: TextEncoder, width: int = 512) -> Finding:
    """The variant that divides by the unbiased standard deviation is LayerNorm.

    Tried on random vectors whose numbers have a deviation of 1, and on the same ones a thousandth as large.
    """
    (pair,), (tiny,) = norms((width,)), norms((width,), deviation=TINY)
    text = (
        f"LayerNorm divides by √(variance + eps). At d_model {width}, where numbers have a deviation of 1, the two "
        f"outputs differ by up to {brief(pair.largest)}: a factor of {pair.ratio:.6f}, where √(d / (d - 1)) is "
        f"{pair.predicted:.6f}, and gamma can learn that. Where the deviation is {TINY:g}, the place of eps counts: "
        f"the variant's output is {brief(1 / tiny.ratio)} times as long as LayerNorm's."
    )
    table = norms()
    widths = array(pair.d_model for pair in table)
    curves = Curves(
        {"largest difference": array([pair.largest for pair in table])}, widths, ("d_model", "difference"), (True, True)
    )
    close = f"within {percent(CLOSE)}, where numbers differ by much more than eps"
    same = max(pair.largest, tiny.largest) < ROUNDING
    judgement = judge(same, close if abs(pair.ratio - 1) < CLOSE else "")
    return Finding(pair.largest, "largest difference between the outputs", text, judgement, curves)


@experiment(runs=6, held=6)
def padding_ignored(encoder: TextEncoder, short: str, sentence: str, mask: str = "kept") -> Finding:
    """A short sentence in a batch has the vectors that it has alone."""
    result = padding(encoder, short, sentence)
    apart, leak = {"kept": (result.masked, result.masked_leak), "forgotten": (result.forgotten, result.forgotten_leak)}[
        mask
    ]
    value, size = float(apart.max()), float(encoder.trace(short)["output"].abs().max())
    pads = len(result.tokens) - result.n
    text = (
        f"With the mask {mask}, the vectors of “{short}” beside {pads} [PAD] differ from those alone by up to "
        f"{brief(value)}; [PAD] takes {percent(float(leak.mean()))} of all weight."
    )
    series = {"masked": array(result.masked), "mask forgotten": array(result.forgotten)}
    bars = Bars(series, list(result.tokens[: result.n]), "largest difference")
    return Finding(value, "largest difference from the run alone", text, judge(value < 10 * ROUNDING * size), bars)


def masks_alike(encoder: TextEncoder, low: float = -1e9) -> Finding:
    """A large negative number masks as well as minus infinity."""
    finite, endless = (float(softmax_of([2.0, 1.0, mask])[2]) for mask in (low, -math.inf))
    lost, even = hidden_row(-math.inf), hidden_row(low)
    text = (
        f"Beside keys that may be seen, a key at {low:g} gets weight {brief(finite)}, one at minus infinity "
        f"{brief(endless)}. Where all keys of a row are hidden they differ: minus infinity gives no number, and "
        f"{lost.lost[-1]} of {len(lost.weights)} tokens are lost after {len(lost.lost) - 1} layers; {low:g} gives "
        f"every hidden key {brief(float(even.weights[-1, 0]))}."
    )
    same = finite == endless
    everywhere = lost.lost[-1] == even.lost[-1]
    judgement = judge(same and everywhere, "every row has a key that may be seen" if same else "")
    return Finding(finite, f"weight of a key masked with {low:g}", text, judgement)


def layers_collapse(encoder: TextEncoder, between: str = "nothing") -> Finding:
    """Two linear layers, with what stands between them here, are one linear layer."""
    result = collapse(activation="relu" if between == "nothing" else between)
    apart = result.linear if between == "nothing" else result.bent
    left = result.linear_remainder if between == "nothing" else result.remainder
    text = (
        f"With {between} between them two random layers and the merged one, W' = W₁W₂, differ by up to {brief(apart)}; "
        f"the numbers reach {brief(result.largest)}. The best of all linear layers misses {percent(left)} of them."
    )
    return Finding(left, "share that no single linear layer gives", text, judge(left < ROUNDING))


def activation_needed(encoder: TextEncoder, sentence: str) -> Finding:
    """The activation of the feed-forward network, and it alone, keeps layers from collapsing into one."""
    result, bent = collapse(), [half.bent for half in halves(encoder, sentence)]
    removes = result.remainder > 0.01 > result.linear_remainder
    text = (
        f"Two random linear layers are one up to {brief(result.linear_remainder)}; with ReLU between the best linear "
        f"layer misses {percent(result.remainder)}. But attention is not linear either: between its outputs for "
        f"nothing and for its input, its output for half the input lies off the middle by {percent(min(bent))} to "
        f"{percent(max(bent))} of the way, layer by layer."
    )
    judgement = judge(
        removes and max(bent) < ROUNDING, "it keeps them from collapsing, and attention does so too" if removes else ""
    )
    return Finding(result.remainder, "share that no single linear layer gives", text, judgement)


def attention_linear(encoder: TextEncoder, sentence: str) -> Finding:
    """All operations in multi-head attention are linear."""
    result = halves(encoder, sentence)
    bent, held, unsoftened = ([getattr(layer, kind) for layer in result] for kind in ("bent", "held", "unsoftened"))
    text = (
        f"A linear map of half the input lies in the middle between its outputs for nothing and for all of it. "
        f"Attention lies off the middle by {percent(min(bent))} to {percent(max(bent))} of the way, layer by layer. "
        f"With its weights held it is off by {brief(max(held))}: handing over values is linear. But the weights are "
        f"made of QKᵀ, a product of two maps of the input, and then a softmax; even without the softmax it is off by "
        f"{percent(min(unsoftened))} to {percent(max(unsoftened))}."
    )
    bars = by_layer({"as it is": bent, "without softmax": unsoftened}, "off the middle")
    return Finding(max(bent), "how far off the middle attention is", text, judge(max(bent) < ROUNDING), bars)


def halves(encoder: TextEncoder, sentence: str) -> list[Halved]:
    """`experiments.halved` for every layer, on what came in there."""
    trace = encoder.trace(sentence)
    result = []
    for i, layer in enumerate(encoder.model.layers):
        attention = layer.get_submodule("attention")
        assert isinstance(attention, Attention)
        result.append(halved(attention, trace[f"layers.{i}.attention.input"]))
    return result
