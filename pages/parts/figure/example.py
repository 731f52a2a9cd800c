"""What the choices do, on the chosen head's weights, while nothing is in the figure."""

import streamlit as st

from encoder.paper.files import PaperFigure
from encoder.paper.panel import PanelError, heat_map, of_maps
from encoder.paper.sheet import Sheet
from pages.parts.figure import preview
from pages.ui import session
from pages.ui.state import session_state as state


def draw(sheet: Sheet) -> None:
    """The weights, or why they are too many."""
    trace, view = session.now(), state.current()
    head = min(view.head, trace.config.n_heads - 1)
    title = f"Layer {view.layer}, head {head}"

    def make() -> PaperFigure:
        weights = trace.array(f"layers.{view.layer}.attention.weights")[head]
        panel = of_maps(title, title, [heat_map(weights, trace.tokens, trace.tokens, "share")])
        return PaperFigure((panel,), sheet)

    try:
        preview.draw(preview.once((view.model, trace.inputs, trace.hidden, trace.edits, title, sheet), make))
    except PanelError as error:
        st.caption(f"No example of this sentence is drawn: {error}.")
        return
    st.caption("An example, to see what the choices do: the weights of the chosen head.")
