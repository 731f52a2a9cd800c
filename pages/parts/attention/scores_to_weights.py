"""From scores to weights in one head, and the query and key behind one pair."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.facts import largest_pair
from encoder.figures.matrix import matrix
from encoder.figures.words_only import tokens_drawn
from encoder.formatting import brief, shown
from encoder.metrics import query_key_products
from pages.parts.attention.common import as_map
from pages.ui import session
from pages.ui.components import maps
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.state.view import Cell
from pages.ui.step import opened, panel, words_only
from pages.ui.text import plain, say, theme
from pages.ui.widgets import fold

FOUR = ("attention.scores", "attention.scaled", "attention.masked", "attention.weights")


def draw() -> None:
    """Four maps with one cursor, and the products that one of their pairs is made of, folded."""
    fold("The four maps side by side, and the products of one pair", "four_maps", draw_four, holds={"lock_four"})


def draw_four() -> None:
    """What is in the fold."""
    trace, view = session.now(), state.current()
    tokens, steps = trace.tokens, [trace.step(f"layers.{view.layer}.{name}") for name in FOUR]
    locked = panel.toggle("Lock the scales across heads", "lock_four")
    seen = tokens_drawn(trace, words_only.chosen())
    left_out = seen.sentence(trace.array(steps[-1].name)[view.head])
    four = [as_map(trace, step, view.head, step.title, locked, seen) for step in steps]
    made = f"[{', '.join(words_only.cut(f't[{one.name!r}][{view.head}]') for one in steps)}]"
    came_by = [view.cell, *reversed(state.session().trail)]
    places = (opened.place_in(trace, step, view.head, cell) for cell in came_by for step in steps)
    pair = next(filter(None, places), None)
    about = About(trace, layer=view.layer, head=view.head, reads=FOUR)
    maps.draw(
        "four", four, seen.drawn, theme(), open_pair, about, cell=pair, exact=True, least=176, at=seen.at,
        left_out=left_out, made=made,
    )  # fmt: skip
    said = plain(f"{maps.scales(four)} {left_out}".strip())
    st.caption(f"{said} Rows look, columns are looked at. Point at a pair to read it, click to open it.")
    i, j = pair or largest_pair(trace.array(steps[-1].name)[view.head], trace.tokenization.special)
    three = query_key_products(trace, view.layer, view.head, i, j)
    names = f"Query of “{shown(tokens[i])}” ({i}) and key of “{shown(tokens[j])}” ({j})"
    said = f"{names}: their products add up to {brief(float(three[2].sum()))}."
    say(said, "" if pair else "This is the pair of words with the largest weight; choose another above.")
    strips = matrix(three.numpy(), ["query", "key", "product"], "dimension", kind="signed", theme=theme())
    chart(
        strips,
        "neurons",
        said,
        About(trace, layer=view.layer, head=view.head, reads=("attention.q", "attention.k")),
        numbers=True,
        made=f"query_key_products(t, {view.layer}, {view.head}, {i}, {j})",
    )
    opened.listen("neurons", lambda row, dimension: open_strip((i, j), row, dimension))


def open_pair(number: int, row: int, column: int) -> None:
    """Open the number that was picked in one of the four matrices."""
    view = state.current()
    opened.open_number(Cell(f"layers.{view.layer}.{FOUR[number]}", (view.head, row, column)), fresh=True)


def open_strip(pair: tuple[int, int], row: int, dimension: int) -> None:
    """Open the number of the query or the key that was picked; of their products, the score that they add up to."""
    view = state.current()
    strips = (("attention.q", (pair[0], dimension)), ("attention.k", (pair[1], dimension)), ("attention.scores", pair))
    name, index = strips[min(row, 2)]
    opened.open_number(Cell(f"layers.{view.layer}.{name}", (view.head, *index)))
