"""Our own small components: each a name, with its script and style beside the file of Python that draws it.

Streamlit sends a component's script anew whenever its data change. So all scripts are one component without data, which
a browser gets once, and what is sent with the data is a line that hands them to the script of that name.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

ROOT = Path(__file__).parent
IMPORT = re.compile(r"^import [^;]+ from '([\w./]+)';\n", re.MULTILINE)
MAIN = "export default function"
HAND_ON = """export default given => {
  const scripts = globalThis.componentScripts ||= new Map();
  const begun = scripts.get('NAME');
  if (begun) return begun(given);
  const waiting = globalThis.componentsWaiting ||= [];
  let end, gone = false;
  waiting.push(() => { if (!gone) end = scripts.get('NAME')(given); });
  return () => { gone = true; end?.(); };
};"""
PART = """scripts.set('NAME', (() => {
SCRIPT
return main;
})());"""
COLLECT = """const scripts = globalThis.componentScripts ||= new Map();
PARTS
let end = null;
export default given => {
  (globalThis.componentsWaiting ||= []).splice(0).forEach(begin => begin());
  end ||= scripts.get('reconnect')(given);  // draws nothing, and watches over every page
  return () => { end?.(); end = null; };
};"""


def component(beside: str, name: str, html: str) -> Any:
    """The component of that name; NAME.js lies beside the file `beside`, and NAME.css where it has its own look."""
    style = Path(beside).with_name(f"{name}.css")
    css = style.read_text(encoding="utf-8") if style.is_file() else None
    drawn = st.components.v2.component(name, html=html, css=css, js=HAND_ON.replace("NAME", name))

    def draw(*, data: Any = None, **more: Any) -> Any:
        """Streamlit looks whether a list is a table, which takes long; of a tuple it knows that it is none."""
        if isinstance(data, dict):
            data = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
        return drawn(data=data, **more)

    return draw


@cache
def _scripts() -> Any:
    """The component that brings all scripts."""
    scripts = sorted(script for script in ROOT.rglob("*.js") if MAIN in script.read_text(encoding="utf-8"))
    parts = "\n".join(
        PART.replace("NAME", script.stem).replace("SCRIPT", joined(script).replace(MAIN, "const main = function"))
        for script in scripts
    )
    js = COLLECT.replace("PARTS", parts)
    return st.components.v2.component("scripts", html="<span></span>", js=js)


def draw_scripts() -> None:
    """Send all scripts, before anything that needs one; a browser whose connection is back asks for a run."""
    _scripts()(key="scripts", on_back_change=lambda: None)


def joined(script: Path) -> str:
    """A script with the ones that it imports in front of it: to Streamlit a component is one file."""
    texts: dict[Path, str] = {}

    def add(path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        for name in IMPORT.findall(text):
            imported = (path.parent / name).resolve()
            if imported not in texts:
                add(imported)
        texts[path] = re.sub(r"^export (?!default)", "", IMPORT.sub("", text), flags=re.MULTILINE)

    add(script.resolve())
    return "".join(texts.values())
