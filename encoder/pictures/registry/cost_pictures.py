"""Pictures of what each part of the model costs the guess: in the order of the data, and as a board of all parts."""

from collections.abc import Mapping

import numpy as np

from encoder.metrics import largest_cell
from encoder.metrics.answer import answers, name_of
from encoder.packet.run import ADDED, lead_costs, part_costs, part_moves
from encoder.packet.what_if_level import share_costs
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, Call, T, call
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.registry.why_pictures import ASKED, GUESS, OTHER, about_logits, target, target_name
from encoder.pictures.scene import Scene, head_names
from encoder.support.formatting import brief, percent, points_lost, shown

BLOCKS = ("attention", "feed-forward")
SHARE, LEAD = "share lost", "lead lost, in nats"


def guesses(scene: Scene) -> bool:
    """Whether a word or a label is said there: elsewhere it is told how far a word's last vector moves."""
    how = answers(scene.config)
    if how.labels is not None:
        return how.in_shares
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
    """A word of the vocabulary, or a label, in quotation marks."""
    labels = answers(scene.config).labels
    name = scene.encoder.tokenizer.id_to_token(i) if labels is None else name_of(scene.encoder, i)
    return f"“{shown(name or str(i))}”"


def what_is_asked(scene: Scene) -> str:
    """The guess, perhaps over another word, or the word that moves."""
    if not guesses(scene):
        return scene.token(scene[GUESS])
    first, *over = (named(scene, i) for i in target(scene).words)
    return f"the lead of {first} over {over[0]}" if over else first


def title(scene: Scene) -> str:
    """What is told of each part."""
    asked = what_is_asked(scene)
    return f"What each part costs {asked}" if guesses(scene) else f"How much {asked} changes without each part"


def unit(scene: Scene) -> str:
    """What the numbers are."""
    if not guesses(scene):
        return "of the vector's length"
    return LEAD if scene[OTHER].strip() else SHARE


def share_of(scene: Scene) -> float:
    """The share of the answer in this run."""
    how, asked = answers(scene.config), target(scene)
    return float(how.shares(how.scores(scene.t, asked.position))[asked.word])


def in_points(scene: Scene) -> dict[str, float]:
    """The share that costs are of, where they are shares: they are told in points."""
    return {"points_of": share_of(scene)} if unit(scene) == SHARE else {}


def whole_points(scene: Scene, cost: float) -> str:
    """What a part costs a share, in points as both shares are told."""
    lost = points_lost(share := share_of(scene), share - cost)
    return f"{lost} {'point' if lost == '1' else 'points'}"


def say_costs(answer: Answer) -> str:
    """The part that costs most, positions aside, which are far above all others."""
    scene, values, names = answer.scene, answer.numbers.array, part_names(answer.scene)
    first = len(values) - 2 * scene.n_layers
    most = first + int(np.nan_to_num(values[first:]).argmax())
    lost = {SHARE: lambda cost: whole_points(scene, cost), LEAD: lambda cost: f"{brief(cost)} nats"}.get(unit(scene))
    what = f"it loses {lost(values[most])}" if lost else f"it changes by {percent(values[most])}"
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
    look=lambda answer: {"beside": len(answer.numbers.array) - 2 * answer.scene.n_layers} | in_points(answer.scene),
)


def columns(answer: Answer) -> Mapping[str, Names]:
    """What stands across the board."""
    return {"part": [*head_names(answer.scene.config), *BLOCKS, "whole layer"]}


def say_board(answer: Answer) -> str:
    """Which head is missed most, and which part of all."""
    scene, values = answer.scene, answer.numbers.array
    across, word = columns(answer)["part"], named(scene, target(scene).word)
    (i, h), (j, k) = largest_cell(values[:, : scene.n_heads]), largest_cell(values)
    return (
        f"Of the heads, head {h} of layer {i} costs {word} most, {whole_points(scene, values[i, h])}; of all parts "
        f"the {across[k]} of layer {j}, {whole_points(scene, values[j, k])}."
    )


PART_BOARD = Picture(
    key="part_board",
    page="what_if",
    question="What does each head and each part cost the guess?",
    measure=lambda scene: call(share_costs, ENC, T, target(scene)),
    dims=("layer", "part"),
    names=columns,
    values="signed",
    title=lambda scene: f"What each part alone costs {named(scene, target(scene).word)}, in points",
    say=say_board,
    about=about_logits,
    options=ASKED[:2],
    look=lambda answer: {"points_of": share_of(answer.scene)},
)


def say_heads(answer: Answer) -> str:
    """Which head the sum loses or gains most without."""
    values = answer.numbers.array
    i, h = largest_cell(np.abs(values))
    does = "gains" if values[i, h] < 0 else "loses"
    return f"Without head {h} of layer {i} the sum {does} most, {brief(abs(values[i, h]))}."


HEAD_BOARD = Picture(
    key="head_board",
    page="output",
    question="What does each head cost the sum of a label?",
    measure=lambda scene: call(lead_costs, ENC, T, target(scene)),
    dims=("layer", "head"),
    values="signed",
    title=lambda scene: f"What each head costs {target_name(scene)}",
    say=say_heads,
    about=about_logits,
    options=ASKED,
    look=lambda answer: {"written": "large tenths"},
)
