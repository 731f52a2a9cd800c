"""Pictures of Feed-forward: the units of a token on the activation's curve, and units that stay silent."""

from encoder.metrics import (
    BUNDLED,
    activation_curve,
    never_positive,
    unit_sides,
)
from encoder.pictures.export.caption import UNCHANGED, About
from encoder.pictures.expression import ENC, Call, Every, T, call
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Scene, token_of
from encoder.support.formatting import brief, percent

TOKEN = token_of("curve_token", lambda scene: min(1, len(scene.t.tokens) - 1))
ACTIVATION = "feed_forward.activation"


def say_units(answer: Answer) -> str:
    """How many units get a number above zero, and which is the most active one."""
    scene, (after, before) = answer.scene, (answer.numbers.array[:, column] for column in (1, 0))
    unit, token = int(after.argmax()), scene[TOKEN]
    return (
        f"At {scene.token(token)} {int((before > 0).sum()):,} of {len(before):,} units get a "
        f"number above zero. The most active one is unit {unit}: {brief(before[unit])} becomes "
        f"{brief(after[unit])}."
    )


UNITS = Picture(
    key="units_on_curve",
    page="feed_forward",
    question="What does the activation make of the units of a token?",
    measure=lambda scene: Every(lambda layer: call(unit_sides, T, layer, scene[TOKEN]), scene.n_layers),
    dims=("layer", "series", "unit"),
    chosen={"layer": lambda scene: scene.layer},
    names=lambda answer: {"series": ["before", "after"]},
    rows="unit",
    kind="units",
    title=lambda scene: f"The units of {scene.token(scene[TOKEN])} before and after the activation",
    say=say_units,
    about=lambda scene: About(scene.t, layer=scene.layer, reads=("feed_forward.hidden", ACTIVATION)),
    options=(TOKEN,),
    look=lambda answer: {"curve": answer.value(call(activation_curve, T, answer.scene.layer, answer.scene[TOKEN]))},
)


def dead(scene: Scene) -> Call:
    """Which units get nothing above zero over the bundled sentences."""
    return call(never_positive, ENC)


def say_dead(answer: Answer) -> str:
    """How many units no sentence wakes, and in which layer most of them are."""
    units = answer.value(dead(answer.scene))
    counts = units.sum(-1)
    most = int(counts.argmax())
    return (
        f"{percent(units.float().mean())} of all units get nothing above zero at any token of {BUNDLED}; most "
        f"of them are in layer {most}, with {int(counts[most]):,} of {units.shape[1]:,}."
    )


DEAD = Picture(
    key="dead_by_layer",
    page="feed_forward",
    question="Which share of the units does no sentence wake?",
    measure=lambda scene: dead(scene).float().mean(-1),
    dims=("layer",),
    kind="curve",
    unit="share of units never above zero",
    values="share",
    title="Share of units that get nothing above zero, layer by layer",
    say=say_dead,
    about=lambda scene: About(source=scene.source, scope=f"{BUNDLED}, {UNCHANGED}"),
    needs="model",
    heavy=True,
)
