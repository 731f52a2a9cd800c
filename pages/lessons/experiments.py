"""Labs: what every tutorial claims, tried on the spot with the numbers that come out, one experiment at a time."""

import streamlit as st

from encoder.teach.lessons.claims import Claim
from pages.lessons.labs import (
    bare,
    collapse,
    depth,
    dropout,
    gates,
    know,
    learning,
    norm_order,
    norms,
    padding,
    positions,
    rotary,
    scaling,
    softmax,
    windows,
    word_order,
)
from pages.ui.lessons import player
from pages.ui.lessons.labs import FIRST, GROUPS, LABS
from pages.ui.state import session_state as state
from pages.ui.text import plain

DRAWN = {
    "Word order": word_order.draw,
    "Positions": positions.draw,
    "Why √d_head": scaling.draw,
    "Softmax": softmax.draw,
    "Padding": padding.draw,
    "Without [CLS] and [SEP]": bare.draw,
    "Dropout": dropout.draw,
    "Residuals and depth": depth.draw,
    "Two LayerNorms": norms.draw,
    "Post-norm and pre-norm": norm_order.draw,
    "Trained without a part": learning.draw,
    "Layer collapse": collapse.draw,
    "Why rotary": rotary.draw,
    "Windows": windows.draw,
    "Gate signs": gates.draw,
    "What layers know": know.draw,
}


def draw() -> None:
    """Is it true? Try it: the groups, the questions of one, and the experiment that answers the chosen one."""
    tie = state.choice("lab", LABS, FIRST)
    name: str = state.value("lab")
    group = next(title for title, labs in GROUPS.items() if name in labs)
    state.show(lab_group=group)
    st.pills("Is it true? Try it", list(GROUPS), required=True, key="lab_group", on_change=enter)
    st.pills(
        "Question",
        list(GROUPS[group]),
        required=True,
        label_visibility="collapsed",
        format_func=lambda lab: plain(LABS[lab].question),
        **tie,
    )
    DRAWN[name]()


def enter() -> None:
    """Open the first experiment of the group that was chosen."""
    group = state.value("lab_group")
    if group in GROUPS:
        first = next(iter(GROUPS[group]))
        state.show(lab=first)
        state.remember("lab", first, FIRST)


def show(claim: Claim) -> None:
    """Go to the page that shows a claim which no lesson tries."""
    if claim.lab:
        state.remember("lab", claim.lab, "")
    player.open_page(claim.page)
