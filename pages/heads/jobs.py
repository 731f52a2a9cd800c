"""What each head has a licence for, and the best head for every relation with the rule beside it."""

from contextlib import suppress

import pandas as pd
import streamlit as st

from encoder.exam import Exam
from encoder.exam.sentences import NO_JOB, head_jobs, relation_rows, scope
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.refusals import told
from pages.ui.server import cost_gate
from pages.ui.text import heading, plain, say

PERCENT = st.column_config.NumberColumn(format="%.0f %%")
NOT_YET = (
    "The heads of this model were not examined yet. Does one look from an object to its verb, from an article to its "
    "noun? All are asked on sentences whose grammar people marked, beside the best rule that needs no model. It ends "
    "when you leave this page or choose something else."
)
RULE = (
    "A head is chosen on every second sentence and scored on the others. It has a licence where it is 10 points above "
    "the best fixed distance, surely so for all heads and relations that were tried, and in the other text too. "
    "Everything else is no job found, however a map looks. The names in brackets are those of Universal Dependencies. "
    "Nothing was switched off or masked but the verbs."
)


def draw() -> None:
    """The licences of this model, or the way to examine it."""
    heading("Jobs that were examined")
    with suppress(cost_gate.NotStarted), told():
        exam = session.exam()
        if exam is None:
            before = st.empty()
            before.markdown(NOT_YET)
            exam = session.examined()
            if session.exam() is not None:
                st.rerun()  # what stands above shows it too
            before.empty()
        show(exam, "relations")


def show(exam: Exam, key: str) -> None:
    """The jobs in sentences, and the table of relations under a key."""
    jobs, config = head_jobs(exam), session.now().config
    total = config.n_layers * config.n_heads
    if jobs:
        say(f"{len(jobs)} of {total} heads passed an examination on gold trees.", f"In all others: {NO_JOB}.")
        st.markdown(
            "\n".join(f"- L{layer}H{head} {plain(job)}." for (layer, head), them in jobs.items() for job in them)
        )
    else:
        say(f"In all {total} heads: {NO_JOB}.")
    table = pd.DataFrame(relation_rows(exam))
    shares = dict.fromkeys(("right", "rule right", "in the other text"), PERCENT)
    downloads.shown_table(table, key=key, hide_index=True, column_config=shares)
    st.caption(plain(f"{scope(exam)} {RULE}"))
