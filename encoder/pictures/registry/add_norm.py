"""Pictures of Add & norm: what a sublayer adds to the residual, and what its norm makes of the sum."""

import numpy as np

from encoder.metrics import SUBLAYERS, norm_parameters, norm_sides, shares_in_bins, sublayer_lengths
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, Call, Every, T, call
from encoder.pictures.figures.facts import main_fact
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Scene
from encoder.support.formatting import brief, listed, shown


def part(scene: Scene) -> str:
    """The norm that is looked at: that after attention, or the one beside which the layer's output stands."""
    return "add_norm_1" if scene.view.step.startswith("add_norm_1") else "add_norm_2"


def say_lengths(answer: Answer) -> str:
    """How long what is added is, in the mean and at the token where it is longest beside the residual."""
    before, added = answer.numbers.array
    share = np.divide(added, before, out=np.zeros_like(added), where=before > 0)
    most, tokens = int(share.argmax()), answer.scene.t.tokens
    return (
        f"In the mean the residual has a length of {brief(before.mean())}, what is added one of "
        f"{brief(added.mean())}. Beside the residual it is longest at “{shown(tokens[most])}” ({most}): "
        f"{brief(share[most])} times as long."
    )


LENGTHS = Picture(
    key="lengths",
    page="add_norm",
    question="How much does a sublayer add to what each token had?",
    measure=lambda scene: Every(lambda layer: call(sublayer_lengths, T, layer, part(scene)), scene.n_layers),
    dims=("layer", "series", "token"),
    chosen={"layer": lambda scene: scene.layer},
    names=lambda answer: {"series": ["residual", "added"]},
    kind="bars",
    unit="length of the vector",
    title=lambda scene: (
        f"Length of the residual and of what {SUBLAYERS[part(scene)].replace('_', '-')} adds, per token"
    ),
    say=say_lengths,
    about=lambda scene: About(
        scene.t, layer=scene.layer, reads=(f"{part(scene)}.residual", f"{SUBLAYERS[part(scene)]}.output")
    ),
)


def binned(scene: Scene) -> Call:
    """The numbers before the norm and after it, as shares in bins."""
    return call(shares_in_bins, call(norm_sides, T, scene.layer, part(scene)))


def say_sides(answer: Answer) -> str:
    """How widely the numbers are spread on both sides."""
    scene = answer.scene
    before, after = answer.value(call(norm_sides, T, scene.layer, part(scene))).values()
    return (
        f"The {before.numel():,} numbers that go into this norm have a standard deviation of "
        f"{brief(before.std())}; those that come out have {brief(after.std())}."
    )


def about_sides(scene: Scene) -> About:
    """What goes into the norm, and what comes out."""
    into = "residual" if scene.config.norm_first else "sum"
    return About(scene.t, layer=scene.layer, reads=(f"{part(scene)}.{into}", f"{part(scene)}.output"))


NORM_SIDES = Picture(
    key="norm_sides",
    page="add_norm",
    question="How are the numbers spread before a norm and after it?",
    measure=lambda scene: binned(scene)[1],
    dims=("series", "number"),
    names=lambda answer: {"series": ["before", "after"], "number": answer.value(binned(answer.scene)[0]).tolist()},
    kind="outlines",
    unit="number",
    title="All numbers before the norm and after it",
    say=say_sides,
    about=about_sides,
)


def parameters(scene: Scene) -> Call:
    """The gamma and the beta of the norm."""
    return call(norm_parameters, ENC, scene.layer, part(scene))


LEARNED = Picture(
    key="gamma_beta",
    page="add_norm",
    question="What has a norm learned?",
    measure=lambda scene: Every(lambda layer: call(norm_parameters, ENC, layer, part(scene)), scene.n_layers),
    dims=("layer", "parameter", "dimension"),
    chosen={"layer": lambda scene: scene.layer},
    names=lambda answer: {"parameter": list(answer.value(parameters(answer.scene)))},
    values="signed",
    title=lambda scene: (
        f"The {listed(list(norm_parameters(scene.encoder, scene.layer, part(scene))))} of every dimension"
    ),
    say=lambda answer: main_fact(answer.numbers.array, list(answer.numbers.along("parameter")), "dimension", "signed"),
    about=lambda scene: About(
        source=scene.source, layer=scene.layer, scope="parameters, so the same for every sentence"
    ),
    needs="model",
)
