"""Pictures of many sentences beside each other: one word in them, how alike two or all of them are."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from encoder.experiments.attributions.similarity import (
    Alike,
    alike,
    centred,
    likeness,
    lines,
    mean_vector,
    opened,
    others,
)
from encoder.experiments.compare import holding, mean_between, word_cosines
from encoder.metrics import SENTENCES, largest_cell
from encoder.pictures.export.caption import UNCHANGED, About, quoted
from encoder.pictures.expression import ENC, A, B, Call, Constant, Expression, call
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene, layer_names
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, shown
from encoder.trace import unpadded
from encoder.trace.tokens import Tokens
from encoder.trace.trace import Trace

MOST = 10  # sentences with one word
EXAMPLE = "Turn on the light.\nThis bag is light.\nI prefer light blue.\nThe light of the sun is bright."
SET = Option("set", None, lambda scene: EXAMPLE)
WORD = Option("set_word", None, lambda scene: "light")
AFTER = Option(
    "set_layer",
    lambda scene: layer_names(scene.config, with_input=True),
    lambda scene: layer_names(scene.config, with_input=True)[-1],
)
ONE_WORD = {"more": "word"}


def with_word(scene: Scene) -> list[tuple[Tokens, tuple[int, ...]]]:
    """The sentences that hold the word, each with the positions of its pieces.

    Raises:
        EncoderError: fewer than 2 hold it.
    """
    typed = [line.strip() for line in scene[SET].splitlines() if line.strip()][:MOST]
    word = scene[WORD].strip()
    held = holding([scene.encoder.tokenize(sentence) for sentence in typed], word)
    if len(held) < 2:
        raise EncoderError(f"“{word}” is a word of {len(held)} of these sentences; at least 2 are needed")
    return held


def cosines_of_word(scene: Scene) -> Call:
    """How alike the vectors of the word are in every two sentences, after every layer."""
    held = with_word(scene)
    return call(word_cosines, [ENC.trace(text.text) for text, _ in held], [pieces[0] for _, pieces in held])


def about_word(scene: Scene) -> About:
    """The sentences that hold the word."""
    sentences = "; ".join(quoted(text.text) for text, _ in with_word(scene))
    return About(source=scene.source, scope=f"{sentences}; {UNCHANGED}")


def names_of_sentences(answer: Answer) -> Mapping[str, Names]:
    """The sentences with their numbers, and the numbers alone."""
    texts = [text.text for text, _ in with_word(answer.scene)]
    counted = [f"{i + 1}." for i in range(len(texts))]
    return {"sentence": [f"{i} {text}" for i, text in zip(counted, texts, strict=True)], "other sentence": counted}


of_page = partial(Picture, page="compare")
WORD_MAP = of_page(
    key="set_map",
    question="How alike are the vectors of one word in several sentences?",
    measure=cosines_of_word,
    dims=("after", "sentence", "other sentence"),
    chosen={"after": lambda scene: layer_names(scene.config, with_input=True).index(scene[AFTER])},
    names=names_of_sentences,
    values="signed",
    title=lambda scene: f"Cosines of “{scene[WORD].strip()}” between the sentences after {scene[AFTER]}",
    say=lambda answer: (
        f"After {answer.scene[AFTER]} the cosines of “{answer.scene[WORD].strip()}” go from "
        f"{brief(answer.numbers.array.min())} to 1."
    ),
    about=about_word,
    options=(SET, WORD, AFTER),
    needs="model",
    unfolds=ONE_WORD,
    look=lambda answer: {"largest": 1.0, "longest": 40},
)


def say_means(answer: Answer) -> str:
    """How alike the vectors of the word are at first, and in the end."""
    first, last = (brief(answer.numbers.array[i]) for i in (0, -1))
    return f"“{answer.scene[WORD].strip()}” starts with mean cosine {first} and ends with {last}."


WORD_MEANS = of_page(
    key="set_means",
    question="In which layers does a word take on the sense of its sentence?",
    measure=lambda scene: call(mean_between, cosines_of_word(scene)),
    dims=("after",),
    kind="bars",
    unit="mean cosine",
    title="Mean cosine of the word between sentences, layer by layer",
    say=say_means,
    about=about_word,
    options=(SET, WORD),
    needs="model",
    unfolds=ONE_WORD,
)

PLAIN, LESS = "As they are", f"Minus the mean of {len(SENTENCES)} sentences"
VECTORS = Option(
    "alike_view",
    lambda scene: () if scene.config.pooling == "cls" else (PLAIN, LESS),
    lambda scene: PLAIN,
)
MEAN = call(mean_vector, ENC, Constant("encoder.metrics", "SENTENCES"))


def whole(scene: Scene) -> Call:
    """The cosine of both sentences' vectors and its shares, as they are or without the mean of many."""
    return call(centred, A, B, MEAN) if scene[VECTORS] == LESS else call(likeness, A, B)


def of_one_token(scene: Scene) -> Call:
    """What the last layer put into the one token that stands for each sentence: the first that is not hidden."""
    i, j = (next(i for i in range(len(run.tokens)) if i not in run.hidden) for run in (scene.t, scene.b))
    return call(opened, ENC, A, B, i, j)


def shares(scene: Scene) -> Expression:
    """The shares of pairs of tokens; of what one token gathered, where it alone stands for the sentence."""
    return of_one_token(scene).by_token() if scene.config.pooling == "cls" else whole(scene).cells


def names_of_shares(answer: Answer) -> Mapping[str, Names]:
    """The tokens of both sentences, and the parts that come from no token."""
    scene = answer.scene
    sides = [list(unpadded.tokens(run)) for run in (scene.t, scene.b)]
    if scene.config.pooling == "cls":
        parts = answer.value(of_one_token(scene))
        for names, run, side in zip(sides, (scene.t, scene.b), (parts.left, parts.right), strict=True):
            names += [part.spelled(run.tokens) for part in others(side)]
    return dict(zip(("part of A", "part of B"), sides, strict=True))


def part_name(names: list[str] | str, at: int, run: Trace) -> str:
    """A token with its position, or a part that comes from no token."""
    return f"“{shown(names[at])}” ({at})" if at < len(unpadded.tokens(run)) else names[at]


def say_shares(answer: Answer) -> str:
    """The cosine, and the largest share of it."""
    cells, cosine = answer.numbers.array, float(answer.value(whole(answer.scene)).cosine)
    i, j = largest_cell(np.abs(cells))
    row, column = (
        part_name(answer.numbers.along(dim), at, run)
        for dim, at, run in zip(answer.dims, (i, j), (answer.scene.t, answer.scene.b), strict=True)
    )
    return (
        f"The cosine is {cosine:.4f}: all {cells.size} cells add up to it, {brief(abs(float(cells.sum()) - cosine))} "
        f"apart. The largest share, {brief(cells[i, j])}, is that of {row} and {column}."
    )


COSINE_SHARES = of_page(
    key="cosine_shares",
    question="Which words make two sentences alike?",
    measure=shares,
    dims=("part of A", "part of B"),
    names=names_of_shares,
    values="signed",
    title="What each pair adds to the cosine",
    say=say_shares,
    about=lambda scene: About(scene.t, other=scene.b, reads=("output",)),
    options=(VECTORS,),
    needs="prefixed",
    unfolds={"more": "cosine"},
    look=lambda answer: {"row_title": "sentence A", "column_title": "sentence B"},
)

SOME = """The food was good.
The food was not good.
The meal tasted great.
Nobody liked the meal.
The train leaves at nine."""
SENTENCE_LIST = Option("alike_list", None, lambda scene: SOME)


def texts_of_list(scene: Scene) -> list[str]:
    """The sentences of the list as they are run: with the model's usual prefix."""
    return [scene.encoder.prompted(sentence) for sentence in lines(scene[SENTENCE_LIST])]


def alike_of_list(scene: Scene) -> Call:
    """How alike every two sentences of the list are."""
    return call(alike, [ENC.trace(text) for text in texts_of_list(scene)])


def pair_name(listed: Alike, at: tuple[int, int]) -> str:
    """Two sentences by their numbers, with their cosine."""
    return f"{at[0] + 1} and {at[1] + 1} ({float(listed.cosines[at]):.3f})"


def say_alike(answer: Answer) -> str:
    """Which two sentences are most alike, and which least."""
    listed = answer.value(alike_of_list(answer.scene))
    return f"Most alike are {pair_name(listed, listed.most)}, least {pair_name(listed, listed.least)}."


def names_of_list(answer: Answer) -> Mapping[str, Names]:
    """The beginning of every sentence, with its number."""
    sentences = lines(answer.scene[SENTENCE_LIST])
    names = [f"{i + 1} {shown(sentence, 24)}" for i, sentence in enumerate(sentences)]
    return {"sentence": names, "other sentence": names}


ALL_ALIKE = of_page(
    key="all_alike",
    question="Which sentences of a list are alike, and which pair is odd?",
    measure=lambda scene: alike_of_list(scene).cosines,
    dims=("sentence", "other sentence"),
    names=names_of_list,
    values="signed",
    title=lambda scene: f"How alike {len(lines(scene[SENTENCE_LIST]))} sentences are",
    say=say_alike,
    about=lambda scene: About(
        source=scene.source, scope=f"cosines of {len(lines(scene[SENTENCE_LIST]))} sentences, {UNCHANGED}"
    ),
    options=(SENTENCE_LIST,),
    needs="model",
    unfolds={"more": "list"},
    look=lambda answer: {"largest": 1.0, "longest": 26},
)
