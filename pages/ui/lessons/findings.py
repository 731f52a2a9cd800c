"""What a trial found, on the screen: the verdict, the number, the sentence and the picture."""

from collections.abc import Mapping
from typing import Any, Literal

import streamlit as st

from encoder.pictures.registry.findings import LESSON_PICTURE, asked_of, tried
from encoder.support.formatting import brief
from encoder.teach.trials import Finding, Verdict
from pages.ui.picture import ask, show
from pages.ui.text import plain

COLOURS: dict[Verdict, Literal["green", "orange", "red", "gray"]] = {
    Verdict.HOLDS: "green",
    Verdict.CONDITION: "orange",
    Verdict.FAILS: "red",
    Verdict.UNTRIED: "gray",
}
STORED = ":gray-badge[stored]"  # found before the weights were shipped
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


def picture(found: Finding, trial: str, given: Mapping[str, Any]) -> None:
    """The numbers behind the finding of a trial with these parameters, where it has some to draw."""
    if found.picture is not None:
        scene = asked_of(ask(LESSON_PICTURE), trial, given, found)
        show(LESSON_PICTURE, scene=scene, known={tried(scene): found}, sentence=False)
