"""What if: switch parts off and see what differs from there on."""

import numpy as np
import pandas as pd
import streamlit as st

from encoder.experiments.compare import first_difference, relative_difference
from encoder.figures.matrix import matrix
from encoder.formatting import short, shown
from encoder.metrics import cosine
from pages.ui import session
from pages.ui.components import board
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.step import side_by_side, switches
from pages.ui.text import plain, theme

trace, before, view = session.now(), session.untouched(), state.current()
config, tokens = trace.config, trace.tokens
edits = switches.current()
layers = [f"layer {i}" for i in range(config.n_layers)]
columns = switches.columns(config)


def flip(layer: int, column: int) -> None:
    """Switch one part of a layer off, or on again."""
    switches.toggle([switches.of_board(config, layer, column)])


def flip_whole() -> None:
    """Switch what was chosen or left for the whole model."""
    wanted = set(st.session_state["whole"])
    for name in switches.WHOLE:
        if (name in wanted) != (name in on):
            switches.toggle(switches.WHOLE[name](config))


def dial() -> None:
    """Take over the temperature and the shift."""
    switches.replace_scaled(config, "attention.scaled", "scale", 1 / st.session_state["temperature"], 1.0)
    switches.replace_scaled(config, "embedding.positions", "shift", st.session_state["shift"], 0)


st.markdown("Switch parts off, one click each, and see what differs from there on. Every change is part of the link.")
off = [[switches.of_board(config, i, j) in edits for j in range(len(columns))] for i in range(config.n_layers)]
board.draw("board", layers, columns, off, flip)
on = [name for name, switch in switches.WHOLE.items() if set(switch(config)) <= set(edits)]
st.session_state["whole"] = on
st.pills("For the whole model", list(switches.WHOLE), key="whole", selection_mode="multi", on_change=flip_whole)
with st.container(horizontal=True, vertical_alignment="bottom", key="dials"):
    scaled = [e.value for e in edits if e.step.endswith("attention.scaled") and e.action == "scale"]
    shifted = [e.value for e in edits if e.step == "embedding.positions" and e.action == "shift"]
    st.session_state["temperature"] = round(1 / float(scaled[0]), 1) if scaled else 1.0
    st.session_state["shift"] = int(shifted[0]) if shifted else 0
    st.slider("Temperature of the softmax", 0.1, 5.0, step=0.1, key="temperature", on_change=dial, width=240)
    st.slider("Shift positions by", 0, min(20, len(tokens) - 1), key="shift", on_change=dial, width=240)
    st.button("Undo", key="undo", on_click=switches.undo, disabled=not st.session_state.get("edits_before"))
    st.button("Reset", key="reset", on_click=switches.put, args=((),), disabled=not edits)

if edits:
    apart = relative_difference(before, trace).T.numpy()
    alike = cosine(before["output"], trace["output"])
    first = first_difference(before, trace)
    st.header("What differs")
    said = (
        f"The runs first differ at {first}; the outputs have cosine {short(float(alike.mean()))} on average, least at "
        f"“{shown(tokens[int(alike.argmin())])}” ({int(alike.argmin())}): {short(float(alike.min()))}."
        if first
        else "No number differs from the run without changes."
    )
    st.markdown(f"**{plain(said)}**")
    drawn = matrix(apart, tokens, ["input", *layers], kind="positive", theme=theme())
    chart(drawn, "apart", "How far each token's vector is from the run without changes, relative to its length")
    st.caption("Length of the difference over the length of the vector without changes, after each layer.")
    encoder = session.text_encoder(view.model)
    answers, changed = encoder.predict(before, 1), encoder.predict(trace, 1)
    if answers and changed:
        rows = [
            {"token": f"{i} {shown(token)}", "before": a[0][0], "p before": a[0][1], "now": b[0][0], "p now": b[0][1]}
            for i, (token, a, b) in enumerate(zip(tokens, answers, changed, strict=True))
        ]
        other = sum(row["before"] != row["now"] for row in rows)
        st.markdown(f"The model's first answer is another one at {other} of {len(rows)} tokens.")
        st.dataframe(pd.DataFrame(rows), hide_index=True, key="answers")
    side_by_side.draw(before, trace, ("without changes", "with changes"))
else:
    st.markdown("Nothing is switched off yet.")

side_by_side.leave_one_out(trace, np.asarray(trace.ids))
