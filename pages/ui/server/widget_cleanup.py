"""Callbacks of widgets that are no longer there, and values of widgets that never were.

Streamlit keeps what it was told of every widget that a session ever had. A callback holds all that its page had at hand
when it was drawn, the recorded run too; with every other sentence a session would keep one more run in memory.
"""

from pages.ui.server import inside

OF_A_WIDGET = "$$"  # how Streamlit begins the id of one


def clean_up() -> None:
    """At the end of a run, forget the callbacks of widgets that were not drawn in it, and the files of such buttons."""
    kept, drawn = inside.widgets()
    for name in [name for name in kept if not any(one in name for one in drawn)]:  # "...ID__events" is of ID
        del kept[name]
    if drawn:
        inside.forget_offers(drawn)


def leave_out_forged() -> None:
    """At the start of a run, forget what was sent under names that no widget has: Streamlit would stumble over them."""
    said = inside.sent()
    for name in [name for name in said if not name.startswith(OF_A_WIDGET)]:
        del said[name]
