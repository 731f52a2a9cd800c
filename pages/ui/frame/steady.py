"""Pictures that stay on the screen until the next one is drawn."""

from pages.ui.component import component

_component = component(__file__, "steady", "<span></span>")


def draw() -> None:
    """Watch over the pictures of every page; once in the app."""
    _component(key="steady")
