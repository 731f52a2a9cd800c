"""Nothing long begins by itself: it is offered with the time that it will take; what takes too long is not.

The times are those of one processor of 2024; what else the machine does makes them longer.
"""

import math

import streamlit as st

from pages.ui.state.session import session

UNASKED = 2.0  # seconds that a page may compute without being asked
MOST = 120.0  # seconds that it computes at all
SPEED = 80e9  # floating-point operations in a second


class NotStarted(Exception):  # noqa: N818 - no error: the page ends where the offer stands
    """A long computation was offered and not chosen yet, or is too long to be offered."""


def ask(key: str, seconds: float, doing: str = "Measure") -> None:
    """Return where a computation is short, or was asked for by a click just now; else offer it.

    Args:
        key: of the button; the same as long as the same computation is meant.
        seconds: that it will take about.
        doing: what the button says.

    Raises:
        NotStarted: it was offered, or refused with a sentence.
    """
    if seconds <= UNASKED:
        return
    asked = session().asked_for
    if key in asked:
        asked.discard(key)  # if it is given up on the way, it is offered again
        return
    if seconds > MOST:
        st.markdown(
            f"This would take {spoken(seconds)} here; a page computes for {spoken(MOST)} at most. The library has no "
            "such bound."
        )
    else:
        st.button(f"{doing} ({spoken(seconds)})", key=f"ask_{key}", on_click=asked.add, args=(key,))
    raise NotStarted


def spoken(seconds: float) -> str:
    """A time in words: "about 40 seconds"."""
    if seconds > 5400:
        return f"about {seconds / 3600:,.0f} hours"
    if seconds > 90:
        return f"about {seconds / 60:.0f} minutes"
    return f"about {max(1, math.ceil(seconds)):.0f} second{'s' if seconds > 1 else ''}"
