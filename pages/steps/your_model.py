"""Your model: build an untrained encoder of any shape, open one from the server's folder, or fetch one from the hub."""

import streamlit as st

from pages.parts.your_model import build, folder, from_hub
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.text import plain
from pages.ui.widgets import tabs

PARTS = {"Build one": build.draw, "From a folder": folder.draw, "From the hub": from_hub.draw}
tabs(PARTS, "your_model", linked=False)
st.caption(plain(f"On the screen now: {models.offer(state.current().model).label}."))
