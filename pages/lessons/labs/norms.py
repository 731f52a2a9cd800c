"""LayerNorm and the variant with the unbiased standard deviation."""

import pandas as pd
import streamlit as st

from encoder.experiments import norms
from encoder.pictures.expression import call
from encoder.pictures.registry.labs_layers import FORMULAS
from pages.ui.downloads import table as downloads
from pages.ui.picture import show
from pages.ui.text import NUMBER


def draw() -> None:
    """How far both formulas are apart, by the width of the vectors."""
    st.markdown("Many tutorials divide by the unbiased standard deviation plus eps. LayerNorm does not.")
    answer = show(FORMULAS, numbers=False)
    table = pd.DataFrame(answer.value(call(norms))).set_index("d_model")
    downloads.shown_table(table, key="formulas_table", column_config=dict.fromkeys(table.columns, NUMBER))
