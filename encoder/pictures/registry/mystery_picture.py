"""The picture of a mystery model whose heads are switched off, one at a time."""

import numpy as np

from encoder.pictures.export.caption import About
from encoder.pictures.expression import call
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Scene, one_of
from encoder.support.formatting import percent
from encoder.tasks.models import mystery
from encoder.tasks.mystery import MYSTERIES, examined

MYSTERY = one_of("mystery", MYSTERIES)


def harmed(answer: Answer) -> list[str]:
    """A short name for every head of the mystery."""
    layers, heads = answer.value(call(examined, answer.scene[MYSTERY])).harm.shape
    return [f"{layer}.{head}" for layer in range(layers) for head in range(heads)]


def say_harm(answer: Answer) -> str:
    """How often each head is needed for the answer."""
    harm = answer.value(call(examined, answer.scene[MYSTERY])).harm
    changed = [f"head {h} of layer {i}: {percent(share)}" for (i, h), share in np.ndenumerate(harm)]
    return f"Answers that change when one head is off: {'; '.join(changed)}."


def about_harm(scene: Scene) -> About:
    """The mystery, and the inputs that it was examined on."""
    count = len(examined(scene[MYSTERY]).inputs)
    return About(source=mystery(scene[MYSTERY]).source, scope=f"{count} inputs that it never saw")


MYSTERY_HARM = Picture(
    page="training",
    key="mystery_harm",
    question="Which head of a mystery model does its work?",
    measure=lambda scene: call(examined, scene[MYSTERY]).harm.ravel(),
    dims=("any head",),
    names=lambda answer: {"any head": harmed(answer)},
    kind="bars",
    unit="share of inputs answered otherwise",
    values="share",
    title="Inputs answered otherwise without one head",
    say=say_harm,
    about=about_harm,
    options=(MYSTERY,),
    needs="model",
    unfolds={"training_part": "Small networks", "training_hidden": "1"},
)
