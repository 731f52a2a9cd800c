"""Our own small components: each a name, with its script and style beside the file of Python that draws it."""

from pathlib import Path
from typing import Any

import streamlit as st


def component(beside: str, name: str, html: str) -> Any:
    """The component of that name; NAME.js lies beside the file `beside`, and NAME.css where it has its own look."""
    script, style = (Path(beside).with_name(f"{name}{suffix}") for suffix in (".js", ".css"))
    css = style.read_text(encoding="utf-8") if style.is_file() else None
    return st.components.v2.component(name, html=html, css=css, js=script.read_text(encoding="utf-8"))
