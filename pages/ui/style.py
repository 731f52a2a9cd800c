"""The look of all pages."""

from pathlib import Path

import streamlit as st

STYLE = f"<style>{Path(__file__).with_suffix('.css').read_text(encoding='utf-8')}</style>"


def draw() -> None:
    """Send it, before anything that has it: as a part of a component it would come two seconds later."""
    st.html(STYLE)
