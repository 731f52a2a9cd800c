"""What the ways to a model share: going on with the one that was opened."""

from pages.ui.frame import run
from pages.ui.state import session_state as state


def show(name: str) -> None:
    """Go on with this model, and begin with what kind it is."""
    run.show_model(name)
    state.remember("models_part", "This model", "")
