"""What is known of every claim in the model of this session: measured on this server, or else as it was shipped."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from encoder.support.errors import EncoderError
from encoder.teach.lessons.claims import CLAIMS, Claim, said_in
from encoder.teach.lessons.stored import StoredVerdicts, by_content, not_tried
from encoder.teach.trials import Finding
from pages.ui import session
from pages.ui.server import cost_gate
from pages.ui.state.session_state import current
from pages.ui.text import plain


@dataclass(frozen=True)
class Known:
    """A claim, what was found of it, and whether that is what was shipped."""

    claim: Claim
    found: Finding
    stored: bool = False


def shipped() -> StoredVerdicts | None:
    """What is shipped of the model's weights; None where there is nothing."""
    return by_content(session.text_encoder(current().model).source.fingerprint)


def known(stored: StoredVerdicts) -> list[Known]:
    """Every claim with what was measured of it since, or else with what is stored; measured now where nothing is."""
    found = []
    for claim in CLAIMS:
        then = None if session.is_found(claim.trial, claim.given) else stored.finding(claim.trial, claim.given)
        found.append(Known(claim, measured(claim) if then is None else then, then is not None))
    return found


def measured(claim: Claim) -> Finding:
    """What is found of a claim now, also that it cannot be tried."""
    try:
        return session.finding(claim.trial, claim.given, agreed=True)
    except (EncoderError, KeyError) as error:
        return not_tried(error)


def seconds(claims: Sequence[Claim]) -> float:
    """About how long it takes to measure these."""
    return sum(session.seconds(claim.trial, claim.given) for claim in claims)


def measure(claims: Sequence[Claim]) -> list[Known]:
    """What is found of these claims now; a bar moves while measuring."""
    found = []
    bar = st.progress(0.0, text="Measuring …")
    for done, claim in enumerate(claims):
        bar.progress(done / len(claims), text=f"Measuring {done + 1} of {len(claims)}: {plain(claim.text)}")
        found.append(Known(claim, measured(claim)))
    bar.empty()
    return found


def takes(claims: Sequence[Claim]) -> str:
    """How long it takes to measure these, in words."""
    return cost_gate.spoken(seconds(claims))


def table(rows: Sequence[Known]) -> pd.DataFrame:
    """All claims as a table."""
    return pd.DataFrame(
        {
            "claim": one.claim.text,
            "where": said_in(one.claim),
            "measured": one.found.sentence,
            "number": one.found.value,
            "verdict": one.found.verdict.value,
            "stored": one.stored,
        }
        for one in rows
    )
