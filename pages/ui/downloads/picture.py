"""The one place under every picture from which it can be taken along."""

from collections.abc import Callable

import streamlit as st

from encoder.export.caption import About, caption, file_name, finding
from encoder.export.recipe import recipe
from encoder.export.tables import Rows, to_csv
from encoder.paper.panel import Panel, of_table
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.component import component
from pages.ui.downloads import figure
from pages.ui.downloads.button import save
from pages.ui.state import session_state as state

HTML = """<div class="keep">
<div><label><input type="checkbox" checked>Caption in the picture</label>
<label><input type="checkbox">Transparent background</label></div>
<div></div><output></output><textarea rows="3" readonly hidden aria-label="Text to copy"></textarea>
</div>"""
keep_component = component(__file__, "picture", HTML)


def card(
    key: str, rows: Callable[[], Rows], alt: str, about: About, *, scale: str = "", made: str = "",
    panel: Callable[[str, str], Panel] | None = None,
) -> None:  # fmt: skip
    """The way to keep the picture drawn under `key`: SVG, PNG, print, its numbers, its caption and its alt text.

    `rows` makes the numbers shown, when they are asked for; `about` says what they are of. `made` is an expression of
    `encoder.export.recipe` that gives them, for the lines of code that make them again: `t` is the run, and where two
    are held against each other they are `a` and `b`, and `t` is `b`.
    `panel` makes of a title and a caption what is drawn of it in a figure for a paper, else that is a map of the rows.
    """
    with st.container(horizontal=True, vertical_alignment="center", key=f"keep_row_{key}"):
        fold = st.popover("Keep", key=f"keep_{key}", type="tertiary", icon=":material/download:", on_change="rerun")
        folds = state.session().folds
        if fold.open:
            folds.add(key)
        if key in folds:  # a browser that fetches a file while the fold closes still finds it
            with fold:
                found = finding(alt, rows())
                ways(key, rows, found, about, caption(about, what=found, scale=scale), made)

        def drawn() -> Panel:
            said = caption(about, what=finding(alt, rows()), scale=scale)
            return panel(alt, said) if panel else of_table(alt, said, rows())

        figure.offer(key, drawn)


def ways(key: str, rows: Callable[[], Rows], alt: str, about: About, said: str, made: str) -> None:
    """What is in a fold that was opened."""
    shown = about.run.step(about.step).local if about.run and about.step else key
    where = [f"{name}{at}" for name, at in (("layer", about.layer), ("head", about.head)) if at is not None]
    name = file_name(about.model, state.session().page, shown, *where)
    keep_component(key=f"card_{key}", data={"chart": key, "name": name, "caption": said, "alt": alt})
    save("CSV of the numbers shown", f"csv_{key}", f"{name}.csv", lambda: to_csv(rows()).encode(), "text/csv")
    if made:
        st.markdown("Lines that run by themselves and print these numbers:")
        st.code(recipe(runs(about), made), language="python")


def runs(about: About) -> dict[str, Trace]:
    """What the runs of a picture are called in its lines of code."""
    named = {"t": about.other or about.run or session.now(), "a": about.run, "b": about.other}
    return {name: run for name, run in named.items() if run is not None}
