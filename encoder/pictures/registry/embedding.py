"""Pictures of embeddings and positions: which words have alike vectors, and how alike places are."""

from functools import partial

from encoder.metrics import cosine_matrix, nearest_words
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, Call, Each, T, call, step
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene, token_of
from encoder.support.formatting import brief, shown

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
        f"Of all {scene.config.vocab_size:,} tokens “{shown(word)}” is nearest to "
        f"“{shown(scene.t.tokens[scene[WORD]])}”: cosine {brief(cosine)}."
    )


of_page = partial(Picture, page="embedding", values="signed")
NEAR_WORDS = of_page(
    key="near_words",
    question="Which words have a vector like that of a word?",
    measure=lambda scene: Each(nearest(scene), 1),
    dims=("near word",),
    names=lambda answer: {"near word": answer.value(Each(nearest(answer.scene), 0))},
    kind="bars",
    unit=lambda scene: f"cosine with {shown(scene.t.tokens[scene[WORD]])}",
    title=lambda scene: f"The words with vectors most like that of “{shown(scene.t.tokens[scene[WORD]])}”",
    say=say_nearest,
    about=lambda scene: About(source=scene.source, scope="the table of embeddings, the same for every text"),
    options=(WORD,),
)


def say_places(answer: Answer) -> str:
    """How alike neighbours are, and how alike the ends."""
    alike = answer.numbers.array
    apart = len(alike) - 1
    return (
        f"The position vectors of the first two places have a cosine of {brief(alike[0, min(1, apart)])}, those "
        f"of the first and the last, {apart} apart, {brief(alike[0, -1])}."
    )


PLACES = of_page(
    key="alike_places",
    question="How alike are the vectors of two positions?",
    measure=lambda scene: call(cosine_matrix, step(None, "embedding.positions")),
    dims=("token", "other token"),
    names=lambda answer: {"other token": answer.scene.t.tokens},
    title="Cosine between the position vectors of every two places",
    say=say_places,
    about=lambda scene: About(scene.t, reads=("embedding.positions",)),
    unfolds={"step": "embedding.positions"},
    look=lambda answer: {"fit": True},
)
