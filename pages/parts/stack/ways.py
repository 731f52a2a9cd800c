"""Every token's way through the layers, in one plane."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.scatter import paths
from encoder.formatting import percent
from encoder.metrics import stream, token_paths
from encoder.trace.once import once
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.text import heading, theme

kept_paths = once(token_paths)


def draw() -> None:
    """The two directions in which the tokens differ most."""
    trace = session.now()
    heading("The paths of the tokens")
    if not bool(stream(trace).isfinite().all()):
        st.markdown("Some vectors of this run are not numbers, so there are no paths to draw.")
        return
    way = kept_paths(trace)
    across, up = (f"direction {i + 1} ({percent(float(share))} of the variance)" for i, share in enumerate(way.shares))
    drawn = paths(way.points.numpy(), trace.tokens, (across, up), theme())
    chart(
        drawn,
        "paths",
        "Every token's way through the layers in one plane",
        About.of_stream(trace),
        numbers=True,
        made="token_paths(t).points",
    )
    st.markdown(
        "All tokens after all layers in the two directions in which they differ most (principal components of all of "
        f"them together, {percent(float(way.shares.sum()))} of the variance). The large dot is the input; the "
        "name stands at the end, where it lies on no other; point at a dot to read it."
    )
