"""Why rotary: the score of two words wherever they stand, turned and not."""

import numpy as np
import streamlit as st

from encoder.experiments import placed_scores
from encoder.export.caption import About
from encoder.figures.charts import lines
from encoder.figures.drawn import numbers_of
from encoder.figures.matrix import matrix
from encoder.formatting import brief, percent
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import say, theme
from pages.ui.widgets import pick_token


def draw() -> None:
    """Two words in every pair of places, and what a head of layer 0 scores them there."""
    view, trace = state.current(), session.now()
    st.markdown(
        "Does a score say how far apart two words stand, or where they stand? Two words of the sentence are put in "
        "every pair of 48 places, and layer 0 scores them there."
    )
    last = len(trace.tokens) - 1
    with st.container(horizontal=True):
        query = pick_token("It looks (query)", trace.tokens, "placed_query", min(1, last))
        key = pick_token("It is looked at (key)", trace.tokens, "placed_key", min(2, last))
    found = session.measured(placed_scores, view.head, query, key)
    about = About(source=trace.source, layer=0, head=view.head, scope="two words in every pair of places")
    made = f"placed_scores(enc, t, {view.head}, {query}, {key})"
    places = [str(i) for i in range(len(found.values))]
    drawn = matrix(found.values.numpy(), places, "place", kind="signed", theme=theme(),
                   row_title="place of the query", column_title="place of the key")  # fmt: skip
    fact = f"The most that scores at one distance differ is {percent(found.spread)} of the largest score."
    chart(drawn, "placed", fact, about, numbers=True, made=f"{made}.values")
    turned = "Queries and keys are turned by their places here: every diagonal has one colour."
    added = "Where every diagonal has one colour, only the distance counts. Try the model modern beside this one."
    say(fact, turned if trace.config.positions == "rotary" else added)
    along = {f"{k} after": found.along(k).numpy()[:40] for k in (0, 1, 4, 8)}
    shortest = min(map(len, along.values()))
    drawn = lines({name: one[:shortest] for name, one in along.items()}, np.arange(shortest),
                  ("place of the query", "score"), theme=theme())  # fmt: skip
    one = found.along(1)
    fact = f"With the key one place after, the score goes from {brief(float(one.min()))} to {brief(float(one.max()))}."
    chart(drawn, "placed_along", fact, about, made=f"{made}.along(1)[:{shortest}]")
    say(fact, "A flat line is a score that knows the distance alone.")
    downloads.of_figure("placed_along", numbers_of(drawn))
