"""Time-lapse: the same sentence in a trained model at moments of its training."""

import streamlit as st

from pages.parts.training import careers, embedding_row, sentence
from pages.parts.training.common import scene
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.text import plain
from pages.ui.widgets import tabs

now, view = scene(), state.current()
small = now.model == "small"
called = "`small`" if small else f"“{plain(models.offer(now.model).label)}”"
st.markdown(
    f"The model {called}, kept at {len(now.steps)} moments between step 0, when its weights were random, and step "
    f"{now.steps[-1]:,}. Layer and head are the chosen ones, as far as it has them."
)
if now.model != view.model:
    st.caption(
        f"The chosen model, {plain(models.offer(view.model).label)}, was not kept while it learned: so {called} stands "
        "here."
    )
clear = models.offer(now.model)
if (now.layer, now.head) != (clear.layer, clear.head):
    words = f"Layer {clear.layer}, head {clear.head} is worth a look"
    st.button(words, key="clear_head", on_click=state.change, kwargs={"layer": clear.layer, "head": clear.head})
if view.hidden or view.edits:
    st.caption("Masked tokens and changes belong to the run of the other pages; here nothing is masked or changed.")
if now.text != state.session().read:
    st.caption("This model reads one text: both sentences stand in it one after the other.")
PARTS = {
    "This sentence": sentence.draw,
    "An embedding row": embedding_row.draw,
    "When heads take up their work": careers.draw,
}
tabs(PARTS if small else {name: PARTS[name] for name in list(PARTS)[:2]}, "training_part")
