"""What residuals and norms do for deep stacks."""

import numpy as np
import streamlit as st

from encoder.export.caption import About
from encoder.figures.charts import lines
from encoder.formatting import brief
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.text import say, theme

KINDS = {(True, True): "both", (True, False): "no norm", (False, True): "no residual", (False, False): "neither"}
RANDOM = About(scope="random blocks and random vectors, seed 0")


def draw() -> None:
    """Random blocks stacked deep: how far tokens stay apart, and how long their vectors grow."""
    st.markdown("Random blocks, stacked up to 48 deep, with and without the residual path and the norm.")
    found = session.lab("residuals")
    x = np.arange(len(found.curves[0].length))
    apart = {KINDS[(c.residual, c.norm)]: c.apart.numpy() for c in found.curves}
    drawn = lines(apart, x, ("blocks", "1 - cosine between tokens"), logarithmic=(False, True), theme=theme())
    chart(
        drawn,
        "depth_apart",
        "How far tokens stay apart with depth",
        RANDOM,
        numbers=True,
        made="residuals().curve(True, True).apart",
    )
    length = {KINDS[(c.residual, c.norm)]: c.length.numpy() for c in found.curves}
    drawn = lines(length, x, ("blocks", "length of a vector"), logarithmic=(False, True), theme=theme())
    chart(
        drawn,
        "depth_length",
        "Length of the vectors with depth",
        RANDOM,
        numbers=True,
        made="residuals().curve(True, True).length",
    )
    without, both, bare = found.curve(False, True), found.curve(True, True), found.curve(True, False)
    far = [f"{float(curve.apart[6]):.2g}" for curve in (both, without)]
    say(
        f"After 6 blocks 1 - cosine between two tokens is {far[0]} with residuals and {far[1]} without. After {x[-1]} "
        f"blocks a vector is {brief(float(bare.length[-1]))} long without norms, {brief(float(both.length[-1]))} with."
    )
