"""The story of the run on the screen: its stops, where a person is in it, what was guessed, and the ways to and fro."""

import zlib
from typing import Any

import streamlit as st

from encoder.pictures.registry.story_pictures import stops_of
from encoder.teach.story import StoryStop
from pages.ui import session_runs
from pages.ui.state import session_state as state
from pages.ui.state.site import PAGES, Page, page_of

HERE = page_of("story")
COUNT = 12


def stops() -> tuple[StoryStop, ...]:
    """The stops of this run, made once for each run that is kept."""
    return stops_of(session_runs.now(), session_runs.text_encoder(state.current().model), hero())


def hero() -> int | None:
    """Return the position of the word that is followed, as Start or a link chose it; None where nobody did.

    With another sentence it is forgotten.
    """
    here, count = state.session(), len(session_runs.now().tokens)
    asked = dict(state.current().choices).get("hero", "")
    if here.linked:
        asked = asked or st.query_params.get("word", "")
    elif here.story.hero_of != here.read:
        asked = ""
    here.story.hero_of = here.read
    position = int(asked) if asked.isdecimal() and len(asked) < 6 and int(asked) < count else None
    state.remember("hero", position, None)
    return position


def at() -> int:
    """The stop that is on the screen, counted from 1."""
    tie = state.choice("stop", range(COUNT + 1), 0)
    return max(int(state.value(tie["key"])), 1)


def go(number: int) -> None:
    """Ask for a stop; that before the first is Start."""
    if number:
        state.remember("stop", number, 0)
    state.change(cell=None)
    to = HERE if number else PAGES[0]
    if to.key != state.session().page:
        state.session().go_to = to.key


def run_name() -> str:
    """What the guesses of this run are kept under."""
    view = state.current()
    asked = repr((view.model, state.session().read, view.hidden, view.edits, dict(view.choices).get("hero")))
    return f"story {zlib.crc32(asked.encode()):08x}"


def guesses() -> dict[int, int | None]:
    """What was guessed in this run, by stop: the place of an option, None where the answer was asked for."""
    kept = state.session().lesson.guesses
    return {
        number: guess if isinstance(guess, int) else None
        for (name, number), guess in kept.items()
        if name == run_name()
    }


def guess(number: int, option: int | None) -> None:
    """Keep a guess; with it, the answer is shown."""
    state.session().lesson.guesses[run_name(), number] = option


def forget(number: int) -> None:
    """Ask a stop again."""
    state.session().lesson.guesses.pop((run_name(), number), None)


def arrange(stop: StoryStop, number: int) -> None:
    """Set the view to what a stop is about, once on arrival; a person may look elsewhere from there."""
    if state.session().story.aimed_at == (run_name(), number):
        return
    state.session().story.aimed_at = run_name(), number
    before = state.current()
    aim(stop)
    if state.current() != before:
        state.write_url()
        st.rerun()


def aim(stop: StoryStop) -> None:
    """Set the layer and head to those of a stop, where it has them."""
    view = state.current()
    state.change(
        layer=view.layer if stop.layer is None else stop.layer, head=view.head if stop.head is None else stop.head
    )


def start() -> None:
    """Go to the stop where the story was left, at first the first."""
    asked = dict(state.current().choices).get("stop", "")
    known = asked.isdigit() and 1 <= int(asked) <= COUNT
    go(int(asked) if known else 1)


def deeper(stop: StoryStop, number: int) -> None:
    """Go to the page that explains what a stop is about; the bar leads back."""
    state.remember("stop", number, 0)
    aim(stop)
    page = page_of(stop.page)
    if page.parts:
        state.change(step=stop.step or page.opens_on)
    for key, chosen in stop.choices.items():
        state.remember(key, chosen, None)
    state.session().go_to = page.key


def has_ways(page: Page) -> bool:
    """Return whether there is something to draw for the story beside this page: in it, and once it was begun."""
    return bool(stops()) if page == HERE else "stop" in dict(state.current().choices)


def draw_ways(page: Page) -> None:
    """Draw the ways through the story, and on every other page the way back to it once it was begun."""
    if page == HERE:
        if every := stops():
            draw_walk([PAGES[0].title, *(stop.name for stop in every)], every[at() - 1].chapter)
        return
    state.session().story.aimed_at = None
    if has_ways(page):
        st.button("Back to the story", key="back_to_story", icon=HERE.icon, on_click=start)


def draw_walk(names: list[str], chapter: str) -> None:
    """Draw where the screen is and both buttons, each with the name of what it leads to, by click or arrow key."""
    here = at()
    st.caption(f"{chapter} · {here} of {COUNT}", width="content")
    with st.container(horizontal=True, key="lesson_walk", width=400):
        both: dict[str, Any] = {"width": "stretch", "on_click": go}
        on: dict[str, Any] = {"disabled": here == COUNT, "type": "primary" if here < COUNT else "secondary"}
        st.button(f"Previous: {names[here - 1]}", key="previous", shortcut="Left", args=(here - 1,), **both)
        label = f"Next: {names[here + 1]}" if here < COUNT else "Next"
        st.button(label, key="next", shortcut="Right", args=(here + 1,), **on, **both)
