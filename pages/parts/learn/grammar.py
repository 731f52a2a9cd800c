"""Grammar is born: when heads leave the rules that need no model, and where they look and what is guessed then."""

from collections.abc import Sequence

import streamlit as st

from encoder.exam.moments import bundled_moments
from encoder.exam.rise import EXAMPLES, KEYS, headline, rise, under, who
from encoder.exam.sentences import text
from encoder.experiments.film import GapMoments, WordMoments
from encoder.pictures.picture import Answer
from encoder.pictures.registry.grammar import (
    FILMED,
    FORMS,
    GRAMMAR,
    GRAMMAR_ARCS,
    GRAMMAR_GUESS,
    GRAMMAR_HEADS,
    GUESSED,
    RELATION,
    arcs,
    heads_of,
    place,
)
from pages.parts.learn.grammar_choices import choose, filmed, model_shown, walk
from pages.parts.learn.grammar_sentence import draw_heads, draw_sentence
from pages.ui.components import film
from pages.ui.downloads import keep
from pages.ui.picture import answer_of
from pages.ui.text import heading, plain
from pages.ui.widgets import fold


def draw() -> None:
    """The finding, the curves with the guesses beside them, the sentence, and all heads."""
    scene = filmed()
    moments = bundled_moments(FILMED)
    assert moments is not None, "it is shipped"
    curves = [(example.title, rise(moments, relation)) for relation, example in EXAMPLES.items()]
    chosen = list(EXAMPLES).index(scene[RELATION])
    one = curves[chosen][1]
    start = one.leaves if one.leaves is not None else len(one.steps) - 1
    heading(plain(headline(one, FILMED)))
    answers = [answer_of(picture, scene=scene) for picture in (GRAMMAR, GRAMMAR_GUESS, GRAMMAR_ARCS, GRAMMAR_HEADS)]
    with st.container(key="film_first"):
        left, right = st.columns([2, 1], gap="medium")
    with left:
        film.draw_curves(GRAMMAR.key, curves, chosen, answers[0].alt, start, walk)
        st.caption(plain(f"{under(one, text(moments.treebank))} {model_shown(scene)}"))
        choose(scene)
    guessed: GapMoments = answers[1].value(GUESSED)
    with right:
        film.draw_guess(GRAMMAR_GUESS.key, one.steps, guessed, FORMS, KEYS, answers[1].alt, start)
    layer, head = place(answers[2])
    seen: WordMoments = answers[2].value(arcs(scene))
    draw_sentence(scene, one, seen, who((layer, head), FILMED), start)
    fold("Which heads take part", "born_heads", lambda: draw_heads(moments, heads_of(scene), start, answers[3]))
    fold("Keep these pictures", "born_keep", lambda: keep_all(answers[:3]))


def keep_all(answers: Sequence[Answer]) -> None:
    """The ways to keep the pictures that are not folded."""
    for title, answer in zip(("The curves", "The guesses", "The arcs"), answers, strict=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(title, width=110)
            keep.draw(answer)
