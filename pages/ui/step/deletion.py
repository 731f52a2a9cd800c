"""The guess while words go, the one with the largest share first."""

import numpy as np
import streamlit as st
from torch import Tensor

from encoder.export.caption import About
from encoder.figures.charts import lines
from pages.ui.components.chart import chart
from pages.ui.text import theme


def draw(found: Tensor, name: str, about: About) -> None:
    """A line from this run to the one in which all words are gone; `found` [k + 1]."""
    st.header("The guess while words go", anchor=False)
    titles = ("tokens taken away, the largest share first", "logit")
    drawn = lines({name: found.numpy()}, np.arange(len(found)), titles, theme=theme())
    chart(drawn, "why_deleted", f"{name} while the tokens with the largest shares go", about, numbers=True)
