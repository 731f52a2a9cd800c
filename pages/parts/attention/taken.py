"""What one token takes from each other one."""

from encoder.export.caption import About
from encoder.figures.facts import main_fact
from encoder.figures.matrix import matrix
from encoder.metrics import weighted_values
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import heading, say, theme
from pages.ui.widgets import pick_token


def draw() -> None:
    """The values of all tokens times the weights that the chosen token gives them."""
    trace, view = session.now(), state.current()
    heading("What one token takes from each")
    query = pick_token("Token", trace.tokens, "query")
    taken = weighted_values(trace, view.layer, view.head, query).numpy()
    drawn = matrix(taken, trace.tokens, "dimension", kind="signed", theme=theme())
    about = About(trace, layer=view.layer, head=view.head, reads=("attention.weights", "attention.v"))
    fact = main_fact(taken, trace.tokens, "dimension", "signed")
    chart(
        drawn,
        "weighted_values",
        f"Each token's value times the weight it gets. {fact}",
        about,
        numbers=True,
        made=f"weighted_values(t, {view.layer}, {view.head}, {query})",
    )
    say(
        fact,
        "Each row is that token's value times the weight it gets here. They add up to the row of the picture above.",
    )
