"""The picture of what a trial found: curves, bars or a matrix, as the trial has them."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from encoder.pictures.export.caption import About, quoted
from encoder.pictures.expression import ENC, Attribute, Call, call
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene
from encoder.support.errors import EncoderError
from encoder.support.theme import Kind
from encoder.teach.lessons.claims import CLAIMS
from encoder.teach.trials import TRIALS, Bars, Curves, Finding, Grid, run
from encoder.teach.trials import Picture as Of

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


def drawn(scene: Scene) -> Of:
    """What there is to draw.

    Raises:
        EncoderError: the trial found nothing to draw.
    """
    if (of := finding_of(scene).picture) is None:
        raise EncoderError("the trial found nothing to draw")
    return of


def numbers_of(scene: Scene) -> Attribute:
    """The numbers that are drawn."""
    of = tried(scene).picture
    return of.values if isinstance(drawn(scene), Grid) else of.series


def dims_of(scene: Scene) -> tuple[str, ...]:
    """The names of both dimensions."""
    of = drawn(scene)
    return ("row", "column") if isinstance(of, Grid) else ("series", of.titles[0] if isinstance(of, Curves) else "name")


def names_of(answer: Answer) -> Mapping[str, Names]:
    """The names along them."""
    of, (first, second) = drawn(answer.scene), answer.dims
    if isinstance(of, Grid):
        return {first: of.rows, second: of.columns}
    return {first: list(of.series), second: of.x.tolist() if isinstance(of, Curves) else of.names}


def colours_of(answer: Answer) -> Kind:
    """How a matrix is coloured."""
    of = drawn(answer.scene)
    return "share" if isinstance(of, Grid) and of.share else "signed"


def unit_of(scene: Scene) -> str:
    """What the numbers of bars or curves are."""
    of = drawn(scene)
    return "" if isinstance(of, Grid) else of.titles[1] if isinstance(of, Curves) else of.title


def look_of(answer: Answer) -> Mapping[str, Any]:
    """Which axes are logarithmic."""
    of = drawn(answer.scene)
    return {} if isinstance(of, Grid) else {"logarithmic": of.logarithmic}


def about_trial(scene: Scene) -> About:
    """The model, and the sentence where the trial has one."""
    sentence = parameters_of(scene).get("sentence")
    return About(source=scene.source, scope=quoted(sentence) if isinstance(sentence, str) else "")


LESSON_PICTURE = Picture(
    key="lesson_picture",
    page="lessons",
    question="What do the numbers behind a claim look like?",
    measure=numbers_of,
    dims=dims_of,
    names=names_of,
    kind=lambda scene: {Grid: "matrix", Bars: "bars", Curves: "curve"}[type(drawn(scene))],
    values=colours_of,
    unit=unit_of,
    title=lambda scene: finding_of(scene).what,
    say=lambda answer: finding_of(answer.scene).sentence,
    about=about_trial,
    options=(TRIAL, GIVEN),
    look=look_of,
    needs="model",
    heavy=True,
)
