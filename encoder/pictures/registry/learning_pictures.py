"""Pictures of learning: a mystery model whose heads are switched off, and a trained model at moments of its training.

The run `t` of a picture that needs "training" is in a model whose moments are kept.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from encoder.metrics import BUNDLED
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, Call, Constant, Each, call
from encoder.pictures.figures.facts import main_fact
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene, one_of, token_of
from encoder.support.formatting import brief, listed, percent, shown
from encoder.tasks.models import mystery
from encoder.tasks.mystery import MYSTERIES, examined
from encoder.tasks.timelapse import (
    embedding_row,
    evaluate_each,
    every_moment,
    kept_steps,
    measures_of,
    moments_of,
    strongest_heads,
)
from encoder.trace.tokens import Tokens

MYSTERY = one_of("mystery", MYSTERIES)
SERIES = {"normalized_entropy": "normalized entropy", "self": "on itself", "previous": "previous", "next": "next"}
ROLES = {"previous": "the token before", "next": "the token after", "self": "the token itself"}
SCORES = {"top_1": "guessed first", "top_5": "among five"}
STEPS = "training steps + 1"  # step 0 has no logarithm, so one is added to all
MOMENTS = call(moments_of, ENC)


def harmed(answer: Answer) -> list[str]:
    """A short name for every head of the mystery."""
    layers, heads = answer.value(call(examined, answer.scene[MYSTERY])).harm.shape
    return [f"L{layer}H{head}" for layer in range(layers) for head in range(heads)]


def say_harm(answer: Answer) -> str:
    """How often each head is needed for the answer."""
    harm = answer.value(call(examined, answer.scene[MYSTERY])).harm
    changed = [f"layer {i}, head {h} {percent(share)}" for (i, h), share in np.ndenumerate(harm)]
    return f"The share of inputs that it answers otherwise with one head set to zero: {', '.join(changed)}."


def about_harm(scene: Scene) -> About:
    """The mystery, and the inputs that it was examined on."""
    count = len(examined(scene[MYSTERY]).inputs)
    return About(source=mystery(scene[MYSTERY]).source, scope=f"{count} inputs that it never saw")


of_page = partial(Picture, page="learn")
MYSTERY_HARM = of_page(
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
    unfolds={"learn_part": "Mystery models"},
)


def when(scene: Scene) -> str:
    """At how many moments of training, in words."""
    steps = kept_steps(scene.encoder)
    return f"at {len(steps)} moments of training, from step {steps[0]:,} to step {steps[-1]:,}"


def along(answer: Answer, names: Mapping[str, str]) -> dict[str, Names]:
    """The names of series over the moments of training, and where those stand on a logarithmic axis."""
    return {"series": list(names.values()), STEPS: [step + 1 for step in kept_steps(answer.scene.encoder)]}


def guessable(pieces: Tokens) -> tuple[dict[int, str], int]:
    """Words that may be guessed by where they begin, and the one to begin with: the mask, else one in the middle."""
    typed = [word for word in pieces.words if not pieces.special[word[0]]]
    words = {word[0]: pieces.spelled(word) for word in typed} or {0: pieces.tokens[0]}
    mask = [i for i in words if pieces.tokens[i] == pieces.mask]
    return words, mask[0] if mask else list(words)[len(words) // 2]


GUESSED = Option(
    "guess", lambda scene: guessable(scene.t.tokenization)[0], lambda scene: guessable(scene.t.tokenization)[1]
)


def lapse(scene: Scene) -> Call:
    """One head and the answers on this text at every moment."""
    return call(every_moment, MOMENTS, scene.t.inputs, scene.layer, scene.head, scene[GUESSED])


def say_by_step(answer: Answer) -> str:
    """Where the head looks most at the end, and how much it did so at first."""
    values = answer.numbers.array
    places = list(SERIES)
    most = max(ROLES, key=lambda role: float(values[places.index(role), -1]))
    first, *_, last = values[places.index(most)].tolist()
    return (
        f"Of the token before, the token after and the token itself it looks most at {ROLES[most]}: with "
        f"{percent(last)} of its weight at the end, with {percent(first)} at step 0."
    )


of_lapse = partial(
    of_page,
    values="share",
    about=lambda scene: About(scene.t, layer=scene.layer, head=scene.head, scope=when(scene)),
    options=(GUESSED,),
    needs="training",
    unfolds={"learn_part": "Time-lapse"},
)
BY_STEP = of_lapse(
    key="by_step",
    question="When did a head begin to look where it looks?",
    measure=lambda scene: call(measures_of, lapse(scene), list(SERIES)),
    dims=("series", STEPS),
    names=lambda answer: along(answer, SERIES),
    kind="curve",
    unit="share",
    title=lambda scene: f"What layer {scene.layer}, head {scene.head} does in this sentence, by training step",
    say=say_by_step,
    look=lambda answer: {"logarithmic": (True, False)},
)


def say_lapse(answer: Answer) -> str:
    """What stands out in the head at the last moment."""
    run = answer.scene.t
    fact = main_fact(answer.numbers.array[-1], run.tokens, run.tokens, "share", run.tokenization.special)
    return f"At the end: {fact}"


def look_lapse(answer: Answer) -> Mapping[str, object]:
    """What the map of each moment is called."""
    steps = kept_steps(answer.scene.encoder)
    return {"titles": [f"{step:,}" for step in steps], "labels": [f"Step {step}" for step in steps]}


LAPSE = of_lapse(
    key="moments",
    question="What did a head look at while the model learned?",
    measure=lambda scene: Each(lapse(scene), "weights"),
    dims=("moment", "query", "key"),
    names=lambda answer: {"moment": [f"step {step:,}" for step in kept_steps(answer.scene.encoder)]},
    kind="maps",
    title=lambda scene: f"Layer {scene.layer}, head {scene.head} at every moment of training",
    say=say_lapse,
    look=look_lapse,
)
ROW_OF = token_of("row_of", lambda scene: min(1, len(scene.t.tokens) - 1))


def row(scene: Scene) -> Call:
    """The row of the chosen token at every moment."""
    return call(embedding_row, MOMENTS, int(scene.t.ids[scene[ROW_OF]]))


def row_name(scene: Scene) -> str:
    """The token whose row it is."""
    return f"“{shown(scene.t.tokens[scene[ROW_OF]])}”"


def say_row(answer: Answer) -> str:
    """How far the row went, and which words are near it at first and at the end."""
    values = answer.value(row(answer.scene))
    first, last = (listed([f"“{shown(word)}”" for word in values.nearest[at]]) for at in (0, -1))
    return (
        f"The row of {row_name(answer.scene)} begins at random and ends at a cosine of {brief(values.alike[0])} "
        f"with where it began. Nearest to it at first are {first}; at the end {last}."
    )


EMBEDDING_ROW = of_page(
    key="embedding_row",
    question="How did the vector of a word come about in training?",
    measure=lambda scene: row(scene).rows,
    dims=("moment", "dimension"),
    names=lambda answer: {"moment": [f"step {step:,}" for step in kept_steps(answer.scene.encoder)]},
    values="signed",
    title=lambda scene: f"The row of {row_name(scene)}",
    say=say_row,
    about=lambda scene: About(source=scene.t.source, scope=f"The embedding of {row_name(scene)} {when(scene)}"),
    options=(ROW_OF,),
    needs="training",
    unfolds={"learn_part": "Time-lapse", "training_part": "An embedding row"},
)
STRONGEST = call(strongest_heads, MOMENTS, list(ROLES))
SCORED = call(evaluate_each, MOMENTS, Constant("encoder.metrics", "SENTENCES"))


def say_careers(answer: Answer) -> str:
    """The largest weights at the last moment."""
    last = [
        f"{percent(share)} on {ROLES[role]}" for role, share in zip(ROLES, answer.numbers.array[:, -1], strict=True)
    ]
    return f"At the end the strongest heads put {listed(last)}."


CAREERS = of_page(
    key="careers",
    question="When do heads take up their work in training?",
    measure=lambda scene: [Each(STRONGEST[role], "mass") for role in ROLES],
    dims=("series", STEPS),
    names=lambda answer: along(answer, {role: role for role in ROLES}),
    kind="curve",
    unit="share",
    values="share",
    title="The largest mass of any head on the token before, after and itself, by training step",
    say=say_careers,
    about=lambda scene: About(source=scene.source, scope=f"{BUNDLED}, {when(scene)}"),
    needs="training",
    unfolds={"learn_part": "Time-lapse", "training_part": "When heads take up their work"},
    look=lambda answer: {"logarithmic": (True, False)},
    heavy=True,
)


def say_learned(answer: Answer) -> str:
    """How many words it guesses at the last moment."""
    first, five = answer.numbers.array[:, -1].tolist()
    return f"At the end {percent(first)} of the hidden words are its first guess, {percent(five)} among its first five."


LEARNED = replace(
    CAREERS,
    key="learned",
    question="How well does the model guess words at moments of its training?",
    measure=lambda scene: [Each(SCORED, score) for score in SCORES],
    names=lambda answer: along(answer, SCORES),
    title="Share of hidden words that the model guesses, by training step",
    say=say_learned,
)
