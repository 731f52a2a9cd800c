"""Our own small components: each a name, with its script and style beside the file of Python that draws it.

Streamlit sends a component's script anew whenever its data change. So all scripts are one component without data
(`scripts.js`), which a browser gets once, and what is sent with the data is a line that hands them to the script of
that name. To Streamlit a component is one file: those in `built/` are made of the scripts by
`node tests/javascript/build.mjs`.

Two runs may hand over data before a browser has loaded that line, and browsers end two waits for one script in any
order. So data say when they came about, and what is older than what an element shows is left out.
"""

import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui.state.session import session

BUILT = Path(__file__).parent / "built"
HAND_ON = """export default given => {
  const shown = globalThis.componentsShown ||= new WeakMap(), { parentElement, data } = given;
  if (data.since < shown.get(parentElement)) return;
  shown.set(parentElement, data.since);
  const begun = globalThis.componentScripts?.get('NAME');
  if (begun) return begun(given);
  const waiting = globalThis.componentsWaiting ||= [];
  let end, gone = false;
  waiting.push(() => { if (!gone) end = globalThis.componentScripts.get('NAME')(given); });
  return () => { gone = true; end?.(); };
};"""


def component(beside: str, name: str, html: str) -> Any:
    """The component of that name; NAME.js lies beside the file `beside`, and NAME.css where it has its own look."""
    style = Path(beside).with_name(f"{name}.css")
    css = style.read_text(encoding="utf-8") if style.is_file() else None
    drawn = st.components.v2.component(name, html=html, css=css, js=HAND_ON.replace("NAME", name))

    def draw(*, key: str, data: Mapping[str, Any], **more: Any) -> Any:
        """Streamlit looks whether a list is a table, which takes long; of a tuple it knows that it is none."""
        shown = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
        before, since = session().components.get(key, ({}, 0.0))
        if shown != before:
            since = time.time()
            session().components[key] = shown, since
        return drawn(key=key, data=shown | {"since": since}, **more)

    return draw


@cache
def built(name: str) -> str:
    """Return a script with all that it imports: "scripts" or "frame"."""
    return (BUILT / f"{name}.js").read_text(encoding="utf-8")


@cache
def _scripts() -> Any:
    """The component that brings all scripts."""
    return st.components.v2.component("scripts", html="<span></span>", js=built("scripts"))


def draw_scripts() -> None:
    """Send all scripts, before anything that needs one; a browser whose connection is back asks for a run."""
    _scripts()(key="scripts", on_back_change=lambda: None)
