"""Inside one head: the score of a pair in layer 0 as terms, and what the weights alone say of words."""

import numpy as np
import streamlit as st

from encoder.attributions.circuits import pair_score
from encoder.attributions.contributions import StreamPart
from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import brief, shown
from encoder.metrics import largest_cell
from encoder.trace.trace import Trace
from pages.parts.heads import weights_alone
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, say, theme
from pages.ui.widgets import pick_token


def draw() -> None:
    """Two tokens, their score in layer 0, and what the head of the sidebar would do with their bare words."""
    trace, view = session.now(), state.current()
    last = len(trace.tokens) - 1
    with st.container(horizontal=True):
        query = pick_token("It looks (query)", trace.tokens, "inside_query", min(1, last))
        key = pick_token("It is looked at (key)", trace.tokens, "inside_key", min(2, last))
    terms_of(trace, view.head, query, key)
    weights_alone.draw(trace, view.layer, view.head, query, key)


def name(trace: Trace, position: int) -> str:
    """A token with its position, as it is said."""
    return f"“{shown(trace.tokens[position])}” ({position})"


def terms_of(trace: Trace, head: int, query: int, key: int) -> None:
    """The score of layer 0 as terms."""
    heading(f"Layer 0, head {head}: why {name(trace, query)} scores {name(trace, key)} as it does")
    found = pair_score(session.text_encoder(state.current().model), trace, head, query, key)
    rows, columns = labels(found.query, query, trace), labels(found.key, key, trace)
    values = found.values.numpy()
    drawn = matrix(
        values, rows, columns, kind="signed", theme=theme(), longest=24, row_title="query", column_title="key"
    )
    about = About(trace, layer=0, head=head, reads=("attention.scaled",))
    i, j = largest_cell(np.abs(values))
    what = "The score of the contents alone" if trace.config.distance_parts else "The score"
    fact = f"{what} is {brief(found.score)}: all {values.size} terms add up to it, {brief(found.missing)} apart."
    chart(
        drawn,
        "inside_terms",
        f"The score of {name(trace, query)} and {name(trace, key)} as a sum. {fact}",
        about,
        made=f"pair_score(enc, t, {head}, {query}, {key}).values",
    )
    say(
        fact,
        plain(f"The largest term, {brief(values[i, j])}, is that of {rows[i]} and {columns[j]}."),
    )
    downloads.numbers("inside_terms", "inside_terms", lambda: downloads.frame(values, rows, columns), values.shape)
    st.caption(
        "In layer 0 a token is its word, its place, its sentence and what biases add, so a score is a sum over pairs "
        "of those. The norm divides by the spread that it had in this run. In later layers a token mixes many words."
    )


def labels(parts: tuple[StreamPart, ...], position: int, trace: Trace) -> list[str]:
    """What the parts of a query or key are called."""
    said = {"word": f"word “{shown(trace.tokens[position])}”", "position": f"position {position}",
            "rest": "rest (rounding, changes)"}  # fmt: skip
    return [said.get(part.kind, part.kind) for part in parts]
