"""Feed-forward, below what the browser draws: units that no sentence wakes, and the proof."""

import streamlit as st

from encoder.model.activations import ACTIVATIONS
from encoder.pictures.registry.model_parts import DEAD, dead
from pages.ui import session_runs
from pages.ui.picture_view import ask, show
from pages.ui.server import jobs
from pages.ui.step import step_panel


def draw() -> None:
    """Draw the page."""
    draw_silent_units()
    step_panel.below("feed_forward")


def draw_silent_units() -> None:
    """The units of every layer that get nothing above zero over the bundled sentences, folded."""
    fold = st.expander("Units that no sentence wakes", key="dead_units", on_change="rerun")
    if fold.open:
        with fold, jobs.refused():
            scene = ask(DEAD)
            cuts = ACTIVATIONS[scene.encoder.config.activation].cuts
            quiet = "This activation lets a little through below zero, so they are quiet and not dead."
            show(DEAD, known={dead(scene): session_runs.dead_units(scene.view.model)}, more="" if cuts else quiet)
