"""Our own small components: a name, its script and its style, which lie beside this file."""

from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent


def component(name: str, html: str) -> Any:
    """The component of that name; it has NAME.js, and NAME.css where it has a look of its own."""
    style = HERE / f"{name}.css"
    css = style.read_text(encoding="utf-8") if style.is_file() else None
    return st.components.v2.component(name, html=html, css=css, js=(HERE / f"{name}.js").read_text(encoding="utf-8"))
