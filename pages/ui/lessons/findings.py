"""What a trial found, on the screen: the verdict, the number, the sentence and the picture."""

from collections.abc import Mapping
from typing import Any, Literal

import streamlit as st

from encoder.export.caption import About
from encoder.figures.charts import lines, token_bars
from encoder.figures.matrix import matrix
from encoder.formatting import brief
from encoder.trials import Bars, Curves, Finding, Grid, Picture, Verdict
from pages.ui.components.chart import chart
from pages.ui.text import plain, theme

COLOURS: dict[Verdict, Literal["green", "orange", "red", "gray"]] = {
    Verdict.HOLDS: "green", Verdict.CONDITION: "orange", Verdict.FAILS: "red", Verdict.UNTRIED: "gray"
}  # fmt: skip
ICONS = {
    Verdict.HOLDS: ":material/check:",
    Verdict.CONDITION: ":material/rule:",
    Verdict.FAILS: ":material/close:",
    Verdict.UNTRIED: ":material/help:",
}


def badge(found: Finding) -> None:
    """The verdict, by colour, sign and word."""
    st.badge(found.verdict.value, icon=ICONS[found.verdict], color=COLOURS[found.verdict])


def tag(found: Finding) -> str:
    """The verdict by colour, sign and word, within a line of Markdown."""
    return f":{COLOURS[found.verdict]}-badge[{ICONS[found.verdict]} {found.verdict.value}]"


def draw(found: Finding, key: str, claim: str) -> None:
    """The claim that was put to the test, the verdict, the number and the sentence; `picture` draws the rest."""
    st.markdown(f"*{plain(claim)}*")
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_number"):
        badge(found)
        if found.what:
            st.metric(plain(found.what), brief(found.value), width="content")
    with st.container(key=f"{key}_verdict"):
        st.markdown(plain(found.sentence))


def picture(found: Finding, key: str, trial: str, given: Mapping[str, Any]) -> None:
    """The numbers behind the finding of a trial with these parameters, where it has some to draw."""
    of: Picture | None = found.picture
    if of is None:
        return
    if isinstance(of, Curves):
        drawn = lines(of.series, of.x, of.titles, logarithmic=of.logarithmic, theme=theme())
    elif isinstance(of, Bars):
        drawn = token_bars(of.series, of.names, title=of.title, theme=theme(), logarithmic=of.logarithmic)
    else:
        drawn = matrix(of.values, of.rows, of.columns, kind="share" if of.share else "signed", theme=theme())
    made = f"run({trial!r}, enc, {dict(given)}).picture.{'values' if isinstance(of, Grid) else 'series'}"
    chart(drawn, f"{key}_picture", found.what, About(scope=found.sentence), numbers=True, made=made)
