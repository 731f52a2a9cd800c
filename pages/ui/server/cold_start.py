"""A server that was just started loads its libraries; here is what is done meanwhile and after."""

import gc
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import streamlit as st

SHORT = 0.001  # seconds that one thread goes on while another waits: the browser fetches files during the imports
NOTHING = """{
    "data": [{"type": "heatmap", "z": [[0]], "opacity": 0, "showscale": false, "hoverinfo": "skip"}],
    "layout": {"height": 10, "xaxis": {"visible": false}, "yaxis": {"visible": false}}
}"""

loaded = threading.Event()  # as soon as it has its libraries
import_lock = threading.Lock()  # held by the thread that imports


def fetch_charts(place: st.delta_generator.DeltaGenerator, key: str) -> None:
    """Draw a chart of nothing: the browser has what draws charts by the time that it is asked for one.

    Each draws one of its own: while Plotly reads a chart it takes the type out, and puts it back.
    """
    place.plotly_chart(json.loads(NOTHING), key=key, config={"displayModeBar": False})


@contextmanager
def loading() -> Iterator[None]:
    """Around the imports: one thread does them, undisturbed; who comes meanwhile waits here."""
    if loaded.is_set():
        yield
        return
    with import_lock, nullcontext() if loaded.is_set() else undisturbed():
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Nobody looks for garbage meanwhile, nor ever after among what was loaded.

    Nobody may draw a chart: Plotly looks at numpy as soon as another thread has begun to import it. To look at all of
    torch's objects takes a tenth of a second, in which no session gets on. It must not be later: what stands aside
    here is never let go, and there are no runs yet.
    """
    gc.disable()
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SHORT)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
        gc.enable()
    gc.freeze()
    loaded.set()
