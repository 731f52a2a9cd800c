"""One token's vector through all heads and back, as one picture."""

import streamlit as st

from encoder.pictures.registry.attention import FAN_OUT, THROUGH_TOKEN
from pages.ui.picture import ask, show
from pages.ui.text import heading
from pages.ui.widgets import pick_token

STEPS = ("attention.concat", "attention.output")  # where this is drawn
MORE = """Between the values and Z stands what each head looks at most. Joined, the heads' numbers stand side by side, \
each in its place; W_O makes every number that comes out from all of them. The wider a head's last curve, the larger \
its share; one that works against the sum has another colour."""


def draw() -> None:
    """The chosen token's vector, cut among the heads, joined and mixed."""
    scene = ask(FAN_OUT)
    heading(FAN_OUT.of(scene).title)
    pick_token("Token", scene.t.tokens, THROUGH_TOKEN.key, THROUGH_TOKEN.usual(scene))
    show(FAN_OUT, more=MORE)
    st.caption("Each strip has colours of its own, up to its largest number; point at one to read it.")
