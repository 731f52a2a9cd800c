"""Pictures of the labs on places: the table of positions, scores by distance, and what a window cannot see."""

from functools import partial

import numpy as np

from encoder.experiments import placed_scores, profile, sight, wavelengths
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, Call, Every, Item, Several, T, call
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.registry.labs import in_lab
from encoder.pictures.scene import Option, Scene, one_of, token_of
from encoder.support.formatting import brief, percent

MOST = 128  # positions that are drawn


def rows(scene: Scene) -> int:
    """How many positions are drawn."""
    return min(MOST, len(scene.encoder.model.embedding.positions.weight))


def table(scene: Scene) -> Item:
    """The first rows of the table of positions."""
    return ENC.model.embedding.positions.weight[: rows(scene)]


def pairs(scene: Scene) -> range:
    """The pairs of columns of the table."""
    return range(scene.encoder.model.embedding.positions.weight.shape[1] // 2)


PAIR = Option("position_pair", pairs, lambda scene: min(32, len(pairs(scene)) - 1))


def about_table(scene: Scene) -> About:
    """What the numbers of the table are of."""
    scope = f"the first {rows(scene)} positions, the same for every sentence"
    return About(source=scene.source, scope=scope)


def columns(scene: Scene) -> tuple[int, int]:
    """Both columns of the chosen pair."""
    return 2 * scene[PAIR], 2 * scene[PAIR] + 1


def say_waves(answer: Answer) -> str:
    """After how many positions the chosen pair comes round."""
    wave = float(answer.value(call(wavelengths, table(answer.scene)))[answer.scene[PAIR]])
    first, second = columns(answer.scene)
    if wave != wave:
        return f"Dimensions {first} and {second} do not turn evenly from position to position."
    return f"Dimensions {first} and {second} come round after {brief(wave)} positions."


of_page = partial(Picture, page="lessons")
POSITION_WAVES = of_page(
    key="position_waves",
    question="How do two dimensions of the table of positions run from place to place?",
    measure=lambda scene: (
        ENC.model.embedding.positions.weight[: rows(scene), columns(scene)[0] : columns(scene)[1] + 1].T
    ),
    dims=("series", "position"),
    names=lambda answer: {"series": [f"dimension {i}" for i in columns(answer.scene)]},
    kind="curve",
    unit="number",
    title=lambda scene: "Dimensions {} and {} of the table of positions".format(*columns(scene)),
    say=say_waves,
    about=about_table,
    options=(PAIR,),
    needs="model",
    unfolds=in_lab("Positions"),
)


def say_wavelengths(answer: Answer) -> str:
    """The shortest and the longest wave, or how many pairs are waves."""
    waves = answer.numbers.array
    even = int(np.isfinite(waves).sum())
    if even < len(waves):
        return f"{even} of {len(waves)} pairs turn evenly from position to position."
    return f"The shortest wave comes round after {brief(waves[0])} positions, the longest after {brief(waves[-1])}."


WAVELENGTHS = of_page(
    key="wavelengths",
    question="After how many positions does each pair of dimensions come round?",
    measure=lambda scene: call(wavelengths, table(scene)),
    dims=("pair",),
    kind="curve",
    unit="wavelength",
    title="Wavelength of each pair of dimensions",
    say=say_wavelengths,
    about=about_table,
    needs="model",
    unfolds=in_lab("Positions"),
    look=lambda answer: {"titles": ("pair", "positions"), "logarithmic": (False, True)},
)


def say_distance(answer: Answer) -> str:
    """How alike two positions are where they are the same, and beside each other."""
    mean, spread = answer.numbers.array, answer.value(call(profile, table(answer.scene))).spread
    return (
        f"The dot product is {brief(mean[0])} at distance 0 and {brief(mean[1])} at distance 1; pairs at "
        f"one distance differ by {brief(spread.max())} at most."
    )


POSITION_DISTANCE = of_page(
    key="position_distance",
    question="How alike are two places, by how far apart they are?",
    measure=lambda scene: call(profile, table(scene)).mean,
    dims=("distance",),
    kind="curve",
    unit="mean",
    title="Mean dot product of two positions by their distance",
    say=say_distance,
    about=about_table,
    needs="model",
    unfolds=in_lab("Positions"),
    look=lambda answer: {"titles": ("distance", "dot product")},
)

QUERY = token_of("placed_query", lambda scene: min(1, len(scene.t.tokens) - 1))
KEY = token_of("placed_key", lambda scene: min(2, len(scene.t.tokens) - 1))
APART = (0, 1, 4, 8)  # places from query to key
ALONG = 40  # places of the query


def placed(scene: Scene, head: int) -> Call:
    """The score of the chosen words in every pair of places."""
    return call(placed_scores, ENC, T, head, scene[QUERY], scene[KEY])


def about_placed(scene: Scene) -> About:
    """One head of layer 0."""
    return About(source=scene.source, layer=0, head=scene.head, scope="two words in every pair of places")


def say_placed(answer: Answer) -> str:
    """How much scores at one distance differ."""
    scores = answer.value(placed(answer.scene, answer.scene.head))
    return f"The most that scores at one distance differ is {percent(scores.spread)} of the largest score."


PLACED = of_page(
    key="placed",
    question="Does a score say how far apart two words stand, or where they stand?",
    measure=lambda scene: Every(lambda head: placed(scene, head).values, scene.n_heads, "head"),
    dims=("head", "place of the query", "place of the key"),
    chosen={"head": lambda scene: scene.head},
    values="signed",
    title="The score of two words in layer 0, wherever they stand",
    say=say_placed,
    about=about_placed,
    options=(QUERY, KEY),
    unfolds=in_lab("Why rotary"),
    look=lambda answer: {"row_title": "place of the query", "column_title": "place of the key"},
)


def say_along(answer: Answer) -> str:
    """How far the score goes where the key stands one place after."""
    along = answer.value(placed(answer.scene, answer.scene.head)).along(1)
    low, high = (brief(end) for end in (along.min(), along.max()))
    return f"With the key one place after, the score goes from {low} to {high}."


def scores_along(scene: Scene, head: int) -> Several:
    """The scores at some distances, as many of each."""
    shortest = max(0, min(ALONG, min(48, scene.encoder.max_tokens) - APART[-1]))
    return Several(*(placed(scene, head).along(apart)[:shortest] for apart in APART))


PLACED_ALONG = of_page(
    key="placed_along",
    question="Does a score change where both words move on together?",
    measure=lambda scene: Every(lambda head: scores_along(scene, head), scene.n_heads, "head"),
    dims=("head", "series", "place of the query"),
    chosen={"head": lambda scene: scene.head},
    names=lambda answer: {"series": [f"{apart} after" for apart in APART]},
    kind="curve",
    unit="score",
    title="The score of two words that move on together",
    say=say_along,
    about=about_placed,
    options=(QUERY, KEY),
    unfolds=in_lab("Why rotary"),
)

TOKENS = 200
PLACE = one_of("sight_place", range(TOKENS), TOKENS // 2)
KINDS = {"seen": "may look at", "reached": "has something of"}


def say_sight(answer: Answer, kind: str) -> str:
    """How much of the text a place sees, layer by layer."""
    shares, place = answer.numbers.array.astype(float).mean(-1), answer.scene[PLACE]
    least, most = int(shares.argmin()), int(shares.argmax())
    low, high = percent(shares[least]), percent(shares[most])
    if low == high:
        return f"In every layer place {place} {KINDS[kind]} {low} of the text."
    return f"In layer {least} place {place} {KINDS[kind]} {low} of the text, in layer {most} {high}."


def sight_of(kind: str, question: str) -> Picture:
    """Whom a place sees in each layer, or what reaches it by way of others."""
    return of_page(
        key=f"sight_{kind}",
        question=question,
        measure=lambda scene: getattr(call(sight, ENC, TOKENS, scene[PLACE]), kind).float(),
        dims=("layer", "place"),
        values="share",
        title=lambda scene: f"What place {scene[PLACE]} {KINDS[kind]}, layer by layer",
        say=lambda answer: say_sight(answer, kind),
        about=lambda scene: About(source=scene.source, scope=f"a text of {TOKENS} tokens, whatever the words are"),
        options=(PLACE,),
        needs="model",
        unfolds=in_lab("Windows"),
        look=lambda answer: {"column_title": "place"},
    )


SIGHT_SEEN = sight_of("seen", "Whom may a token look at in each layer?")
SIGHT_REACHED = sight_of("reached", "From whom does something reach a token, by way of others?")
