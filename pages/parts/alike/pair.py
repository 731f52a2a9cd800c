"""Two runs: their cosine shared out among pairs of tokens, or of parts where one token stands for the sentence."""

import numpy as np
import streamlit as st

from encoder.attributions.similarity import Centred, Likeness, centred, likeness
from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import brief, shown
from encoder.metrics import SENTENCES, largest_cell
from encoder.trace import unpadded
from encoder.trace.trace import Trace
from pages.parts.alike import cell, first_token, minus_mean
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import plain, say, theme

PLAIN, LESS = "As they are", f"Minus the mean of {len(SENTENCES)} sentences"
HOW = {
    None: "This model was given no way to make one vector of a sentence; the mean over its tokens is taken.",
    "mean": "Its vector is the mean over the tokens.",
    "mean_sqrt_len": "Its vector is the sum over the tokens, divided by the square root of their number.",
    "max": "Its vector has, in each dimension, the largest number of any token: that token alone gets the share.",
    "cls": "Its vector is that of the first token alone.",
}


def draw(a: Trace, b: Trace) -> None:
    """The number, how it is shared out, and one share opened."""
    encoder = session.text_encoder(state.current().model)
    st.caption(HOW[a.config.pooling] + compared(encoder.sentence.similarity if encoder.sentence else "cosine"))
    if a.config.pooling == "cls":
        first_token.draw(a, b)
        return
    view = st.pills("Vectors", (PLAIN, LESS), required=True, **state.choice("alike_view", (PLAIN, LESS), PLAIN))
    if view == LESS:
        found: Likeness = centred(a, b, session.mean_vector())
        made = "centred(a, b, mean_vector(enc, SENTENCES))"
    else:
        found, made = likeness(a, b), "likeness(a, b)"
    rows, columns = names(a), names(b)
    about = About(a, other=b, reads=("output",))
    cells = found.cells.numpy()
    drawn = matrix(
        cells, rows, columns, kind="signed", theme=theme(), row_title="sentence A", column_title="sentence B"
    )
    fact = f"The cosine is {found.cosine:.4f}: all {cells.size} cells add up to it, {brief(found.missing)} apart."
    chart(drawn, "alike", f"What each pair of tokens adds to the cosine. {fact}", about, made=f"{made}.cells")
    top, beside = largest_cell(np.abs(cells))
    say(
        fact,
        f"The largest share, {plain(brief(cells[top, beside]))}, is that of {plain(rows[top])} and "
        f"{plain(columns[beside])}; pairs of words alone add up to {plain(brief(found.between_words(a, b)))}, pairs "
        "with a special token to the rest.",
    )
    st.caption(
        "A row or column is the vector at that position, which has gathered from its whole sentence, and not the word "
        "alone. Vectors of a model that was not trained to compare sentences share a large part whatever they say."
    )
    downloads.numbers("alike", "alike", lambda: downloads.frame(cells, rows, columns), cells.shape)
    if isinstance(found, Centred):
        minus_mean.draw(found, likeness(a, b), about)
        return
    cell.draw(a, b, (top, beside))


def names(run: Trace) -> list[str]:
    """What the tokens of a run are called, without padding."""
    return [f"“{shown(token)}” ({i})" for i, token in enumerate(unpadded.tokens(run))]


def compared(similarity: str) -> str:
    """What is to be said of a folder that compares vectors in another way."""
    return "" if similarity == "cosine" else plain(f" The folder itself compares by “{similarity}”, not by the cosine.")
