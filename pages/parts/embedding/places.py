"""What tells the model where a word stands: how alike the vectors of two positions are."""

from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import brief
from encoder.metrics import cosine_matrix
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.text import heading, say, theme


def draw() -> None:
    """The cosine between the vectors of every two positions."""
    trace = session.now()
    if not trace["embedding.positions"].any():
        return
    heading("How alike two positions are")
    alike = cosine_matrix(trace["embedding.positions"]).numpy()
    drawn = matrix(alike, trace.tokens, trace.tokens, kind="signed", theme=theme(), fit=True)
    apart = len(alike) - 1
    fact = (
        f"The position vectors of the first two places have a cosine of {brief(float(alike[0, min(1, apart)]))}, those "
        f"of the first and the last, {apart} apart, {brief(float(alike[0, -1]))}."
    )
    chart(
        drawn,
        "alike",
        fact,
        About(trace, reads=("embedding.positions",)),
        numbers=True,
        made='cosine_matrix(t["embedding.positions"])',
    )
    say(
        fact,
        "The cosine between the position vectors of every two places. With sinusoidal positions it depends only on the "
        "distance between them: every diagonal has one colour.",
    )
