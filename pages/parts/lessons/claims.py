"""Claims: what tutorials say of encoders, each measured now, with the verdict that follows from the number."""

import pandas as pd
import streamlit as st

from encoder.errors import EncoderError
from encoder.formatting import brief
from encoder.lessons.claims import CLAIMS, SOURCES, Claim
from encoder.trials import Finding, Verdict
from encoder.trials.finding import untried
from pages.parts.lessons import experiments
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.lessons import findings, library
from pages.ui.server import consent
from pages.ui.state import session_state as state
from pages.ui.text import plain


def measured() -> list[tuple[Claim, Finding]]:
    """Every claim with what was found; the bar moves while measuring."""
    found = []
    seconds = sum(session.seconds(claim.trial, claim.given) for claim in CLAIMS)
    consent.ask(f"claims_{state.current().model}", seconds, f"Measure all {len(CLAIMS)}")
    bar = st.progress(0.0, text="Measuring …")
    for done, claim in enumerate(CLAIMS):
        bar.progress(done / len(CLAIMS), text=f"Measuring {done + 1} of {len(CLAIMS)}: {plain(claim.text)}")
        try:
            found.append((claim, session.finding(claim.trial, claim.given, agreed=True)))
        except (EncoderError, KeyError) as error:
            found.append((claim, untried(f"It cannot be tried in this model: {error.args[0]}.")))
    bar.empty()
    return found


def row(claim: Claim, found: Finding) -> None:
    """One claim with its verdict; unfolded, what was measured, where it is said, and the way to try it."""
    with st.expander(f"{findings.tag(found)} {plain(claim.text)}", key=f"claim_{claim.key}"):
        st.markdown(plain(found.sentence))
        if found.what:
            st.caption(plain(f"{brief(found.value)}: {found.what}"))
        st.caption(plain(f"Said in: {'; '.join(SOURCES[key] for key in claim.where)}"))
        on_click, args = (library.go, (claim.lesson, 1)) if claim.lesson else (experiments.show, (claim,))
        st.button("Try it", key=f"try_{claim.key}", on_click=on_click, args=args)


def table(rows: list[tuple[Claim, Finding]]) -> pd.DataFrame:
    """All claims as a table."""
    return pd.DataFrame(
        {
            "claim": claim.text,
            "where": "; ".join(SOURCES[key] for key in claim.where),
            "measured": found.sentence,
            "number": found.value,
            "verdict": found.verdict.value,
        }
        for claim, found in rows
    )


def draw() -> None:
    """All claims, then with what was measured of each."""
    name = plain(state.current().model)
    st.markdown(
        f"What tutorials say, in our words, and what **{name}** says to it: the verdict follows from the number."
    )
    said = pd.DataFrame({"claim": one.text, "where": "; ".join(SOURCES[key] for key in one.where)} for one in CLAIMS)
    listed = st.empty().dataframe(said, hide_index=True, height=390, key="claims_said")
    rows = measured()
    listed.empty()
    counts = {kind: sum(found.verdict is kind for _, found in rows) for kind in Verdict}
    kinds = st.pills(
        "Show", [kind for kind in Verdict if counts[kind]], key="claim_verdicts", selection_mode="multi",
        format_func=lambda kind: f"{kind.value} ({counts[kind]})",
    )  # fmt: skip
    with st.container(key="claims"):
        for one, outcome in rows:
            if not kinds or outcome.verdict in kinds:
                row(one, outcome)
    downloads.save("csv_claims", "claims", table(rows))
