"""Pictures of why a guess or a label is said: which parts of the model put into it, and which words speak for it."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

import numpy as np

from encoder.experiments.attributions.contributions import logit_attribution
from encoder.experiments.attributions.gradients import Baseline, without_each_token
from encoder.experiments.attributions.target import Target, whole_words, word_shares
from encoder.experiments.attributions.why import INTEGRATED, KNOCKED, LOOKED, SLOPE, why
from encoder.experiments.attributions.word_sums import added_by_word
from encoder.metrics import largest_cell
from encoder.metrics.answer import SENTENCE, answer_id, answers, name_of
from encoder.metrics.guess import guess_place
from encoder.pictures.export.caption import About, begun
from encoder.pictures.expression import ENC, Call, Every, T, call, last
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene, head_names, layer_names, one_of, token_of
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, shown

BASELINES: dict[str, Baseline] = {
    "The mask token": "mask",
    "The padding token": "pad",
    "Zeros": "zero",
    "The mean of all words": "mean",
}
METHODS = (INTEGRATED, SLOPE, LOOKED)


def place(scene: Scene) -> int:
    """The place of the answer: a token, or the whole sentence."""
    return SENTENCE if answers(scene.config).of_sentence else scene[GUESS]


def likeliest(scene: Scene) -> list[str]:
    """The two likeliest words or labels in the place of the answer; of a regression its first number.

    Raises:
        EncoderError: the model answers nothing.
    """
    how, encoder = answers(scene.config), scene.encoder
    if not how.part:
        raise EncoderError(encoder.why_no_guesses)
    if how.labels is None:
        return [word for word, _ in (encoder.predict(scene.t, 2, [place(scene)]) or [[]])[0]]
    best = how.scores(scene.t, place(scene)).topk(min(2, how.count)).indices.tolist() if how.in_shares else [0]
    return [name_of(encoder, i) for i in best]


def rival(scene: Scene) -> str:
    """What the answer is held against where nobody chose: a label against the next one, a word against none."""
    how = answers(scene.config)
    first, *others = likeliest(scene)
    return others[0] if how.labels is not None and how.competing and others and scene[WORD] == first else ""


def baselines(scene: Scene) -> Collection[str]:
    """What may stand in place of a word; the mask only where the model has one."""
    return [name for name, kind in BASELINES.items() if kind != "mask" or scene.encoder.mask_token]


GUESS = token_of("why_token", lambda scene: guess_place(scene.t, scene.encoder.mask_token))
WORD = Option("why_word", None, lambda scene: likeliest(scene)[0])
OTHER = Option("why_other", None, rival)
BASELINE = Option("why_baseline", baselines, lambda scene: next(iter(baselines(scene))))
METHOD = one_of("why_method", METHODS)
ASKED = (GUESS, WORD, OTHER)
HIDES = one_of("hides", ("no", "yes"))


def target(scene: Scene) -> Target:
    """The logit that is explained: that of a word or label, perhaps minus that of another one.

    Raises:
        EncoderError: the model answers nothing, or a word cannot be explained.
    """
    usual, words = likeliest(scene), [scene[WORD], scene[OTHER]]
    ids = [word_id(scene, word, usual) for word in words if word.strip()]
    if not ids:
        raise EncoderError("there is no word to explain")
    if len(ids) == 2 and ids[0] == ids[1]:
        raise EncoderError("both words are the same, so their difference is 0")
    return Target(place(scene), *ids)


def word_id(scene: Scene, word: str, usual: list[str]) -> int:
    """The id of a typed word or label; the usual word is an entry of the vocabulary as it stands there."""
    by_entry = word in usual and answers(scene.config).labels is None
    entry = scene.encoder.tokenizer.token_to_id(word) if by_entry else None
    return answer_id(scene.encoder, scene.t, place(scene), word) if entry is None else int(entry)


def target_name(scene: Scene) -> str:
    """What the number that is explained is called within a sentence."""
    explained = target(scene)
    ids = [explained.word, *(() if explained.against is None else (explained.against,))]
    labels = answers(scene.config).labels
    names = [
        scene.encoder.tokenizer.id_to_token(i) or str(i) if labels is None else name_of(scene.encoder, i) for i in ids
    ]
    named = [f"“{shown(name)}”" for name in names]
    return f"the logit of {named[0]}" + (f" minus that of {named[1]}" if len(ids) == 2 else "")


def about_logits(scene: Scene) -> About:
    """The run up to its logits."""
    return About(scene.t, reads=(f"{answers(scene.config).part}.logits",))


def attributed(scene: Scene) -> Call:
    """The logit as a sum over all parts of the model."""
    return call(logit_attribution, ENC, T, target(scene))


def say_parts(answer: Answer) -> str:
    """Which part puts in most."""
    values, config = answer.numbers.array, answer.scene.config
    i, j = largest_cell(np.abs(values))
    whole = answer.value(attributed(answer.scene)).value
    column = [*head_names(config), "feed-forward"][j]
    return f"{begun(column)} of {layer_names(config)[i]} puts in most: {brief(values[i, j])} of {brief(whole)}."


of_page = partial(Picture, page="what_if", about=about_logits)
WHY_PARTS = of_page(
    key="why_parts",
    question="Which parts of the model made the guess?",
    measure=lambda scene: attributed(scene).grid(T.config),
    dims=("layer", "block"),
    values="signed",
    title=lambda scene: f"What each part puts into {target_name(scene)}",
    say=say_parts,
    options=ASKED,
    unfolds={"more": "parts"},
    look=lambda answer: {"written": "signed tenths"},
)


def token_names(answer: Answer) -> list[str]:
    """Each token with its position."""
    names = answer.numbers.along("word")
    return [f"“{shown(token)}” ({at})" for at, token in enumerate(names)]


def say_head(answer: Answer) -> str:
    """The token from which the head took most."""
    values = answer.numbers.array
    most = int(np.abs(values).argmax())
    return (
        f"What it took from {token_names(answer)[most]} puts in {brief(values[most])} of the head's "
        f"{brief(values.sum())}."
    )


WHY_HEAD = of_page(
    key="why_head",
    question="Which words did a head gather for the guess?",
    measure=lambda scene: Every(
        lambda layer: Every(
            lambda head: call(logit_attribution, ENC, T, target(scene), (layer, head)).gathered(layer, head),
            scene.n_heads,
            "head",
        ),
        scene.n_layers,
    ),
    dims=("layer", "head", "word"),
    chosen={"layer": lambda scene: scene.layer, "head": lambda scene: scene.head},
    kind="terms",
    title=lambda scene: (
        f"What head {scene.head} of layer {scene.layer} gathered from each token puts into {target_name(scene)}"
    ),
    say=say_head,
    options=ASKED,
    unfolds={"more": "parts"},
    look=lambda answer: {"names": token_names(answer)},
)


def answered(scene: Scene) -> Call:
    """All answers to which words made the guess, side by side."""
    return last(why, ENC, T, target(scene), BASELINES[scene[BASELINE]])


def word_names(answer: Answer) -> list[str]:
    """The words of the sentence, each in one piece."""
    run = answer.scene.t
    return [run.tokenization.spelled(word) for word in whole_words(run)]


def say_sum(answer: Answer) -> str:
    """Which words speak for it and against it most, and what no word brings."""
    values, names = answer.numbers.array, word_names(answer)
    most, least = int(values[:-1].argmax()), int(values[:-1].argmin())
    return (
        f"“{names[most]}” adds most, {brief(values[most])}; “{names[least]}” {brief(values[least])}. All biases, which "
        f"no word brings, add {brief(values[-1])}; together it is {brief(values.sum())}."
    )


def look_of_sum(answer: Answer) -> Mapping[str, Any]:
    """What the terms are called, and where that is asked for what hiding each word costs; NaN where none can be."""
    scene = answer.scene
    names = {"names": [*word_names(answer), "biases"], "whole": name_of(scene.encoder, target(scene).word)}
    if scene[HIDES] == "no":
        return names
    value, after = answer.value(call(without_each_token, ENC, T, target(scene)))
    free = [
        not special or token == scene.encoder.mask_token
        for special, token in zip(scene.t.tokenization.special, scene.t.tokens, strict=True)
    ]
    words = [list(word) for word in whole_words(scene.t)]
    can = [free[word[0]] and place(scene) not in word for word in words]
    costs = [float((value - after)[word].sum()) if able else np.nan for word, able in zip(words, can, strict=True)]
    return names | {"lost": costs}


WHY_SUM = of_page(
    key="why_sum",
    question="What does each word add to the guess?",
    measure=lambda scene: call(added_by_word, ENC, T, target(scene)),
    dims=("word",),
    names=lambda answer: {"word": [*word_names(answer), "biases"]},
    values="signed",
    kind="sum",
    title=lambda scene: f"What each word adds to {target_name(scene)}",
    say=say_sum,
    options=(*ASKED, HIDES),
    unfolds={"more": "words"},
    look=look_of_sum,
)


def say_words(answer: Answer) -> str:
    """Which word has the largest share, and which costs most when it is taken away."""
    (shares, knocked), names = answer.numbers.array, word_names(answer)
    most, truly = int(shares.argmax()), int(knocked.argmax())
    return (
        f"By {answer.scene[METHOD]}, “{names[most]}” speaks most for it: {brief(shares[most])}. Taking "
        f"“{names[truly]}” away alone costs most: {brief(knocked[truly])}."
    )


WHY_WORDS = of_page(
    key="why_words",
    question="Which words speak for the guess, and what happens without each?",
    measure=lambda scene: call(
        word_shares, T, [answered(scene).found.shares[name] for name in (scene[METHOD], KNOCKED)]
    ),
    dims=("method", "word"),
    names=lambda answer: {"method": [answer.scene[METHOD], KNOCKED], "word": word_names(answer)},
    kind="bars",
    unit="share of the logit",
    title=lambda scene: f"Shares of {target_name(scene)}",
    say=say_words,
    options=(*ASKED, BASELINE, METHOD),
    unfolds={"more": "words"},
    heavy=True,
)


def say_heads(answer: Answer) -> str:
    """Which head's looks do most."""
    values = answer.numbers.array
    i, j = largest_cell(np.abs(values))
    return f"The looks of head {j} of layer {i} do most: {brief(values[i, j])}."


WHY_HEADS = of_page(
    key="why_heads",
    question="How fast does the guess change with the weights of each head?",
    measure=lambda scene: answered(scene).found.by_head,
    dims=("layer", "head"),
    values="signed",
    title=lambda scene: f"Gradient × attention of every head, for {target_name(scene)}",
    say=say_heads,
    options=(*ASKED, BASELINE),
    unfolds={"more": "words", METHOD.key: LOOKED},
    heavy=True,
)


def say_deleted(answer: Answer) -> str:
    """The logit in this run, and where it ends."""
    values, name = answer.numbers.array, target_name(answer.scene)
    return f"While {len(values) - 1} tokens go, {name} goes from {brief(values[0])} to {brief(values[-1])}."


WHY_DELETED = of_page(
    key="why_deleted",
    question="What becomes of the guess while words go?",
    measure=lambda scene: answered(scene).found.deleted,
    dims=("tokens taken away",),
    kind="curve",
    unit=target_name,
    title=lambda scene: f"{begun(target_name(scene))} while the tokens with the largest shares go",
    say=say_deleted,
    options=(*ASKED, BASELINE),
    unfolds={"more": "words"},
    heavy=True,
    look=lambda answer: {"titles": ("tokens taken away, the largest share first", "logit")},
)
