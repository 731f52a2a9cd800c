"""Pictures of what each part of the model costs the guess: in the order of the data, and as a board of all parts."""

from collections.abc import Mapping

import numpy as np

from encoder.metrics import largest_cell
from encoder.packet.run import ADDED, part_costs, part_moves
from encoder.packet.what_if_level import share_changes
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, Call, T, call
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.registry.why_pictures import ASKED, GUESS, OTHER, about_logits, target
from encoder.pictures.scene import Scene, head_names
from encoder.support.formatting import brief, percent, shown

BLOCKS = ("attention", "feed-forward")


def guesses(scene: Scene) -> bool:
    """Whether a word is guessed: elsewhere it is told how far a word's last vector moves."""
    return scene.config.mlm_head and scene.t.tokens[scene[GUESS]] == scene.encoder.mask_token


def part_names(scene: Scene) -> list[str]:
    """The parts in the order of the data."""
    places = ["position"] if scene.config.positions in ADDED else []
    return [*places, *(f"layer {layer}, {block}" for layer in range(scene.n_layers) for block in BLOCKS)]


def measured(scene: Scene) -> Call:
    """What each part costs, or how far the word moves without it."""
    if guesses(scene):
        return call(part_costs, ENC, T, target(scene))
    return call(part_moves, ENC, T, scene.t.tokenization.word_of(scene[GUESS]))


def named(scene: Scene, i: int) -> str:
    """A word of the vocabulary in quotation marks."""
    return f"“{shown(scene.encoder.tokenizer.id_to_token(i) or str(i))}”"


def what_is_asked(scene: Scene) -> str:
    """The guess, perhaps over another word, or the word that moves."""
    if not guesses(scene):
        return scene.token(scene[GUESS])
    first, *over = (named(scene, i) for i in target(scene).words)
    return f"the lead of {first} over {over[0]}" if over else first


def title(scene: Scene) -> str:
    """What is told of each part."""
    asked = what_is_asked(scene)
    return f"What each part costs {asked}" if guesses(scene) else f"How far {asked} moves without each part"


def unit(scene: Scene) -> str:
    """What the numbers are."""
    if not guesses(scene):
        return "of the vector's length"
    return "lead lost, in nats" if scene[OTHER].strip() else "share lost"


def say_costs(answer: Answer) -> str:
    """The part that costs most, positions aside, which are far above all others."""
    scene, values, names = answer.scene, answer.numbers.array, part_names(answer.scene)
    first = len(values) - 2 * scene.n_layers
    most = first + int(np.nan_to_num(values[first:]).argmax())
    size = brief(values[most]) if scene[OTHER].strip() and guesses(scene) else percent(values[most])
    what = f"it moves by {size} of its length" if not guesses(scene) else f"{size} of it is lost"
    return f"Without {names[most]} {what}, more than without any other part of a layer."


PART_COSTS = Picture(
    key="part_costs",
    page="start",
    question="What does each part of the model cost the guess?",
    measure=measured,
    dims=("part",),
    names=lambda answer: {"part": part_names(answer.scene)},
    kind="spine",
    unit=unit,
    values="signed",
    title=title,
    say=say_costs,
    about=lambda scene: about_logits(scene) if guesses(scene) else About(scene.t, reads=("output",)),
    options=ASKED,
    look=lambda answer: {"beside": len(answer.numbers.array) - 2 * answer.scene.n_layers},
)


def columns(answer: Answer) -> Mapping[str, Names]:
    """What stands across the board."""
    return {"part": [*head_names(answer.scene.config), *BLOCKS, "whole layer"]}


def say_board(answer: Answer) -> str:
    """Which head is missed most, and which part of all."""
    scene, values = answer.scene, answer.numbers.array
    across, word = columns(answer)["part"], named(scene, target(scene).word)
    (i, h), (j, k) = largest_cell(-values[:, : scene.n_heads]), largest_cell(-values)
    return (
        f"Of the heads, {word} needs head {h} of layer {i} most: it falls by {percent(-values[i, h])}; of all parts "
        f"the {across[k]} of layer {j}: by {percent(-values[j, k])}."
    )


PART_BOARD = Picture(
    key="part_board",
    page="what_if",
    question="How does the guess change without each head and each part?",
    measure=lambda scene: call(share_changes, ENC, T, target(scene)),
    dims=("layer", "part"),
    names=columns,
    values="lost",
    title=lambda scene: f"The share of {named(scene, target(scene).word)} without each part alone, in points",
    say=say_board,
    about=about_logits,
    options=ASKED[:2],
    look=lambda answer: {"written": "points"},
)
