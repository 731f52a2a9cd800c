"""Callbacks of widgets that are no longer there.

Streamlit keeps what it was told of every widget that a session ever had. A callback holds all that its page had at hand
when it was drawn, the recorded run too; with every other sentence a session would keep one more run in memory.
"""

from contextlib import suppress

from streamlit.runtime.scriptrunner import get_script_run_ctx


def let_go() -> None:
    """At the end of a run, forget the callbacks of widgets that were not drawn in it."""
    context = get_script_run_ctx()
    if context is None:
        return
    with suppress(AttributeError):  # another version of Streamlit; a test says so, and the app goes on
        known = context.session_state._state._new_widget_state.widget_metadata
        here = context.shared.widget_ids_this_run.snapshot()
        for name in [name for name in known if not any(one in name for one in here)]:  # "...ID__events" is of ID
            del known[name]
