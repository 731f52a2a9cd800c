"""The activation's curve with one token's units on it, and the units that no sentence wakes."""

import streamlit as st

from encoder.model.activations import ACTIVATIONS
from encoder.pictures.registry.feed_forward import DEAD, TOKEN, UNITS, dead
from pages.ui import session
from pages.ui.picture import ask, show
from pages.ui.server import job_queue
from pages.ui.text import heading
from pages.ui.widgets import pick_token


def draw() -> None:
    """Every unit of the chosen token, before and after the activation."""
    scene = ask(UNITS)
    heading(f"The curve of {ACTIVATIONS[scene.encoder.config.activation].title}, and where the units stand on it")
    pick_token("Token", scene.t.tokens, TOKEN.key, TOKEN.usual(scene))
    show(UNITS, more="Each dot is a unit: across, its number before the activation; up, after it.")


def never_awake() -> None:
    """The units of every layer that get nothing above zero over the bundled sentences, folded."""
    fold = st.expander("Units that no sentence wakes", key="dead_units", on_change="rerun")
    if fold.open:
        with fold, job_queue.refused():
            scene = ask(DEAD)
            cuts = ACTIVATIONS[scene.encoder.config.activation].cuts
            quiet = "This activation lets a little through below zero, so they are quiet and not dead."
            show(DEAD, known={dead(scene): session.dead_units(scene.view.model)}, more="" if cuts else quiet)
