"""The rows of some tokens as one, and their columns added up."""

import numpy as np
import torch

from encoder.export.caption import About
from encoder.figures.charts import token_bars
from encoder.figures.drawn import numbers_of
from encoder.formatting import brief, percent, shown
from encoder.metrics import given_and_received
from encoder.selection import Selection
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, say, theme


def draw(values: np.ndarray, seen: Selection, chosen: list[int], head: int | None, made: str = "") -> None:
    """Where the chosen tokens look on average, and what they get in all, of weights [n, n]; of all tokens if none.

    `made` is the code that makes the weights.
    """
    trace, view = session.now(), state.current()
    heading("The rows and columns added up")
    out, into = given_and_received(torch.from_numpy(values), chosen or list(seen.at))
    names, at = seen.drawn, list(seen.at)
    both = {"gets on average": out.numpy()[at]} | ({"gives in all": into.numpy()[at]} if chosen else {})
    drawn = token_bars(both, names, title="weight", theme=theme())
    top = int(np.nan_to_num(both["gets on average"]).argmax())
    who = f"the {len(chosen)} chosen" if chosen else f"all {len(at)}"
    fact = (
        f"Of {who} tokens “{shown(names[top])}” ({at[top]}) gets most: {percent(float(both['gets on average'][top]))} "
        f"of their weight on average, {brief(float(both['gets on average'][top]) * len(chosen or at))} if the rows are "
        "added up."
    )
    about = About(trace, layer=view.layer, head=head, reads=("attention.weights",))
    made = made and f"torch.stack(given_and_received({made}, {chosen or at})[: {1 + bool(chosen)}])[:, {at}]"
    chart(drawn, "summed", fact, about, made=made)
    more = "“Gives in all” is how much of its own weight each token puts on the chosen ones together." if chosen else ""
    say(fact, more)
    downloads.of_figure("summed", numbers_of(drawn))
