"""The run of the chosen settings: a recorded one plays at once, any other is trained here when it is asked for."""

from collections.abc import Sequence

import streamlit as st

from encoder.tasks.learning import LearningMoment
from encoder.tasks.models import recorded
from encoder.tasks.settings import LearnSettings
from pages.learn.outcome import outcome
from pages.learn.waiting import waiting
from pages.ui.components import learning
from pages.ui.server import training
from pages.ui.server.training import LiveRun, live
from pages.ui.text import heading, plain, theme

EVERY = 1.0  # seconds between two looks at a live run


def draw(settings: LearnSettings) -> None:
    """The player, and under it what came out."""
    if recorded(settings):
        played(settings, recorded(settings), live_now=False)
        st.caption("This run was recorded: every screen shows the same. On a processor, the same seed gives it again.")
        return
    found = live.look(settings)
    if found is not None and found.goes_on:
        watched(settings)
        st.button("Stop training", key="stop_training", on_click=live.stop, args=(settings,))
    else:
        over(settings, found)


def over(settings: LearnSettings, found: LiveRun | None) -> None:
    """A run that is whole or ended early, or the way to begin it."""
    if found is not None and found.ended:
        st.warning(plain(found.ended))
    if found is not None and found.moments:
        played(settings, found.moments, live_now=False)
    if found is not None and found.whole:
        return
    if not training.is_on():
        st.markdown("This run was not recorded, and this server does not train. The usual settings of every task play.")
        return
    if found is None:
        st.markdown("Nobody has trained this here yet. It takes some seconds, with several layers a minute or more.")
    st.button("Train it now", type="primary", key="train_now", on_click=live.begin, args=(settings,))


@st.fragment(run_every=EVERY)
def watched(settings: LearnSettings) -> None:
    """A run while it goes on; when it is over, the page is drawn anew."""
    found = live.look(settings)
    if found is None or not found.goes_on:
        st.rerun()
    elif found.before:
        st.info(waiting(found.before, live.ahead(settings)))
    elif not found.moments:
        st.info("The process that trains is starting.")
    else:
        played(settings, list(found.moments), live_now=True)


def played(settings: LearnSettings, moments: Sequence[LearningMoment], live_now: bool) -> None:
    """Draw a run, and say what it came to."""
    fact, why = outcome(settings, moments)
    if not live_now:
        heading(plain(fact))
    learning.draw("learning", settings.about, moments, settings.steps, theme(), live_now)
    if not live_now:
        st.markdown(plain(why))
        st.caption(
            "In a map a row is a place that looks, a column a place that is looked at; dark is much weight. The framed "
            "head is the one nearest to the known pattern. Exact match: the share of inputs with every answer right."
        )
