"""From scores to weights in one head, and the query and key behind one pair."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.facts import largest_pair
from encoder.figures.matrix import matrix
from encoder.formatting import brief, shown
from encoder.metrics import query_key_products
from pages.parts.attention.common import as_map
from pages.ui import session
from pages.ui.components import maps
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.state.view import Cell
from pages.ui.step import inspector, panel
from pages.ui.text import say, theme

FOUR = ("attention.scores", "attention.scaled", "attention.masked", "attention.weights")


def draw() -> None:
    """Four maps with one cursor, and the products that one of their pairs is made of."""
    trace, view = session.now(), state.current()
    tokens, steps = trace.tokens, [trace.step(f"layers.{view.layer}.{name}") for name in FOUR]
    st.header(f"From scores to weights (layer {view.layer}, head {view.head})")
    locked = panel.toggle("Lock the scales across heads", "lock_four")
    four = [as_map(trace, step, view.head, step.title, locked) for step in steps]
    pair = inspector.opened_pair(trace, [step.name for step in steps], view.head)
    about = About(trace, layer=view.layer, head=view.head, reads=FOUR)
    maps.draw("four", four, tokens, theme(), open_pair, about, cell=pair, exact=True, least=176)
    st.caption(f"{maps.scales(four)} Rows look, columns are looked at. Point at a pair to read it, click to open it.")
    i, j = pair or largest_pair(trace.array(steps[-1].name)[view.head], trace.tokenization.special)
    three = query_key_products(trace, view.layer, view.head, i, j)
    names = f"Query of “{shown(tokens[i])}” ({i}) and key of “{shown(tokens[j])}” ({j})"
    said = f"{names}: their products add up to {brief(float(three[2].sum()))}."
    say(said, "" if pair else "This is the pair of words with the largest weight; choose another above.")
    strips = matrix(three.numpy(), ["query", "key", "product"], "dimension", kind="signed", theme=theme())
    chart(strips, "neurons", said, About(trace, layer=view.layer, head=view.head, reads=("attention.q", "attention.k")))


def open_pair(number: int, row: int, column: int) -> None:
    """Open the number that was picked in one of the four matrices."""
    view = state.current()
    inspector.open_number(Cell(f"layers.{view.layer}.{FOUR[number]}", (view.head, row, column)), fresh=True)
