"""What trials found: verdict, number, sentence and picture on the screen, and what is known of every claim."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
import streamlit as st

from encoder.pictures.labs import CLAIMS, said_in
from encoder.pictures.labs.trial import Claim, Finding, Verdict
from encoder.pictures.registry.finding_pictures import LESSON_PICTURE, asked_of, tried
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief
from encoder.teach.lessons.stored import StoredVerdicts, by_content, not_tried
from pages.ui import session_runs
from pages.ui.picture_view import ask, show
from pages.ui.server import jobs
from pages.ui.state.session_state import current
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


def badge(finding: Finding) -> None:
    """The verdict, by colour, sign and word."""
    st.badge(finding.verdict.value, icon=ICONS[finding.verdict], color=COLOURS[finding.verdict])


def tag(finding: Finding) -> str:
    """The verdict by colour, sign and word, within a line of Markdown."""
    return f":{COLOURS[finding.verdict]}-badge[{ICONS[finding.verdict]} {finding.verdict.value}]"


def draw(finding: Finding, key: str, claim: str) -> None:
    """The claim that was put to the test, the verdict, the number and the sentence; `picture` draws the rest."""
    st.markdown(f"*{plain(claim)}*")
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_number"):
        badge(finding)
        if finding.what:
            st.metric(plain(finding.what), brief(finding.value), width="content")
    with st.container(key=f"{key}_verdict"):
        st.markdown(plain(finding.sentence))


def picture(finding: Finding, trial: str, given: Mapping[str, Any]) -> None:
    """The numbers behind the finding of a trial with these parameters, where it has some to draw."""
    if finding.picture is not None:
        scene = asked_of(ask(LESSON_PICTURE), trial, given, finding)
        show(LESSON_PICTURE, scene=scene, known={tried(scene): finding}, sentence=False)


@dataclass(frozen=True)
class Known:
    """A claim, what was found of it, and whether that is what was shipped."""

    claim: Claim
    finding: Finding
    stored: bool = False


def shipped() -> StoredVerdicts | None:
    """What is shipped of the model's weights; None where there is nothing."""
    return by_content(session_runs.text_encoder(current().model).source.fingerprint)


def known(stored: StoredVerdicts) -> list[Known]:
    """Every claim with what was measured of it since, or else with what is stored; measured now where nothing is."""
    rows = []
    for claim in CLAIMS:
        then = None if session_runs.is_found(claim.trial, claim.given) else stored.finding(claim.trial, claim.given)
        rows.append(Known(claim, measured(claim) if then is None else then, then is not None))
    return rows


def measured(claim: Claim) -> Finding:
    """What is found of a claim now, also that it cannot be tried."""
    try:
        return session_runs.finding(claim.trial, claim.given, agreed=True)
    except (EncoderError, KeyError) as error:
        return not_tried(error)


def seconds(claims: Sequence[Claim]) -> float:
    """About how long it takes to measure these."""
    return sum(session_runs.seconds(claim.trial, claim.given) for claim in claims)


def measure(claims: Sequence[Claim]) -> list[Known]:
    """What is found of these claims now; a bar moves while measuring."""
    rows = []
    bar = st.progress(0.0, text="Measuring …")
    for done, claim in enumerate(claims):
        bar.progress(done / len(claims), text=f"Measuring {done + 1} of {len(claims)}: {plain(claim.text)}")
        rows.append(Known(claim, measured(claim)))
    bar.empty()
    return rows


def takes(claims: Sequence[Claim]) -> str:
    """How long it takes to measure these, in words."""
    return jobs.spoken(seconds(claims))


def table(rows: Sequence[Known]) -> pd.DataFrame:
    """All claims as a table."""
    return pd.DataFrame(
        {
            "claim": known.claim.text,
            "where": said_in(known.claim),
            "measured": known.finding.sentence,
            "number": known.finding.value,
            "verdict": known.finding.verdict.value,
            "stored": known.stored,
        }
        for known in rows
    )
