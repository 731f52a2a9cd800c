"""One context run again now: what is stored against what is live, and what its absence does there."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from encoder.atlas.knockout import Absence, AtlasPart, summed_up
from encoder.atlas.live import Compared
from encoder.atlas.reading import Firing
from encoder.support.formatting import percent, shown
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.text import plain, say


def draw(text: Text, one: Firing, compare: Callable[[Trace, Firing], list[Compared]], part: AtlasPart) -> None:
    """The verdict, number by number, and the token without the head or unit."""
    run = session.run(state.current().model, text)
    with st.container(border=True, key="atlas_live"):
        for verdict in compare(run, one):
            icon = ":material/check:" if verdict.equal else ":material/error:"
            st.markdown(f"{icon} {plain(verdict.sentence)}")
        (absence,) = session.knocked_out(part, ((text, one.position),))
        st.markdown(plain(without(shown(run.tokens[one.position]), part, absence)))
        label = "Open this sentence" if isinstance(text, str) else "Open this pair"
        st.button(label, key="atlas_open", icon=":material/short_text:", on_click=take, args=(text,))


def without(token: str, part: AtlasPart, absence: Absence) -> str:
    """What the run without the part makes of the token."""
    said = f"With this {part.kind} off the last vector of “{token}” moves by {percent(absence.moved)} of its length"
    if absence.before and absence.after:
        (was, p), (now, q) = absence.before, absence.after
        said += f", and the guess there turns from “{was}” ({percent(p)}) into “{now}” ({percent(q)})" * absence.turned
        said += f", and the guess there stays “{now}”, {percent(p)} with it and {percent(q)} without" * (was == now)
    return f"{said}."


def take(text: Text) -> None:
    """Make it the sentence of every page, or the pair."""
    sentence, second = (text, "") if isinstance(text, str) else text
    state.change(sentence=sentence, second=second, hidden=(), edits=(), cell=None)


def moves(part: AtlasPart, some: Sequence[Firing], texts: Mapping[int, Text]) -> list[str]:
    """What knocking the part out does at each context, and said of all of them."""
    absences = session.knocked_out(part, tuple((texts[one.sentence], one.position) for one in some))
    say(summed_up(absences))
    return [moved(one) for one in absences]


def moved(absence: Absence) -> str:
    """What one context's token does without the part."""
    if absence.turned and absence.before and absence.after:
        return f"; moves by {percent(absence.moved)}, “{absence.before[0]}” turns into “{absence.after[0]}”"
    return f"; moves by {percent(absence.moved)}"
