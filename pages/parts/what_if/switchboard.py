"""The switches: a part of a layer, something in the whole model, two dials, and the way back."""

from collections.abc import Iterable

import streamlit as st

from encoder.edits.edit import Edit
from pages.ui import session
from pages.ui.components import board
from pages.ui.state import session_state as state
from pages.ui.step import switches
from pages.ui.text import layer_names


def draw() -> None:
    """All switches as they stand."""
    trace = session.now()
    config, edits = trace.config, switches.current()
    columns = switches.columns(config)
    off = [[switches.of_board(config, i, j) in edits for j in range(len(columns))] for i in range(config.n_layers)]
    board.draw("board", layer_names(config), columns, off, flip)
    state.show(whole=on())
    st.pills("For the whole model", list(switches.WHOLE), key="whole", selection_mode="multi", on_change=flip_whole)
    with st.container(horizontal=True, vertical_alignment="bottom", key="dials"):
        scaled = numbers(e for e in edits if e.step.endswith("attention.scaled") and e.action == "scale")
        shifted = numbers(e for e in edits if e.step == "embedding.positions" and e.action == "shift")
        state.show(temperature=round(1 / scaled[0], 1) if scaled else 1.0)
        state.show(shift=int(shifted[0]) if shifted else 0)
        st.slider("Temperature of the softmax", 0.1, 5.0, step=0.1, key="temperature", on_change=dial, width=240)
        st.slider("Shift positions by", 0, min(20, len(trace.tokens) - 1), key="shift", on_change=dial, width=240)
        st.button("Undo", key="undo", on_click=switches.undo, disabled=not switches.can_undo())
        st.button("Reset", key="reset", on_click=switches.put, args=((),), disabled=not edits)


def numbers(edits: Iterable[Edit]) -> list[float]:
    """The values of edits that have a number."""
    return [edit.value for edit in edits if isinstance(edit.value, int | float)]


def on() -> list[str]:
    """What is switched for the whole model."""
    config, edits = session.now().config, set(switches.current())
    return [name for name, switch in switches.WHOLE.items() if set(switch(config)) <= edits]


def flip(layer: int, column: int) -> None:
    """Switch one part of a layer off, or on again."""
    switches.toggle([switches.of_board(session.now().config, layer, column)])


def flip_whole() -> None:
    """Switch what was chosen or left for the whole model."""
    changed = set(state.value("whole")) ^ set(on())
    for name in [name for name in switches.WHOLE if name in changed]:
        switches.toggle(switches.WHOLE[name](session.now().config))


def dial() -> None:
    """Take over the temperature and the shift."""
    config = session.now().config
    switches.replace_scaled(config, "attention.scaled", "scale", 1 / state.value("temperature"), 1.0)
    switches.replace_scaled(config, "embedding.positions", "shift", state.value("shift"), 0)
