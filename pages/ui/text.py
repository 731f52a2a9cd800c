"""How all pages write text and draw charts."""

from pathlib import Path

import streamlit as st

from encoder.figures.theme import ACCENT, MUTED, SECOND, Theme

NUMBER = st.column_config.NumberColumn(format="%.4g")
WHOLE = st.column_config.NumberColumn(format="localized")


def colours(name: str, pair: dict[Theme, str]) -> str:
    """A colour of the pictures as a CSS property that follows the page between light and dark."""
    return f"--{name}: light-dark({pair['light']}, {pair['dark']});"


COLOURS = " ".join(colours(name, pair) for name, pair in (("muted", MUTED), ("accent", ACCENT), ("second", SECOND)))
SHARED = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
STYLE = f"<style>:root {{ {COLOURS} }}\n{SHARED}</style>"


def theme() -> Theme:
    """Whether the person's browser shows light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def plain(text: str) -> str:
    """Text that a person typed, made safe for Markdown."""
    return "".join(f"\\{c}" if c in '\\`*_{}[]()#+-.!|~$:<>&"@=' else c for c in text)


def arrow(way: str) -> str:
    """A way between the sentences of a pair as it is shown: "A->B" with a real arrow."""
    return way.replace("->", " → ")
