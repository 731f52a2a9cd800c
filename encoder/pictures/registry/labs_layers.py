"""Pictures of the labs on what a block is made of: residuals, norms and gates."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from encoder.experiments import D_MODELS, DEPTHS, REGIMES, gate_signs, norm_order, norms, residuals
from encoder.metrics import norm_sides, shares_in_bins
from encoder.pictures.export.caption import UNCHANGED, About, quoted
from encoder.pictures.expression import ENC, Call, Each, Every, Several, T, call
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.registry.labs import in_lab
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


of_page = partial(Picture, page="lessons")
DEPTH_APART = of_page(
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
    unfolds=in_lab("Residuals and depth"),
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


FORMULAS = of_page(
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
    unfolds=in_lab("Two LayerNorms"),
    look=lambda answer: {"logarithmic": (True, True)},
)

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


def say_order_length(answer: Answer) -> str:
    """How long vectors are in the end."""
    post, pre = answer.numbers.array
    return (
        f"After all {len(post) - 1} layers a token's vector is {brief(post[-1])} long on average with post-norm "
        f"and {brief(pre[-1])} with pre-norm."
    )


ORDER_LENGTH = of_page(
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
    about=about_orders,
    unfolds=in_lab("Post-norm and pre-norm"),
    look=lambda answer: {"titles": ("layers", "mean length")},
)


def say_order_alike(answer: Answer) -> str:
    """How alike the vectors of both orders are at first and in the end."""
    alike = answer.numbers.array
    return (
        f"The same token in both orders: a mean cosine of {brief(alike[1])} after layer 0, "
        f"{brief(alike[-1])} after the last."
    )


ORDER_ALIKE = of_page(
    key="order_alike",
    question="How alike are the vectors with post-norm and with pre-norm?",
    measure=lambda scene: in_both_orders(scene).alike.mean(-1),
    dims=("after",),
    kind="curve",
    unit="cosine",
    title="Mean cosine between the vectors of both orders after each layer",
    say=say_order_alike,
    about=about_orders,
    unfolds=in_lab("Post-norm and pre-norm"),
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
    return of_page(
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
        about=about_orders,
        options=(NORM,),
        unfolds=in_lab("Post-norm and pre-norm"),
    )


SIDES_POST, SIDES_PRE = sides_of("post-norm"), sides_of("pre-norm")

UNITS = 48  # that are drawn


def about_gates(scene: Scene) -> About:
    """The gated units of the chosen layer."""
    return About(scene.t, layer=scene.layer, reads=(f"layers.{scene.layer}.feed_forward.gated",))


def say_gate_signs(answer: Answer) -> str:
    """In which regime most is written."""
    written = answer.numbers.array[1]
    top = int(written.argmax())
    return f"Layer {answer.scene.layer}: {percent(written[top])} of what is written is written with {REGIMES[top]}."


GATE_SIGNS = of_page(
    key="gate_signs",
    question="Which signs do the two halves of a unit with a gate have?",
    measure=lambda scene: Every(
        lambda layer: Several(call(gate_signs, T, layer).shares, call(gate_signs, T, layer).written), scene.n_layers
    ),
    dims=("layer", "series", "regime"),
    chosen={"layer": lambda scene: scene.layer},
    names=lambda answer: {"series": ("how often", "of what is written"), "regime": REGIMES},
    kind="bars",
    unit="share",
    title="How often the halves of the units have which signs",
    say=say_gate_signs,
    about=about_gates,
    unfolds=in_lab("Gate signs"),
)


def say_gate_units(answer: Answer) -> str:
    """How many units are in more than one regime."""
    units = answer.value(call(gate_signs, T, answer.scene.layer)).units
    several = int(((units > 0).sum(-1) > 1).sum())
    return f"{several:,} of {len(units):,} units are in more than one regime over this sentence."


GATE_UNITS = of_page(
    key="gate_units",
    question="Is each unit with a gate always in one regime?",
    measure=lambda scene: Every(lambda layer: call(gate_signs, T, layer).unit_shares[:UNITS].T, scene.n_layers),
    dims=("layer", "regime", "unit"),
    chosen={"layer": lambda scene: scene.layer},
    names=lambda answer: {"regime": REGIMES},
    values="share",
    title="The share of the tokens for which each unit is in each regime",
    say=say_gate_units,
    about=about_gates,
    unfolds=in_lab("Gate signs"),
    look=lambda answer: {"column_title": "unit"},
)
