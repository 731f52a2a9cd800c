"""Pictures of an atlas: what every head and unit did over a whole corpus."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from encoder.atlas.atlas_folders import atlas_of
from encoder.atlas.atlas_reader import Atlas
from encoder.atlas.corpus_numbers import firing_shares, pair_weights, ranked_shares, telling_unit
from encoder.atlas.pairs import ACROSS, MEANINGS, told_apart
from encoder.atlas.running_sums import MEASURES
from encoder.metrics import largest_cell
from encoder.pictures.export.caption import UNCHANGED, About
from encoder.pictures.expression import ENC, Call, call
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.registry.heads_pictures import every_head
from encoder.pictures.scene import ATLAS, Option, Scene, one_of
from encoder.support.formatting import brief, percent

KNOWN = MEASURES | ACROSS
TITLES = {name: measure.title for name, measure in KNOWN.items()} | {
    "weight_mean": "Largest weight, mean",
    "written_mean": "Written, mean",
}
UNITS = {"weight": "largest weight of a token", "written": "longest vector written to a token"}
BY = one_of("atlas_by", UNITS)


def atlas(scene: Scene) -> Call:
    """The chosen atlas of the model, as an expression."""
    return call(atlas_of, ENC, scene[ATLAS])


def opened(scene: Scene) -> Atlas:
    """The same to be read from."""
    return atlas_of(scene.encoder, scene[ATLAS])


def about_atlas(scene: Scene) -> About:
    """What numbers of an atlas are of."""
    return About(source=scene.source, scope=f"{opened(scene).card.scope}, {UNCHANGED}")


def measures(scene: Scene) -> list[str]:
    """The names of the measures of heads that the atlas has."""
    return [name for name in TITLES if name in opened(scene).heads.column_names]


TO_THE_RIGHT = Option("atlas_x", measures, lambda scene: "previous")
UP = Option("atlas_y", measures, lambda scene: "written_mean")


def chosen_measures(scene: Scene) -> list[str]:
    """What the chosen measures are called."""
    return [TITLES[scene[TO_THE_RIGHT]], TITLES[scene[UP]]]


def say_heads(answer: Answer) -> str:
    """In which head the first measure is largest."""
    first = answer.numbers.array[:, 0]
    most = int(first.argmax())
    title = chosen_measures(answer.scene)[0]
    layer, head = divmod(most, answer.scene.n_heads)
    return f"{title} is largest in head {head} of layer {layer}: {brief(first[most])}."


of_page = partial(Picture, page="heads", about=about_atlas, needs="model")
ATLAS_HEADS = of_page(
    key="atlas_heads",
    question="Which heads do much of two things over a whole corpus?",
    measure=lambda scene: [atlas(scene).heads[scene[option]].to_numpy() for option in (TO_THE_RIGHT, UP)],
    dims=("measure", "any head"),
    rows="any head",
    names=lambda answer: {"any head": every_head(answer), "measure": chosen_measures(answer.scene)},
    kind="points",
    title=lambda scene: f"All heads by {' and '.join(chosen_measures(scene))}",
    say=say_heads,
    options=(ATLAS, TO_THE_RIGHT, UP),
    unfolds={"more": "two_measures"},
    look=lambda answer: {
        "chosen": answer.scene.layer * answer.scene.n_heads + answer.scene.head,
        "titles": tuple(chosen_measures(answer.scene)),
    },
)


def ranks(answer: Answer) -> Mapping[str, Names]:
    """The ranks of the units that the curve goes through."""
    numbers = answer.value(call(ranked_shares, atlas(answer.scene), answer.scene.layer)[0])
    return {"rank of the unit": numbers.tolist()}


def say_units(answer: Answer) -> str:
    """How often the middle unit of the layer fires, and how many never do."""
    scene = answer.scene
    shares = answer.value(call(firing_shares, atlas(scene), scene.layer))
    return (
        f"On {opened(scene).card.scope}, half of its {len(shares):,} units fire at "
        f"{percent(np.median(shares))} of the tokens or less; {int((shares == 0).sum()):,} never fire."
    )


of_units = partial(of_page, page="feed_forward")
ATLAS_UNITS = of_units(
    key="atlas_units",
    question="How often do the feed-forward units of a layer fire?",
    measure=lambda scene: call(ranked_shares, atlas(scene), scene.layer)[1],
    dims=("rank of the unit",),
    names=ranks,
    kind="curve",
    unit="share of the tokens",
    values="share",
    title=lambda scene: f"How often the units of layer {scene.layer} fire",
    say=say_units,
    options=(ATLAS,),
    unfolds={"more": "all_units"},
)
UNIT = Option(
    "atlas_unit",
    lambda scene: range(opened(scene).card.sizes["units"]),
    lambda scene: telling_unit(opened(scene), scene.layer),
)


def say_firings(answer: Answer) -> str:
    """What half of the firings lie below, and the largest."""
    middle, most = middle_and_most(answer)
    return f"At half of its firings the activation is {middle} or less; the largest is {most}."


def middle_and_most(answer: Answer) -> tuple[str, str]:
    """What half of the values lie below, and the largest."""
    values = answer.numbers.array
    return brief(values[len(values) // 2]), brief(values[-1])


UNIT_DECILES = of_units(
    key="unit_deciles",
    question="How are the firings of a unit spread over a corpus?",
    measure=lambda scene: atlas(scene).unit(scene.layer, scene[UNIT])["deciles"],
    dims=("percent of its firings",),
    names=lambda answer: {answer.dims[0]: range(0, 101, 10)},
    kind="curve",
    unit="activation",
    title=lambda scene: f"How the firings of layer {scene.layer}, unit {scene[UNIT]} are spread",
    say=say_firings,
    options=(ATLAS, UNIT),
    unfolds={"more": "corpus"},
)


def say_deciles(answer: Answer) -> str:
    """What half of the values lie below, and the largest."""
    middle, most = middle_and_most(answer)
    return f"At half of the tokens the {UNITS[answer.scene[BY]]} is {middle} or less; the largest is {most}."


ATLAS_DECILES = of_page(
    key="atlas_deciles",
    question="How are the values of a head spread over a corpus?",
    measure=lambda scene: atlas(scene).head(scene.layer, scene.head)[f"{scene[BY]}_deciles"],
    dims=("percent of the tokens",),
    names=lambda answer: {answer.dims[0]: range(0, 101, 10)},
    kind="curve",
    unit=lambda scene: UNITS[scene[BY]],
    title=lambda scene: f"How the values of head {scene.head} of layer {scene.layer} are spread",
    say=say_deciles,
    options=(ATLAS, BY),
    unfolds={"more": "contexts"},
)
START = Option("atlas_start", lambda scene: told_apart(opened(scene).card.pairs)[0], lambda scene: "article")
END = Option("atlas_end", lambda scene: told_apart(opened(scene).card.pairs)[1], lambda scene: "next")


def say_pairs(answer: Answer) -> str:
    """Which head gives most from the one kind to the other."""
    weights, scene = answer.numbers.array, answer.scene
    layer, head = largest_cell(weights)
    return (
        f"From {MEANINGS[scene[START]]} to {MEANINGS[scene[END]]} head {head} of layer {layer} gives most of all "
        f"heads: {percent(weights[layer, head])} of its weight."
    )


ATLAS_PAIRS = of_page(
    key="atlas_pairs",
    question="Which heads look from tokens of one kind to tokens of another?",
    measure=lambda scene: call(pair_weights, atlas(scene), scene[START], scene[END]),
    dims=("layer", "head"),
    values="share",
    title=lambda scene: f"Weight from {MEANINGS[scene[START]]} to {MEANINGS[scene[END]]}",
    say=say_pairs,
    options=(ATLAS, START, END),
    unfolds={"more": "kinds"},
)
