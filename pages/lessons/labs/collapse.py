"""Two linear layers are one; with an activation between them they are not."""

import streamlit as st

from encoder.experiments import collapse
from encoder.support.formatting import brief, percent
from pages.lessons.labs import boundary
from pages.ui.text import say


def draw() -> None:
    """Two random layers against the one that they merge into."""
    st.markdown("Two random layers without an activation between them, and with one.")
    found = collapse()
    say(
        f"Merged into W' = W₁W₂ and b' = b₁W₂ + b₂ they differ by {found.linear:.1e}. With ReLU between the merged "
        f"layer is {brief(found.bent)} away, and the best linear layer misses {percent(found.remainder)} of it."
    )
    boundary.draw()
