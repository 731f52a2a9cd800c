"""The look of all pages, beside the theme in .streamlit/config.toml."""

from pathlib import Path

import streamlit as st


def read(name: str) -> str:
    """Return a sheet of this folder."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


ALL, SERVER, FRONT = (part.split(" == */")[-1] for part in read("streamlit.css").split("/* == "))
OF_FRONT = f"<style>{ALL}{FRONT}</style>"
OF_SERVER = f"<style>{read('shared.css')}{ALL}{SERVER}</style>"


def draw(style: str) -> None:
    """Send it, before anything that has it: as a part of a component it would come two seconds later."""
    st.html(style)
