"""Gate signs: the four regimes of a unit with a gate."""

import streamlit as st

from encoder.experiments import REGIMES, gate_signs
from encoder.export.caption import About
from encoder.figures.charts import token_bars
from encoder.figures.drawn import numbers_of
from encoder.figures.matrix import matrix
from encoder.formatting import percent
from pages.parts.labs import modern
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import say, theme

MOST = 48  # units that are drawn


def draw() -> None:
    """How often the halves of the units of the chosen layer have which signs."""
    view, trace = state.current(), session.now()
    st.markdown(
        "A unit with a gate multiplies two numbers, and each may be above zero or below: four regimes, and one list of "
        "words that excite it tells of one or two of them."
    )
    if not trace.config.gated:
        modern.offer("The units of this model have no gates.")
        return
    found = gate_signs(trace, view.layer)
    about = About(trace, layer=view.layer, reads=(f"layers.{view.layer}.feed_forward.gated",))
    made = f"gate_signs(t, {view.layer})"
    shares = {"how often": found.shares.numpy(), "of what is written": found.written.numpy()}
    drawn = token_bars(shares, list(REGIMES), title="share", theme=theme())
    top = int(found.written.argmax())
    most = percent(float(found.written[top]))
    fact = f"Layer {view.layer}: {most} of what is written is written with {REGIMES[top]}."
    chart(drawn, "gate_signs", fact, about, made=f"{made}.shares")
    minus = percent(float(found.written[[1, 2]].sum()))
    say(fact, f"{minus} of it has a minus: the unit writes its direction the other way round.")
    downloads.of_figure("gate_signs", numbers_of(drawn))
    n = len(trace.tokens) - trace.padding
    several = int(((found.units > 0).sum(-1) > 1).sum())
    units = found.units[:MOST].T.float().numpy() / n
    drawn = matrix(units, list(REGIMES), "unit", kind="share", theme=theme(),
                   row_title="", column_title="unit")  # fmt: skip
    fact = f"{several:,} of {len(found.units):,} units are in more than one regime over this sentence."
    chart(drawn, "gate_units", fact, about, numbers=True, made=f"{made}.units[:{MOST}].T / {n}")
    say(fact, f"The first {min(MOST, len(found.units))} are drawn.")
