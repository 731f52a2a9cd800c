"""The labs on the order of words and on positions: another order, and the table of positions."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from encoder.experiments import profile, swapped, turn, wavelengths, word_order
from encoder.pictures.export.caption import About, quoted
from encoder.pictures.expression import ENC, Call, Item, Several, call
from encoder.pictures.lab import Ask, Beside, Note, Show, When, about_sentence, in_lab, lab
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene
from encoder.support.formatting import brief, shown
from encoder.trace.words import punctuation

POSITIONS = ("positions off", "positions on")


def in_reverse(scene: Scene) -> Call:
    """The sentence against its words in reverse."""
    return call(word_order, ENC, scene.t.text)


def say_order(answer: Answer) -> str:
    """How far the vectors of both orders are apart."""
    off, on = answer.numbers.array.max(-1)
    return (
        f"Without positions each word has the same vector in both orders, up to {off:.1e}; with them it is {on:.3g} "
        "away."
    )


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
    say=say_order,
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


def exchanged(scene: Scene) -> Call:
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
    exchanged,
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
    question="How alike are two places, by how far apart they are?",
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
    return model.config.positions in ("sinusoidal", "learned") and model.embedding.positions.weight.shape[1] % 2 == 0


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
    return f"The best rotation misses by {brief(largest)}: this table is no table of waves."


WAVES = (
    Ask("Pair of dimensions", PAIR, "marks"),
    Show(
        POSITION_WAVES,
        lambda answer: "One is a sine and the other a cosine of the same angle." * turns(answer)[answer.scene[PAIR]],
    ),
    When(lambda answer: all(turns(answer)), (WAVELENGTHS,), (Note("paragraph", rotation_misses),)),
    Note("heading", "How alike two places are, by their distance"),
    POSITION_DISTANCE,
)

EXCHANGE = (
    Beside((Ask("One word", ONE_WORD, "list", word_at), Ask("The other", OTHER_WORD, "list", word_at))),
    Note("line", lambda answer: spelled("Exchanged", answer.value(exchanged(answer.scene)).reordered)),
    SWAPPED,
)

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
