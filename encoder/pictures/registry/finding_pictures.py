"""The picture of what a trial found: the numbers of its lab's picture, or others that it has."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from encoder.pictures.export.caption import About, quoted
from encoder.pictures.expression import ENC, Attribute, Call, call
from encoder.pictures.labs import CLAIMS, TRIALS, run
from encoder.pictures.labs.trial import Evidence, Finding
from encoder.pictures.picture import Picture
from encoder.pictures.scene import Option, Scene
from encoder.support.errors import EncoderError

USUAL = next(claim for claim in CLAIMS if claim.key == "residuals")  # where no lesson is played
TRIAL = Option("trial", lambda scene: TRIALS, lambda scene: "" if scene.view.lesson else USUAL.trial)
GIVEN = Option("given", None, lambda scene: spelled({} if scene.view.lesson else USUAL.given))
FOUND: WeakKeyDictionary[Scene, Finding] = WeakKeyDictionary()  # what a trial found for who asks


def spelled(parameters: Mapping[str, Any]) -> str:
    """A trial's parameters as a link spells them."""
    return json.dumps(dict(parameters), sort_keys=True)


def asked_of(scene: Scene, trial: str, parameters: Mapping[str, Any], finding: Finding) -> Scene:
    """The same with a trial, what it was given and what it found, and a link that says which."""
    chosen = dict(scene.view.choices) | {TRIAL.key: trial, GIVEN.key: spelled(parameters)}
    chosen_scene = replace(scene, view=replace(scene.view, choices=tuple(sorted(chosen.items()))))
    FOUND[chosen_scene] = finding
    return chosen_scene


def parameters_of(scene: Scene) -> dict[str, Any]:
    """What the trial is given.

    Raises:
        EncoderError: a link says something that is none.
    """
    try:
        parameters = json.loads(scene[GIVEN])
    except (ValueError, RecursionError):
        parameters = None
    if not isinstance(parameters, dict):
        raise EncoderError("the link does not say what the trial is given")
    return parameters


def tried(scene: Scene) -> Call:
    """The trial that is asked for, with its parameters."""
    return call(run, scene[TRIAL], ENC, parameters_of(scene))


def finding_of(scene: Scene) -> Finding:
    """What the trial found, measured now where the page did not do so.

    Raises:
        EncoderError: a link of a lesson does not say which trial is meant, or it cannot be made.
    """
    if scene not in FOUND:
        if not scene[TRIAL]:
            raise EncoderError("the link does not say which trial of the lesson is meant; open its page")
        FOUND[scene] = run(scene[TRIAL], scene.encoder, parameters_of(scene))
    return FOUND[scene]


def drawn(scene: Scene) -> Evidence:
    """What there is to draw.

    Raises:
        EncoderError: the trial found nothing to draw.
    """
    if (of := finding_of(scene).picture) is None:
        raise EncoderError("the trial found nothing to draw")
    return of


def numbers_of(scene: Scene) -> Attribute:
    """The numbers that are drawn."""
    drawn(scene)
    return tried(scene).picture.numbers.array


def about_trial(scene: Scene) -> About:
    """The model, and the sentence where the trial has one."""
    sentence = parameters_of(scene).get("sentence")
    return About(source=scene.source, scope=quoted(sentence) if isinstance(sentence, str) else "")


LESSON_PICTURE = Picture(
    key="lesson_picture",
    page="lessons",
    question="What do the numbers behind a claim look like?",
    measure=numbers_of,
    dims=lambda scene: drawn(scene).numbers.dims,
    names=lambda answer: drawn(answer.scene).numbers.names,
    kind=lambda scene: drawn(scene).kind,
    values=lambda answer: drawn(answer.scene).values,
    unit=lambda scene: drawn(scene).unit,
    title=lambda scene: finding_of(scene).what,
    say=lambda answer: finding_of(answer.scene).sentence,
    about=about_trial,
    options=(TRIAL, GIVEN),
    look=lambda answer: drawn(answer.scene).look,
    needs="model",
    heavy=True,
)
