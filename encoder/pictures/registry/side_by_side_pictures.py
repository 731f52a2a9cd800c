"""Pictures of any step of two runs side by side, and of what one has more."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

from encoder.experiments.compare import beside, difference, differs
from encoder.model.steps.step import PAIRS, Step
from encoder.pictures.export.caption import About
from encoder.pictures.expression import A, B, Expression, call
from encoder.pictures.figures.facts import kind_of, main_fact
from encoder.pictures.figures.facts import title as step_title
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.registry.compare import labels
from encoder.pictures.scene import Needs, Option, Scene
from encoder.support.errors import EncoderError
from encoder.support.theme import Kind
from encoder.trace.trace import Trace
from encoder.trace.unpadded import once

Side = Literal["a", "b", "change"]


def steps_of_both(scene: Scene) -> list[str]:
    """The steps of the chosen layer, and those of none, that both runs have; no rows of no token, no vocabulary."""
    a, b = scene.t, scene.b
    return [
        each.name
        for each in map(a.step, a)
        if each.name in b and each.layer in (None, scene.layer) and {"vocab", "distances"}.isdisjoint(each.shape)
    ]


@once
def first_apart(a: Trace, b: Trace, names: tuple[str, ...], head: int) -> str:
    """The first of these steps, of steps with heads at one head, where the runs differ; without any the first."""
    for name in names:
        with suppress(EncoderError):
            ours, theirs = beside(a, b, name)
            at: Any = head if "H" in a.step(name).shape else slice(None)
            if differs(ours[at], theirs[at]):
                return name
    return names[0]


def usual_step(scene: Scene) -> str:
    """The weights where they differ, or else the first step that does."""
    weights, names = f"layers.{scene.layer}.attention.weights", steps_of_both(scene)
    return first_apart(scene.t, scene.b, (weights, *names) if weights in names else tuple(names), scene.head)


WEAK = 0.05  # of shares: colours end there at least, so that what is little looks little
BESIDE_STEP = Option("beside_step", steps_of_both, usual_step)


def step_of(scene: Scene) -> Step:
    """The step that is held against itself."""
    return scene.t.step(scene[BESIDE_STEP])


def dims_of(scene: Scene) -> tuple[str, ...]:
    """The dimensions of that step; one number for each row is one column."""
    chosen = step_of(scene)
    heads = ("head",) if "H" in chosen.shape else ()
    if chosen.shape == PAIRS:
        return (*heads, "query", "key")
    columns = chosen.columns([])
    return (*heads, "token", columns if isinstance(columns, str) else "label")


def names_of_rows(answer: Answer) -> Mapping[str, Names]:
    """What stands along the rows, and the keys, of that step."""
    chosen = step_of(answer.scene)
    rows = chosen.rows(labels(answer.scene.t, answer.scene.b))
    return dict.fromkeys(("token", "query", "key"), rows) | {"label": list(chosen.labels)}


def measured_side(side: Side, scene: Scene) -> Expression:
    """The step of one run at the tokens of both, or of B minus that of A."""
    chosen = step_of(scene)
    values = call(difference if side == "change" else beside, A, B, chosen.name)
    measured: Expression = values if side == "change" else values["ab".index(side)]
    return measured[:, None] if chosen.single else measured


def say_rows(answer: Answer) -> str:
    """What stands out in numbers with a row for each token."""
    numbers = answer.numbers
    rows, columns = numbers.along(numbers.dims[0]), numbers.along(numbers.dims[1])
    return main_fact(numbers.array, list(rows), columns, answer.values)


def same_scale(answer: Answer) -> Mapping[str, Any]:
    """One end of the colours for both runs: the largest finite number of either."""
    ours, theirs = answer.value(call(beside, A, B, step_of(answer.scene).name))
    at: Any = answer.scene.head if "H" in step_of(answer.scene).shape else slice(None)
    finite = [values.abs()[values.isfinite()] for values in (ours[at], theirs[at])]
    return {"largest": max((float(values.max()) for values in finite if values.numel()), default=0.0)}


def look_of_change(answer: Answer) -> Mapping[str, Any]:
    """Differences of shares in points; colours that end where they do on the screen."""
    shares = kind_of(step_of(answer.scene)) == "share"
    return {"screen": True} | ({"written": "percent", "least": WEAK} if shares else {})


def about_side(side: Side, scene: Scene) -> About:
    """The step of one run, or of both."""
    run = scene.b if side == "b" else scene.t
    about = About.of(run, step_of(scene).name, scene.head)
    return replace(about, other=scene.b) if side == "change" else about


def side_by_side(key: str, page: str, side: Side, of: str, needs: Needs, **unfolds: str) -> Picture:
    """The picture of any step of one of two runs, or of what one has more; `of` names the run in its title."""
    asks = "What changes in any step?" if side == "change" else f"What does any step look like {of}, beside the other?"
    values: Callable[[Answer], Kind] = lambda answer: kind_of(step_of(answer.scene))  # noqa: E731
    return Picture(
        key=key,
        page=page,
        question=asks,
        measure=lambda scene: measured_side(side, scene),
        dims=dims_of,
        chosen={"head": lambda scene: scene.head},
        names=names_of_rows,
        values="signed" if side == "change" else values,
        title=lambda scene: f"{step_title(step_of(scene), scene.head)}, {of}",
        say=say_rows,
        about=lambda scene: about_side(side, scene),
        options=(BESIDE_STEP,),
        needs=needs,
        unfolds=unfolds,
        look=look_of_change if side == "change" else same_scale,
    )


BESIDE_A = side_by_side("beside_0", "compare", "a", "in A", "other", more="beside")
BESIDE_B = side_by_side("beside_1", "compare", "b", "in B", "other", more="beside")
BESIDE_CHANGE = side_by_side("beside_change", "compare", "change", "B minus A", "other", more="beside")
STEP_BEFORE = side_by_side("step_before", "what_if", "a", "without changes", "unchanged", more="beside")
STEP_NOW = side_by_side("step_now", "what_if", "b", "with changes", "unchanged", more="beside")
STEP_CHANGE = side_by_side("step_change", "what_if", "change", "now minus before", "unchanged", more="beside")
