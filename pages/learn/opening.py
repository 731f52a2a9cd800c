"""Open a model of the task in every page: the one that was trained, or the one whose weights were set by hand."""

import streamlit as st

from encoder.tasks.settings import LearnSettings
from pages.ui.frame import run
from pages.ui.server import task_models
from pages.ui.server.training import live
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of
from pages.ui.text import heading

WITH_TWO = "two layers with one head each, the first to count and the second to look,"


def draw(settings: LearnSettings) -> None:
    """What can be opened, and what it is for."""
    heading("Walk through it")
    with st.container(horizontal=True):
        if live.moments(settings):
            name = f"{task_models.LEARNED}{settings}"
            st.button("Open this model", type="primary", key="open_learned", on_click=show, args=(name,))
        name = f"{task_models.BY_HAND}{settings.task}{task_models.PRE_NORM if settings.norm_first else ''}"
        st.button("Open the one set by hand", key="open_by_hand", on_click=show, args=(name,))
    st.markdown(
        "An opened model stands among the models of every page, with inputs of the task as sentences: one sign is "
        "one token. Then the part Time-lapse shows it at moments of its training."
        if live.moments(settings)
        else "When training has come to its end, the model can be opened in all pages."
    )
    layers = task_models.config(name).n_layers
    st.caption(
        f"Training finds some weights that work. The model set by hand has {'one head' if layers == 1 else WITH_TWO} "
        "whose weights were written down, with no training, and answers every held-out input: what would have been "
        "enough."
    )
    with st.expander("How the distance is measured"):
        st.latex(r"\text{distance} = \operatorname{mean}_i \; \tfrac12 \sum_j \left| \alpha_{ij} - p_{ij} \right|")
        st.markdown(
            r"$\alpha$ are the head's attention weights, p the known pattern, i the places that the pattern says "
            "something of; the mean is over all held-out inputs. It is the share of weight that would have to move."
        )


def show(name: str) -> None:
    """Go to the attention of a model on an input of its task."""
    run.show_model(name)
    state.change(sentence=task_models.examples(name)[0], second="", hidden=(), edits=())
    state.session().go_to = page_of("attention").script
