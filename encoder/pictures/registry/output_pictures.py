"""Pictures of what comes out: the guess layer by layer, how the vectors change, and what each layer adds up."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from encoder.metrics import (
    BUNDLED,
    cosine,
    cosine_matrix,
    layer_shares,
    length,
    lens_words,
    logit_lens,
    longest_to_shortest,
    nearest_by_layer,
    race,
    stream,
    survey,
    token_paths,
)
from encoder.metrics.answer import SENTENCE, answer_after_layers, answers, name_of
from encoder.metrics.guess import guess_place
from encoder.metrics.lens import word
from encoder.pictures.export.caption import UNCHANGED, About
from encoder.pictures.expression import ENC, Call, Each, Every, Expression, T, call
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene, layer_names, one_of, token_of
from encoder.support.formatting import brief, percent, shown
from encoder.support.theme import Kind
from encoder.trace import unpadded

IN_RACE, WORDS = 4, 5
BEFORE, INPUT, LENGTH, END = "Cosine to the layer before", "Cosine to the input", "Length", "Cosine to the end"
MEANING = {
    BEFORE: "How little a layer turns each vector: 1 means not at all.",
    INPUT: "How much of the first vector's direction is left after each layer.",
    LENGTH: "The length of each vector, before the first layer and after each one.",
    END: "How much each vector points already where it does after the last layer.",
}


def after_names(scene: Scene) -> list[str]:
    """What the input and the output of each layer are called."""
    return layer_names(scene.config, with_input=True)


GUESS_AT = token_of("guess_at", lambda scene: guess_place(scene.t, scene.encoder.mask_token))
LENS_TOKEN = token_of("lens_token", GUESS_AT.of)
FOLLOWED = Option("followed", None, lambda scene: "")
AFTER = Option("alike_layer", after_names, lambda scene: after_names(scene)[-1])
MOVE = one_of("move", MEANING)


def lens(scene: Scene) -> Call:
    """What the head says of the chosen token after each layer, [n_layers + 1, 1, vocab]."""
    return call(logit_lens, ENC, T, [scene[LENS_TOKEN]])


def raced(scene: Scene) -> Call:
    """The likeliest words or labels at the chosen token, and the rank of each after each layer."""
    how = answers(scene.config)
    place = SENTENCE if how.of_sentence else scene[LENS_TOKEN]
    return call(race, call(answer_after_layers, ENC, T, place), min(IN_RACE, how.count))


def words_raced(answer: Answer) -> list[str]:
    """The words whose ranks are drawn, best first."""
    ids = answer.value(raced(answer.scene)[0]).tolist()
    encoder = answer.scene.encoder
    labelled = answers(encoder.config).labels is not None
    return [name_of(encoder, i) if labelled else str(encoder.tokenizer.id_to_token(i)) for i in ids]


def say_race(answer: Answer) -> str:
    """Where the first of the words stands."""
    scene, how = answer.scene, answers(answer.scene.config)
    rank, what = int(answer.numbers.array[-1, 0]), "words" if how.labels is None else "labels"
    return f"After {after_names(scene)[-1]} “{words_raced(answer)[0]}” is at rank {rank:,} of {how.count:,} {what}."


def race_title(scene: Scene) -> str:
    """Whose ranks are drawn, and where."""
    how = answers(scene.config)
    what = "words" if how.labels is None else "labels"
    return f"Ranks of the likeliest {what}" + ("" if how.of_sentence else f" at token {scene[LENS_TOKEN]}")


of_page = partial(Picture, page="output")
RACE = of_page(
    key="race",
    question="How do the likeliest words or labels rise from layer to layer?",
    measure=lambda scene: raced(scene)[1],
    dims=("after", "answer"),
    names=lambda answer: {"answer": words_raced(answer)},
    kind="race",
    unit="rank",
    title=race_title,
    say=say_race,
    about=lambda scene: About.of_stream(scene.t),
    options=(LENS_TOKEN, GUESS_AT),
)


def say_lens(answer: Answer) -> str:
    """The first choice at both ends."""
    words = answer.numbers.words
    return f"At the input “{words[0][0]}” is the first choice, after the last layer “{words[-1][0]}”."


def look_of_lens(answer: Answer) -> Mapping[str, Any]:
    """Where the word that is followed stands after each layer, and the row of the picture that it goes through."""
    scene, text = answer.scene, answer.scene[FOLLOWED].strip()
    shares = answer.value(lens(scene))[:, 0].softmax(-1)
    entry = scene.encoder.tokenizer.token_to_id(text) if text else int(shares[-1].argmax())
    followed = scene.encoder.word_id(scene.t, scene[LENS_TOKEN], text) if entry is None else int(entry)
    own = shares[:, followed]
    ranks = (1 + (shares > own[:, None]).sum(-1)).tolist()
    return {
        "row_title": "after",
        "followed": shown(word(scene.encoder, followed)),
        "standing": list(zip(ranks, own.tolist(), strict=True)),
        "path": [min(rank - 1, WORDS) for rank in ranks],
    }


LENS = of_page(
    key="lens",
    question="Which words would the model say after each layer?",
    measure=lambda scene: Each(call(lens_words, ENC, lens(scene), WORDS), 0),
    dims=("after", "rank"),
    kind="words",
    values="share",
    title=lambda scene: f"The likeliest words at token {scene[LENS_TOKEN]} after each layer",
    say=say_lens,
    about=lambda scene: About.of_stream(scene.t),
    options=(LENS_TOKEN, GUESS_AT, FOLLOWED),
    look=look_of_lens,
)


def say_nearest(answer: Answer) -> str:
    """The nearest word at both ends."""
    scene, words, cosines = answer.scene, answer.numbers.words, answer.numbers.array
    position = scene[LENS_TOKEN]
    return (
        f"Nearest to {scene.token(position)} is “{shown(words[0][0])}” at the input, with a "
        f"cosine of {brief(cosines[0, 0])}, and “{shown(words[-1][0])}” after the last layer, with "
        f"{brief(cosines[-1, 0])}."
    )


NEAREST = of_page(
    key="nearest_by_layer",
    question="Which words of the table is a vector near to after each layer?",
    measure=lambda scene: call(nearest_by_layer, ENC, T, scene[LENS_TOKEN], WORDS),
    dims=("after", "rank"),
    kind="words",
    values=lambda answer: "signed" if answer.numbers.array.min() < 0 else "positive",
    title=lambda scene: f"The words nearest to token {scene[LENS_TOKEN]} after each layer",
    say=say_nearest,
    about=lambda scene: About.of_stream(scene.t),
    options=(LENS_TOKEN, GUESS_AT),
    unfolds={"more": "words"},
    look=lambda answer: {"row_title": "after"},
)


def moved(scene: Scene) -> Expression:
    """How each vector moves, as chosen: [n_layers, n], or [n_layers + 1, n] with the input."""
    vectors = call(stream, T)
    if scene[MOVE] == BEFORE:
        return call(cosine, vectors[1:], vectors[:-1])
    if scene[MOVE] == LENGTH:
        return call(length, vectors)
    return call(cosine, vectors, vectors[:1] if scene[MOVE] == INPUT else vectors[-1:])


def say_moves(answer: Answer) -> str:
    """What stands out."""
    values, scene = answer.numbers.array, answer.scene
    if scene[MOVE] == BEFORE:
        means = values.mean(0)
        return f"Layer {int(means.argmin())} turns the vectors most: to a cosine of {brief(means.min())} on average."
    if scene[MOVE] == INPUT:
        most, mean = int(values[:, -1].argmax()), brief(values[:, -1].mean())
        return (
            f"After the last layer the cosine to the input is {mean} on average; “{shown(scene.t.tokens[most])}” "
            f"({most}) keeps most of its direction, with {brief(values[most, -1])}."
        )
    if scene[MOVE] == END:
        first, last = (brief(values[:, at].mean()) for at in (0, -2))
        return f"The cosine to the end is {first} at the input and {last} before the last layer, on average."
    times = brief(answer.value(call(longest_to_shortest, call(stream, T)[-1])))
    return f"After the last layer the longest is {times} times as long as the shortest."


MOVES = of_page(
    key="moves",
    question="How does each vector move from layer to layer?",
    measure=moved,
    dims=lambda scene: ("layer" if scene[MOVE] == BEFORE else "after", "word"),
    rows="word",
    values=lambda answer: "positive" if answer.scene[MOVE] == LENGTH else "signed",
    title=lambda scene: f"{scene[MOVE]}, for each token and layer",
    say=say_moves,
    about=lambda scene: About.of_stream(scene.t),
    options=(MOVE,),
    unfolds={"more": "ways"},
    look=lambda answer: {"fit": True},
)


def say_alike(answer: Answer) -> str:
    """How alike two tokens are on average, and at the least."""
    alike = answer.numbers.array
    others = alike[~np.eye(len(alike), dtype=bool)]
    least, mean = (brief(of(others)) if others.size else "1" for of in (np.min, np.mean))
    return f"After {answer.scene[AFTER]} two tokens have a cosine of {mean} on average, {least} at the least."


ALIKE_TOKENS = of_page(
    key="alike_tokens",
    question="How alike are the tokens after a layer?",
    measure=lambda scene: Every(lambda after: call(cosine_matrix, call(stream, T)[after]), scene.n_layers + 1, "after"),
    dims=("after", "word", "other word"),
    chosen={"after": lambda scene: after_names(scene).index(scene[AFTER])},
    names=lambda answer: {"other word": unpadded.tokens(answer.scene.t)},
    values="signed",
    title=lambda scene: f"Cosine between every two tokens after {scene[AFTER]}",
    say=say_alike,
    about=lambda scene: About.of_stream(scene.t, after_names(scene).index(scene[AFTER])),
    options=(AFTER,),
    unfolds={"more": "ways"},
    look=lambda answer: {"fit": True},
)


def path_titles(answer: Answer) -> tuple[str, str]:
    """What both directions are called: their shares of all variance."""
    shares = answer.value(call(token_paths, T)).shares.tolist()
    across, up = (f"direction {i + 1} ({percent(share)} of the variance)" for i, share in enumerate(shares))
    return across, up


def say_paths(answer: Answer) -> str:
    """How much of the variance is drawn."""
    share = float(answer.value(call(token_paths, T)).shares.sum())
    return f"The two directions in which the tokens differ most show {percent(share)} of the variance."


PATHS = of_page(
    key="paths",
    question="Which way do the tokens take through the layers?",
    measure=lambda scene: call(token_paths, T).points,
    dims=("after", "word", "direction"),
    names=lambda answer: {"direction": path_titles(answer)},
    kind="paths",
    title="Every token's way through the layers in one plane",
    say=say_paths,
    about=lambda scene: About.of_stream(scene.t),
    unfolds={"more": "ways"},
    look=lambda answer: {"titles": path_titles(answer)},
)


def mean_shares(answer: Answer) -> dict[str, str]:
    """The mean of each part's shares over all tokens and layers, in percent."""
    return {part: percent(values.nanmean()) for part, values in answer.measured.items()}


def say_shares(answer: Answer) -> str:
    """What a layer ends with on average."""
    means = mean_shares(answer)
    return (
        f"Over all tokens and layers {means['residual']} of what a layer ends with is what came in (the residual), "
        f"{means['attention']} comes from attention and {means['feed-forward']} from feed-forward."
    )


LAYER_SHARES = of_page(
    key="layer_shares",
    question="How much of what a layer ends with came in, and how much do its parts add?",
    measure=lambda scene: call(layer_shares, T),
    dims=("part", "layer", "word"),
    names=lambda answer: {"part": list(answer.measured)},
    rows="word",
    kind="tiles",
    values="signed",
    title="Shares of what each layer adds up, for every token",
    say=say_shares,
    about=lambda scene: About(scene.t, reads=(f"layers.{scene.n_layers - 1}.add_norm_2.sum",)),
    unfolds={"more": "sources"},
    look=lambda answer: {"across": 2},
)


def layers_alike(key: str, name: str, attribute: str, values: Kind) -> Picture:
    """A measure of how alike the vectors of every two layers are, by the name of a survey's attribute."""

    def say(answer: Answer) -> str:
        alike = answer.numbers.array
        near, far = brief(alike.diagonal(1).min()), brief(alike[0, -1])
        return f"{name}: at least {near} between neighbours, {far} between the input and the last layer."

    def measure(scene: Scene) -> Any:
        return getattr(call(survey, ENC), attribute)

    return of_page(
        key=key,
        question=f"How alike are the layers over many sentences: {name[0].lower()}{name[1:]}?",
        measure=measure,
        dims=("after", "other layer"),
        names=lambda answer: {"other layer": after_names(answer.scene)},
        values=values,
        title=name,
        say=say,
        about=lambda scene: About(source=scene.source, scope=f"{BUNDLED}, {UNCHANGED}"),
        needs="model",
        unfolds={"more": "layers"},
        look=lambda answer: {"fit": True},
    )


ALIKE_COSINE = layers_alike("alike_cosine", "Cosine of a token with itself", "layer_cosine", "signed")
ALIKE_LINEAR = layers_alike("alike_linear", "Linear CKA", "layer_cka", "share")
