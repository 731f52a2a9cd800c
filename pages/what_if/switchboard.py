"""The switches of the whole model, and two dials; those of its parts are in the picture above."""

import math

import streamlit as st

from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.step import switches
from pages.ui.widgets import bounded

COLDEST, HOTTEST = 0.1, 5.0  # temperatures
FURTHEST = 20  # places


def draw() -> None:
    """All switches as they stand."""
    trace = session.now()
    config = trace.config
    state.show(whole=on())
    st.pills("For the whole model", switches.offered(config), key="whole", selection_mode="multi", on_change=flip_whole)
    with st.container(horizontal=True, vertical_alignment="bottom", key="dials"):
        hotter = [1 / factor if factor else math.inf for factor in values("attention.scaled", "scale")]
        bounded("Temperature of the softmax", COLDEST, HOTTEST, 0.1, hotter, 1.0, "temperature", dial_temperature)
        furthest = min(FURTHEST, len(trace.tokens) - 1)
        bounded("Shift positions by", 0, furthest, 1, values("embedding.positions", "shift"), 0, "shift", dial_shift)


def values(step: str, action: str) -> list[float]:
    """The numbers that edits of a step and action have, each once: a link may say others in other layers."""
    found = [edit.value for edit in switches.current() if edit.step.endswith(step) and edit.action == action]
    return list(dict.fromkeys(value for value in found if isinstance(value, int | float)))


def on() -> list[str]:
    """What is switched for the whole model."""
    config, edits = session.now().config, set(switches.current())
    return [name for name in switches.offered(config) if set(switches.WHOLE[name](config)) <= edits]


def flip_whole() -> None:
    """Switch what was chosen or left for the whole model."""
    changed = set(state.value("whole")) ^ set(on())
    for name in [name for name in switches.WHOLE if name in changed]:
        switches.toggle(switches.WHOLE[name](session.now().config))


def dial_temperature() -> None:
    """Take over the temperature."""
    switches.replace_scaled(session.now().config, "attention.scaled", "scale", 1 / state.value("temperature"), 1.0)


def dial_shift() -> None:
    """Take over the shift."""
    switches.replace_scaled(session.now().config, "embedding.positions", "shift", state.value("shift"), 0)
