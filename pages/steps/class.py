"""A class: open one and lead it, or join one by its code."""  # noqa: N999 - the name is the address of the page

from pages.ui.live import console
from pages.ui.state import session_state as state
from pages.ui.widgets import apart


def draw() -> None:
    """Draw the page."""
    seat = state.session().seat
    with apart():
        if seat is None:
            console.outside()
        elif seat.leads:
            console.teachers(seat)
        else:
            console.pupils(seat)
