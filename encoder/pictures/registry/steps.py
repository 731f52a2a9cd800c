"""The picture of any step of the catalogue, and the largest terms of an opened number."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.explain.operations.explanation import Explanation
from encoder.metrics import largest_cell, likeliest_words
from encoder.model.steps.step import PAIRS, WHOLE, Step, distances
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, Call, Every, Expression, T, call, step
from encoder.pictures.figures.charts import BARS
from encoder.pictures.figures.facts import drawn_fact, kind_of, main_fact, title, unmasked
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Scene, one_of
from encoder.pictures.view import Cell, View
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, percent, short, shown
from encoder.trace.trace import Trace

FIRST = "attention.weights"  # the step where none is chosen
BEST_WORDS = 5
LOCK = one_of("lock", (False, True))


def step_of(scene: Scene) -> Step:
    """The chosen step: the only one of its name, or that in the chosen layer.

    Raises:
        StepError: the run has no such step.
    """
    local = scene.view.step or FIRST
    return scene.t.step(local) if local in scene.t else step_of_layer(scene)


def step_of_layer(scene: Scene) -> Step:
    """The chosen step, in the chosen layer where it has one of that name.

    Raises:
        StepError: the run has no such step.
    """
    local = scene.view.step or FIRST
    name = f"layers.{scene.layer}.{local}"
    return scene.t.step(local if local in scene.t and name not in scene.t else name)


def measured(what: Step, scene: Scene) -> Expression:
    """The step in every layer, or the one that stands in none; of one over the vocabulary its best words."""
    if what.shape[-1] == "vocab":
        return call(likeliest_words, ENC, step(None, what.name), BEST_WORDS)
    if what.layer is None:
        return step(None, what.name)
    return Every(lambda layer: step(layer, what.local), scene.n_layers)


def dims(what: Step) -> tuple[str, ...]:
    """What stands along the dimensions of the step."""
    if what.shape[-1] == "vocab":
        return ("token", "rank")
    named = {
        "n": "token",
        "H": "head",
        "d_ff": "unit",
        "distances": "distance",
        "sentence": "sentence",
        "n_labels": "label",
    }
    of_step = ("head", "query", "key") if what.shape == PAIRS else (named.get(d, "dimension") for d in what.shape)
    return (*(() if what.layer is None else ("layer",)), *of_step)


def kind(what: Step) -> str:
    """Bars of one number for each row, the best of many words, else a matrix."""
    return "words" if what.shape[-1] == "vocab" else "bars" if what.single else "matrix"


def coloured(what: Step, answer: Answer, **places: int) -> np.ndarray:
    """The numbers at some places as they are coloured, those of all tokens: minus infinity where they are masked."""
    return unmasked(answer.all_numbers.at(**places).array, what, answer.scene.config)


def largest(what: Step, answer: Answer) -> float:
    """The largest number that any head of the layer draws."""
    values = coloured(what, answer, **{dim: place for dim, place in answer.places.items() if dim != "head"})
    drawn = values if answer.selection is None else answer.selection.cut(values)
    return float(np.abs(drawn[np.isfinite(drawn)]).max(initial=0.0))


def look(what: Step, answer: Answer) -> Mapping[str, Any]:
    """The names of the axes, which cells stay blank, and the end of the scale where all heads share one."""
    if kind(what) != "matrix":
        return {}
    titles = {"row_title": "query (looks)", "column_title": "key (is looked at)"} if what.shape == PAIRS else {}
    hides = what.operation in ("mask", "window")
    locked = "H" in what.shape and answer.scene[LOCK]
    return titles | {
        "screen": True,
        "written": "tenths",
        "blank": answer.scene.config.mask_value if hides else None,
        "largest": largest(what, answer) if locked else None,
    }


def say_step(what: Step, answer: Answer) -> str:
    """What stands out in the step."""
    scene, colours, run = answer.scene, kind_of(what), answer.scene.t
    if answer.kind == "words":
        return say_words(answer)
    values = coloured(what, answer, **answer.places)
    if answer.selection is not None:
        return drawn_fact(answer.selection, values, colours)
    if what.labels and what.values == "share":
        return say_labels(what, values, run)
    mask = scene.config.mask_value
    hidden = "minus infinity" if math.isinf(mask) else short(mask)
    special = tuple(run.tokenization.special) if "n" in what.shape else ()
    table = values[:, None] if what.single else values
    return main_fact(table, what.rows(run.tokens), what.columns(run.tokens), colours, special, hidden)


def say_labels(what: Step, values: np.ndarray, run: Trace) -> str:
    """The label with the largest share, of a tagger that of the token which is surest."""
    if not np.isfinite(values).any():
        return "No value here is a finite number."
    table = values if values.ndim == 2 else values[None]
    i, k = largest_cell(np.where(np.isfinite(table), table, -np.inf))
    label = f"“{shown(what.labels[k])}” ({k}), with {percent(float(table[i, k]))}"
    if values.ndim == 1:
        return f"Of {len(values)} labels the largest share has {label}."
    return f"The surest token is “{shown(run.tokens[i])}” ({i}): {label}."


def say_words(answer: Answer) -> str:
    """The word that stands out among the best at each position."""
    run, values = answer.scene.t, answer.numbers.array
    best = f"The {values.shape[1]} best of {run.config.vocab_size:,} words at each position"
    if not np.isfinite(values).any():
        return f"{best}. No value here is a finite number."
    i, k = largest_cell(np.where(np.isfinite(values), values, -np.inf))
    value = percent(values[i, k]) if answer.values == "share" else brief(values[i, k])
    word = shown(answer.numbers.words[i][k])
    return f"{best}; of all of them “{word}” at “{shown(run.tokens[i])}” ({i}) has the most: {value}."


def of_steps(key: str, page: str, find: Callable[[Scene], Step]) -> Picture:
    """The picture of any step that `find` finds."""
    return Picture(
        key=key,
        page=page,
        question="What does this step of the encoder give?",
        measure=lambda scene: measured(find(scene), scene),
        dims=lambda scene: dims(find(scene)),
        chosen={"layer": lambda scene: scene.layer, "head": lambda scene: scene.head},
        names=lambda answer: {
            "sentence": [WHOLE],
            "distance": distances(len(answer.scene.t.tokens)),
            "label": list(find(answer.scene).labels),
        },
        kind=lambda scene: kind(find(scene)),
        unit=lambda scene: find(scene).title,
        values=lambda answer: kind_of(find(answer.scene)),
        title=lambda scene: title(find(scene), scene.head),
        say=lambda answer: say_step(find(answer.scene), answer),
        about=lambda scene: About.of(scene.t, find(scene).name, scene.head),
        options=(LOCK,),
        pairs=lambda scene: find(scene).shape == PAIRS,
        look=lambda answer: look(find(answer.scene), answer),
    )


STEP = of_steps("picture", "attention", step_of)
LAYER_STEP = of_steps("layer_step", "add_norm", step_of_layer)  # "output" is that of the layer, not of the encoder


def step_picture(encoder: TextEncoder, run: Trace, name: str, head: int = 0, **choices: str) -> Answer:
    """The picture of a step of a run by its full name, of one head where it has several.

    `choices` are those of `STEP`, and which tokens are drawn, as a link spells them: `lock="1"`, `words_only="words"`.

    Raises:
        StepError: the run has no such step.
    """
    what = run.step(name)
    view = View(
        layer=what.layer or 0,
        head=head,
        step=what.local,
        hidden=run.hidden,
        edits=run.edits,
        choices=tuple(sorted(choices.items())),
    )
    return (STEP if what.layer is None else LAYER_STEP).of(Scene(view, encoder, run))


def cell_of(scene: Scene) -> Cell:
    """The opened number.

    Raises:
        EncoderError: none is open.
    """
    if scene.view.cell is None:
        raise EncoderError("no number is opened; a link opens one by `cell`, such as layers.0.output:1,3")
    return scene.view.cell


def explained(scene: Scene) -> Call:
    """The opened number explained."""
    cell = cell_of(scene)
    return ENC.explain(T, cell.step, cell.index)


def largest_terms(scene: Scene) -> Call:
    """The largest terms of the opened number.

    Raises:
        EncoderError: none is open, or it is no sum.
    """
    cell = cell_of(scene)
    if scene.encoder.explain(scene.t, cell.step, cell.index).terms is None:
        raise EncoderError(f"the opened number, of {cell.step}, is not a sum of terms; open one of another step")
    return explained(scene).terms.largest(BARS)


def term_names(scene: Scene, explanation: Explanation) -> list[str]:
    """What the terms of a number stand for, in the order of their lines: tokens, words, or numbers of dimensions."""
    assert explanation.terms is not None
    line = explanation.terms.lines[0]
    along = scene.t.step(line.name).shape[line.index.index(None)] if line.name in scene.t else ""
    if along in ("n", "n_labels"):
        names = scene.t.tokens if along == "n" else scene.t.step(line.name).labels
        return [f"{k} {shown(name)}" for k, name in enumerate(names)]
    word = scene.encoder.tokenizer.id_to_token if along == "vocab" else lambda k: ""
    return [f"{k} {shown(word(k) or '')}".strip() for k in range(len(line.values))]


def names_of_largest(answer: Answer) -> Mapping[str, Names]:
    """What the largest terms stand for, and how many more there are."""
    explanation = answer.value(explained(answer.scene))
    order, names = explanation.terms.order, term_names(answer.scene, explanation)
    more = [f"{len(order) - BARS:,} more"] if len(order) > BARS else []
    return {"term": [*(names[k] for k in order[:BARS]), *more]}


def say_terms(answer: Answer) -> str:
    """Which of the terms is the largest."""
    explanation = answer.value(explained(answer.scene))
    number, _, word = answer.numbers.along("term")[0].partition(" ")
    where = f"that of “{word}” ({number})" if word else f"number {number}"
    return f"The largest of {len(explanation.terms.values)} terms is {where}: {brief(answer.numbers.array[0])}."


def about_terms(scene: Scene) -> About:
    """The steps that the opened number is computed from."""
    cell = cell_of(scene)
    return replace(About.of(scene.t, cell.step, cell.index[0]), reads=scene.t.step(cell.step).inputs)


TERMS = Picture(
    key="terms",
    page="attention",
    question="Which terms make up the opened number?",
    measure=largest_terms,
    dims=("term",),
    names=names_of_largest,
    kind="signed bars",
    unit="term",
    values="signed",
    title="The largest terms, sorted by size",
    say=say_terms,
    about=about_terms,
)
