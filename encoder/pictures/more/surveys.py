"""Surveys below a page: what is measured of all heads and layers, over this sentence or over many."""

from collections.abc import Callable

from encoder.metrics import SENTENCES, survey, survey_cost
from encoder.metrics.head_measures import SurveyCost
from encoder.pictures.expression import ENC, Call, call
from encoder.pictures.lab import Long, Part
from encoder.pictures.registry.heads_pictures import measured, surveyed
from encoder.pictures.scene import Scene
from encoder.trace.tokens import Text


def cost(scene: Scene, expression: Call) -> SurveyCost:
    """What an expression of a survey takes; one that is read from an atlas takes nothing."""
    encoder, texts = scene.encoder, list[Text](SENTENCES)
    if expression != call(survey, ENC):
        texts = [scene.t.inputs] if expression == call(survey, ENC, [scene.t.inputs]) else []
    return survey_cost(encoder.config, [len(encoder.tokenize(text).ids) for text in texts])


def long_survey(of: Callable[[Scene], Call], *parts: Part) -> Long:
    """Return parts that stand on a survey, which is offered where it takes long."""
    return Long(
        "Measure",
        lambda scene: cost(scene, of(scene)).flops,
        parts,
        of=of,
        nbytes=lambda scene: cost(scene, of(scene)).nbytes,
    )


def over_many(*parts: Part) -> Long:
    """Return parts that stand on the survey over the bundled sentences."""
    return long_survey(lambda scene: call(survey, ENC), *parts)


def as_chosen(*parts: Part) -> Long:
    """Return parts that stand on a survey of what is chosen, this sentence or the bundled ones."""
    return long_survey(surveyed, *parts)


def as_chosen_or_atlas(*parts: Part) -> Long:
    """The same, where many sentences are those of an atlas if the model has one."""
    return long_survey(measured, *parts)
