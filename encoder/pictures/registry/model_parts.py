"""Pictures of the parts of a model: words and places, the units of feed-forward, and where the parameters are."""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from encoder.explain.cost import areas
from encoder.metrics import (
    BUNDLED,
    activation_curve,
    cosine_matrix,
    nearest_words,
    never_positive,
    unit_sides,
)
from encoder.model.activations import ACTIVATIONS
from encoder.packet.embedding import nearest as near_table
from encoder.pictures.export.caption import UNCHANGED, About
from encoder.pictures.expression import ENC, Call, Each, Every, Several, T, call, step
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene, token_of
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, percent, shown

WORDS = 10


def longest(scene: Scene) -> int:
    """The position of the longest token that was typed: it is seldom a word that stands for nothing alone."""
    run = scene.t
    typed = [i for i, special in enumerate(run.tokenization.special) if not special] or [0]
    return max(typed, key=lambda i: len(run.tokens[i]))


WORD: Option = token_of("near_word", longest)


def nearest(scene: Scene) -> Call:
    """The words with the vectors most like that of the chosen one, with their cosines."""
    return call(nearest_words, ENC, T.ids[scene[WORD]], WORDS)


def say_nearest(answer: Answer) -> str:
    """Which word is nearest."""
    scene = answer.scene
    word, cosine = answer.value(nearest(scene))[0]
    return (
        f"Of all words in the table “{shown(word)}” is nearest to "
        f"“{shown(scene.t.tokens[scene[WORD]])}”: cosine {brief(cosine)}."
    )


def any_word(scene: Scene) -> float:
    """The mean cosine of the chosen word with all words."""
    mean: float = near_table(scene.encoder, [int(scene.t.ids[scene[WORD]])])["any"][0]
    return mean


of_page = partial(Picture, page="embedding", values="signed")
NEAR_WORDS = of_page(
    key="near_words",
    question="Which words have a vector like that of a word?",
    measure=lambda scene: Each(nearest(scene), 1),
    dims=("near word",),
    names=lambda answer: {"near word": answer.value(Each(nearest(answer.scene), 0))},
    kind="lying",
    unit=lambda scene: f"cosine with {shown(scene.t.tokens[scene[WORD]])}",
    title=lambda scene: f"The words with vectors most like that of “{shown(scene.t.tokens[scene[WORD]])}”",
    say=say_nearest,
    look=lambda answer: {"beside": ("a random word", any_word(answer.scene))},
    about=lambda scene: About(source=scene.source, scope="the table of embeddings, the same for every text"),
    options=(WORD,),
)


STRIPS = {  # the steps of the embedding that are drawn where a model has them
    "embedding.scaled": "the word",
    "embedding.positions": "+ position",
    "embedding.segments": "+ first or second sentence",
    "embedding.sum": "= the sum",
    "embedding.output": "after the norm",
}


def strips_of(scene: Scene) -> dict[str, str]:
    """The steps that the token's vector goes through, by what they are called."""
    run, width = scene.t, scene.config.d_embedding
    there = {name: called for name, called in STRIPS.items() if name in run and run[name].shape[-1] == width}
    added = {"embedding.positions", "embedding.segments"}
    used = {name: called for name, called in there.items() if name not in added or bool(run[name].any())}
    return used if "embedding.sum" in run else used | {"embedding.output": "= the sum"}


def strip_names(scene: Scene) -> list[str]:
    """What they are called, with the factor of the words and the number of the position."""
    config = scene.config
    factor = f" × {brief(config.d_model**0.5)}" if config.scale_embeddings else ""
    more = {"embedding.scaled": factor, "embedding.positions": f" {scene[WORD]}"}
    return [called + more.get(name, "") for name, called in strips_of(scene).items()]


def say_strips(answer: Answer) -> str:
    """How long each vector is."""
    names = answer.numbers.along("strip")
    long = [
        f"{str(name).lstrip('+= ')} {brief(float(np.linalg.norm(row)))}"
        for name, row in zip(names, answer.numbers.array, strict=True)
    ]
    return f"Lengths: {', '.join(long)}."


EMBEDDING_STRIPS = Picture(
    key="embedding_strips",
    page="embedding",
    question="Of which vectors is that of a token the sum?",
    measure=lambda scene: Several(*(step(None, name)[scene[WORD]] for name in strips_of(scene))),
    dims=("strip", "dimension"),
    names=lambda answer: {"strip": strip_names(answer.scene)},
    kind="strips",
    values="signed",
    title=lambda scene: f"The vector of {scene.token(scene[WORD])}, number by number",
    say=say_strips,
    about=lambda scene: About(scene.t, reads=("embedding.output",)),
    options=(WORD,),
    look=lambda answer: {
        "behind": [i for i, name in enumerate(strips_of(answer.scene).values()) if name == "after the norm"],
    },
)


def say_places(answer: Answer) -> str:
    """How alike neighbours are, and how alike the ends."""
    alike = answer.numbers.array
    apart = len(alike) - 1
    return (
        f"The position vectors of the first two positions have a cosine of {brief(alike[0, min(1, apart)])}, those "
        f"of the first and the last, {apart} apart, {brief(alike[0, -1])}."
    )


PLACES = of_page(
    key="alike_places",
    question="How alike are the vectors of two positions?",
    measure=lambda scene: call(cosine_matrix, step(None, "embedding.positions")),
    dims=("token", "other token"),
    names=lambda answer: {"other token": answer.scene.t.tokens},
    title="Cosine between the position vectors of every two positions",
    say=say_places,
    about=lambda scene: About(scene.t, reads=("embedding.positions",)),
    unfolds={"more": "places"},
    look=lambda answer: {"fit": True},
)


def say_place(answer: Answer) -> str:
    """Which other position is most like the chosen one, and which least."""
    at, alike = answer.scene[WORD], answer.numbers.array
    others = [i for i in range(len(alike)) if i != at] or [at]
    most, least = (by(others, key=lambda i: alike[i]) for by in (max, min))
    near, far = (f"{alike[i]:.2f}" for i in (most, least))
    return f"Position {at} is most like position {most}, cosine {near}, and least like {least}, {far}."


PLACE = of_page(
    key="alike_place",
    question="How alike is the vector of a position to those of all others?",
    measure=lambda scene: call(cosine_matrix, step(None, "embedding.positions"))[scene[WORD]],
    dims=("position",),
    kind="curve",
    unit="cosine",
    title=lambda scene: f"Cosine of position {scene[WORD]} with each position",
    say=say_place,
    about=lambda scene: About(scene.t, reads=("embedding.positions",)),
    options=(WORD,),
    look=lambda answer: {
        "frames": ({}, {"range": [min(0.0, float(answer.numbers.array.min())), 1.05]}),
        "mark": answer.scene[WORD],
    },
)


def n_waves(scene: Scene) -> int:
    """How many pairs of numbers are waves over the positions.

    Raises:
        EncoderError: none are.
    """
    config = scene.config
    if config.positions not in ("sinusoidal", "rotary"):
        raise EncoderError("the positions of this model are no sines and cosines")
    return (config.d_head if config.positions == "rotary" else config.d_embedding) // 2


WAVES = Option(
    "waves", lambda scene: range(n_waves(scene)), lambda scene: [0, n_waves(scene) // 8, n_waves(scene) // 4], many=True
)


def recorded_waves(scene: Scene) -> Several:
    """The sine and the cosine of each chosen pair, as they were recorded."""
    if scene.config.positions == "rotary":
        return Several(*(step(0, f"attention.{of}")[:, pair] for pair in scene[WAVES] for of in ("sin", "cos")))
    return Several(*(step(None, "embedding.positions")[:, 2 * pair + i] for pair in scene[WAVES] for i in (0, 1)))


def wave_names(scene: Scene) -> list[str]:
    """What the numbers are called."""
    if scene.config.positions == "rotary":
        return [f"{of} of pair {pair}" for pair in scene[WAVES] for of in ("sine", "cosine")]
    return [f"number {2 * pair + i}" for pair in scene[WAVES] for i in (0, 1)]


def look_of_waves(answer: Answer) -> Mapping[str, Any]:
    """The chosen position, what pairs are called, and their curves between the positions by the formula."""
    scene, pairs, last = answer.scene, np.array(answer.scene[WAVES]), answer.numbers.array.shape[-1] - 1
    turned = scene.config.positions == "rotary"
    theta, divisor = scene.config.turns_of(0) if turned else (10_000.0, 1.0)
    x = np.linspace(0, last, max(2, 8 * last + 1))
    angles = x / theta ** (pairs[:, None] / n_waves(scene)) / divisor
    called = [f"pair {pair}" if turned else f"numbers {2 * pair} and {2 * pair + 1}" for pair in pairs]
    return {"position": scene[WORD], "pairs": called, "curves": (x, np.stack([np.sin(angles), np.cos(angles)], 1))}


def say_waves(answer: Answer) -> str:
    """How fast the first and the last of the pairs turn."""
    scene = answer.scene
    turned = scene.config.positions == "rotary"
    theta, divisor = scene.config.turns_of(0) if turned else (10_000.0, 1.0)
    first, last = (
        2 * np.pi * divisor * theta ** (pair / n_waves(scene)) for pair in (scene[WAVES][0], scene[WAVES][-1])
    )
    return f"The first of these waves comes round after {brief(first)} positions, the last after {brief(last)}."


PLACE_WAVES = of_page(
    key="place_waves",
    question="Which waves are the numbers of a position?",
    measure=recorded_waves,
    dims=("number", "position"),
    names=lambda answer: {"number": wave_names(answer.scene)},
    kind="waves",
    title=lambda scene: f"The waves of position {scene[WORD]}",
    say=say_waves,
    about=lambda scene: About(scene.t, reads=("embedding.output",)),
    options=(WORD, WAVES),
    look=look_of_waves,
)


TOKEN = token_of("curve_token", lambda scene: min(1, len(scene.t.tokens) - 1))
ACTIVATION = "feed_forward.activation"
NAMED = 4  # units


def handed_on(scene: Scene) -> np.ndarray:
    """What each unit hands on at the chosen token, in size."""
    gated, plain = (f"layers.{scene.layer}.{name}" for name in ("feed_forward.gated", ACTIVATION))
    given = scene.t.array(gated if gated in scene.t else plain)[scene[TOKEN]]
    sizes: np.ndarray = np.abs(np.nan_to_num(given))
    return sizes


UNIT = Option("curve_unit", lambda scene: range(scene.config.d_ff), lambda scene: int(handed_on(scene).argmax()))


def say_units(answer: Answer) -> str:
    """How many units get a number above zero, and which is the most active one."""
    scene, (after, before) = answer.scene, (answer.numbers.array[:, column] for column in (1, 0))
    unit, token = int(after.argmax()), scene[TOKEN]
    return (
        f"At {scene.token(token)} {int((after > 0).sum()):,} of {len(after):,} units get a "
        f"number above zero. The most active one is unit {unit}: {brief(before[unit])} becomes "
        f"{brief(after[unit])}."
    )


def look_of_units(answer: Answer) -> Mapping[str, Any]:
    """The curve, what becomes of the units on either side of zero, and which are named: those that hand on most."""
    scene = answer.scene
    cuts = ACTIVATIONS[scene.config.activation].cuts
    return {
        "curve": answer.value(call(activation_curve, T, scene.layer, scene[TOKEN])),
        "sides": ("units set to 0", "kept") if cuts else ("units damped", "nearly kept"),
        "chosen": scene[UNIT],
        "named": np.argsort(-handed_on(scene), kind="stable")[:NAMED].tolist(),
    }


UNITS = Picture(
    key="units_on_curve",
    page="feed_forward",
    question="What does the activation make of the units of a token?",
    measure=lambda scene: Every(lambda layer: call(unit_sides, T, layer, scene[TOKEN]), scene.n_layers),
    dims=("layer", "series", "unit"),
    chosen={"layer": lambda scene: scene.layer},
    names=lambda answer: {"series": ["before", "after"]},
    rows="unit",
    kind="units",
    title=lambda scene: f"The units of {scene.token(scene[TOKEN])} before and after the activation",
    say=say_units,
    about=lambda scene: About(scene.t, layer=scene.layer, reads=("feed_forward.hidden", ACTIVATION)),
    options=(TOKEN, UNIT),
    look=look_of_units,
)


def dead(scene: Scene) -> Call:
    """Which units get nothing above zero over the bundled sentences."""
    return call(never_positive, ENC)


def say_dead(answer: Answer) -> str:
    """How many units no sentence wakes, and in which layer most of them are."""
    units = answer.value(dead(answer.scene))
    counts = units.sum(-1)
    most = int(counts.argmax())
    return (
        f"{percent(units.float().mean())} of all units get nothing above zero at any token of {BUNDLED}; most "
        f"of them are in layer {most}, with {int(counts[most]):,} of {units.shape[1]:,}."
    )


DEAD = Picture(
    key="dead_by_layer",
    page="feed_forward",
    question="Which share of the units does no sentence wake?",
    measure=lambda scene: dead(scene).float().mean(-1),
    dims=("layer",),
    kind="curve",
    unit="share of units never above zero",
    values="share",
    title="Share of units that get nothing above zero, layer by layer",
    say=say_dead,
    about=lambda scene: About(source=scene.source, scope=f"{BUNDLED}, {UNCHANGED}"),
    needs="model",
    heavy=True,
    unfolds={"more": "silent"},
)


def say_areas(answer: Answer) -> str:
    """Which kind of part has the most parameters."""
    counts = Counter[str]()
    for area in answer.value(AREA):
        counts[area.kind] += area.parameters
    (kind, most), whole = counts.most_common(1)[0], counts.total()
    return f"Most parameters are in the {kind}: {most:,} of {whole:,}, {percent(most / whole)}."


AREA = call(areas, ENC.model)
AREAS = Picture(
    key="areas",
    page="models",
    question="Where are the parameters of the model?",
    measure=lambda scene: Each(AREA, 1),
    dims=("part",),
    names=lambda answer: {"part": answer.value(Each(AREA, 0))},
    kind="areas",
    unit="parameters",
    title="Parameters as areas",
    say=say_areas,
    about=lambda scene: About(source=scene.source, scope="Area is parameters"),
    needs="model",
    look=lambda answer: {"areas": answer.value(AREA)},
)
