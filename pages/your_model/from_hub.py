"""A checkpoint from the Hugging Face hub, fetched once and kept in the model folder."""

import streamlit as st

from encoder.support.errors import EncoderError
from encoder.support.formatting import short
from pages.ui.server import models
from pages.ui.text import plain
from pages.your_model.common import show

OFF = (
    "This server fetches no models from the hub. Whoever runs it switches that on: start it with the variable "
    "`ENCODER_HUB=on`, and with a model folder. Or fetch a model on your own machine and open it **From a folder**."
)


def draw() -> None:
    """The name that is asked for, and the way to fetch it."""
    if not models.hub_is_on():
        st.markdown(OFF)
        return
    st.markdown(
        "The name of a model on the Hugging Face hub. Its configuration, weights (safetensors) and tokenizer are "
        "fetched once and kept; no code is."
    )
    with st.form("hub", border=False):
        asked = st.text_input(
            "Hub id", key="hub_id", max_chars=120, placeholder="sentence-transformers/all-MiniLM-L6-v2"
        ).strip()
        sent = st.form_submit_button("Fetch it", key="fetch")
    if sent and asked:
        bar = st.progress(0.0, "Asking for its size …")

        def tell(done: int, whole: int) -> None:
            bar.progress(min(done / max(whole, 1), 1.0), progress(done, whole))

        try:
            models.fetch(asked, tell)
        except (EncoderError, OSError) as error:
            bar.empty()
            st.error(plain(f"{error}. The model on the screen stays."))
            return
        show(models.FOLDER + asked)
        st.rerun()


def progress(done: int, whole: int) -> str:
    """How far a download is, in words."""
    return f"{short(done / 1e6)} of {short(whole / 1e6)} MB"
