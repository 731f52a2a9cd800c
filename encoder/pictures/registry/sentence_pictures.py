"""Pictures of the first page: where a head looks from a word, a word that is asked, several heads together."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from torch import Tensor

from encoder.metrics import (
    WAYS,
    between_words,
    from_word,
    given_and_received,
    largest_cell,
    only_between,
    segments,
    sentence_of_words,
    together,
    tokens_drawn,
)
from encoder.metrics.strongest_looks import strongest_link
from encoder.metrics.word_kinds import groups_of
from encoder.pictures.export.caption import About, begun
from encoder.pictures.expression import Call, Every, Expression, Several, T, call, step
from encoder.pictures.figures.facts import drawn_fact, main_fact
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene, one_of
from encoder.support.formatting import brief, percent, shown, where
from encoder.support.selection import CHOICES, Choice

MERGED = one_of("merge_words", (False, True))
DRAWN = one_of("words_only", CHOICES)
SOME_HEADS = Option("some_heads", lambda scene: range(scene.n_heads), lambda scene: [scene.head], True)
TOGETHER = {"Mean": "mean", "Largest": "max"}
HOW = one_of("together", TOGETHER)
PARTS = ("all", *WAYS)
PART = Option("pair_part", lambda scene: PARTS if scene.t.tokenization.pair else PARTS[:1], lambda scene: PARTS[0])
SOME_TOKENS = Option("some_tokens", lambda scene: range(len(scene.t.tokens)), lambda scene: [], True)
SAID = 0.005  # a share from which on it is said
SOME_WORDS = Option("some_words", lambda scene: range(len(scene.t.tokenization.words)), lambda scene: [], True)


def words_of(scene: Scene) -> list[str]:
    """The tokens, or the words where the pieces of each are one."""
    return list(tokens_drawn(scene.t, "all", merged=scene[MERGED]).names)


def words_to_look_from(scene: Scene) -> dict[int, int]:
    """From the position of each piece of a word to the place of the word among those that are drawn."""
    words, drawn = scene.t.tokenization.words, tokens_drawn(scene.t, "words", merged=True)
    return {position: place for place, word in enumerate(drawn.at) for position in words[word]}


def first_look(scene: Scene) -> int:
    """The position where the head's strongest look begins; the first word's where there is none."""
    link = strongest_link(scene.t, scene.layer, scene.head)
    places = words_to_look_from(scene)
    return link.query if link and link.query in places else next(iter(places))


WORD = Option("word", words_to_look_from, first_look)


def names_drawn(scene: Scene) -> list[str]:
    """The words that are drawn."""
    return tokens_drawn(scene.t, "words", merged=True).drawn


def place_asked(scene: Scene) -> int:
    """The place of the word that is looked from among those that are drawn."""
    return words_to_look_from(scene)[scene[WORD]]


def word_asked(scene: Scene) -> str:
    """The word that is looked from, as it is shown."""
    return shown(names_drawn(scene)[place_asked(scene)])


def say_arcs(answer: Answer) -> str:
    """Where the head looks most from the word, and how much goes to tokens that are not words."""
    scene, shares = answer.scene, answer.numbers.array
    run, top = scene.t, int(np.nan_to_num(shares).argmax())
    rows = run.array(f"layers.{scene.layer}.attention.weights")[scene.head, list(run.tokenization.word_of(scene[WORD]))]
    rest = float(rows.mean(0, dtype=np.float64).sum() - shares.sum())
    sentence = (
        f"“{word_asked(scene)}” looks most at “{shown(names_drawn(scene)[top])}”: {percent(shares[top], 1)}, "
        f"in head {scene.head} of layer {scene.layer}."
    )
    return f"{sentence} {percent(rest)} goes to tokens that are not words." if rest >= SAID else sentence


def first_positions(scene: Scene) -> list[int]:
    """The position of the first piece of each word that is drawn."""
    words, drawn = scene.t.tokenization.words, tokens_drawn(scene.t, "words", merged=True)
    return [words[word][0] for word in drawn.at]


ARCS = Picture(
    key="arcs",
    page="start",
    question="Where does one head look from a word?",
    measure=lambda scene: Every(lambda layer: call(from_word, T, layer, scene[WORD]), scene.n_layers),
    dims=("layer", "head", "word"),
    chosen={"layer": lambda scene: scene.layer, "head": lambda scene: scene.head},
    kind="arcs",
    unit="share of its attention",
    values="share",
    title=lambda scene: f"Where head {scene.head} of layer {scene.layer} looks from “{word_asked(scene)}”",
    say=say_arcs,
    about=lambda scene: About(scene.t, layer=scene.layer, head=scene.head, reads=("attention.weights",)),
    options=(WORD,),
    names=lambda answer: {"word": names_drawn(answer.scene)},
    look=lambda answer: {"at": first_positions(answer.scene), "from": place_asked(answer.scene)},
)


def some_heads(scene: Scene) -> list[int]:
    """The heads that are taken together."""
    return sorted(scene[SOME_HEADS] or [scene.head])


def some_words(scene: Scene) -> list[int]:
    """The tokens, or words, that are chosen."""
    chosen: list[int] = scene[SOME_WORDS if scene[MERGED] else SOME_TOKENS]
    return chosen


def taken_together(scene: Scene) -> Call:
    """The weights of the chosen heads as one."""
    weights = call(between_words, T, scene.layer) if scene[MERGED] else step(scene.layer, "attention.weights")
    return call(together, weights, some_heads(scene), TOGETHER[scene[HOW]])


def one_way(scene: Scene) -> Call:
    """The same of one way between the sentences of a pair alone, and its share."""
    belongs = call(sentence_of_words, T) if scene[MERGED] else call(segments, T)
    return call(only_between, taken_together(scene), belongs, scene[PART])


def several(scene: Scene) -> Expression:
    """The weights that are drawn."""
    return taken_together(scene) if scene[PART] == PARTS[0] else one_way(scene)[0]


def title_several(scene: Scene) -> str:
    """Which heads are taken together."""
    heads = some_heads(scene)
    which = begun(where(scene.layer, ", ".join(map(str, heads))))
    return which if len(heads) == 1 else f"{which}, {'mean' if scene[HOW] == 'Mean' else 'largest'}"


def about_several(scene: Scene) -> About:
    """The weights of a layer, of one head where there is but one."""
    heads = some_heads(scene)
    return About(scene.t, layer=scene.layer, head=heads[0] if len(heads) == 1 else None, reads=("attention.weights",))


def drawn_by(scene: Scene, choice: Choice) -> Expression:
    """Which tokens or words are drawn."""
    return call(tokens_drawn, T, choice, merged=True) if scene[MERGED] else call(tokens_drawn, T, choice)


def say_several(answer: Answer) -> str:
    """What stands out among the weights that are drawn, or where the chosen tokens look."""
    scene, drawn, words = answer.scene, answer.selection, words_of(answer.scene)
    values, chosen = answer.measured.numpy(), some_words(scene)
    if chosen:
        sentence = say_chosen(answer.value(taken_together(scene)), words, chosen)
    elif scene[PART] != PARTS[0]:
        i, j = largest_cell(answer.numbers.array)
        i, j = (i, j) if drawn is None else (drawn.at[i], drawn.at[j])
        share = percent(values[i, j])
        sentence = f"“{shown(words[i])}” ({i}) puts {share} on “{shown(words[j])}” ({j}), the largest weight drawn."
    elif drawn is not None:
        return drawn_fact(drawn, values, "share")
    else:
        special = [scene.t.tokenization.special[group[0]] for group in groups_of(scene.t, scene[MERGED])]
        return main_fact(values, words, words, "share", special)
    return (
        f"{sentence} {drawn.sentence(answer.value(taken_together(scene)).numpy())}" if drawn is not None else sentence
    )


def say_chosen(weights: Tensor, tokens: list[str], chosen: list[int]) -> str:
    """Where some tokens look and who looks at them, in weights [n, n]."""
    out, into = given_and_received(weights, chosen)
    best, most = int(out.argmax()), int(into.argmax())
    names = " and ".join(f"“{shown(tokens[i])}” ({i})" for i in chosen)
    look, their, them = ("look", "their", "them") if len(chosen) > 1 else ("looks", "its", "it")
    return (
        f"{names} {look} most at “{shown(tokens[best])}” ({best}), with {percent(float(out[best]))} of {their} weight; "
        f"“{shown(tokens[most])}” ({most}) looks most at {them}, with {percent(float(into[most]))} of its own weight."
    )


OF_SEVERAL = (SOME_HEADS, HOW, PART, SOME_TOKENS, SOME_WORDS, MERGED)


def chosen_places(answer: Answer) -> Mapping[str, Any]:
    """Where the chosen tokens are among those drawn."""
    chosen, drawn = some_words(answer.scene), answer.selection
    return {"chosen": chosen if drawn is None else [drawn.at.index(i) for i in chosen if i in drawn.at]}


of_several = partial(Picture, page="start", about=about_several, options=OF_SEVERAL, unfolds={"more": "several"})
LINKS = of_several(
    key="links",
    question="Who looks at whom in some heads together?",
    measure=several,
    dims=("query", "key"),
    kind="links",
    values="share",
    title=lambda scene: f"Lines between tokens, {title_several(scene)}",
    say=say_several,
    names=lambda answer: dict.fromkeys(("query", "key"), words_of(answer.scene)),
    pairs=True,
    drawn_by=drawn_by,
    look=chosen_places,
)
TOGETHER_MATRIX = replace(
    LINKS,
    key="together_matrix",
    kind="matrix",
    question="How much does each word look at each in some heads together?",
    title=lambda scene: f"Weights from token to token, {title_several(scene)}",
    look=lambda answer: {"row_title": "query (looks)", "column_title": "key"},
)


def places_drawn(scene: Scene) -> list[int]:
    """The positions of the tokens, or words, that are drawn."""
    return list(tokens_drawn(scene.t, scene[DRAWN], merged=scene[MERGED]).at)


def added_up(scene: Scene) -> Expression:
    """What each token that is drawn gets on average from those chosen, and gives to them if there are any."""
    at, chosen = places_drawn(scene), some_words(scene)
    both = call(given_and_received, several(scene), chosen or at)
    return Several(*(both[i] if len(at) == len(words_of(scene)) else both[i][at] for i in range(1 + bool(chosen))))


def say_summed(answer: Answer) -> str:
    """Which token gets most."""
    at, chosen, words = places_drawn(answer.scene), some_words(answer.scene), words_of(answer.scene)
    gets = answer.numbers.array[0]
    top = int(np.nan_to_num(gets).argmax())
    who = f"the {len(chosen)} chosen" if chosen else f"all {len(at)}"
    return (
        f"Of {who} tokens “{shown(words[at[top]])}” ({at[top]}) gets most: {percent(gets[top])} "
        f"of their weight on average, {brief(float(gets[top]) * len(chosen or at))} if the rows are added up."
    )


def names_summed(answer: Answer) -> Mapping[str, Names]:
    """What is added up, and the tokens that are drawn."""
    words, both = words_of(answer.scene), ["gets on average", "gives in all"]
    return {
        "series": both[: 1 + bool(some_words(answer.scene))],
        "word": [words[i] for i in places_drawn(answer.scene)],
    }


SUMMED = of_several(
    key="summed",
    question="Who gets most weight in some heads together?",
    measure=added_up,
    dims=("series", "word"),
    kind="bars",
    unit="weight",
    title=lambda scene: f"Rows and columns added up, {title_several(scene)}",
    say=say_summed,
    names=names_summed,
    look=lambda answer: {"at": places_drawn(answer.scene)},
)
