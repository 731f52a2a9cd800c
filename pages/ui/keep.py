"""The one place under every picture from which it can be taken along, and the one on every page for all of a run."""

from collections.abc import Callable

import streamlit as st

from encoder.caption import caption, file_name
from encoder.figures.drawn import Rows, to_csv
from pages.ui import session, state
from pages.ui.component import component

HTML = """<div class="keep">
<div><label><input type="checkbox" checked>Caption in the picture</label>
<label><input type="checkbox">Transparent background</label></div>
<div></div><output></output><textarea rows="3" readonly hidden aria-label="Text to copy"></textarea>
</div>"""
_component = component("keep", HTML)


def card(key: str, rows: Callable[[], Rows], alt: str, *, scale: str = "", step: str = "") -> None:
    """The way to keep the picture drawn under `key`: SVG, PNG, print, its numbers, its caption and its alt text.

    `rows` makes the numbers shown, when they are asked for. `step` names the recorded step that is shown, if it is one.
    """
    trace, view = session.now(), state.current()
    page = st.session_state.get("page", "")
    layer: int | None = view.layer
    head: int | None = view.head
    if step:
        about = trace.step(step)
        layer, head = about.layer, view.head if "H" in about.shape else None
    other = view.other if page == "compare" else ""
    said = caption(trace, what=alt, step=step, layer=layer, head=head, scale=scale, compared=other)
    where = [f"layer{layer}" if layer is not None else "", f"head{head}" if head is not None else ""]
    name = file_name(view.model, page, about.local if step else key, *where)
    with st.popover("Keep", key=f"keep_{key}", type="tertiary", icon=":material/download:"):
        _component(key=f"card_{key}", data={"chart": key, "name": name, "caption": said, "alt": alt})
        save("CSV of the numbers shown", f"csv_{key}", f"{name}.csv", lambda: to_csv(rows()).encode(), "text/csv")


def save(label: str, key: str, name: str, make: Callable[[], bytes], mime: str) -> None:
    """A button that makes a file when it is clicked; what goes wrong then is written in the file."""
    st.download_button(label, data=lambda: made(make), file_name=name, mime=mime, key=key, on_click="ignore")


def made(make: Callable[[], bytes]) -> bytes:
    """The file, or a sentence that says why there is none: Streamlit shows nothing of an error at this point."""
    try:
        return make()
    except Exception as error:
        return f"The file could not be made: {error}.\n".encode()
