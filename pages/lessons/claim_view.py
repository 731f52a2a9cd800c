"""A claim: what was measured of it in this model, whether it holds, and the numbers behind it as a picture."""

import streamlit as st

from encoder.pictures.labs import said_in
from encoder.pictures.labs.trial import Claim
from encoder.pictures.registry.finding_pictures import LESSON_PICTURE, asked_of, tried
from encoder.support.errors import EncoderError
from pages.ui.picture_view import ask, show
from pages.ui.server import measurements
from pages.ui.state import session_state as state
from pages.ui.text import plain


def draw(claim: Claim) -> None:
    """Draw it below its text."""
    try:
        given = measurements.spelled(claim.given)
        finding = measurements.findings(state.current().model, claim.trial, given, agreed=True)
    except (EncoderError, KeyError) as error:
        st.markdown(plain(f"This cannot be measured here: {error.args[0]}."))
        return
    st.markdown(f"**{plain(finding.verdict.value.capitalize())}.** {plain(finding.sentence)}")
    st.caption(plain(f"Said in: {said_in(claim)}"))
    if finding.picture is not None:
        scene = asked_of(ask(LESSON_PICTURE), claim.trial, claim.given, finding)
        show(LESSON_PICTURE, scene=scene, known={tried(scene): finding}, sentence=False)
