"""Sentence & tokens: what the model reads, and a first look at what it makes of it."""

import pandas as pd
import streamlit as st

from encoder.figures.living_map import finding
from pages.ui import session
from pages.ui.components import living_map
from pages.ui.state import session_state as state
from pages.ui.state import walk
from pages.ui.state.view import EXAMPLE, Cell
from pages.ui.step import inspector, panel, token_strip
from pages.ui.text import plain

EXAMPLES = (
    EXAMPLE,
    "Keys on the table belong to Sara.",
    "The capital of France is [MASK].",
    "The cat chased the mouse.",
    "I understand this",
)


def open_number(cell: Cell) -> None:
    """Open the number that was picked in the map."""
    inspector.open_number(cell, fresh=True)


def open_step(name: str) -> None:
    """Go to the page of a step."""
    walk.go(next(stop for stop in walk.stops(session.now().config) if stop.name == name))


def take_example() -> None:
    """Take the chosen example as the sentence."""
    if example := state.value("example"):
        state.change(sentence=example, hidden=())


trace, view = session.now(), state.current()
state.show(example=view.sentence if view.sentence in EXAMPLES else None)
with st.container(horizontal=True, vertical_alignment="center", key="begin"):
    st.header(plain(finding(trace, view.layer, view.head)), anchor=False, width="stretch")
    st.button(
        "Follow this sentence", type="primary", key="follow", icon=":material/arrow_forward:",
        on_click=walk.go, args=(walk.stops(trace.config)[1],),
    )  # fmt: skip
    with st.popover("Another sentence", key="another"):
        st.pills("Examples", EXAMPLES, key="example", on_change=take_example, format_func=plain)
        st.caption("Or type your own: the field Sentence is in the sidebar.")
st.caption(
    "Every row is a token on its way through the encoder, every box a layer. A band comes from where a word looks. "
    "Point at a word to follow it, click a layer to unfold it, click any number to open it."
)
living_map.draw(trace, open_number, open_step)

st.header(f"The sentence as {len(trace.tokens)} tokens")
special = trace.tokenization.special
token_strip.draw(trace)
st.caption(token_strip.explained(trace))
rows = [
    {"position": i, "token": token, "id": trace.ids[i], "typed": trace.tokenization.typed(i), "added": special[i]}
    | ({"sentence": "AB"[trace.tokenization.segments[i]]} if trace.tokenization.pair else {})
    for i, token in enumerate(trace.tokens)
]
encoder = session.text_encoder(view.model)
guesses = encoder.predict(trace, 3) or []
for i in [i for i, token in enumerate(trace.tokens) if token == encoder.mask_token and guesses]:
    said = ", ".join(f"“{word}” {probability:.3f}" for word, probability in guesses[i])
    st.text(f"At {encoder.mask_token} (position {i}) the model would say: {said}.")

weights = trace.step(f"layers.{view.layer}.attention.weights")
if trace.tokenization.pair and trace.config.n_segments < 2:
    st.caption("This model has no segment embeddings: only the separator tells it where sentence B begins.")
panel.show(trace, weights, view.head)
with st.expander("The tokens as a table"):
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="tokens")
