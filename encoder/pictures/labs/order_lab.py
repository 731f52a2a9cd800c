"""The labs on the order of words and on positions: another order, and the table of positions."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments import exchanged, profile, swapped, turn, wavelengths, word_order
from encoder.experiments.positions import on_circles
from encoder.pictures.export.caption import About, quoted
from encoder.pictures.expression import ENC, Call, Item, Several, call
from encoder.pictures.lab import Ask, Beside, Note, Show, When, about_sentence, in_lab, lab
from encoder.pictures.labs.trial import Finding, as_judged, bars, claim, curves, judge, trial, untried
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene
from encoder.support.formatting import brief, shown
from encoder.trace.words import punctuation

POSITIONS = ("positions off", "positions on")
TABLES = ("sinusoidal", "learned")  # the positions that have a table
NO_WAVES = "The claim is of a table of sines and cosines; this model has none."
SAME = 1e-4  # factors that a table in float32 does not tell apart
ROUNDING = 1e-5  # differences of float32 sums, relative to the numbers that were added


def in_reverse(scene: Scene) -> Call:
    """The sentence against its words in reverse."""
    return call(word_order, ENC, scene.t.text)


def between_orders(
    name: str, key: str, question: str, order: Callable[[Scene], Call], what: Callable[[Scene], str], **more: Any
) -> Picture:
    """How far the vectors of two orders of the words are apart, token by token."""
    return in_lab(name)(
        key=key,
        question=question,
        measure=lambda scene: Several(order(scene).off_by_token, order(scene).on_by_token),
        dims=("series", "token"),
        names=lambda answer: {"series": POSITIONS, "token": answer.value(order(answer.scene)).tokens},
        kind="bars",
        unit="largest difference",
        about=lambda scene: about_sentence(scene, what(scene)),
        **more,
    )


ORDER = between_orders(
    "Word order",
    "order",
    "Is the order of the words lost without positions?",
    in_reverse,
    lambda scene: f"{quoted(scene.t.text)} and its words in reverse",
    title="Largest difference of each token's output between both orders",
    say=as_judged("identical_rows"),
    look=lambda answer: {"logarithmic": True},
)


def words(scene: Scene) -> list[int]:
    """The words of the sentence by their numbers among all words, without what the model adds and punctuation."""
    pieces = scene.t.tokenization
    return [
        k
        for k, word in enumerate(pieces.words)
        if not pieces.special[word[0]] and not punctuation(pieces.tokens[word[0]])
    ]


ONE_WORD = Option("swap_one", words, lambda scene: next(iter(words(scene)), 0))
OTHER_WORD = Option("swap_other", words, lambda scene: next(reversed(words(scene)), 0))


def exchange(scene: Scene) -> Call:
    """The sentence against itself with two words exchanged."""
    return call(swapped, ENC, scene.t.inputs, scene[ONE_WORD], scene[OTHER_WORD])


def say_swapped(answer: Answer) -> str:
    """How far the vectors are away after the exchange."""
    off, on = answer.numbers.array.max(-1)
    return f"Without positions no vector changes by more than {off:.1e}; with them the vectors are up to {on:.3g} away."


SWAPPED = between_orders(
    "Positions",
    "swapped",
    "What changes where two words change places?",
    exchange,
    lambda scene: f"{quoted(scene.t.inputs)} with two words exchanged",
    title="Largest difference of each token's output where two words change places",
    say=say_swapped,
    options=(ONE_WORD, OTHER_WORD),
)
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


of_table = in_lab("Positions", needs="model", about=about_table)

POSITION_WAVES = of_table(
    key="position_waves",
    question="How do two dimensions of the table of positions run from position to position?",
    measure=lambda scene: (
        ENC.model.embedding.positions.weight[: rows(scene), columns(scene)[0] : columns(scene)[1] + 1].T
    ),
    dims=("series", "position"),
    names=lambda answer: {"series": [f"dimension {i}" for i in columns(answer.scene)]},
    kind="curve",
    unit="number",
    title=lambda scene: "Dimensions {} and {} of the table of positions".format(*columns(scene)),
    say=say_waves,
    options=(PAIR,),
)


def say_wavelengths(answer: Answer) -> str:
    """The shortest and the longest wave, or how many pairs are waves."""
    waves = answer.numbers.array
    even = int(np.isfinite(waves).sum())
    if even < len(waves):
        return f"{even} of {len(waves)} pairs turn evenly from position to position."
    return f"The shortest wave comes round after {brief(waves[0])} positions, the longest after {brief(waves[-1])}."


WAVELENGTHS = of_table(
    key="wavelengths",
    question="After how many positions does each pair of dimensions come round?",
    measure=lambda scene: call(wavelengths, table(scene)),
    dims=("pair",),
    kind="curve",
    unit="wavelength",
    title="Wavelength of each pair of dimensions",
    say=say_wavelengths,
    look=lambda answer: {"titles": ("pair", "positions"), "logarithmic": (False, True)},
)


def say_distance(answer: Answer) -> str:
    """How alike two positions are where they are the same, and beside each other."""
    mean, spread = answer.numbers.array, answer.value(call(profile, table(answer.scene))).spread
    return (
        f"The dot product is {brief(mean[0])} at distance 0 and {brief(mean[1])} at distance 1; pairs at "
        f"one distance differ by {brief(spread.max())} at most."
    )


POSITION_DISTANCE = of_table(
    key="position_distance",
    question="How alike are two positions, by how far apart they are?",
    measure=lambda scene: call(profile, table(scene)).mean,
    dims=("distance",),
    kind="curve",
    unit="mean",
    title="Mean dot product of two positions by their distance",
    say=say_distance,
    look=lambda answer: {"titles": ("distance", "dot product")},
)


def spelled(start: str, tokens: Sequence[str]) -> str:
    """Return tokens as a line of text."""
    return f"{start}: " + " ".join(map(shown, tokens))


def has_two_words(answer: Answer) -> bool:
    """Return whether the page has one sentence, and no pair, with words to exchange."""
    return isinstance(answer.scene.t.inputs, str) and len(words(answer.scene)) > 1


def has_waves(answer: Answer) -> bool:
    """Return whether the model has a table of positions whose columns come in pairs."""
    model = answer.scene.encoder.model
    return model.config.positions in TABLES and model.embedding.positions.weight.shape[1] % 2 == 0


def turns(answer: Answer) -> list[bool]:
    """Return for each pair of columns whether one rotation leads from place to place."""
    waves = answer.value(call(wavelengths, table(answer.scene))).isfinite()
    return [bool(even) for even in waves]


def word_at(scene: Scene, place: int) -> str:
    """Return a word of the sentence with its number."""
    pieces = scene.t.tokenization
    return f"{place} {shown(pieces.spelled(pieces.words[place]))}"


def rotation_misses(answer: Answer) -> str:
    """Return how far a table is from one of waves."""
    largest = answer.value(call(turn, table(answer.scene))).largest
    return f"The best rotation misses by {brief(largest)}: this is not a table of waves."


WAVES = (
    Ask("Pair of dimensions", PAIR, "marks"),
    Show(
        POSITION_WAVES,
        lambda answer: "One is a sine and the other a cosine of the same angle." * turns(answer)[answer.scene[PAIR]],
    ),
    When(lambda answer: all(turns(answer)), (WAVELENGTHS,), (Note("paragraph", rotation_misses),)),
    Note("heading", "How alike two positions are, by their distance"),
    POSITION_DISTANCE,
)

EXCHANGE = (
    Beside((Ask("One word", ONE_WORD, "list", word_at), Ask("The other", OTHER_WORD, "list", word_at))),
    Note("line", lambda answer: spelled("Exchanged", answer.value(exchange(answer.scene)).reordered)),
    SWAPPED,
)


@trial(runs=5, held=5)
def same_vectors(encoder: TextEncoder, sentence: str, other: str = "", positions: str = "off") -> Finding:
    """The same words in another order give the same output vectors, each with its word.

    `other` is the second sentence; the first one reversed if it is empty. `positions` says which runs are compared.
    """
    result = exchanged(encoder, sentence, other) if other else word_order(encoder, sentence)
    largest = {"off": result.largest_off, "on": result.largest_on}[positions]
    size = float(encoder.trace(sentence)["output"].abs().max())
    text = (
        f"With positions {positions}, each word's output vector in “{' '.join(result.reordered)}” differs from its "
        f"vector in “{' '.join(result.tokens)}” by at most {brief(largest)}; the numbers themselves reach "
        f"{brief(size)}."
    )
    series = dict(zip(POSITIONS, (result.off_by_token, result.on_by_token), strict=True))
    picture = bars(series, result.tokens, "largest difference", logarithmic=True)
    what, holds = "largest difference between the vectors of a word", judge(largest < 10 * ROUNDING * size)
    return Finding(largest, what, text, holds, picture)


@claim("reversed", "workflow tutorial", lesson="word-order", sentence="I love deep learning")
@trial(ORDER, runs=5, held=5)
def identical_rows(answer: Answer) -> Finding:
    """Without positional encoding a sentence and its words reversed are identical."""
    result = answer.value(in_reverse(answer.scene))
    moved = sum(i != j for i, j in enumerate(result.order))
    largest, least = result.largest_off, 10 * ROUNDING * float(answer.scene.t["output"].abs().max())
    text = (
        f"With positions off the two outputs hold the same {len(result.order)} vectors, up to {brief(largest)}, but "
        f"{moved} of them stand in another row: the set is the same, the order is that of the words. "
    )
    if result.largest_on < least:
        text += "With positions on they are the same too: nothing here depends on the order of the words."
    else:
        text += f"With positions on, vectors differ by up to {brief(result.largest_on)}."
    same = largest < least
    judgement = judge(same and moved == 0, "the same vectors, but in other rows" if same else "")
    return Finding(largest, "largest difference with positions off", text, judgement)


def waves_of(encoder: TextEncoder) -> Tensor | None:
    """The table of sines and cosines of a model; None where it has none."""
    return encoder.model.embedding.positions.weight if encoder.config.positions == "sinusoidal" else None


@claim("range", "workflow", lesson="positions")
@trial()
def position_values(encoder: TextEncoder) -> Finding:
    """The values of the positional encoding are between -1 and 1."""
    if (table := waves_of(encoder)) is None:
        return untried(NO_WAVES)
    largest = float(table.abs().max())
    text = (
        f"The {table.shape[0]} × {table.shape[1]} numbers go from {float(table.min()):.4g} to {float(table.max()):.4g}."
    )
    return Finding(largest, "largest value in size", text, judge(largest <= 1 + ROUNDING))


@claim("frequencies", "workflow", lesson="positions")
@trial()
def one_frequency(encoder: TextEncoder) -> Finding:
    """Each dimension of the positional encoding represents a different frequency.

    A pair has one where it turns by the same angle at every step.
    """
    if (table := waves_of(encoder)) is None:
        return untried(NO_WAVES)
    result = turn(table)
    waves = 2 * math.pi / result.angles.abs()
    text = (
        "From one position to the next each pair turns by an angle of its own, missed by at most "
        f"{brief(result.largest)}. Of {len(waves)} pairs the fastest comes round after {brief(float(waves[0]))} "
        f"positions, the slowest after {brief(float(waves[-1]))}."
    )
    titles = ("pair of columns", "positions for one round")
    picture = curves({"wavelength": waves}, range(len(waves)), titles, False, True)
    pairs = result.largest < ROUNDING and len(set(result.angles.tolist())) == len(result.angles)
    shared = twins(table)
    text += f" But dimensions have no frequency of their own: {shared} of {len(waves)} pairs share one." * bool(shared)
    judgement = judge(not shared, "each pair of dimensions has one, a sine and a cosine" if pairs else "")
    return Finding(float(shared), "pairs of dimensions that share a frequency", text, judgement, picture)


def twins(table: Tensor) -> int:
    """How many pairs of neighbouring columns are waves of the same frequency.

    Of any wave of frequency w, x[p + k] + x[p - k] = 2 cos(kw) x[p]: the factor is fitted for a short and a long k.
    """
    waves, factors = table.double(), []
    for k in (1, len(table) // 4):
        ends, middle = waves[2 * k :] + waves[: -2 * k], waves[k:-k]
        factors.append((ends * middle).sum(0) / middle.square().sum(0).clamp_min(torch.finfo(waves.dtype).tiny))
    left, right = torch.stack(factors).view(2, -1, 2).unbind(-1)
    return int(((left - right).abs() < SAME).all(0).sum())


@claim(
    "rotation",
    "tutorial paper",
    "From the encoding of position 10 those of 20 and 30 follow: PE(p + k) is a rotation of PE(p).",
    lesson="positions",
    steps=10,
)
@trial()
def one_rotation(encoder: TextEncoder, steps: int = 10) -> Finding:
    """PE(p + k) is one fixed rotation of PE(p), the same for every p."""
    if (table := waves_of(encoder)) is None:
        return untried(NO_WAVES)
    result = turn(table, steps)
    holds = result.largest < ROUNDING
    text = (
        f"{'One rotation' if holds else 'No one rotation'} of each pair takes every position p to p + {steps}, for all "
        f"{len(table) - steps} of them; the largest distance between the {'' if holds else 'best '}turned pair and the "
        f"real one is {brief(result.largest)}."
    )
    if 3 * steps < len(table):
        once, twice = misses(table, result.angles, steps)
        text += (
            f" From the row of position {steps} alone it gives that of {2 * steps} but for {brief(once)}, and done "
            f"twice that of {3 * steps} but for {brief(twice)}."
        )
    return Finding(result.largest, "largest distance after the rotation", text, judge(holds))


def misses(table: Tensor, angles: Tensor, steps: int) -> list[float]:
    """How far the row of position `steps` misses those of 2 and 3 times as many, turned by these angles at each."""
    points = on_circles(table)
    turned = {k: torch.polar(torch.ones_like(angles), (k - 1) * angles) for k in (2, 3)}
    return [float((points[steps] * rotation - points[k * steps]).abs().max()) for k, rotation in turned.items()]


@trial()
def only_distance(encoder: TextEncoder) -> Finding:
    """How alike two position vectors are depends on how far apart they stand, not on where."""
    if encoder.config.positions not in TABLES:
        return untried("This model has no table of positions.")
    result = profile(encoder.model.embedding.positions.weight)
    half = len(result.mean) // 2
    relative = float(result.spread[:half].max() / result.mean[0].abs())
    falls = float(1 - result.mean[1:half].max() / result.mean[0])
    rises = int((result.mean[1:half] > result.mean[: half - 1]).sum())
    text = (
        f"The dot product of two position vectors is {brief(float(result.mean[0]))} for the same position, "
        f"{brief(float(result.mean[1]))} for neighbours and {brief(float(result.mean[10]))} ten apart. At one distance "
        f"it varies by at most {brief(relative)} of the first. It does not always fall: it rises at {rises} of "
        f"{half - 1} steps."
    )
    picture = curves({"PE(p) · PE(p + k)": result.mean[:half]}, range(half), ("distance k", "dot product"))
    judgement = judge(relative < ROUNDING < falls)
    return Finding(relative, "how much it varies at one distance", text, judgement, picture)


LABS = {
    "Word order": lab(
        "Is word order lost without positions?",
        "The sentence is run as it stands and with its words in reverse, once without positions and once with them.",
        Note("line", lambda answer: spelled("Reversed", answer.value(in_reverse(answer.scene)).reordered)),
        ORDER,
    ),
    "Positions": lab(
        "What does a table of positions hold?",
        When(has_waves, WAVES, ("This model has no table of positions whose columns come in pairs.",)),
        Note("heading", "Two words change places"),
        When(has_two_words, EXCHANGE, ("This needs one sentence of two words or more.",)),
    ),
}
