"""The table of positions as waves, and how alike places are by their distance."""

import numpy as np
import streamlit as st
from torch import Tensor

from encoder.experiments import profile, turn, wavelengths
from encoder.export.caption import About
from encoder.figures.charts import lines
from encoder.figures.drawn import numbers_of
from encoder.formatting import brief
from pages.parts.labs import exchange
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, say, theme

MOST = 128  # positions that are drawn


def draw() -> None:
    """What is in the table, and what it does to a sentence whose words change places."""
    trace = session.now()
    table = session.text_encoder(state.current().model).model.embedding.positions.weight[:MOST]
    st.markdown("What does a table of positions hold, and what does the model make of it?")
    if trace.config.positions not in ("sinusoidal", "learned") or table.shape[1] % 2:
        st.markdown("This model has no table of positions whose columns come in pairs.")
    else:
        about = About(source=trace.source, scope=f"the first {len(table)} positions, the same for every sentence")
        waves(table, about)
        distances(table, about)
    exchange.draw()


def waves(table: Tensor, about: About) -> None:
    """One pair of columns over the positions, and after how many positions every pair comes round."""
    found, half = wavelengths(table), table.shape[1] // 2
    every = range(half)
    pair = st.select_slider("Pair of dimensions", every, **state.choice("position_pair", every, min(32, half - 1)))
    names = [f"dimension {2 * pair}", f"dimension {2 * pair + 1}"]
    columns = {name: table[:, 2 * pair + k].numpy() for k, name in enumerate(names)}
    drawn = lines(columns, np.arange(len(table)), ("position", "number"), theme=theme())
    if found[pair].isfinite():
        fact = f"Dimensions {2 * pair} and {2 * pair + 1} come round after {brief(float(found[pair]))} positions."
    else:
        fact = f"Dimensions {2 * pair} and {2 * pair + 1} do not turn evenly from position to position."
    columns_of = f"enc.model.embedding.positions.weight[:{len(table)}, {2 * pair}]"
    chart(drawn, "position_waves", fact, about, made=columns_of)
    say(fact, "One is a sine and the other a cosine of the same angle." if found[pair].isfinite() else "")
    downloads.of_figure("position_waves", numbers_of(drawn))
    if not bool(found.isfinite().all()):
        st.markdown(f"The best rotation misses by {brief(turn(table).largest)}: this table is no table of waves.")
        return
    x = np.arange(half)
    drawn = lines({"wavelength": found.numpy()}, x, ("pair", "positions"), logarithmic=(False, True), theme=theme())
    fact = f"The shortest wave comes round after {brief(float(found[0]))} positions, the longest after "
    fact += f"{brief(float(found[-1]))}."
    chart(drawn, "wavelengths", fact, about, made=f"wavelengths(enc.model.embedding.positions.weight[:{len(table)}])")
    say(fact)
    downloads.of_figure("wavelengths", numbers_of(drawn))


def distances(table: Tensor, about: About) -> None:
    """The dot product of two positions by how far apart they stand."""
    heading("How alike two places are, by their distance")
    found = profile(table)
    x = np.arange(len(table))
    drawn = lines({"mean": found.mean.numpy()}, x, ("distance", "dot product"), theme=theme())
    fact = (
        f"The dot product is {brief(float(found.mean[0]))} at distance 0 and {brief(float(found.mean[1]))} at distance "
        f"1; pairs at one distance differ by {brief(float(found.spread.max()))} at most."
    )
    made = f"profile(enc.model.embedding.positions.weight[:{len(table)}]).mean"
    chart(drawn, "position_distance", fact, about, made=made)
    say(fact)
    downloads.of_figure("position_distance", numbers_of(drawn))
