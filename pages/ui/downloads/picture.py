"""The one place under every picture from which it can be taken along."""

from collections.abc import Callable

import streamlit as st

from encoder import Trace
from encoder.export.caption import caption, file_name
from encoder.export.tables import Rows, to_csv
from pages.ui import session
from pages.ui.component import component
from pages.ui.downloads.button import save
from pages.ui.state import session_state as state

HTML = """<div class="keep">
<div><label><input type="checkbox" checked>Caption in the picture</label>
<label><input type="checkbox">Transparent background</label></div>
<div></div><output></output><textarea rows="3" readonly hidden aria-label="Text to copy"></textarea>
</div>"""
keep_component = component(__file__, "picture", HTML)


def card(
    key: str, rows: Callable[[], Rows], alt: str, *, scale: str = "", step: str = "", run: Trace | None = None
) -> None:
    """The way to keep the picture drawn under `key`: SVG, PNG, print, its numbers, its caption and its alt text.

    `rows` makes the numbers shown, when they are asked for. `step` names the recorded step that is shown, if it is one.
    `run` is the run that it shows where that is not the one this session looks at.
    """
    trace, view = run or session.now(), state.current()
    page = state.session().page
    layer: int | None = min(view.layer, trace.config.n_layers - 1)
    head: int | None = min(view.head, trace.config.n_heads - 1)
    if step:
        about = trace.step(step)
        layer, head = about.layer, view.head if "H" in about.shape else None
    other = view.other if page == "compare" else ""
    said = caption(trace, what=alt, step=step, layer=layer, head=head, scale=scale, compared=other)
    where = [f"layer{layer}" if layer is not None else "", f"head{head}" if head is not None else ""]
    name = file_name(run.source.name if run else view.model, page, about.local if step else key, *where)
    with st.popover("Keep", key=f"keep_{key}", type="tertiary", icon=":material/download:"):
        keep_component(key=f"card_{key}", data={"chart": key, "name": name, "caption": said, "alt": alt})
        save("CSV of the numbers shown", f"csv_{key}", f"{name}.csv", lambda: to_csv(rows()).encode(), "text/csv")
