"""Heads examined on trees of one's own: a CoNLL-U file that is read with bounds, and of which nothing is kept."""

from contextlib import suppress

import streamlit as st

from encoder.exam.treebank import MOST_GIVEN, given_treebank
from pages.heads import jobs
from pages.ui import session
from pages.ui.refusals import told
from pages.ui.server import cost_gate, exams
from pages.ui.state import session_state as state

NAME = "your trees"
KEPT = "trees"  # what was found last, under this name, as long as its file is there
ABOUT = (
    f"A file in CoNLL-U, plain text in UTF-8, of 1 MB and {MOST_GIVEN:,} sentences at most, with a head and a relation "
    "for every word. Heads are chosen on every second of your sentences and scored on the others; news and Wikipedia "
    "confirm them. It ends when you leave this page or choose something else, and nothing of it is kept."
)


def draw() -> None:
    """The way to give a file, and what the heads get right on it."""
    st.markdown(ABOUT)
    given = st.file_uploader("A file of gold trees", type=["conllu", "conll", "txt"], key="heads_trees_file")
    sweeps = state.session().sweeps
    if given is None:
        sweeps.pop(KEPT, None)
        return
    model = state.current().model
    asked = given.file_id, exams.content(session.text_encoder(model))
    with suppress(cost_gate.NotStarted), told():
        if sweeps.get(KEPT, (None, None))[0] != asked:
            own = given_treebank(given.getvalue(), given.name[:80], NAME)
            sweeps[KEPT] = asked, exams.examined_on(model, own)
        jobs.show(sweeps[KEPT][1], "own_relations")
