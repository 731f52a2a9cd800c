"""What differs from the run without changes."""

import pandas as pd
import streamlit as st

from encoder.experiments.compare import first_difference
from encoder.metrics import cosine
from encoder.pictures.registry.compare import APART_CHANGED
from encoder.pictures.registry.side_by_side import STEP_BEFORE, STEP_CHANGE, STEP_NOW
from encoder.support.formatting import brief, shown
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.picture import ask, show
from pages.ui.state import session_state as state
from pages.ui.step import side_by_side, switches
from pages.ui.text import heading, say

PICTURES = {
    "without changes": STEP_BEFORE,
    "with changes": STEP_NOW,
    "with changes minus without changes": STEP_CHANGE,
}


def draw() -> None:
    """Where the runs part, how far they are apart, what the model answers, and any step of both."""
    if not switches.current():
        st.markdown("No switch was pressed yet: what differs stands here once there is a change.")
        return
    scene = ask(APART_CHANGED)
    before, trace = scene.t, scene.b
    tokens = trace.tokens
    heading("What differs")
    if first := first_difference(before, trace):
        alike = cosine(before["output"], trace["output"])
        least = int(alike.argmin())
        say(
            f"The runs first differ at {first}; the outputs have cosine {brief(float(alike.mean()))} on average, least "
            f"at “{shown(tokens[least])}” ({least}): {brief(float(alike[least]))}."
        )
    else:
        say("No number differs from the run without changes.")
    show(APART_CHANGED, scene=scene)
    st.caption("Length of the difference over the length of the vector without changes, after each layer.")
    answers(before, trace)
    heading("Any step, side by side")
    side_by_side.draw(scene, PICTURES)


def answers(before: Trace, trace: Trace) -> None:
    """The model's first answer at every token, without the changes and with them."""
    encoder = session.text_encoder(state.current().model)
    usual, changed = encoder.predict(before, 1), encoder.predict(trace, 1)
    if not (usual and changed):
        return
    rows = [
        {"token": f"{i} {shown(token)}", "before": a[0][0], "p before": a[0][1], "now": b[0][0], "p now": b[0][1]}
        for i, (token, a, b) in enumerate(zip(trace.tokens, usual, changed, strict=True))
    ]
    other = sum(row["before"] != row["now"] for row in rows)
    st.markdown(f"The model's first answer is another one at {other} of {len(rows)} tokens.")
    downloads.shown_table(pd.DataFrame(rows), hide_index=True, key="answers")
