"""Attention: queries, keys and values, scores, weights, and what the heads bring together."""

import numpy as np
import streamlit as st

from encoder.figures.matrix import matrix
from encoder.figures.steps import kind_of
from encoder.formatting import short, shown
from encoder.metrics import largest_cell, query_key_products, weighted_values
from encoder.steps.step import PAIRS, Step
from pages.ui import session
from pages.ui.components import maps
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.state.view import Cell
from pages.ui.step import inspector, panel
from pages.ui.text import say, theme
from pages.ui.widgets import pick_token

FOUR = ("scores", "scaled", "masked", "weights")
step = panel.draw("attention")
trace, view = session.now(), state.current()
tokens, at = trace.tokens, f"layers.{view.layer}.attention."


def as_map(one: Step, head: int, name: str, locked: bool) -> maps.Map:
    """One head of a step as a small map; a locked scale is that of all heads."""
    values = trace.array(one.name)
    seen = values if locked else values[head]
    largest = float(np.abs(seen[np.isfinite(seen)]).max(initial=0.0))
    return maps.Map(name, f"{one.title}, head {head}", values[head], kind_of(one), largest)


def open_pair(number: int, row: int, column: int) -> None:
    """Open the number that was picked in one of the four matrices."""
    inspector.open_number(Cell(at + FOUR[number], (view.head, row, column)), fresh=True)


def take_head(number: int, row: int, column: int) -> None:
    """Show the head that was picked."""
    state.change(head=number)


if step.local == "attention.heads":
    st.header("What one token takes from each")
    query = pick_token("Token", tokens, "query")
    taken = weighted_values(trace, view.layer, view.head, query).numpy()
    drawn = matrix(taken, tokens, "dimension", kind="signed", theme=theme())
    chart(drawn, "weighted_values", "Each row is one token's value times the weight it gets")
    st.text(
        "Each row is that token's value times the weight it gets here. The rows add up to the row of the picture above."
    )

st.header(f"From scores to weights (layer {view.layer}, head {view.head})")
locked = panel.toggle("Lock the scales across heads", "lock_four")
four = [as_map(trace.step(at + name), view.head, trace.step(at + name).title, locked) for name in FOUR]
pair = inspector.opened_pair(trace, [at + name for name in FOUR], view.head)
maps.draw("four", four, tokens, theme(), open_pair, cell=pair, exact=True, least=176)
st.caption(f"{maps.scales(four)} Rows look, columns are looked at. Point at a pair to read it, click to open it.")

i, j = pair or largest_cell(trace[at + "weights"][view.head])
three = query_key_products(trace, view.layer, view.head, i, j)
names = f"Query of “{shown(tokens[i])}” ({i}) and key of “{shown(tokens[j])}” ({j})"
said = f"{names}: their products add up to {short(float(three[2].sum()))}."
say(said, "" if pair else "This is the pair with the largest weight; choose another above.")
strips = matrix(three.numpy(), ["query", "key", "product"], "dimension", kind="signed", theme=theme())
chart(strips, "neurons", said)

pairs = step if step.shape == PAIRS else trace.step(at + "weights")
st.header(f"All heads of layer {view.layer}: {pairs.title.lower()}")
heads = [as_map(pairs, h, f"head {h}", locked=True) for h in range(trace.config.n_heads)]
maps.draw("heads", heads, tokens, theme(), take_head, chosen=view.head, least=150)
st.caption(f"{maps.scales(heads)} Click a head to show it above.")
panel.proof(trace, step)
