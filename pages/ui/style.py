"""The look of all pages."""

from pathlib import Path

import streamlit as st

SERVER, FRONT, PRESENT = "every page of the server", "a page that the browser draws", "in front of a class"
_parts = Path(__file__).with_name("streamlit.css").read_text(encoding="utf-8").split("/* == ")[1:]
OF_STREAMLIT = dict(part.split(" == */", 1) for part in _parts)
STYLE = f"<style>{Path(__file__).with_name('shared.css').read_text(encoding='utf-8')}{OF_STREAMLIT[SERVER]}</style>"


def draw() -> None:
    """Send it, before anything that has it: as a part of a component it would come two seconds later."""
    st.html(STYLE)
