"""What the film of grammar is of: its model, the relation and the sentence; and the way into one of its networks."""

from dataclasses import replace
from typing import Any

import streamlit as st

from encoder.exam.moments import bundled_moments
from encoder.exam.rise import EXAMPLES
from encoder.experiments.timelapse import kept_steps
from encoder.explain.cost import size
from encoder.pictures.models import MOMENT
from encoder.pictures.registry.grammar import FILMED, GRAMMAR_ARCS, LONGEST, RELATION, SENTENCE, WORD, is_marked, place
from encoder.pictures.scene import Scene
from pages.ui import session
from pages.ui.frame import run
from pages.ui.picture import answer_of, tie
from pages.ui.server import models
from pages.ui.state import session_state as state


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
    state.session().go_to = "steps/attention.py"
