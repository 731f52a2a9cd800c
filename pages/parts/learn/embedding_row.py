"""One row of the embedding table at every moment of training."""

from encoder.experiments import timelapse
from encoder.export.caption import About
from encoder.figures.drawn import numbers_of
from encoder.figures.matrix import matrix
from encoder.formatting import brief, listed, shown
from pages.parts.learn.moments import scene
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.text import say, theme
from pages.ui.widgets import pick_token


def draw() -> None:
    """The row of a chosen token as a picture, a line for each moment, and the words nearest to it then and now."""
    now = scene()
    tokens = list(now.run.tokenization.tokens)
    position = pick_token("Token", tokens, "row_of", min(1, len(tokens) - 1))
    found = timelapse.embedding_row(session.snapshots(now.model), now.run.ids[position])
    steps = [f"step {step:,}" for step in now.steps]
    drawn = matrix(found.rows.numpy(), steps, "dimension", kind="signed", theme=theme())
    name = f"“{shown(tokens[position])}”"
    first, last = (listed([f"“{shown(word)}”" for word in near]) for near in (found.nearest[0], found.nearest[-1]))
    fact = (
        f"The row of {name} begins at random and ends at a cosine of {brief(float(found.alike[0]))} with where it "
        f"began. Nearest to it at first are {first}; at the end {last}."
    )
    made = f"embedding_row({{step: {now.kept} for step in {now.steps}}}, {now.run.ids[position]}).rows"
    chart(
        drawn,
        "embedding_row",
        fact,
        About(source=now.run.source, scope=f"The embedding of {name} {now.when}"),
        made=made,
    )
    say(fact, "Nobody wrote these numbers: training moved them, a little at each step.")
    downloads.of_figure("embedding_row", numbers_of(drawn))
