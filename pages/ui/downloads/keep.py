"""The one place under every picture from which it can be taken along."""

import streamlit as st

from encoder.pictures.picture import Answer
from pages.ui.component import component
from pages.ui.downloads import figure
from pages.ui.downloads.button import save
from pages.ui.text import theme

HTML = """<div class="keep">
<div><label><input type="checkbox" checked>Caption in the picture</label>
<label><input type="checkbox">Transparent background</label></div>
<div></div><output></output><textarea rows="3" readonly hidden aria-label="Text to copy"></textarea>
</div>"""
keep_component = component(__file__, "picture", HTML)


def draw(answer: Answer) -> None:
    """The way to keep a picture: SVG, PNG, print, its numbers, its caption, alt text and code; and to a figure."""
    key = answer.picture.key
    with st.container(horizontal=True, vertical_alignment="center", key=f"keep_row_{key}"):
        fold = st.popover("Keep", key=f"keep_{key}", type="tertiary", icon=":material/download:", on_change="rerun")
        if fold.open:
            with fold:
                ways(answer)
        figure.offer(key, lambda: answer.panel(theme()), answer.scene.view)


def ways(answer: Answer) -> None:
    """What is in a fold that was opened."""
    key, name = answer.picture.key, answer.file_name
    data = {"chart": key, "name": name, "caption": answer.caption, "alt": answer.alt}
    keep_component(key=f"card_{key}", data=data)
    with st.container(horizontal=True):
        save("CSV of the numbers shown", f"csv_{key}", f"{name}.csv", lambda: answer.csv().encode(), "text/csv")
        save("JSON", f"json_{key}", f"{name}.json", lambda: answer.json().encode(), "application/json")
    if answer.code:
        st.markdown("Lines that run by themselves and print these numbers:")
        st.code(answer.code, language="python")
