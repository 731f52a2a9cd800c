"""A sweep over all parts of a run, with progress and a way out."""

from collections.abc import Callable, Generator
from typing import Any

import streamlit as st

from pages.ui.server import jobs
from pages.ui.state import session_state as state


def follow(
    key: str,
    asked: tuple[Any, ...],
    start: Callable[[], Generator[Any, None, None]],
    label: str,
    *,
    unit: str = "runs",
) -> Any:
    """Run a sweep on demand, in turn, with a progress bar; any other click stops it. Returns what was found.

    `unit` is what the bar counts. What is found is kept for this session.
    """
    sweeps = state.session().sweeps
    if st.button(label, key=f"{key}_go"):
        bar = st.progress(0.0, "Starting …")
        way_out = st.empty()
        way_out.button("Cancel", key=f"{key}_cancel")
        with jobs.in_turn():
            for result in start():
                bar.progress(result.done / result.total, f"{result.done} of {result.total} {unit}")
        bar.empty()
        way_out.empty()
        sweeps[key] = (asked, result)
        st.rerun()  # what stands above shows it too
    last, result = sweeps.get(key, (None, None))
    return result if last == asked else None
