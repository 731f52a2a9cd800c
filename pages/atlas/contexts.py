"""Contexts of a head or unit: the largest, or a tenth of all; each in its sentence, and run again at a click."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from encoder.atlas.knockout import AtlasPart
from encoder.atlas.live import Compared
from encoder.atlas.reading import Atlas, Firing
from encoder.pictures.registry.atlas import ATLAS_DECILES
from encoder.pictures.scene import Scene
from encoder.support.formatting import brief, shown
from encoder.trace.trace import Trace
from pages.atlas import marked, rerun
from pages.ui.picture import answer_of
from pages.ui.state import session_state as state
from pages.ui.text import plain

LARGEST = "largest"
LISTS = (LARGEST, *(str(tenth) for tenth in range(10, 0, -1)))


def draw(
    atlas: Atlas,
    top: list[Firing],
    sample: list[Firing],
    scene: Scene,
    compare: Callable[[Trace, Firing], list[Compared]],
    described: Callable[[Firing], str],
    part: AtlasPart,
    reading: str,
    choose: Callable[[], Any],
) -> None:
    """Show a list and how to read it; below it choose another, leave the part out, and run one again.

    `choose` draws the choices that are of a head or a unit alone.
    """
    page, below = st.container(key="atlas_contexts"), st.container(horizontal=True, vertical_alignment="bottom")
    named = {LARGEST: "The largest"} | {one: f"Tenth {one}" for one in LISTS[1:]}
    with below:
        choose()
        which = st.selectbox(
            "Contexts", LISTS, format_func=named.__getitem__, width=150, **state.choice("atlas_list", LISTS, LARGEST)
        )
    some = top if which == LARGEST else [one for one in sample if one.decile == int(which) - 1]
    places = range(len(some))
    with below:
        at = st.selectbox(
            "Run one again, live",
            places,
            index=None,
            placeholder="Which one?",
            width=200,
            format_func=lambda i: f"{i + 1} {shown(some[i].token)}",
            **state.choice("atlas_run", places, None),
        )
        off = st.toggle(f"Knock this {part.kind} out here", **state.choice("atlas_off", (False, True), False))
    with page:
        if which != LARGEST:
            bounds = answer_of(ATLAS_DECILES, scene=scene).numbers.array
            low, high = bounds[int(which) - 1], bounds[int(which)]
            st.caption(
                plain(
                    f"Tenth {which} of all values, from {brief(low)} to {brief(high)}: {len(some)} of the "
                    f"{len(sample)} that were drawn evenly from all are in it."
                )
            )
        if not some:
            st.markdown("There is no context in this list.")
            return
        texts = atlas.texts(sorted({one.sentence for one in some}))
        marked.listed(some, texts, described, rerun.moves(part, some, texts) if off else [""] * len(some))
        st.caption(plain(f"{reading} On {atlas.card.scope}."))
    if at is not None and at in places:
        rerun.draw(texts[some[at].sentence], some[at], compare, part)
