"""Dropout switched on for a few runs: what training does at random."""

import streamlit as st

from encoder.experiments import PLACES, Dropout
from encoder.export.caption import UNCHANGED, About, quoted
from encoder.figures.charts import token_bars
from encoder.figures.drawn import numbers_of
from encoder.formatting import brief, percent, shown
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import say, theme

SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
RUNS = 8
AFTER = {"positions": "after the positions", "weights": "on the weights", "sublayers": "on what sublayers add"}


def draw() -> None:
    """The sentence with dropout of a chosen share at chosen places, each run with draws of its own."""
    trace, view = session.now(), state.current()
    st.markdown(
        "In training each number is set to zero with probability p and the others are divided by 1 - p, at three kinds "
        "of places. A trained model runs without: everywhere else in this app the step is the identity."
    )
    p = st.select_slider("p", SHARES, **state.choice("drop_p", SHARES, 0.1))
    tie = state.choice("drop_at", PLACES, list(PLACES), many=True)
    places = st.pills("Where", list(PLACES), selection_mode="multi", format_func=AFTER.__getitem__, **tie)
    seeds = range(10)
    seed = st.select_slider("Seed", seeds, **state.choice("drop_seed", seeds, 0))
    found: Dropout = session.lab("dropout", view.model, trace.inputs, p, tuple(places), runs=RUNS, seed=seed)
    alike = {"one run": found.alike.mean(0).numpy(), f"mean vector of {RUNS} runs": found.mean_alike.numpy()}
    tokens = list(found.tokens)
    drawn = token_bars(alike, tokens, title="cosine with the run without", theme=theme())
    least = int(found.alike.mean(0).argmin())
    fact = (
        f"With p = {p:g}, {percent(found.dropped)} of the numbers there were set to zero. A token's last vector keeps "
        f"a cosine of {brief(float(found.alike.mean()))} with the one without dropout, over {RUNS} runs; "
        f"“{shown(tokens[least])}” ({least}) moves most, to {brief(float(found.alike.mean(0)[least]))}."
    )
    what = " and ".join(AFTER[place] for place in places) or "nowhere"
    scope = f"{quoted(trace.inputs)}, dropout of {p:g} {what}, seed {seed}, else {UNCHANGED}"
    asked = f"{trace.inputs!r}, {p}, {tuple(places)}, runs={RUNS}, seed={seed}"
    code = f"dropout(enc, {asked}).alike.mean(0)"
    chart(drawn, "dropped", fact, About(source=trace.source, scope=scope), made=code)
    say(fact, "The mean of several runs comes closer: what drops out at random partly cancels.")
    downloads.of_figure("dropped", numbers_of(drawn))
