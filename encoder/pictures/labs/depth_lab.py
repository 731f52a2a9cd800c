"""The labs on what holds a stack together: residuals, two norms in two places, and what bends between layers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments import (
    D_MODELS,
    DEPTHS,
    SHAPE,
    Halved,
    boundary,
    collapse,
    gradients,
    halved,
    missed_by_random_sums,
    missed_by_sums,
    norm_order,
    norms,
    residuals,
)
from encoder.experiments.depth import VARIANTS
from encoder.experiments.linearity import RADIUS, SIDE
from encoder.metrics import shares_in_bins
from encoder.model.attention import Attention
from encoder.pictures.export.caption import UNCHANGED, About, quoted
from encoder.pictures.expression import ENC, Attribute, Call, Each, Every, Item, Several, call
from encoder.pictures.lab import Ask, Beside, Note, Show, Table, in_lab, lab
from encoder.pictures.labs.trial import Finding, as_judged, by_layer, claim, curves, judge, trial
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Scene, one_of
from encoder.pictures.view import EXAMPLE as WIDE
from encoder.support.formatting import brief, listed, percent

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
PARTS = ("attention", "feed-forward")

STACKS = {"both": (True, True), "no norm": (True, False), "no residual": (False, True), "neither": (False, False)}


DEPTH_APART = in_lab("Residuals and depth")(
    key="depth_apart",
    question="Do tokens stay apart in a deep stack?",
    measure=lambda scene: Several(*(call(residuals).curve(*kind).apart for kind in STACKS.values())),
    dims=("series", "blocks"),
    names=lambda answer: {"series": list(STACKS)},
    kind="curve",
    unit="1 - cosine between tokens",
    title="How far tokens stay apart with depth",
    say=as_judged("residuals_keep", depth=DEPTHS[0]),
    about=lambda scene: About(scope="random blocks and random vectors, seed 0"),
    needs="model",
    look=lambda answer: {"logarithmic": (False, True)},
)


DEPTH_LENGTH = replace(
    DEPTH_APART,
    key="depth_length",
    question="How long do vectors grow in a deep stack?",
    measure=lambda scene: Several(*(call(residuals).curve(*kind).length for kind in STACKS.values())),
    unit="length of a vector",
    title="Length of the vectors with depth",
    say=as_judged("norms_keep_length", depth=DEPTHS[-1]),
)


FORMULAS = in_lab("Two LayerNorms")(
    key="formulas",
    question="Is a norm by the unbiased standard deviation LayerNorm?",
    measure=lambda scene: Several(Each(call(norms), "largest"), Each(call(norms), "mean")),
    dims=("series", "d_model"),
    names=lambda answer: {"series": ("largest", "mean"), "d_model": D_MODELS},
    kind="curve",
    unit="difference",
    title="Difference between both formulas by width",
    say=as_judged("std_norm_is"),
    about=lambda scene: About(scope="random vectors, seed 0"),
    needs="model",
    look=lambda answer: {"logarithmic": (True, True)},
)


def both_formulas(answer: Answer) -> Mapping[Any, Sequence[float]]:
    """Return how far the two norms are apart, width by width."""
    pairs = answer.value(call(norms))
    return {name: [getattr(pair, name) for pair in pairs] for name in pairs[0]._fields}


ORDERS = {"post-norm": "post", "pre-norm": "pre"}
NORMS = {"after attention": "add_norm_1", "after feed-forward": "add_norm_2"}
NORM = one_of("which_norm", NORMS)


def in_both_orders(scene: Scene) -> Call:
    """The sentence through the same weights in both orders."""
    return call(norm_order, ENC, scene.t.inputs)


def about_orders(scene: Scene) -> About:
    """The sentence in both orders."""
    scope = f"{quoted(scene.t.inputs)} in both orders of the norms, {UNCHANGED}"
    return About(source=scene.source, scope=scope)


of_orders = in_lab("Post-norm and pre-norm", about=about_orders)


def say_order_length(answer: Answer) -> str:
    """How long vectors are in the end."""
    post, pre = answer.numbers.array
    return (
        f"After all {len(post) - 1} layers a token's vector is {brief(post[-1])} long on average with post-norm "
        f"and {brief(pre[-1])} with pre-norm."
    )


ORDER_LENGTH = of_orders(
    key="order_length",
    question="How long do vectors grow with post-norm and with pre-norm?",
    measure=lambda scene: Several(
        in_both_orders(scene).post_length.mean(-1), in_both_orders(scene).pre_length.mean(-1)
    ),
    dims=("series", "after"),
    names=lambda answer: {"series": list(ORDERS)},
    kind="curve",
    unit="mean length",
    title="Mean length of the vectors after each layer, in both orders",
    say=say_order_length,
    look=lambda answer: {"titles": ("layers", "mean length")},
)


def say_order_alike(answer: Answer) -> str:
    """How alike the vectors of both orders are at first and in the end."""
    alike = answer.numbers.array
    return (
        f"The same token in both orders: a mean cosine of {brief(alike[1])} after layer 0, "
        f"{brief(alike[-1])} after the last."
    )


ORDER_ALIKE = of_orders(
    key="order_alike",
    question="How alike are the vectors with post-norm and with pre-norm?",
    measure=lambda scene: in_both_orders(scene).alike.mean(-1),
    dims=("after",),
    kind="curve",
    unit="cosine",
    title="Mean cosine between the vectors of both orders after each layer",
    say=say_order_alike,
    look=lambda answer: {"titles": ("layers", "mean cosine")},
)


def sides(order: str, scene: Scene, layer: int) -> Item:
    """What goes into a norm of one of the two runs, and what comes out."""
    of: Attribute = getattr(in_both_orders(scene), f"{ORDERS[order]}_sides")
    return of[NORMS[scene[NORM]]][layer]


def names_of_sides(order: str, answer: Answer) -> Mapping[str, Names]:
    """Before and after the norm, and the middle of each bin."""
    middle, shares = answer.value(call(shares_in_bins, sides(order, answer.scene, answer.scene.layer)))
    return {"series": list(shares), "middle of the bin": middle.tolist()}


def say_sides(order: str, answer: Answer) -> str:
    """How far numbers spread before and after."""
    values = answer.value(sides(order, answer.scene, answer.scene.layer))
    before, after = (brief(side.std()) for side in values.values())
    return f"{order.capitalize()}: the standard deviation goes from {before} to {after}."


def sides_of(order: str) -> Picture:
    """What goes into a norm and what comes out, in one of the two orders."""
    return of_orders(
        key=f"sides_{ORDERS[order]}",
        question=f"What does a norm do to the spread of the numbers with {order}?",
        measure=lambda scene: Every(lambda layer: call(shares_in_bins, sides(order, scene, layer))[1], scene.n_layers),
        dims=("layer", "series", "middle of the bin"),
        chosen={"layer": lambda scene: scene.layer},
        names=lambda answer: names_of_sides(order, answer),
        kind="outlines",
        unit="number",
        title=f"{order.capitalize()}: the numbers before and after the norm",
        say=lambda answer: say_sides(order, answer),
        options=(NORM,),
    )


SIDES_POST, SIDES_PRE = sides_of("post-norm"), sides_of("pre-norm")


def made_as(answer: Answer) -> str:
    """Return in which order the model has its norms."""
    own = answer.value(in_both_orders(answer.scene)).own
    return f"This model was made as {own}; in the other order its weights do what nobody trained them for."


def say_boundary(bent: bool, answer: Answer) -> str:
    """How many points are told right."""
    trained = answer.value(call(boundary, bent))
    between = "ReLU" if bent else "nothing"
    return (
        f"Two layers with {between} between them tell {percent(trained.right)} of the points right; always to say the "
        f"same would tell {percent(trained.commonest)}."
    )


def boundary_of(bent: bool) -> Picture:
    """Where two layers say inside, with something between them or nothing."""
    axis = [f"{2 * i / (SIDE - 1) - 1:.1f}" for i in range(SIDE)]
    every_other = [name if i % 2 == 0 else "" for i, name in enumerate(axis)]
    return in_lab("Layer collapse", needs="model")(
        key="boundary_bent" if bent else "boundary_straight",
        question=f"Can two layers with {'ReLU' if bent else 'nothing'} between them tell a circle from what is around?",
        measure=lambda scene: call(boundary, bent).logits.sigmoid(),
        dims=("y", "x"),
        names=lambda answer: {"y": axis, "x": every_other},
        values="share",
        title=f"Where two layers with {'ReLU' if bent else 'nothing'} between them say inside",
        say=lambda answer: say_boundary(bent, answer),
        about=lambda scene: About(scope=f"two layers, 2 → 16 → 1, trained now on a circle of radius {RADIUS}, seed 0"),
    )


BOUNDARY_STRAIGHT, BOUNDARY_BENT = boundary_of(False), boundary_of(True)


def missing_paths(norm_first: bool = False, answer: Answer | None = None) -> str:
    """A sentence where a block of this kind does not add what goes into a part to what it gives, for both parts.

    An `answer` keeps what was measured for when it is asked again.
    """
    config = replace(SHAPE, norm_first=norm_first)
    missed = answer.value(call(missed_by_random_sums, config)) if answer else missed_by_random_sums(config)
    if missed < ROUNDING:
        return ""
    return (
        f" But these blocks have no whole residual: a sum misses what went in plus what came out by {percent(missed)} "
        f"of its size."
    )


def apart(value: float) -> str:
    """1 - cosine in words: what is only rounding says so."""
    return brief(value) if value > FLOOR else "0 up to rounding"


@trial(DEPTH_APART, seconds=0.5)
def residuals_keep(answer: Answer, depth: int = 6) -> Finding:
    """With residuals the tokens of a random stack stay apart, without them they become one."""
    value, _, lost, _ = map(float, answer.numbers.array[:, depth])
    paths = missing_paths(answer=answer)
    text = (
        f"After {depth} random post-norm blocks 1 - cosine between two tokens is {apart(value)} with residuals and "
        f"{apart(lost)} without. Below {APART:g} they count as one.{paths}"
    )
    further = lost < APART and value > 10 * lost and not paths
    kept = value > APART > lost and not paths
    judgement = judge(kept, "further apart than without, and still nearly one" if further else "")
    return Finding(value, f"1 - cosine after {depth} blocks with residuals", text, judgement)


@claim("residuals", "tutorial guide", lesson="why-residuals")
@trial(DEPTH_APART, seconds=0.5)
def residuals_deep(answer: Answer) -> Finding:
    """Residuals keep tokens apart through a deep stack of random weights."""
    far, paths = answer.numbers.array, missing_paths(answer=answer)
    kept = [str(depth) for depth in DEPTHS if far[0, depth] > APART > far[2, depth]]
    values = [f"after {d} blocks {apart(float(far[0, d]))} and {apart(float(far[2, d]))}" for d in DEPTHS]
    where = f"at depth {listed(kept)}" if kept else ""
    text = (
        f"1 - cosine between two tokens is about 1 at the start, and below {APART:g} they count as one. In a random "
        f"post-norm stack (Xavier weights), with residuals and without, it is {'; '.join(values)}. So residuals keep "
        f"them apart {where or 'at none of these depths'}.{paths}"
    )
    judgement = judge(len(kept) == len(DEPTHS) and not paths, "" if paths else where)
    what = f"of {len(DEPTHS)} depths at which residuals keep tokens apart"
    return Finding(float(len(kept)), what, text, judgement)


@trial(DEPTH_LENGTH, seconds=0.5)
def norms_keep_length(answer: Answer, depth: int = 24) -> Finding:
    """With norms the length of a vector stays in its range through a random stack; without them it does not."""
    kept, grown, *_ = (float(far[depth] / far[0]) for far in answer.numbers.array)
    text = (
        f"Through {depth} random blocks the length of a vector becomes {brief(kept)} times what it was with norms, and "
        f"{brief(grown)} times without."
    )
    judgement = judge(0.1 < kept < 10 and not 0.1 < grown < 10)
    return Finding(grown, "growth of the length without norms", text, judgement)


@claim("added", "guide block stack paper", lesson="why-residuals", sentence=WIDE)
@trial()
def residuals_add(encoder: TextEncoder, sentence: str) -> Finding:
    """What attention and feed-forward give is added to what went into them.

    In every layer; what went in is what the part before gave out.
    """
    missed = dict(zip(PARTS, missed_by_sums(encoder.trace(sentence).__getitem__, encoder.config).T, strict=True))
    each = [
        f"{name} in {int((column < ROUNDING).sum())} of {len(column)} layers, but for {brief(float(column.max()))} of "
        f"its size at most"
        for name, column in missed.items()
    ]
    text = f"What went in plus what came out is the sum that was recorded: for {listed(each)}."
    names = [name for name, column in missed.items() if bool((column < ROUNDING).all())]
    judgement = judge(len(names) == len(PARTS), f"for {names[0]} alone" if names else "")
    largest = max(float(column.max()) for column in missed.values())
    return Finding(largest, "largest distance of a sum from what was added", text, judgement)


def gradient_left(depth: int, residual: bool, norm: bool) -> float:
    """The gradient before the first block of a stack over that after the last one."""
    slopes = gradients(depth, residual=residual, norm=norm)
    return float(slopes[0] / slopes[-1])


def times(factor: float) -> str:
    """A growth in words: of a large one only the power of ten, as all else is chance."""
    if not math.isfinite(factor):
        return "more times than float32 can hold"
    return f"{brief(factor)} times" if factor < MANY else f"over {10 ** int(math.log10(factor)):,} times"


@claim("norms-gradients", "tutorial", lab="Residuals and depth", depth=24)
@trial(seconds=0.4)
def norms_keep_gradients(encoder: TextEncoder, depth: int = 24) -> Finding:
    """Norms keep gradients from vanishing and from exploding."""
    kept, lost = (gradient_left(depth, True, norm) for norm in (True, False))
    text = (
        f"Through {depth} random blocks (Xavier weights) with residuals and norms the gradient at the start is "
        f"{times(kept)} that at the end; with residuals alone it is {times(lost)} that."
    )
    holds = judge(RANGE[0] < kept < RANGE[1] and not RANGE[0] < lost < RANGE[1])
    return Finding(kept, "gradient that is left with norms", text, holds)


@claim("gradients", "workflow guide block stack tutorial", lesson="why-residuals", depth=24)
@trial(seconds=0.7)
def gradients_vanish(encoder: TextEncoder, depth: int = 24) -> Finding:
    """Without residuals the gradients of deep stacks vanish."""
    both, alone, without, bare = (gradient_left(depth, *kind) for kind in VARIANTS)
    paths = missing_paths()
    text = (
        f"On its way back through {depth} random blocks (Xavier weights) with residuals and norms a gradient becomes "
        f"{times(both)} as long, with norms alone {times(without)}, with neither {times(bare)} and with residuals "
        f"alone {times(alone)}. It counts as lost below {LOST:g} times.{paths}"
    )
    without_norms = "where there are no norms either" if bare < LOST and not paths else ""
    return Finding(
        without, "gradient that is left without residuals", text, judge(without < LOST and not paths, without_norms)
    )


@claim("pre-norm", "block", lesson="why-residuals", depth=48)
@trial(seconds=1.4)
def pre_norm_deeper(encoder: TextEncoder, depth: int = 48) -> Finding:
    """Pre-norm keeps tokens apart in deeper random stacks than the paper's post-norm."""
    ends, far, kept = [], dict[str, Tensor](), []
    for drawn, deviation in DRAWN.items():
        post, pre = (
            residuals((depth,), replace(SHAPE, norm_first=first), deviation=deviation, kinds=WHOLE)
            .curve(*WHOLE[0])
            .apart
            for first in (False, True)
        )
        far |= {f"pre-norm, {drawn}": pre, f"post-norm, {drawn}": post}
        ends.append((float(pre[depth]), float(post[depth])))
        if ends[-1][0] > 10 * ends[-1][1] and ends[-1][0] > APART:
            kept.append(drawn)
    text = " ".join(
        f"With {drawn} 1 - cosine between two tokens is {apart(pre)} after {depth} pre-norm blocks and {apart(post)} "
        f"after as many post-norm blocks."
        for drawn, (pre, post) in zip(DRAWN, ends, strict=True)
    )
    paths = missing_paths() + missing_paths(norm_first=True)
    text += f" How well such stacks can be trained is not tried here.{paths}"
    picture = curves(far, range(depth + 1), ("blocks", "1 - cosine between tokens"), False, True)
    judgement = judge(len(kept) == len(DRAWN) and not paths, f"with {listed(kept)}" if kept and not paths else "")
    return Finding(ends[0][0], f"1 - cosine after {depth} pre-norm blocks of Xavier weights", text, judgement, picture)


@claim(
    "std-norm", "guide", "(x - mean) / (std + eps), as torch computes std, is LayerNorm.", lesson="two-norms", width=512
)
@trial(FORMULAS)
def std_norm_is(answer: Answer, width: int = 512) -> Finding:
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
    close = f"within {percent(CLOSE)}, where numbers differ by much more than eps"
    same = max(pair.largest, tiny.largest) < ROUNDING
    judgement = judge(same, close if abs(pair.ratio - 1) < CLOSE else "")
    return Finding(pair.largest, "largest difference between the outputs", text, judgement)


@claim("collapse", "tutorial", "Two linear layers without an activation are one.", lesson="why-relu", between="nothing")
@trial()
def layers_collapse(encoder: TextEncoder, between: str = "nothing") -> Finding:
    """Two linear layers, with what stands between them here, are one linear layer."""
    result = collapse(activation="relu" if between == "nothing" else between)
    off, left = (result.linear, result.linear_remainder) if between == "nothing" else (result.bent, result.remainder)
    text = (
        f"With {between} between them two random layers and the merged one, W' = W₁W₂, differ by up to {brief(off)}; "
        f"the numbers reach {brief(result.largest)}. The best of all linear layers misses {percent(left)} of them."
    )
    return Finding(left, "share that no single linear layer gives", text, judge(left < ROUNDING))


@claim("activation", "tutorial", lesson="why-relu", sentence=WIDE)
@trial()
def activation_needed(encoder: TextEncoder, sentence: str) -> Finding:
    """The activation of the feed-forward network is what keeps layers from collapsing into one."""
    result, bent = collapse(), [half.bent for half in halves(encoder, sentence)]
    text = (
        f"Two random linear layers are one up to {brief(result.linear_remainder)}; with ReLU between the best linear "
        f"layer misses {percent(result.remainder)}. But attention is not linear either: between its outputs for "
        f"nothing and for its input, its output for half the input lies off the middle by {percent(min(bent))} to "
        f"{percent(max(bent))} of the way, layer by layer."
    )
    removes = result.remainder > 0.01 > result.linear_remainder
    too = "it keeps them from collapsing, and attention does so too" if removes else ""
    judgement = judge(removes and max(bent) < ROUNDING, too)
    return Finding(result.remainder, "share that no single linear layer gives", text, judgement)


@claim("linear-attention", "tutorial", lesson="why-relu", sentence=WIDE)
@trial()
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
    picture = by_layer({"as it is": bent, "without softmax": unsoftened}, "off the middle")
    return Finding(max(bent), "how far off the middle attention is", text, judge(max(bent) < ROUNDING), picture)


def halves(encoder: TextEncoder, sentence: str) -> list[Halved]:
    """`experiments.halved` for every layer, on what came in there."""
    trace, result = encoder.trace(sentence), []
    for i, layer in enumerate(encoder.model.layers):
        attention = layer.get_submodule("attention")
        assert isinstance(attention, Attention)
        result.append(halved(attention, trace[f"layers.{i}.attention.input"]))
    return result


LABS = {
    "Residuals and depth": lab(
        "What keeps 48 blocks from going flat?",
        "Random blocks, stacked up to 48 deep, with and without the residual path and the norm.",
        DEPTH_APART,
        DEPTH_LENGTH,
    ),
    "Two LayerNorms": lab(
        "Is the norm of many tutorials LayerNorm?",
        "Many tutorials divide by the unbiased standard deviation plus eps. LayerNorm does not.",
        Show(FORMULAS, table=False),
        Table("formulas_table", both_formulas),
    ),
    "Post-norm and pre-norm": lab(
        "Norm after the sum, or before?",
        "Post-norm, as in the paper, norms every sum. Pre-norm norms what goes into a sublayer and leaves the sum "
        "as it is. Here both run with the same weights: what differs is the order alone.",
        Show(ORDER_LENGTH, made_as),
        ORDER_ALIKE,
        Note("heading", lambda answer: f"What goes into a norm of layer {answer.scene.layer}, and what comes out"),
        Ask("Norm", NORM, "pills"),
        Beside((SIDES_POST, SIDES_PRE)),
        place=True,
    ),
    "Layer collapse": lab(
        "Are two linear layers just one?",
        "Two random layers without an activation between them, and with one.",
        Note(
            "finding",
            lambda answer: " ".join(layers_collapse.measure(None, between).measured for between in ("nothing", "relu")),
        ),
        Note("heading", "A straight boundary, and a bent one"),
        "Two layers are trained to tell the points inside a circle from those around it. A cell is a point; what "
        "the network says of it is above 0.5 where it says inside.",
        Beside((BOUNDARY_STRAIGHT, BOUNDARY_BENT)),
    ),
}
