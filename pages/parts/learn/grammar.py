"""Grammar is born: when heads leave the rules that need no model, and where they look and what is guessed then."""

from dataclasses import replace
from typing import Any

import streamlit as st

from encoder.exam.moments import Moments, bundled_moments
from encoder.exam.rise import EXAMPLES, Rise, headline, rise, under, who
from encoder.exam.sentences import text
from encoder.experiments.film import GapMoments, WordMoments
from encoder.experiments.timelapse import kept_steps
from encoder.explain.cost import size
from encoder.pictures.models import MOMENT
from encoder.pictures.registry.grammar import (
    FILMED,
    FORMS,
    GRAMMAR,
    GRAMMAR_ARCS,
    GRAMMAR_GUESS,
    GRAMMAR_HEADS,
    GUESSED,
    KEYS,
    LONGEST,
    RELATION,
    SENTENCE,
    WORD,
    arcs,
    heads_of,
    is_marked,
    place,
)
from encoder.pictures.scene import Scene
from pages.ui import session
from pages.ui.components import film
from pages.ui.downloads import keep
from pages.ui.frame import run
from pages.ui.picture import answer_of, tie
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, say, subheading

MOST_WORDS = 40  # of a sentence that are drawn


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
    st.caption(plain(model_shown(scene)))
    choose(scene)
    answers = [answer_of(picture, scene=scene) for picture in (GRAMMAR, GRAMMAR_GUESS, GRAMMAR_ARCS, GRAMMAR_HEADS)]
    left, right = st.columns([2, 1], gap="medium")
    with left:
        film.draw_curves(GRAMMAR.key, curves, chosen, answers[0].alt, start, walk)
        st.caption(plain(under(one, text(moments.treebank))))
    guessed: GapMoments = answers[1].value(GUESSED)
    with right:
        film.draw_guess(GRAMMAR_GUESS.key, one.steps, guessed, FORMS, KEYS, answers[1].alt, start)
    layer, head = place(answers[2])
    seen: WordMoments = answers[2].value(arcs(scene))
    draw_sentence(scene, one, seen, who((layer, head), FILMED), start)
    subheading("Which heads take part")
    draw_heads(moments, heads_of(scene), start)
    keep.draw(answers[3])
    subheading("Keep the other pictures")
    for title, answer in zip(("The curves", "The guesses", "The arcs"), answers[:3], strict=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(title, width=110)
            keep.draw(answer)
    st.caption(
        "The head of a curve is the best of all at the last step, chosen on the sentences that are counted here. On "
        "sentences that did not choose it, and on a second text, All heads says what it has a licence for."
    )


def filmed() -> Scene:
    """What the pictures are asked of: the model whose training was examined, whatever model is chosen."""
    return Scene(replace(state.current(), model=FILMED), session.text_encoder(FILMED))


def model_shown(scene: Scene) -> str:
    """Which model it is, and why it is not the one in the bar."""
    shown = f"This is {FILMED}, {size(scene.encoder.config).parameters / 1e6:.1f} M parameters"
    model = state.current().model
    if model == FILMED:
        return f"{shown}."
    if model.startswith(MOMENT):
        return f"{shown}, at all its moments; the bar says {models.offer(model).label}."
    why = "examined" if kept_steps(session.text_encoder(model)) else "recorded"
    return f"{shown}, while the bar says {models.offer(model).label}, whose training was not {why}."


def choose(scene: Scene) -> None:
    """The relation and the sentence."""
    titles = {relation: example.title for relation, example in EXAMPLES.items()}
    with st.container(horizontal=True, vertical_alignment="center", key="film_choices"):
        st.pills(
            "Relation", list(titles), required=True, format_func=titles.__getitem__, label_visibility="collapsed",
            width="content", **anew(tie(RELATION, scene)),
        )  # fmt: skip
        st.text_input(
            "A sentence of yours", max_chars=LONGEST, placeholder=EXAMPLES[scene[RELATION]].sentence,
            label_visibility="collapsed", **anew(state.choice(SENTENCE.key, None, "")),
        )  # fmt: skip


def anew(tied: dict[str, Any]) -> dict[str, Any]:
    """What ties a widget to the link, and forgets the word that was tapped: it is of another sentence."""

    def take() -> None:
        tied["on_change"]()
        state.remember(WORD.key, None, None)

    return {**tied, "on_change": take}


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


def draw_heads(moments: Moments, relation: str, start: int) -> None:
    """All heads at the relation, with what the marks mean."""
    answer = answer_of(GRAMMAR_HEADS, scene=filmed())
    say(answer.sentence)
    st.caption(
        "A curve for each head over the same steps, from 0 to 100 %; dotted is the rule. A dot marks a step at which "
        "that head was the best of all; the frame is around the head that is best at the end."
    )
    film.draw_heads(GRAMMAR_HEADS.key, moments, relation, start)


def take_word(word: int) -> None:
    """Remember the word that was tapped."""
    state.remember(WORD.key, word, None)


def walk(step: int) -> None:
    """Go to the attention of the model as it was at a step, on the sentence of the film."""
    scene = filmed()
    model = f"{MOMENT}{FILMED},{step}"
    run.show_model(model)
    counted = bundled_moments(FILMED)
    assert counted is not None, "it is shipped"
    layer, head = place(answer_of(GRAMMAR_ARCS, scene=scene))
    state.change(
        sentence=EXAMPLES[scene[RELATION]].sentence if is_marked(scene) else scene[SENTENCE],
        second="", hidden=(), edits=(), layer=layer, head=head,
    )  # fmt: skip
    state.session().pair = False
    state.session().go_to = "steps/attention.py"
