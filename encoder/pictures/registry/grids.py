"""Pictures of pairs of tokens as small maps: all heads, one head's steps, what flows."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from encoder.metrics import disagreement, largest_cell, norm_weighted
from encoder.pictures.chart import small_maps
from encoder.pictures.export.caption import About
from encoder.pictures.expression import Every, Expression, T, call, step
from encoder.pictures.figures.facts import strongest_map
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.registry.heads_pictures import every_head, every_weight
from encoder.pictures.scene import Scene
from encoder.support.formatting import brief, percent
from encoder.trace import unpadded
from encoder.trace.unpadded import attention_weights


def every_layer(scene: Scene) -> Expression:
    """The weights of every head of every layer."""
    return Every(lambda layer: step(layer, "attention.weights"), scene.n_layers)


def say_maps(answer: Answer) -> str:
    """Which map has the largest number, and what is not drawn of all."""
    run, maps, drawn = answer.scene.t, small_maps(answer.chart), answer.selection
    names, at = (run.tokens, None) if drawn is None else (drawn.drawn, drawn.at)
    special = [run.tokenization.special[i] for i in at or range(len(names))]
    values = [small.coloured for small in maps]
    strongest = strongest_map(values, [small.label for small in maps], names, answer.own_values, special, at)
    return f"{strongest} {answer.left_out}".strip()


def look_all(answer: Answer) -> Mapping[str, Any]:
    """What the maps of every head are called; a layer is a row of them, and no cell has its number."""
    config = answer.scene.config
    labels = [f"Head {h} of layer {i}" for i in range(config.n_layers) for h in range(config.n_heads)]
    return {"titles": every_head(answer), "labels": labels, "columns": config.n_heads, "bare": True}


of_every_head = partial(Picture, dims=("layer", "head", "query", "key"), kind="maps")
ALL_HEADS = of_every_head(
    key="all_heads",
    page="heads",
    question="What does every head of every layer look at?",
    measure=every_layer,
    values="share",
    title="Attention weights of every head of every layer",
    say=say_maps,
    about=every_weight,
    pairs=True,
    look=look_all,
)


def flowing(scene: Scene) -> tuple[Expression, Expression, Expression]:
    """The weights of a layer, what flows, and how far the two are apart, each of all heads."""
    return (
        call(attention_weights, T, scene.layer),
        call(norm_weighted, T, scene.layer),
        call(disagreement, T, scene.layer),
    )


def about_flow(scene: Scene) -> About:
    """What a picture of one head's weights and flow names."""
    return About(scene.t, layer=scene.layer, head=scene.head, reads=("attention.weights", "attention.v"))


def say_weight(answer: Answer) -> str:
    """Which weight is the largest."""
    i, j = largest_cell(answer.numbers.array)
    looks, looked_at = map(answer.scene.token, (i, j))
    return f"{looks} gives {percent(float(answer.numbers.array[i, j]))} of its attention to {looked_at}, the most."


def say_flow(answer: Answer) -> str:
    """What is longest of all that is handed over."""
    i, j = largest_cell(answer.numbers.array)
    takes, taken = map(answer.scene.token, (i, j))
    return f"The longest that is taken is {brief(float(answer.numbers.array[i, j]))}, by {takes} from {taken}."


def say_flow_minus_weight(answer: Answer) -> str:
    """In which pair weight and flow are furthest apart."""
    unlike = answer.numbers.array
    i, j = largest_cell(abs(unlike))
    looks, looked_at = map(answer.scene.token, (i, j))
    weight = float(answer.value(flowing(answer.scene)[0])[answer.scene.head, i, j])
    return (
        f"{looks} gives {percent(weight)} of its attention to {looked_at}, and "
        f"{percent(weight + float(unlike[i, j]))} of what it takes comes from there."
    )


of_flow = partial(
    Picture,
    page="heads",
    dims=("query", "key"),
    names=lambda answer: dict.fromkeys(("query", "key"), unpadded.tokens(answer.scene.t)),
    about=about_flow,
    unfolds={"more": "flow"},
)
FLOW_WEIGHT = of_flow(
    key="flow_weight",
    question="How much does each token look at each other in one head?",
    measure=lambda scene: flowing(scene)[0][scene.head],
    values="share",
    title=lambda scene: f"Weight of head {scene.head} of layer {scene.layer}",
    say=say_weight,
)
FLOW = of_flow(
    key="flow_taken",
    question="How much does each token take from each other in one head?",
    measure=lambda scene: flowing(scene)[1][scene.head],
    values="positive",
    title=lambda scene: f"Flow of head {scene.head} of layer {scene.layer}",
    say=say_flow,
    look=lambda answer: {"largest": float(answer.value(flowing(answer.scene)[1]).max())},
)
FLOW_MINUS_WEIGHT = of_flow(
    key="flow_minus_weight",
    question="How far is looking from taking in one head?",
    measure=lambda scene: flowing(scene)[2][scene.head],
    values="signed",
    title=lambda scene: f"Flow as shares minus weight, head {scene.head} of layer {scene.layer}",
    say=say_flow_minus_weight,
    look=lambda answer: {"largest": 1.0},
)
