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
    """All of its numbers at once, and which distance the chosen head adds most to, or by how much its scores fall."""
    view, trace = state.current(), session.now()
    found, falls = bias_table(session.text_encoder(view.model)), trace.config.positions == "alibi"
    heads = [f"head {h}" for h in range(len(found.values))]
    heading("How fast it falls, head by head" if falls else "The whole table, by distance")
    drawn = matrix(found.values.numpy(), heads, list(found.names), kind="signed", theme=theme())
    most = int(found.values[view.head].argmax())
    largest, where = brief(float(found.values[view.head, most])), found.names[most]
    place = "is itself" if where == "itself" else f"stands {where}"
    fact = f"Head {view.head} adds most, {largest}, where the key {place}."
    if falls:
        last = found.names[-1]
        slope, far = (brief(float(-found.values[view.head, i])) for i in (1, -1))
        fact = f"Head {view.head} takes {slope} from a score for each token of distance, {far} where the key is {last}."
    about = About(source=trace.source, scope="a table of the model, the same for every sentence and layer")
    chart(drawn, "bias_table", fact, about, numbers=True, made="bias_table(enc).values")
    drawn_at_random = trace.source.seed is not None
    came = "were drawn at random, and training would change them" if drawn_at_random else "were learned"
    learned = (
        f"These {found.values.numel()} numbers are all that the position bias of this model adds; they {came}. A row "
        "is a head, and far distances share a number. The row of keys after the query that stand no place away is "
        "never read and left out."
    )
    fixed = (
        "These slopes are not learned: the paper fixed them, and all sentences and layers have the same. A head with a "
        "steep slope sees its neighbours, one with a flat slope the whole text."
    )
    say(fact, fixed if falls else learned)
