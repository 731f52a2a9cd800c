"""A class: open one and lead it, or join one by its code."""  # noqa: N999 - the name is the address of the page

import streamlit as st


def draw() -> None:
    """Draw the page: the browser does, below the bar."""
    st.html("<noscript>A class needs a browser that runs scripts.</noscript>")
