"""Pictures of Attention below that of a step: what heads add, what a token takes, one pair, and a position bias."""

from typing import Any

from encoder.experiments import bias_table
from encoder.metrics import (
    head_outputs,
    head_shares,
    largest_cell,
    length,
)
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, Call, Every, T, call
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Scene
from encoder.support.formatting import brief, percent, shown


def in_layers(scene: Scene, make: Any) -> Every:
    """The same for every layer."""
    return Every(make, scene.n_layers)


LAYER = {"layer": lambda scene: scene.layer}


def say_long(answer: Answer) -> str:
    """Which head adds most, and to which token."""
    long, tokens = answer.numbers.array, answer.numbers.along("word")
    h, i = largest_cell(long)
    return (
        f"In layer {answer.scene.layer} head {h} adds most: a vector of length {brief(long[h, i])} to "
        f"“{shown(tokens[i])}” ({i}). The mean over heads and tokens is {brief(long.mean())}."
    )


HEAD_LENGTHS = Picture(
    key="head_lengths",
    page="attention",
    question="How much does each head add to each token?",
    measure=lambda scene: in_layers(scene, lambda layer: call(length, call(head_outputs, T, layer))),
    dims=("layer", "head", "word"),
    chosen=LAYER,
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
        f"Head {h} makes {percent(shares[h, i])} of what all heads add to “{shown(tokens[i])}” ({i}), and "
        f"{int((shares < 0).sum())} of {shares.size} shares are negative."
    )


HEAD_SHARES = Picture(
    key="head_shares",
    page="attention",
    question="Which share of what all heads add is each head's?",
    measure=lambda scene: in_layers(scene, lambda layer: call(head_shares, T, layer)),
    dims=("layer", "head", "word"),
    chosen=LAYER,
    values="signed",
    title="Share of each head in what all heads add to each token",
    say=say_shares,
    about=lambda scene: About(scene.t, layer=scene.layer, reads=("attention.heads",)),
    unfolds={"step": "attention.heads"},
)


def table(scene: Scene) -> Call:
    """The whole table of the position bias."""
    return call(bias_table, ENC)


def say_bias(answer: Answer) -> str:
    """Which distance the chosen head adds most to, or by how much its scores fall."""
    scene, values = answer.scene, answer.numbers.array[answer.scene.head]
    names = answer.value(table(scene)).names
    if scene.config.positions == "alibi":
        slope, far = (brief(-values[i]) for i in (1, -1))
        return (
            f"Head {scene.head} takes {slope} from a score for each token of distance, {far} where the key is "
            f"{names[-1]}."
        )
    most = int(values.argmax())
    where = "is itself" if names[most] == "itself" else f"stands {names[most]}"
    return f"Head {scene.head} adds most, {brief(values[most])}, where the key {where}."


BIAS_TABLE = Picture(
    key="bias_table",
    page="attention",
    question="What does a position bias add at each distance?",
    measure=lambda scene: table(scene).values,
    dims=("head", "distance"),
    names=lambda answer: {"distance": answer.value(table(answer.scene)).names},
    values="signed",
    title="What the position bias adds, head by head and by distance",
    say=say_bias,
    about=lambda scene: About(source=scene.source, scope="a table of the model, the same for every sentence and layer"),
    needs="model",
    unfolds={"step": "attention.position_bias"},
)
