"""Contexts of a head or unit: the largest, or a tenth of all; each in its sentence, and run again at a click."""

from collections.abc import Callable, Sequence

import streamlit as st

from encoder.atlas.knockout import Absence, AtlasPart, summed_up
from encoder.atlas.live import Compared
from encoder.atlas.reading import Atlas, Firing
from encoder.formatting import brief, percent, shown
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace
from pages.parts.atlas import marked, rerun
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.text import plain, say

LARGEST = "largest"
LISTS = (LARGEST, *(str(tenth) for tenth in range(10, 0, -1)))


def draw(
    atlas: Atlas,
    top: list[Firing],
    sample: list[Firing],
    bounds: Sequence[float],
    compare: Callable[[Trace, Firing], list[Compared]],
    described: Callable[[Firing], str],
    part: AtlasPart,
) -> None:
    """Choose a list, show it, and run it again, also without the head or unit."""
    named = {LARGEST: "The largest"} | {one: f"Tenth {one}" for one in LISTS[1:]}
    which = st.pills("Contexts", LISTS, required=True, format_func=named.__getitem__,
                     **state.choice("atlas_list", LISTS, LARGEST))  # fmt: skip
    some = top if which == LARGEST else [one for one in sample if one.decile == int(which) - 1]
    if which != LARGEST:
        low, high = bounds[int(which) - 1], bounds[int(which)]
        st.caption(plain(f"Tenth {which} of all values, from {brief(low)} to {brief(high)}: {len(some)} of the "
                         f"{len(sample)} that were drawn evenly from all are in it."))  # fmt: skip
    if not some:
        st.markdown("There is no context in this list.")
        return
    texts = atlas.texts(sorted({one.sentence for one in some}))
    encoder = session.text_encoder(state.current().model)
    absences = without(part, tuple((texts[one.sentence], one.position) for one in some))
    said = [
        f"{i + 1}. {marked.sentence(encoder.tokenize(texts[one.sentence]), one.position, one.looks_at)} "
        f"&ensp;:gray[{plain(described(one))}{plain(absence)}]"
        for i, (one, absence) in enumerate(zip(some, absences, strict=True))
    ]
    st.markdown("\n".join(said))
    places = range(len(some))
    at = st.pills("Run one again, live", places, format_func=lambda i: f"{i + 1} {plain(shown(some[i].token))}",
                  **state.choice("atlas_run", places, None))  # fmt: skip
    if at is not None and at in places:
        rerun.draw(texts[some[at].sentence], some[at], compare, part)


def without(part: AtlasPart, contexts: tuple[tuple[Text, int], ...]) -> list[str]:
    """Where it is asked for, what knocking the part out does at each context, and said of all of them."""
    label = f"Knock this {part.kind} out in these sentences"
    if not st.toggle(label, **state.choice("atlas_off", (False, True), False)):
        return [""] * len(contexts)
    absences = session.knocked_out(part, contexts)
    say(summed_up(absences))
    return [moved(one) for one in absences]


def moved(absence: Absence) -> str:
    """What one context's token does without the part."""
    if absence.turned and absence.before and absence.after:
        return f"; moves by {percent(absence.moved)}, “{absence.before[0]}” turns into “{absence.after[0]}”"
    return f"; moves by {percent(absence.moved)}"
