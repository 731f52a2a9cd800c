"""What the server of this page holds in memory, and its bound."""

import streamlit as st

from pages.ui.server.memory_report import held
from pages.ui.text import heading


def draw() -> None:
    """One bar, and what it is made of."""
    now = held()
    heading("Memory of this server")
    st.progress(now.share, f"{now.total:,.0f} MB of {now.most:,.0f} MB that it may take")
    st.caption(
        f"Models {now.models:,.0f} MB, with the weights that are held a second time in the order in which they are "
        f"multiplied; runs {now.runs:,.0f} MB; results {now.results:,.0f} MB; libraries, pages and all else "
        f"{now.rest:,.0f} MB. All visitors share these. Where they need more, what was used longest ago is let go of, "
        "and made again when somebody asks for it."
    )
