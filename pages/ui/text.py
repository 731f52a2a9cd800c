"""How all pages write text and draw charts."""

from pathlib import Path

import streamlit as st

from encoder.figures.theme import ACCENT, BACKGROUND, MUTED, SECOND, Theme
from encoder.model.config import EncoderConfig

NUMBER = st.column_config.NumberColumn(format="%.4g")
WHOLE = st.column_config.NumberColumn(format="localized")


def colours(name: str, pair: dict[Theme, str]) -> str:
    """A colour of the pictures as a CSS property that follows the page between light and dark."""
    return f"--{name}: light-dark({pair['light']}, {pair['dark']});"


SHARED_COLOURS = {"muted": MUTED, "accent": ACCENT, "second": SECOND, "page": BACKGROUND}
COLOURS = " ".join(colours(name, pair) for name, pair in SHARED_COLOURS.items())
SHARED = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
STYLE = f"<style>:root {{ {COLOURS} }}\n{SHARED}</style>"


def theme() -> Theme:
    """Whether the person's browser shows light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def plain(text: str) -> str:
    """Text that a person typed, made safe for Markdown."""
    return "".join(f"\\{c}" if c in '\\`*_{}[]()#+-.!|~$:<>&"@=' else c for c in text)


def say(fact: str, more: str = "") -> None:
    """What was found, in one sentence that stands out; `more` is Markdown that follows it."""
    st.markdown(f"**{plain(fact)}**" + (f" {more}" if more else ""))


def layer_names(config: EncoderConfig, *, with_input: bool = False) -> list[str]:
    """What the layers are called beside a picture; the vectors before the first one are the input."""
    return ["input"] * with_input + [f"layer {i}" for i in range(config.n_layers)]


def head_names(config: EncoderConfig) -> list[str]:
    """What the heads of a layer are called beside a picture."""
    return [f"head {h}" for h in range(config.n_heads)]


def arrow(way: str) -> str:
    """A way between the sentences of a pair as it is shown: "A->B" with a real arrow."""
    return way.replace("->", " → ")
