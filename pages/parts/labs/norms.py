"""LayerNorm and the variant with the unbiased standard deviation."""

import pandas as pd
import streamlit as st

from encoder.export.caption import About
from encoder.figures.charts import lines
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.text import NUMBER, say, theme


def draw() -> None:
    """How far both formulas are apart, by the width of the vectors."""
    st.markdown("Many tutorials divide by the unbiased standard deviation plus eps. Is that LayerNorm?")
    table = pd.DataFrame(session.lab("norms")).set_index("d_model")
    series = {"largest": table["largest"].to_numpy(), "mean": table["mean"].to_numpy()}
    x = table.index.to_numpy()
    drawn = lines(series, x, ("d_model", "difference"), logarithmic=(True, True), theme=theme())
    chart(
        drawn,
        "formulas",
        "Difference by width",
        About(scope="random vectors, seed 0"),
        made="[one.largest for one in norms()]",
    )
    downloads.shown_table(table, key="formulas_table", column_config=dict.fromkeys(table.columns, NUMBER))
    say(f"Not the same, but close: at d_model 512 the outputs differ by a factor of {table.loc[512, 'ratio']:.6f}.")
