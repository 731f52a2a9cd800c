"""A page whose connection was lost asks for a run when it is back.

Another replica may answer then, or a server that was started again. It makes the session anew from the page's address;
without this run it would do so only at the next click, and that click would be lost.
"""

from pages.ui.component import component

_component = component(__file__, "reconnect", "<span></span>")


def draw() -> None:
    """Watch over the connection, on every page."""
    _component(key="reconnect", on_back_change=lambda: None)
