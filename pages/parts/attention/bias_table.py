"""The whole table of a position bias: a number for every head and every step of distance."""

from encoder.experiments import bias_table
from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import brief
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import heading, say, theme

STEPS = ("attention.position_bias", "attention.biased")  # where this is shown


def draw() -> None:
    """All of its numbers at once, and which distance the chosen head adds most to."""
    view, trace = state.current(), session.now()
    found = bias_table(session.text_encoder(view.model))
    heads = [f"head {h}" for h in range(len(found.values))]
    heading("The whole table, by distance")
    drawn = matrix(found.values.numpy(), heads, list(found.names), kind="signed", theme=theme())
    most = int(found.values[view.head].argmax())
    largest, where = brief(float(found.values[view.head, most])), found.names[most]
    place = "is itself" if where == "itself" else f"stands {where}"
    fact = f"Head {view.head} adds most, {largest}, where the key {place}."
    about = About(source=trace.source, scope="a table of the model, the same for every sentence and layer")
    chart(drawn, "bias_table", fact, about, numbers=True, made="bias_table(enc).values")
    say(
        fact,
        f"These {found.values.numel()} numbers are all that the position bias of this model has learned to add: a row "
        "is a head, and far distances share a number. The row of keys after the query that stand no place away is "
        "never read and left out.",
    )
