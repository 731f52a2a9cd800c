"""One context run again now: what is stored against what is live, and what the head's absence does there."""

from collections.abc import Callable

import streamlit as st

from encoder.atlas.live import Compared
from encoder.atlas.reading import Firing
from encoder.edits.edit import Edit
from encoder.edits.text import edits_to_text
from encoder.formatting import percent, shown
from encoder.metrics import length
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.text import plain


def draw(text: str, one: Firing, compare: Callable[[Trace, Firing], list[Compared]], edit: Edit | None) -> None:
    """The verdict, number by number."""
    view = state.current()
    run = session.run(view.model, text)
    with st.container(border=True, key="atlas_live"):
        for verdict in compare(run, one):
            icon = ":material/check:" if verdict.equal else ":material/error:"
            st.markdown(f"{icon} {plain(verdict.sentence)}")
        if edit is not None:
            st.markdown(plain(without(run, session.run(view.model, text, (), edits_to_text((edit,))), one.position)))
        st.button("Open this sentence", key="atlas_open", icon=":material/short_text:", on_click=take, args=(text,))


def without(run: Trace, off: Trace, position: int) -> str:
    """What the run without the head makes of the token."""
    before, after = (trace["output"][position] for trace in (run, off))
    moved = float(length(after - before) / length(before).clamp_min(1e-30))
    said = (
        f"With this head off the last vector of “{shown(run.tokens[position])}” moves by {percent(moved)} of its length"
    )
    guesses = [session.text_encoder(state.current().model).predict(trace, 1, [position]) for trace in (run, off)]
    if guesses[0] and guesses[1]:
        (was, p), (now, q) = guesses[0][0][0], guesses[1][0][0]
        same = "the guess there stays" if was == now else f"the guess there turns from “{was}” ({percent(p)}) into"
        said += f", and {same} “{now}” ({percent(q)})"
    return f"{said}."


def take(text: str) -> None:
    """Make it the sentence of the sidebar."""
    state.change(sentence=text, second="", hidden=(), edits=(), cell=None)
