"""Grammar is born, below the curves: where a head looks in a sentence at each moment, and which heads take part."""

import streamlit as st

from encoder.exam.moments import Moments
from encoder.exam.rise import EXAMPLES, Rise
from encoder.experiments.film import WordMoments
from encoder.pictures.picture import Answer
from encoder.pictures.registry.grammar import (
    GRAMMAR_ARCS,
    GRAMMAR_HEADS,
    WORD,
    is_marked,
)
from encoder.pictures.scene import Scene
from pages.ui.components import film
from pages.ui.downloads import keep
from pages.ui.state import session_state as state
from pages.ui.text import plain, say

MOST_WORDS = 40  # of a sentence that are drawn


def draw_sentence(scene: Scene, one: Rise, seen: WordMoments, name: str, start: int) -> None:
    """The arcs in the sentence, and what is known of it."""
    asked = min(scene[WORD], len(seen.words) - 1, MOST_WORDS - 1)
    example, marked = EXAMPLES[one.relation], is_marked(scene)
    gold = (seen.words.index(example.source), seen.words.index(example.target)) if marked else None
    film.draw_arcs(GRAMMAR_ARCS.key, one.steps, seen, MOST_WORDS, asked, gold, name, start, take_word)
    notes = [
        "Dotted: what is right, marked by hand."
        if marked
        else "Nobody marked the grammar of this sentence, so it is not said which answer is right."
    ]
    if one.place is None:
        notes.append(f"Agreement is the work of the whole model; the arcs are of {name}, which finds the subject best.")
    if left := max(0, len(seen.words) - MOST_WORDS):
        notes.append(f"The last {left:,} words are not drawn.")
    if seen.left_out:
        notes.append("The sentence is longer than the model reads; its end is left out.")
    st.caption(plain(" ".join(notes)))


def draw_heads(moments: Moments, relation: str, start: int, answer: Answer) -> None:
    """All heads at the relation, with what the marks mean."""
    say(answer.sentence)
    st.caption(
        "A curve for each head over the same steps, from 0 to 100 %; dotted is the rule. A dot marks a step at which "
        "that head was the best of all; the frame is around the head that is best at the end, chosen on the sentences "
        "that are counted here. On sentences that did not choose it, Heads says what it has a licence for."
    )
    film.draw_heads(GRAMMAR_HEADS.key, moments, relation, start)
    keep.draw(answer)


def take_word(word: int) -> None:
    """Remember the word that was tapped."""
    state.remember(WORD.key, word, None)
