"""What the film of grammar is of: the relation, the sentence, and the trees that it was counted on."""

from typing import Any

import streamlit as st

from encoder.exam.moments import PERMUTED, trees_of
from encoder.exam.rise import EXAMPLES, relations_of
from encoder.exam.sentences import text
from encoder.pictures.registry.grammar import LONGEST, RELATION, SENTENCE, TREES, WORD, moments_of
from encoder.pictures.scene import Scene
from pages.ui.picture import tie
from pages.ui.state import session_state as state


def choose(scene: Scene) -> None:
    """The relation, the sentence, and the trees where there are several."""
    titles = {relation: EXAMPLES[relation].title for relation in relations_of(moments_of(scene))}
    with st.container(horizontal=True, vertical_alignment="center", key="film_choices"):
        st.pills(
            "Relation",
            list(titles),
            required=True,
            format_func=titles.__getitem__,
            label_visibility="collapsed",
            width="content",
            **anew(tie(RELATION, scene)),
        )
        st.text_input(
            "A sentence of yours",
            max_chars=LONGEST,
            placeholder=EXAMPLES[scene[RELATION]].sentence,
            label_visibility="collapsed",
            **anew(state.choice(SENTENCE.key, None, "")),
        )
        if len(trees := trees_of(scene.encoder)) > 1:
            names = {PERMUTED: "control: trees of other sentences"}
            st.pills(
                "Counted on",
                trees,
                required=True,
                label_visibility="collapsed",
                width="content",
                format_func=lambda name: names.get(name, text(name)),
                **tie(TREES, scene),
            )


def anew(tied: dict[str, Any]) -> dict[str, Any]:
    """What ties a widget to the link, and forgets the word that was tapped: it is of another sentence."""

    def take() -> None:
        tied["on_change"]()
        state.remember(WORD.key, None, None)

    return {**tied, "on_change": take}
