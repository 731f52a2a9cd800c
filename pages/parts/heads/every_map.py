"""Every head of every layer as a small map."""

import streamlit as st

from pages.parts.heads.common import chosen, every_weight, names, places
from pages.ui import session
from pages.ui.components import maps
from pages.ui.state import session_state as state
from pages.ui.state.site import PAGES
from pages.ui.text import theme


def draw() -> None:
    """A row of maps for each layer; a click opens one."""
    trace = session.now()
    config = trace.config
    st.markdown(
        "Every head of every layer on this sentence, a row for each layer. In each map rows look and columns are "
        "looked at. Click one to open it."
    )
    small = [
        maps.Map(name, f"Layer {i}, head {h}", maps.of_head(trace, f"layers.{i}.attention.weights", h), "share", 1.0)
        for name, (i, h) in zip(names(config), places(config), strict=True)
    ]
    maps.draw(
        "all_heads",
        small,
        trace.tokens,
        theme(),
        visit,
        every_weight(trace),
        chosen=chosen(config),
        columns=config.n_heads,
    )
    st.caption(maps.scales(small))


def visit(number: int, row: int, column: int) -> None:
    """Show the head that was picked on the attention page."""
    layer, head = places(session.now().config)[number]
    state.change(layer=layer, head=head, step="attention.weights", cell=None)
    state.session().go_to = next(page.script for page in PAGES if page.key == "attention")
