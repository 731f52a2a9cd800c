"""What the ways to a model share: going on with the one that was opened."""

from pages.ui.frame import sidebar
from pages.ui.state import session_state as state


def show(name: str) -> None:
    """Go on with this model, and begin with what kind it is."""
    sidebar.show_model(name)
    state.remember("models_part", "This model", "")
