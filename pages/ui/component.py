"""Our own small components: each a name, with its script and style beside the file of Python that draws it."""

import re
from pathlib import Path
from typing import Any

import streamlit as st

IMPORT = re.compile(r"^import [^;]+ from '\./([\w.]+)';\n", re.MULTILINE)


def component(beside: str, name: str, html: str) -> Any:
    """The component of that name; NAME.js lies beside the file `beside`, and NAME.css where it has its own look."""
    script, style = (Path(beside).with_name(f"{name}{suffix}") for suffix in (".js", ".css"))
    css = style.read_text(encoding="utf-8") if style.is_file() else None
    return st.components.v2.component(name, html=html, css=css, js=joined(script))


def joined(script: Path) -> str:
    """A script with the ones that it imports from beside it in front of it: to Streamlit a component is one file."""
    found: dict[str, str] = {}

    def add(path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        for name in IMPORT.findall(text):
            if name not in found:
                add(path.with_name(name))
        found[path.name] = re.sub(r"^export (?!default)", "", IMPORT.sub("", text), flags=re.MULTILINE)

    add(script)
    return "".join(found.values())
