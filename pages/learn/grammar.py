"""Grammar is born: when heads leave the rules that need no model, and where they look and what is guessed then."""

from collections.abc import Mapping

import streamlit as st

from encoder.exam.rise import EXAMPLES, KEYS, headline, relations_of, rise, under, who
from encoder.exam.sentences import text
from encoder.experiments.film import GapMoments, WordMoments
from encoder.pictures.picture import Answer
from encoder.pictures.registry.grammar import (
    FORMS,
    GRAMMAR,
    GRAMMAR_ARCS,
    GRAMMAR_FILM,
    GRAMMAR_GUESS,
    GRAMMAR_HEADS,
    GUESSED,
    RELATION,
    arcs,
    heads_of,
    moments_of,
    place,
)
from pages.learn import grammar_beside
from pages.learn.grammar_choices import choose
from pages.learn.grammar_model import filmed, model_shown, walk
from pages.learn.grammar_sentence import draw_heads, draw_sentence
from pages.ui.components import film
from pages.ui.downloads import keep
from pages.ui.picture import answer_of
from pages.ui.text import heading, plain
from pages.ui.widgets import fold


def draw() -> None:
    """The finding, the curves with the guesses beside them, the sentence, and all heads."""
    scene = filmed()
    moments = moments_of(scene)
    relations = relations_of(moments)
    curves = [(EXAMPLES[relation].title, rise(moments, relation)) for relation in relations]
    chosen = relations.index(scene[RELATION])
    one = curves[chosen][1]
    start = one.leaves if one.leaves is not None else len(one.steps) - 1
    heading(plain(headline(one, moments.model)))
    curve, moved, among = (answer_of(picture, scene=scene) for picture in (GRAMMAR, GRAMMAR_ARCS, GRAMMAR_HEADS))
    with st.container(key="film_first"):
        left, right = st.columns([2, 1], gap="medium")
    with left:
        first = st.container()
        st.caption(plain(f"{under(one, text(moments.treebank))} {model_shown(scene)}"))
        choose(scene)
        beside = grammar_beside.choose(scene)
        with first:
            film.draw_curves(GRAMMAR.key, curves, chosen, curve.alt, start, walk, beside)
    kept = {"The curves": curve, "The arcs": moved, "As a film": answer_of(GRAMMAR_FILM, scene=scene)}
    if moments.agreement.made:
        kept["The guesses"] = guess = answer_of(GRAMMAR_GUESS, scene=scene)
        guessed: GapMoments = guess.value(GUESSED)
        with right:
            film.draw_guess(GRAMMAR_GUESS.key, one.steps, guessed, FORMS, KEYS, guess.alt, start)
    seen: WordMoments = moved.value(arcs(scene))
    draw_sentence(scene, one, seen, who(place(scene), moments.model), start)
    fold("Which heads take part", "born_heads", lambda: draw_heads(moments, heads_of(scene), start, among))
    fold("Keep these pictures", "born_keep", lambda: keep_all(kept))


def keep_all(answers: Mapping[str, Answer]) -> None:
    """The ways to keep the pictures that are not folded."""
    for title, answer in answers.items():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(title, width=110)
            keep.draw(answer)
