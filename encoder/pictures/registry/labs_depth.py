"""The labs on what holds a stack together: residuals, two norms in two places, and what bends between layers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from encoder.experiments import D_MODELS, DEPTHS, boundary, collapse, norm_order, norms, residuals
from encoder.experiments.linearity import RADIUS, SIDE
from encoder.metrics import norm_sides, shares_in_bins
from encoder.pictures.export.caption import UNCHANGED, About, quoted
from encoder.pictures.expression import ENC, Call, Each, Every, Several, call
from encoder.pictures.lab import Ask, Beside, Note, Show, Table, in_lab, lab
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Scene, one_of
from encoder.support.formatting import brief, percent

STACKS = {"both": (True, True), "no norm": (True, False), "no residual": (False, True), "neither": (False, False)}


def say_apart(answer: Answer) -> str:
    """How far tokens are apart after the shallowest stack."""
    far = dict(zip(STACKS, answer.numbers.array[:, DEPTHS[0]], strict=True))
    return (
        f"After {DEPTHS[0]} blocks 1 - cosine between two tokens is {far['both']:.2g} with residuals and "
        f"{far['no residual']:.2g} without."
    )


DEPTH_APART = in_lab("Residuals and depth")(
    key="depth_apart",
    question="Do tokens stay apart in a deep stack?",
    measure=lambda scene: Several(*(call(residuals).curve(*kind).apart for kind in STACKS.values())),
    dims=("series", "blocks"),
    names=lambda answer: {"series": list(STACKS)},
    kind="curve",
    unit="1 - cosine between tokens",
    title="How far tokens stay apart with depth",
    say=say_apart,
    about=lambda scene: About(scope="random blocks and random vectors, seed 0"),
    needs="model",
    look=lambda answer: {"logarithmic": (False, True)},
)


def say_length(answer: Answer) -> str:
    """How long a vector is after the deepest stack."""
    long = dict(zip(STACKS, answer.numbers.array[:, -1].tolist(), strict=True))
    return (
        f"After {DEPTHS[-1]} blocks a vector is {brief(long['no norm'])} long without norms, {brief(long['both'])} "
        "with."
    )


DEPTH_LENGTH = replace(
    DEPTH_APART,
    key="depth_length",
    question="How long do vectors grow in a deep stack?",
    measure=lambda scene: Several(*(call(residuals).curve(*kind).length for kind in STACKS.values())),
    unit="length of a vector",
    title="Length of the vectors with depth",
    say=say_length,
)


def say_formulas(answer: Answer) -> str:
    """By what factor the outputs differ at the width of the paper."""
    ratio = next(pair.ratio for pair in answer.value(call(norms)) if pair.d_model == 512)
    return f"Not the same, but close: at d_model 512 the outputs differ by a factor of {ratio:.6f}."


FORMULAS = in_lab("Two LayerNorms")(
    key="formulas",
    question="Is a norm by the unbiased standard deviation LayerNorm?",
    measure=lambda scene: Several(Each(call(norms), "largest"), Each(call(norms), "mean")),
    dims=("series", "d_model"),
    names=lambda answer: {"series": ("largest", "mean"), "d_model": D_MODELS},
    kind="curve",
    unit="difference",
    title="Difference between both formulas by width",
    say=say_formulas,
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


def sides(order: str, scene: Scene, layer: int) -> Call:
    """What goes into a norm of one of the two runs, and what comes out."""
    return call(norm_sides, getattr(in_both_orders(scene), ORDERS[order]), layer, NORMS[scene[NORM]])


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


def merged_layers(answer: Answer) -> str:
    """Return how far two random layers are from the one that they merge into."""
    result = collapse()
    return (
        f"Merged into W' = W₁W₂ and b' = b₁W₂ + b₂ they differ by {result.linear:.1e}. With ReLU between the merged "
        f"layer is {brief(result.bent)} away, and the best linear layer misses {percent(result.remainder)} of it."
    )


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
        Note("finding", merged_layers),
        Note("heading", "A straight boundary, and a bent one"),
        "Two layers are trained to tell the points inside a circle from those around it. A cell is a point; what "
        "the network says of it is above 0.5 where it says inside.",
        Beside((BOUNDARY_STRAIGHT, BOUNDARY_BENT)),
    ),
}
