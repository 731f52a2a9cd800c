"""What the server draws around a picture of the browser's: below it more of the same run, above it the way to a lesson.

Nothing of it is there, and no library is loaded for it, until somebody asks: by the button below the picture, whose
choice stands in the address, or by coming from a lesson or the story.
"""

from typing import Any

import streamlit as st

from encoder.packet.shipped import SENTENCES
from pages.ui.frame import cold_start
from pages.ui.state.session import session
from pages.ui.state.site import Page

USUAL = {"sentence": SENTENCES[0]}  # what a picture of the browser's shows where its address does not say it
LONGEST = 200  # characters of a step or a number in an address
MORE = "more"  # the parameter of an address that opens what stands below
# Choices of what stands below, by the page: an address that makes one asks for it.
OPENS = {
    "start": (
        *("ask_why", "difference", "merge_words", "pair_part", "several", "some_heads", "some_tokens", "some_words"),
        *("together", "tokens_open", "unfolded", "words_only"),
    ),
    "heads": (*("heads_part", "inside_key", "inside_query", "measure", "over", "pair_way"),),
}
# Pages with steps, and those that their picture shows: an address that says another asks for the numbers of that one.
STEPS: dict[str, frozenset[str]] = {
    "embedding": frozenset(
        f"embedding.{name}"
        for name in ("tokens", "scaled", "positions", "segments", "sum", "norm.output", "projected", "output")
    ),
    "output": frozenset({"output"}),
    "add_norm": frozenset(
        ["output", *(f"add_norm_{n}.{name}" for n in (1, 2) for name in ("residual", "sum", "output"))]
    ),
    "feed_forward": frozenset(f"feed_forward.{name}" for name in ("hidden", "activation", "gated")),
}
ON_THE_WAY = ("lesson", "stop")  # parameters of who comes from a lesson or the story


def opens(page: Page) -> tuple[str, ...]:
    """Return the parameters of an address that ask for what stands below a page."""
    return OPENS.get(page.key, ())


def is_open(page: Page) -> bool:
    """Return whether what stands below the picture is wanted, and drawn here."""
    query = st.query_params
    if page.more:
        return False
    return query.get(MORE) == "1" or any(name in query for name in opens(page))


def numbers(page: Page) -> tuple[str, str]:
    """Return the step whose numbers an address asks for, and a number: what the page's picture does not show.

    Both are as the browser spells them; a layer is that of the address.
    """
    query = st.query_params
    step, cell = query.get("step", "")[:LONGEST], query.get("cell", "")[:LONGEST]
    if not page.parts:
        return "", cell
    if page.key not in STEPS or page.part_of(step) not in page.parts or step in STEPS[page.key]:
        return "", ""
    return page.in_full(step), cell if cell.rpartition(":")[0].endswith(step) else ""


def is_wanted(page: Page) -> bool:
    """Return whether the server has anything to draw on this page."""
    return is_open(page) or any(name in st.query_params for name in ON_THE_WAY)


def draw(page: Page, above: Any) -> None:
    """Draw it: the ways back into `above`, the rest here."""
    from pages.ui import style
    from pages.ui.component import draw_scripts

    style.draw()
    draw_scripts()
    cold_start.load()
    from pages.ui.frame import page_frame

    with st.container(key="below"):
        page_frame.draw_below(page, above, USUAL, is_open(page))
    session().below = session().view
