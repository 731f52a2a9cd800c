"""Pictures of Attention below that of a step: what heads add, what a token takes, one pair, and a position bias."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from encoder.experiments import bias_table
from encoder.export.caption import About
from encoder.figures.facts import main_fact
from encoder.formatting import brief, percent, shown
from encoder.metrics import (
    THROUGH,
    head_outputs,
    head_shares,
    largest_cell,
    length,
    query_key_products,
    through_heads,
    weighted_values,
)
from encoder.pictures.expression import ENC, Call, Every, T, call
from encoder.pictures.numbers import array
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.registry.grids import GRID, pair_in_grid, usual_pair
from encoder.pictures.scene import Scene, token_of


def in_layers(scene: Scene, make: Any) -> Every:
    """The same for every layer."""
    return Every(make, scene.encoder.config.n_layers)


def in_heads(scene: Scene, make: Any) -> Every:
    """The same for every head of every layer; `make` gets layer and head."""
    heads = scene.encoder.config.n_heads
    return Every(lambda layer: Every(lambda head: make(layer, head), heads, "head"), scene.encoder.config.n_layers)


LAYER = {"layer": lambda scene: scene.layer}
HEAD = {"layer": lambda scene: scene.layer, "head": lambda scene: scene.head}


THROUGH_TOKEN = token_of("through", lambda scene: usual_pair(scene)[0])
QUERY = token_of("query")


def pair(scene: Scene) -> tuple[int, int]:
    """The query and the key that the grid shows."""
    return pair_in_grid(scene)[:2]


def say_products(answer: Answer) -> str:
    """What the products add up to."""
    return f"{products_title(answer.scene)}: their products add up to {brief(float(answer.numbers.array[2].sum()))}."


def products_title(scene: Scene) -> str:
    """The query and the key of the pair."""
    (i, j), tokens = pair(scene), scene.t.tokens
    return f"Query of “{shown(tokens[i])}” ({i}) and key of “{shown(tokens[j])}” ({j})"


PRODUCTS = Picture(
    key="neurons",
    page="attention",
    question="Which numbers of a query and a key make their score?",
    measure=lambda scene: in_heads(scene, lambda layer, head: call(query_key_products, T, layer, head, *pair(scene))),
    dims=("layer", "head", "strip", "dimension"),
    chosen=HEAD,
    names=lambda answer: {"strip": ["query", "key", "product"]},
    kind="matrix",
    values="signed",
    title=products_title,
    say=say_products,
    about=lambda scene: About(scene.t, layer=scene.layer, head=scene.head, reads=("attention.q", "attention.k")),
    options=(GRID,),
    unfolds={"products": "1"},
)


def say_taken(answer: Answer) -> str:
    """What stands out among what the token takes."""
    return main_fact(answer.numbers.array, answer.scene.t.tokens, "dimension", "signed")


TAKEN = Picture(
    key="weighted_values",
    page="attention",
    question="What does a token take from each other one?",
    measure=lambda scene: in_heads(scene, lambda layer, head: call(weighted_values, T, layer, head, scene[QUERY])),
    dims=("layer", "head", "token", "dimension"),
    chosen=HEAD,
    kind="matrix",
    values="signed",
    title="Each token's value times the weight it gets",
    say=say_taken,
    about=lambda scene: About(scene.t, layer=scene.layer, head=scene.head, reads=("attention.weights", "attention.v")),
    options=(QUERY,),
    unfolds={"step": "attention.heads"},
)


def say_long(answer: Answer) -> str:
    """Which head adds most, and to which token."""
    long, tokens = answer.numbers.array, answer.numbers.along("word")
    h, i = largest_cell(long)
    return (
        f"In layer {answer.scene.layer} head {h} adds most: a vector of length {brief(float(long[h, i]))} to "
        f"“{shown(tokens[i])}” ({i}). The mean over heads and tokens is {brief(float(long.mean()))}."
    )


HEAD_LENGTHS = Picture(
    key="head_lengths",
    page="attention",
    question="How much does each head add to each token?",
    measure=lambda scene: in_layers(scene, lambda layer: call(length, call(head_outputs, T, layer))),
    dims=("layer", "head", "word"),
    chosen=LAYER,
    kind="matrix",
    title="Length of what each head adds to each token, after W_O",
    say=say_long,
    about=lambda scene: About(scene.t, layer=scene.layer, reads=("attention.heads",)),
    unfolds={"step": "attention.heads"},
)


def say_shares(answer: Answer) -> str:
    """Which head makes the largest share of what is added to a token, and how many work against the sum."""
    shares, tokens = answer.numbers.array, answer.numbers.along("word")
    h, i = largest_cell(shares)
    return (
        f"Head {h} makes {percent(float(shares[h, i]))} of what all heads add to “{shown(tokens[i])}” ({i}), and "
        f"{int((shares < 0).sum())} of {shares.size} shares are negative."
    )


HEAD_SHARES = Picture(
    key="head_shares",
    page="attention",
    question="Which share of what all heads add is each head's?",
    measure=lambda scene: in_layers(scene, lambda layer: call(head_shares, T, layer)),
    dims=("layer", "head", "word"),
    chosen=LAYER,
    kind="matrix",
    values="signed",
    title="Share of each head in what all heads add to each token",
    say=say_shares,
    about=lambda scene: About(scene.t, layer=scene.layer, reads=("attention.heads",)),
    unfolds={"step": "attention.heads"},
)


def shares_of(answer: Answer) -> np.ndarray:
    """The share of each head in what all heads add to the chosen token; 0 where it is no number."""
    scene = answer.scene
    shares = array(answer.value(call(head_shares, T, scene.layer)))[:, scene[THROUGH_TOKEN]]
    whole: np.ndarray = np.nan_to_num(shares)
    return whole


def say_through(answer: Answer) -> str:
    """What each head reads and makes, and which of them makes most of the sum."""
    scene, shares = answer.scene, shares_of(answer)
    config, most = scene.encoder.config, int(shares.argmax())
    return (
        f"Each of the {config.n_heads} heads reads all {config.d_model} numbers of "
        f"“{shown(scene.t.tokens[scene[THROUGH_TOKEN]])}” and makes {config.d_head} of its own. Head {most} makes "
        f"{percent(float(shares[most]))} of what all heads add."
    )


def look_through(answer: Answer) -> Mapping[str, Any]:
    """The share of each head, and what it looks at most."""
    scene = answer.scene
    weights = scene.t.array(f"layers.{scene.layer}.attention.weights")[:, scene[THROUGH_TOKEN]]
    most = np.nan_to_num(weights).argmax(-1).tolist()
    looks = [(float(row[j]), scene.t.tokens[j]) for row, j in zip(weights, most, strict=True)]
    return {"shares": shares_of(answer).tolist(), "looks": looks}


FAN_OUT = Picture(
    key="fan_out",
    page="attention",
    question="How does one vector go through all heads and back?",
    measure=lambda scene: in_layers(scene, lambda layer: call(through_heads, T, layer, scene[THROUGH_TOKEN])),
    dims=("layer", "step", "dimension"),
    chosen=LAYER,
    names=lambda answer: {"step": list(THROUGH)},
    kind="fan_out",
    values="signed",
    title="One vector through all heads and back",
    say=say_through,
    about=lambda scene: About(scene.t, layer=scene.layer, reads=tuple(f"attention.{name}" for name in THROUGH)),
    options=(THROUGH_TOKEN,),
    unfolds={"step": "attention.concat"},
    look=look_through,
)


def table(scene: Scene) -> Call:
    """The whole table of the position bias."""
    return call(bias_table, ENC)


def say_bias(answer: Answer) -> str:
    """Which distance the chosen head adds most to, or by how much its scores fall."""
    scene, values = answer.scene, answer.numbers.array[answer.scene.head]
    names = answer.value(table(scene)).names
    if scene.encoder.config.positions == "alibi":
        slope, far = (brief(float(-values[i])) for i in (1, -1))
        return (
            f"Head {scene.head} takes {slope} from a score for each token of distance, {far} where the key is "
            f"{names[-1]}."
        )
    most = int(values.argmax())
    where = "is itself" if names[most] == "itself" else f"stands {names[most]}"
    return f"Head {scene.head} adds most, {brief(float(values[most]))}, where the key {where}."


BIAS_TABLE = Picture(
    key="bias_table",
    page="attention",
    question="What does a position bias add at each distance?",
    measure=lambda scene: table(scene).values,
    dims=("head", "distance"),
    names=lambda answer: {"distance": answer.value(table(answer.scene)).names},
    kind="matrix",
    values="signed",
    title="What the position bias adds, head by head and by distance",
    say=say_bias,
    about=lambda scene: About(
        source=scene.encoder.source, scope="a table of the model, the same for every sentence and layer"
    ),
    needs="model",
    unfolds={"step": "attention.position_bias"},
)
