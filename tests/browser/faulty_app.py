"""A small app that goes wrong on request (?fault=...), to test that the browser tests would notice."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

SCRIPTS = {
    "dialog": "alert('odd')",
    "console": "console.error('odd')",
    "thrown": "setTimeout(() => { throw new Error('odd') })",
}


def home() -> None:
    clicks = st.session_state.setdefault("clicks", 0)
    st.button("More", key="more.clicks", on_click=lambda: st.session_state.update(clicks=clicks + 1))
    st.plotly_chart(go.Figure(go.Heatmap(z=np.full((2, 3), clicks, dtype=np.float32))), key="map")
    fault = st.query_params.get("fault")
    if fault == "exception":
        raise ValueError("odd")
    if fault == "alert":
        st.error("odd")
    if fault == "outside":
        st.html("<img src='http://127.0.0.2:8/odd.png'>")
    if fault == "missing":
        st.html("<img src='/media/odd.png'>")
    if fault in SCRIPTS:
        st.html(f"<p></p><script>{SCRIPTS[fault]}</script>", unsafe_allow_javascript=True)


def deep() -> None:
    st.text("deep")


st.navigation([st.Page(home, title="Home", default=True), st.Page(deep, title="Deep", url_path="deep")]).run()
