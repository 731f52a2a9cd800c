"""How alike all heads are."""

import math

import numpy as np
import pandas as pd
import streamlit as st

from encoder.figures.matrix import matrix
from encoder.figures.scatter import named_points
from encoder.formatting import brief, percent
from encoder.metrics import largest_cell, plane
from pages.parts.heads.common import about_survey, chosen, names, surveyed, surveying
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.text import say, theme


def draw() -> None:
    """The divergence between every two heads, as a matrix and as points in the plane."""
    config = session.now().config
    found, heads = surveyed(), names(config)
    unlike = found.likeness.numpy()
    if not np.isfinite(unlike).all():
        st.markdown("Some weights of this model are not numbers here, so its heads cannot be compared.")
        return
    drawn = matrix(unlike, heads, heads, kind="positive", theme=theme(), largest=math.log(2))
    apart = unlike + np.diag(np.full(len(unlike), np.inf))
    i, j = largest_cell(-apart)
    fact = f"Of all heads {heads[i]} and {heads[j]} look most alike: their divergence is {brief(float(unlike[i, j]))}."
    chart(
        drawn,
        "likeness",
        f"Jensen-Shannon divergence between all heads. {fact}",
        about_survey(found),
        made=f"{surveying(found)}.likeness",
    )
    say(fact)
    st.caption("Jensen-Shannon divergence in nats: 0 the same rows, ln 2 never on the same token.")
    points, shares = plane(found.likeness)
    drawn = named_points(points.numpy(), heads, chosen(config), theme())
    said, made = "Heads in the plane, alike ones close together", f"plane({surveying(found)}.likeness)[0]"
    chart(drawn, "plane", said, about_survey(found), numbers=True, made=made)
    st.caption(f"Alike heads stand close together; the plane shows {percent(float(shares.sum()))} of all spread.")
    named = pd.Index(heads, name="head")
    downloads.numbers("likeness", "likeness", lambda: pd.DataFrame(unlike, named, heads), unlike.shape)
