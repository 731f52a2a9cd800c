"""Weights from token to token, drawn twice: as lines and as a matrix."""

import numpy as np
import streamlit as st

from encoder.export.caption import About
from encoder.figures.links import links, undrawn
from encoder.figures.matrix import matrix
from encoder.formatting import percent
from encoder.metrics import parked
from encoder.selection import Selection
from encoder.theme import Kind
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, say, theme


def draw(
    values: np.ndarray, seen: Selection, chosen: list[int], fact: str, left_out: str, said: str, head: int | None,
    made: str = "",
) -> None:  # fmt: skip
    """Weights [n, n] of what is `said`, one head or several; of the `chosen` tokens alone, if there are any.

    `made` is the code that makes the weights.
    """
    trace, view = session.now(), state.current()
    cut, marked = seen.cut(values), [seen.at.index(i) for i in chosen if i in seen.at]
    about = About(trace, layer=view.layer, head=head, reads=("attention.weights",))
    made = made if seen.whole else made and f"{made}[{list(seen.at)}][:, {list(seen.at)}]"
    alt = fact if not left_out or left_out in fact else f"{fact} {left_out}"
    chart(
        links(cut, seen.drawn, marked, theme(), seen.at),
        "links",
        f"Lines between tokens, {said}. {alt}",
        about,
        numbers=True,
        made=made,
    )
    say(fact)
    if left_out and left_out not in fact:
        st.caption(plain(left_out))
    if head is not None and (line := parked(trace, view.layer, head).sentence):
        st.caption(plain(line))
    st.caption(f"Lines for weights under 0.02 are left out: {percent(undrawn(cut))} of all weight drawn.")
    heading(f"The same as a matrix ({said})")
    kind: Kind = "share" if seen.whole else "positive"
    drawn = matrix(
        cut, seen.drawn, seen.drawn, kind=kind, theme=theme(), at=seen.at, row_title="query (looks)",
        column_title="key",
    )  # fmt: skip
    chart(drawn, "together_matrix", alt, about, numbers=True, made=made)
