"""The cosine of two sentences: its exact shares, for pairs of tokens or of what one token gathered."""

import numpy as np
import streamlit as st

from encoder.attributions.similarity import Likeness, Opened, centred, likeness, opened, others
from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import brief, shown
from encoder.metrics import largest_cell
from encoder.trace import unpadded
from encoder.trace.trace import Trace
from pages.parts.compare import sentence_vectors
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import plain, say, theme


def draw(a: Trace, b: Trace) -> None:
    """The number, how it is shared out, and what the mean of other sentences has to do with it."""
    encoder = session.text_encoder(state.current().model)
    if sentence_vectors.minus_mean(encoder):
        found = centred(a, b, session.mean_vector())
        of_tokens(found, a, b, "centred(a, b, mean_vector(enc, SENTENCES)).cells")
        sentence_vectors.say_terms(found, likeness(a, b))
    elif a.config.pooling == "cls":  # a matrix of tokens has one cell; there is an exact one of what it gathered
        i, j = (next(i for i in range(len(run.tokens)) if i not in run.hidden) for run in (a, b))
        gathered(likeness(a, b), opened(encoder, a, b, i, j), a, b, f"opened(enc, a, b, {i}, {j}).by_token()")
    else:
        of_tokens(likeness(a, b), a, b, "likeness(a, b).cells")


def of_tokens(found: Likeness, a: Trace, b: Trace, made: str) -> None:
    """The shares of pairs of tokens."""
    words = brief(found.between_words(a, b))
    more = f"; pairs of words alone add up to {words}, pairs with a special token to the rest."
    picture(found.cells.numpy(), found.cosine, (a, b), (names(a), names(b)), made, more)
    st.caption(
        "A row or column is the vector at that position, which has gathered from its whole sentence, and not the word "
        "alone. Vectors of a model that was not trained to compare sentences share a large part whatever they say."
    )


def gathered(found: Likeness, parts: Opened, a: Trace, b: Trace, made: str) -> None:
    """The shares of what the heads of the last layer gathered from each token, and of the rest of the one vector."""
    sides = tuple(
        [*names(run), *(part.spelled(run.tokens) for part in others(side))]
        for run, side in ((a, parts.left), (b, parts.right))
    )
    more = (
        ". One token stands for the sentence: a row is what the last layer's heads gathered for it from a token, what "
        "it was before that layer, or another part of it."
    )
    picture(parts.by_token().numpy(), found.cosine, (a, b), sides, made, more)


def picture(
    cells: np.ndarray, cosine: float, runs: tuple[Trace, Trace], sides: tuple[list[str], ...], made: str, more: str
) -> None:
    """The matrix, its sum and its largest cell; `sides` are the names of rows and columns, `more` what is said then."""
    rows, columns = sides
    short = ([*unpadded.tokens(run), *side[len(unpadded.tokens(run)) :]] for run, side in zip(runs, sides, strict=True))
    drawn = matrix(cells, *short, kind="signed", theme=theme(), row_title="sentence A", column_title="sentence B")
    apart, (i, j) = brief(abs(float(cells.sum()) - cosine)), largest_cell(np.abs(cells))
    fact = f"The cosine is {cosine:.4f}: all {cells.size} cells add up to it, {apart} apart."
    about = About(runs[0], other=runs[1], reads=("output",))
    chart(drawn, "alike", f"What each pair adds to the cosine. {fact}", about, made=made)
    say(fact, plain(f"The largest share, {brief(cells[i, j])}, is that of {rows[i]} and {columns[j]}{more}"))
    downloads.numbers("alike", "alike", lambda: downloads.frame(cells, rows, columns), cells.shape)


def names(run: Trace) -> list[str]:
    """What the tokens of a run are called, without padding."""
    return [f"“{shown(token)}” ({i})" for i, token in enumerate(unpadded.tokens(run))]
