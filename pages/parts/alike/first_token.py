"""Sentences whose vector is that of one token: there is no matrix of tokens, but an exact one of what it gathered."""

import numpy as np

from encoder.attributions.similarity import likeness, opened, others
from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import brief, shown
from encoder.metrics import largest_cell
from encoder.trace import unpadded
from encoder.trace.trace import Trace
from pages.parts.alike import cell
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import say, theme


def draw(a: Trace, b: Trace) -> None:
    """What the heads of the last layer gathered from each token of A, with each of B; then head by head."""
    found, encoder = likeness(a, b), session.text_encoder(state.current().model)
    at = [next(i for i in range(len(run.tokens)) if i not in run.hidden) for run in (a, b)]
    parts, made = opened(encoder, a, b, *at), f"opened(enc, a, b, {at[0]}, {at[1]})"
    values = parts.by_token().numpy()
    rows, columns = (
        [*(f"from “{shown(token)}” ({i})" for i, token in enumerate(unpadded.tokens(run))),
         *(part.spelled(run.tokens) for part in others(side))]
        for run, side in ((a, parts.left), (b, parts.right))
    )  # fmt: skip
    about = About(a, other=b, reads=("output",))
    drawn = matrix(
        values, rows, columns, kind="signed", theme=theme(), row_title="sentence A", column_title="sentence B"
    )
    i, j = largest_cell(np.abs(values))
    fact = (
        f"The cosine is {found.cosine:.4f}: all {values.size} cells add up to it, "
        f"{brief(abs(float(values.sum()) - found.cosine))} apart. The largest share, {brief(values[i, j])}, is that of "
        f"{rows[i]} and {columns[j]}."
    )
    chart(drawn, "alike", f"What each pair of parts adds to the cosine. {fact}", about, made=f"{made}.by_token()")
    say(
        fact,
        "One token stands for the sentence, so a row is what the last layer's heads gathered for it from a token, what "
        "it was before that layer, or another part of it.",
    )
    downloads.numbers("alike", "alike", lambda: downloads.frame(values, rows, columns), values.shape)
    cell.draw_parts(parts, a, b, "The same, head by head", "the cosine", made)
