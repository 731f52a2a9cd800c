"""Time-lapse: the same sentence in a trained model at moments of its training."""

import streamlit as st

from encoder.experiments.timelapse import kept_steps
from encoder.pictures.registry.learning import BY_STEP
from pages.learn import careers, embedding_row, this_sentence
from pages.ui import session
from pages.ui.picture import ask
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, say
from pages.ui.widgets import tabs

PARTS = {
    "This sentence": this_sentence.draw,
    "An embedding row": embedding_row.draw,
    "When heads take up their work": careers.draw,
}


def draw() -> None:
    """Which model it is and why, and one look at its moments."""
    scene, model = ask(BY_STEP), session.trained()
    view, steps, clear = scene.view, kept_steps(scene.encoder), models.offer(model)
    called = "small" if model == "small" else f"“{clear.label}”"
    heading(plain(f"This is {called}, at {len(steps)} moments of its training"))
    tabs(PARTS if model == "small" else {name: PARTS[name] for name in list(PARTS)[:2]}, "training_part")
    if model != view.model:
        chosen = models.offer(view.model).label
        say(f"The chosen model, {chosen}, was not kept while it learned: all numbers here are of {called}.")
    st.markdown(
        f"At step 0 its weights were random, at step {steps[-1]:,} they are those that it has now. Layer "
        f"{scene.layer} and head {scene.head} are the chosen ones, as far as it has them."
    )
    if (scene.layer, scene.head) != (clear.layer, clear.head):
        words = f"Layer {clear.layer}, head {clear.head} is worth a look"
        st.button(words, key="clear_head", on_click=state.change, kwargs={"layer": clear.layer, "head": clear.head})
    if view.hidden or view.edits:
        st.caption("Masked tokens and changes belong to the run of the other pages; here nothing is masked or changed.")
    if scene.t.inputs != state.session().read:
        st.caption("This model reads one text: both sentences stand in it one after the other.")
