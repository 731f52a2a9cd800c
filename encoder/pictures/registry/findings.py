"""The picture of what a trial found: curves, bars or a matrix, as the trial has them.

What else its page gives the scene: which `trial`, what was `given` to it, and its `finding`.
"""

from collections.abc import Mapping
from typing import Any

from encoder.errors import EncoderError
from encoder.export.caption import About, quoted
from encoder.lessons.claims import CLAIMS
from encoder.pictures.expression import ENC, Attribute, Call, call
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Scene
from encoder.theme import Kind
from encoder.trials import Bars, Curves, Finding, Grid, run
from encoder.trials import Picture as Of

USUAL = next(claim for claim in CLAIMS if claim.key == "residuals")  # where no page says which


def tried(scene: Scene) -> Call:
    """The trial that a page names, with its parameters."""
    extra = scene.extra
    return call(run, extra.get("trial", USUAL.trial), ENC, dict(extra.get("given", USUAL.given)))


def finding_of(scene: Scene) -> Finding:
    """What the trial found, measured now where the page did not do so."""
    found: Finding | None = scene.extra.get("finding")
    return found or run(scene.extra.get("trial", USUAL.trial), scene.encoder, scene.extra.get("given", USUAL.given))


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


def kind_of(scene: Scene) -> str:
    """How it is drawn."""
    return {Grid: "matrix", Bars: "bars", Curves: "curve"}[type(drawn(scene))]


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
    sentence = scene.extra.get("given", {}).get("sentence")
    return About(source=scene.encoder.source, scope=quoted(sentence) if isinstance(sentence, str) else "")


LESSON_PICTURE = Picture(
    key="lesson_picture",
    page="lessons",
    question="What do the numbers behind a claim look like?",
    measure=numbers_of,
    dims=dims_of,
    names=names_of,
    kind=kind_of,
    values=colours_of,
    unit=unit_of,
    title=lambda scene: finding_of(scene).what,
    say=lambda answer: finding_of(answer.scene).sentence,
    about=about_trial,
    look=look_of,
    needs="model",
    heavy=True,
)
