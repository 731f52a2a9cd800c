"""Claims: what tutorials say of encoders, each with its number and the verdict that follows, stored or measured now."""

import pandas as pd
import streamlit as st

from encoder.pictures.labs import CLAIMS, said_in
from encoder.pictures.labs.trial import Verdict
from encoder.support.formatting import brief
from encoder.teach.lessons.stored import StoredVerdicts
from pages.lessons import labs_section
from pages.ui.downloads import table as downloads
from pages.ui.lessons import finding_view, library
from pages.ui.lessons.finding_view import Known
from pages.ui.server import jobs
from pages.ui.state import session_state as state
from pages.ui.text import plain

CLAIM = "claim"  # the choice of one that is shown before the others


def open_claim(key: str) -> None:
    """Show a claim, unfolded and before the others."""
    state.show(**{CLAIM: key})
    state.remember(CLAIM, key, "")
    state.remember(library.PART, "Claims", "")
    library.end_search()


def row(known: Known, unfolded: bool = False) -> None:
    """One claim with its verdict; unfolded, what was measured, where it is said, and the ways to try it."""
    claim, result = known.claim, known.finding
    label = f"{finding_view.tag(result)} {f'{finding_view.STORED} ' * known.stored}{plain(claim.text)}"
    with st.expander(label, unfolded, key=f"claim_{claim.key}"):
        st.markdown(plain(result.sentence))
        if result.what:
            st.caption(plain(f"{brief(result.value)}: {result.what}"))
        st.caption(plain(f"Said in: {said_in(claim)}"))
        on_click, args = (library.go, (claim.lesson, 1)) if claim.lesson else (labs_section.show, (claim,))
        with st.container(horizontal=True):
            st.button("Try it", key=f"try_{claim.key}", on_click=on_click, args=args)
            if known.stored:
                st.button(f"Measure it now ({finding_view.takes([claim])})", key=f"measure_{claim.key}",
                          on_click=state.session().asked_for.add, args=(f"claim_{claim.key}",))  # fmt: skip


def measured() -> list[Known]:
    """Every claim of a model of which nothing is stored: they are listed until they are measured."""
    text = pd.DataFrame({"claim": claim.text, "where": said_in(claim)} for claim in CLAIMS)
    listed = st.empty().dataframe(text, hide_index=True, height=390, key="claims_said")
    jobs.ask(f"claims_{state.current().model}", finding_view.seconds(CLAIMS), f"Measure all {len(CLAIMS)}")
    rows = finding_view.measure(CLAIMS)
    listed.empty()
    return rows


def known(stored: StoredVerdicts) -> list[Known]:
    """Every claim with what is stored or was measured since, and the way to measure them."""
    asked_for = state.session().asked_for
    wanted = [claim for claim in CLAIMS if f"claim_{claim.key}" in asked_for]
    asked_for.difference_update([f"claim_{claim.key}" for claim in wanted])
    if wanted:
        finding_view.measure(wanted)
    rows = finding_view.known(stored)
    if left := [row.claim for row in rows if row.stored]:
        st.caption(plain(f"Stored: measured with these weights ({stored.fingerprint}) before they were shipped."))
        st.button(f"Measure these {len(left)} now ({finding_view.takes(left)})", key="measure_claims",
                  on_click=asked_for.update, args=([f"claim_{claim.key}" for claim in left],))  # fmt: skip
    return rows


def draw() -> None:
    """All claims with what is known of each."""
    name, stored = plain(state.current().model), finding_view.shipped()
    st.markdown(
        f"What tutorials say, in our words, and what **{name}** says to it: the verdict follows from the number."
    )
    rows = measured() if stored is None else known(stored)
    opened = dict(state.current().choices).get(CLAIM, "")
    rows.sort(key=lambda row: row.claim.key != opened)
    counts = {kind: sum(row.finding.verdict is kind for row in rows) for kind in Verdict}
    kinds = st.pills(
        "Show", [kind for kind in Verdict if counts[kind]], key="claim_verdicts", selection_mode="multi",
        format_func=lambda kind: f"{kind.value} ({counts[kind]})",
    )  # fmt: skip
    with st.container(key="claims"):
        for known_claim in rows:
            if not kinds or known_claim.finding.verdict in kinds:
                row(known_claim, known_claim.claim.key == opened)
    downloads.save("csv_claims", "claims", finding_view.table(rows))
