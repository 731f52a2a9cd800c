"""Pictures of all heads: what they measure, how alike they are, and what really flows through them."""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from encoder.atlas.atlas_folders import atlas_of
from encoder.atlas.corpus_numbers import head_survey
from encoder.experiments.attributions.circuits import pair_score
from encoder.experiments.attributions.contributions import StreamPart
from encoder.metrics import (
    BUNDLED,
    HEAD_MEASURES,
    WAYS,
    attention_weights,
    head_measure,
    largest_cell,
    mixing_ratio,
    plane,
    segment_mass,
    survey,
)
from encoder.metrics.head_measures import likeness
from encoder.pictures.export.caption import UNCHANGED, About, quoted
from encoder.pictures.expression import ENC, Call, Every, T, call
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import ATLAS, Scene, atlas_number, one_of, token_of
from encoder.support.formatting import brief, percent, shown

MANY = "100 sentences"
SPANS = ("this sentence", MANY)
OVER = one_of("over", SPANS)
MEASURE = one_of("measure", HEAD_MEASURES)
WAY = one_of("pair_way", WAYS, "A->B")
QUERY = token_of("inside_query", lambda scene: min(1, len(scene.t.tokens) - 1))
KEY = token_of("inside_key", lambda scene: min(2, len(scene.t.tokens) - 1))


def surveyed(scene: Scene) -> Call:
    """The measures of all heads over this sentence, or over the bundled ones."""
    return call(survey, ENC) if scene[OVER] == MANY else call(survey, ENC, [scene.t.inputs])


def measured(scene: Scene) -> Call:
    """The same, over many sentences those of an atlas where the model has one."""
    if scene[OVER] == MANY and (number := atlas_number(scene)) is not None:
        return call(head_survey, call(atlas_of, ENC, number))
    return surveyed(scene)


def plain(scene: Scene) -> bool:
    """Whether what is measured is this run, and nothing was changed in it."""
    return scene[OVER] != MANY and not (scene.t.edits or scene.t.hidden)


def unlike(scene: Scene) -> Any:
    """The divergence between all heads, of this run alone where that is what a survey would run again."""
    if plain(scene):
        return call(likeness, [call(attention_weights, T).flatten(0, 1)])
    return surveyed(scene).likeness


def about_measured(scene: Scene) -> About:
    """What the numbers of a measure are of."""
    if scene[OVER] == MANY and (number := atlas_number(scene)) is not None:
        scope = atlas_of(scene.encoder, number).card.scope
        return About(source=scene.source, scope=f"{scope}, {UNCHANGED}")
    return about_survey(scene)


def about_survey(scene: Scene) -> About:
    """What the numbers of a survey are of."""
    over = BUNDLED if scene[OVER] == MANY else quoted(scene.t.inputs)
    return About(source=scene.source, scope=f"{over}, {UNCHANGED}")


def every_weight(scene: Scene) -> About:
    """What numbers of all weights of a run are of."""
    return About(scene.t, reads=(f"layers.{scene.n_layers - 1}.attention.weights",))


def every_head(answer: Answer) -> list[str]:
    """A short name for every head of every layer."""
    config = answer.scene.config
    return [f"{layer}.{head}" for layer in range(config.n_layers) for head in range(config.n_heads)]


def say_measured(answer: Answer) -> str:
    """Which head has the largest number of a measure."""
    layer, head = largest_cell(answer.numbers.array)
    title = HEAD_MEASURES[answer.scene[MEASURE]].title
    return f"{title} is largest in head {head} of layer {layer}: {brief(answer.numbers.array[layer, head])}."


of_page = partial(Picture, page="heads")
MEASURED = of_page(
    key="measured",
    question="Which heads do what is measured most?",
    measure=lambda scene: (
        call(head_measure, T, scene[MEASURE]) if plain(scene) else measured(scene).measures[scene[MEASURE]]
    ),
    dims=("layer", "head"),
    values=lambda answer: HEAD_MEASURES[answer.scene[MEASURE]].kind,
    title=lambda scene: HEAD_MEASURES[scene[MEASURE]].title,
    say=say_measured,
    about=about_measured,
    options=(OVER, MEASURE, ATLAS),
    unfolds={"more": "measures"},
)


def is_pair(answer: Answer) -> bool:
    """Whether there are two sentences."""
    return bool(answer.scene.t.tokenization.pair)


def arrow(way: str) -> str:
    """A way between the sentences of a pair as it is shown: "A->B" with a real arrow."""
    return way.replace("->", " → ")


def say_between(answer: Answer) -> str:
    """Which head sends most of its weight from one sentence to the other."""
    mass = answer.numbers.array
    layer, head = largest_cell(mass)
    way = arrow(answer.scene[WAY])
    return (
        f"Head {head} of layer {layer} sends most: {percent(mass[layer, head])} of its weight, {way}. The mean "
        f"over all heads is {percent(mass.mean())}."
    )


BETWEEN = of_page(
    key="between",
    question="Which heads look from one sentence of a pair to the other?",
    measure=lambda scene: call(segment_mass, T)[:, :, WAYS[scene[WAY]][0], WAYS[scene[WAY]][1]],
    dims=("layer", "head"),
    values="share",
    title=lambda scene: f"Weight from sentence to sentence, {scene[WAY].replace('->', ' → ')}",
    say=say_between,
    about=every_weight,
    options=(WAY,),
    unfolds={"more": "between"},
)


def say_mixing(answer: Answer) -> str:
    """Which token takes most from others, and in which layer."""
    ratio = answer.numbers.array
    i, j = largest_cell(ratio)
    token = shown(answer.scene.t.tokens[i])
    return (
        f"“{token}” ({i}) takes most from others in layer {j}: {percent(ratio[i, j])}. The mean is "
        f"{percent(ratio.mean())}."
    )


def about_mixing(scene: Scene) -> About:
    """The weights, values and residuals of all layers."""
    last = f"layers.{scene.n_layers - 1}."
    return About(scene.t, reads=(f"{last}attention.weights", f"{last}attention.v", f"{last}add_norm_1.residual"))


MIXING = of_page(
    key="mixing",
    question="How much of each vector comes from other tokens?",
    measure=lambda scene: Every(lambda layer: call(mixing_ratio, T, layer), scene.n_layers),
    dims=("layer", "word"),
    rows="word",
    values="share",
    title="Share of each token's new vector that comes from other tokens, layer by layer",
    say=say_mixing,
    about=about_mixing,
    unfolds={"more": "flow"},
)


def say_likeness(answer: Answer) -> str:
    """Which two heads look most alike."""
    unlike = answer.numbers.array
    pair = largest_cell(-(unlike + np.diag(np.full(len(unlike), np.inf))))
    first, second = (f"head {i % answer.scene.n_heads} of layer {i // answer.scene.n_heads}" for i in pair)
    return f"Of all heads, {first} and {second} look most alike: their divergence is {brief(unlike[pair])}."


LIKENESS = of_page(
    key="likeness",
    question="Which heads look alike?",
    measure=unlike,
    dims=("any head", "other head"),
    names=lambda answer: dict.fromkeys(("any head", "other head"), every_head(answer)),
    unit="nats",
    title="Jensen-Shannon divergence between all heads",
    say=say_likeness,
    about=about_survey,
    options=(OVER,),
    unfolds={"more": "alike"},
    look=lambda answer: {"largest": math.log(2)},
)


def say_plane(answer: Answer) -> str:
    """How much of the spread of all heads the plane shows."""
    shares = answer.value(call(plane, unlike(answer.scene))[1])
    return f"Alike heads stand close together; the plane shows {percent(shares.sum())} of all spread."


PLANE = of_page(
    key="plane",
    question="Which heads stand together?",
    measure=lambda scene: call(plane, unlike(scene))[0],
    dims=("any head", "axis"),
    names=lambda answer: {"any head": every_head(answer)},
    kind="points",
    title="Heads in the plane, alike ones close together",
    say=say_plane,
    about=about_survey,
    options=(OVER,),
    unfolds={"more": "alike"},
    look=lambda answer: {"chosen": answer.scene.layer * answer.scene.n_heads + answer.scene.head},
)


def scored(scene: Scene) -> Call:
    """The score of two tokens in layer 0 as a sum of terms."""
    return call(pair_score, ENC, T, scene.head, scene[QUERY], scene[KEY])


def part_names(parts: tuple[StreamPart, ...], position: int, answer: Answer) -> list[str]:
    """What the parts of a query or key are called."""
    names = {
        "word": f"word “{shown(answer.scene.t.tokens[position])}”",
        "position": f"position {position}",
        "rest": "rest (rounding, changes)",
    }
    return [names.get(part.kind, part.kind) for part in parts]


def names_of_terms(answer: Answer) -> Mapping[str, Names]:
    """The parts of the query, and those of the key."""
    score, scene = answer.value(scored(answer.scene)), answer.scene
    return {
        "part of the query": part_names(score.query, scene[QUERY], answer),
        "part of the key": part_names(score.key, scene[KEY], answer),
    }


def say_terms(answer: Answer) -> str:
    """What the terms add up to, and which is the largest."""
    scene, values = answer.scene, answer.numbers.array
    score = answer.value(scored(scene))
    i, j = largest_cell(np.abs(values))
    rows, columns = (answer.numbers.along(dim) for dim in answer.numbers.dims)
    what = "The score of the contents alone" if scene.config.distance_parts else "The score"
    return (
        f"{what} is {brief(score.score)}: all {values.size} terms add up to it, {brief(score.missing)} apart. The "
        f"largest term, {brief(values[i, j])}, is that of {rows[i]} and {columns[j]}."
    )


def token_title(scene: Scene, position: int) -> str:
    """A token with its position."""
    return f"{scene.token(position)}"


INSIDE_TERMS = of_page(
    key="inside_terms",
    question="Why does one word score another as it does in layer 0?",
    measure=lambda scene: scored(scene).values,
    dims=("part of the query", "part of the key"),
    names=names_of_terms,
    values="signed",
    title=lambda scene: (
        f"The score of {token_title(scene, scene[QUERY])} and {token_title(scene, scene[KEY])} as a sum"
    ),
    say=say_terms,
    about=lambda scene: About(scene.t, layer=0, head=scene.head, reads=("attention.scaled",)),
    options=(QUERY, KEY),
    unfolds={"more": "inside"},
    look=lambda answer: {"longest": 24, "row_title": "query", "column_title": "key"},
)
