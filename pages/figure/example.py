"""What the choices do, on the chosen head's weights, while nothing is in the figure."""

import streamlit as st

from encoder.pictures.paper.files import PaperFigure
from encoder.pictures.paper.panel import Panel, PanelError, heat_map, of_maps
from encoder.pictures.paper.sheet import Sheet
from pages.figure import preview
from pages.ui import session
from pages.ui.state import session_state as state


def panel() -> Panel:
    """The weights of the chosen head.

    Raises:
        PanelError: they are too many.
    """
    trace, view = session.now(), state.current()
    weights = trace.array(f"layers.{view.layer}.attention.weights")[head()]
    return of_maps(title(), f"{title()}.", [heat_map(weights, trace.tokens, trace.tokens, "share")])


def head() -> int:
    """The chosen head of this model."""
    return min(state.current().head, session.now().config.n_heads - 1)


def title() -> str:
    """What the panel is called."""
    return f"Layer {state.current().layer}, head {head()}"


def draw(sheet: Sheet) -> None:
    """The example on a sheet, or why there is none."""
    trace, view = session.now(), state.current()
    try:
        asked = (view.model, trace.inputs, trace.hidden, trace.edits, title(), sheet)
        preview.draw(preview.once(asked, lambda: PaperFigure((panel(),), sheet)))
    except PanelError as error:
        st.caption(f"No example of this sentence is drawn: {error}.")
        return
    st.caption("An example, to see what the choices do: the weights of the chosen head.")
