"""Two trainings beside each other: the curve of another one, of another seed perhaps, over that of the film."""

import streamlit as st

from encoder.exam.moments import moments_file
from encoder.exam.rise import Rise, headline, relations_of, rise
from encoder.pictures.ask import in_examined
from encoder.pictures.models import FOLDER
from encoder.pictures.registry.grammar import RELATION, moments_of
from encoder.pictures.scene import Scene
from encoder.support.errors import EncoderError
from pages.ui import session
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.text import plain


def examined() -> list[str]:
    """The models that this session can choose from whose training was examined."""
    found = ["small"]
    for name in state.session().own_models:
        try:
            if name.startswith(FOLDER) and moments_file(models.place(name)).is_file():
                found.append(name)
        except EncoderError:  # its folder is gone
            continue
    return found


def choose(scene: Scene) -> tuple[str, Rise] | None:
    """Another training to be shown beside, where there is one, with its name; None where none is chosen."""
    others = [name for name in examined() if name != scene.view.model]
    if not others:
        return None
    names = {"": "alone"} | {name: f"beside {models.offer(name).label}" for name in others}
    tie = state.choice("born_beside", list(names), "")
    other = st.pills(
        "Beside another training",
        list(names),
        required=True,
        label_visibility="collapsed",
        width="content",
        format_func=lambda name: plain(names[name]),
        **tie,
    )
    if not other or in_examined(other, session.text_encoder) != other:
        return None
    beside = moments_of(Scene(scene.view, session.text_encoder(other)))
    if scene[RELATION] not in relations_of(beside):
        st.caption("The other training was not asked this.")
        return None
    one = rise(beside, scene[RELATION])
    st.caption(plain(f"Beside it {beside.model}. {headline(one, beside.model)}"))
    return beside.model, one
