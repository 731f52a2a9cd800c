"""What one session holds besides the values of its widgets. Needs no torch: it is there before the libraries are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    from encoder.pictures.picture import Answer
    from encoder.pictures.view import View
    from encoder.trace.tokens import Text
    from pages.ui.state.site import Page

KEY, SEEN = "session", "seen"
# Parameters of a link that only pictures drawn in the browser have.
OF_BROWSER = ("word", "off", "maps", "more", "after", "guess", "over", "view", "number", "numbers")


@dataclass
class MysteriesTried:
    """What was tried of each mystery, by its number."""

    hints_seen: dict[int, int] = field(default_factory=dict)  # how many were asked for
    number: int | None = None  # the network on the screen
    guesses: dict[int, tuple[str, str]] = field(default_factory=dict)  # the task and head last put to the test


@dataclass
class Session:
    """All that is remembered between two runs of a session's script."""

    view: "View | None" = None  # None until the link was read
    own: str = ""  # the last sentence that the person typed or came with
    read: "Text" = ""  # what the model reads: the sentence, or the pair
    scripts: "dict[Any, Page]" = field(default_factory=dict)  # the pages as Streamlit knows them
    page: str = ""  # the key of the page on the screen
    go_to: str = ""  # the key of the page that comes next
    linked: bool = False  # whether the view was just taken from a link
    address: dict[str, str] | None = None  # the parameters of an address that it was just taken from
    led: tuple[dict[str, str], dict[str, str]] | None = None  # the last such address that stayed, and its view in full
    written: list[tuple[int, str, dict[str, str]]] = field(default_factory=list)  # lately given to the URL, by run
    bare: set[str] = field(default_factory=set)  # the pages that were shown without any parameter
    runs: int = 0  # how many have begun
    numbered: list[str] = field(default_factory=list)  # the last two pages that were told a number of a run
    # Widgets that were told to show something else: the run that told it, what it showed before, what it is to show.
    shown: dict[str, tuple[int, Any, Any]] = field(default_factory=dict)
    # What components show, by key, and since when.
    components: dict[str, tuple[Mapping[str, Any], float]] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)  # what a choice is where nothing is chosen
    notes: list[str] = field(default_factory=list)  # sentences to say on top of the page
    pictures: "dict[str, Answer]" = field(default_factory=dict)  # of the page on the screen, by title, to be saved

    last_model: str = ""  # the last one that could be shown
    models_asked_for: set[str] = field(default_factory=set)  # chosen by a click
    offered: "View | None" = None  # of a link whose model takes long to load
    asked_for: set[str] = field(default_factory=set)  # keys of long computations that were asked for just now
    links: dict[str, tuple[str, int]] = field(default_factory=dict)  # offered files: link and last run
    own_models: list[str] = field(default_factory=list)  # those that the person has opened
    sweeps: dict[str, tuple[object, Any]] = field(default_factory=dict)  # what was last asked, and what was found

    answered: set[tuple[str, int]] = field(default_factory=set)  # the steps of lessons, by name, that were
    mystery: MysteriesTried = field(default_factory=MysteriesTried)
    filmed: tuple[int, str] = (-1, "")  # when grammar on film was last shown, by run, and its sentence


def session() -> Session:
    """What this session holds."""
    held: Session | None = st.session_state.get(KEY)  # looked up once: this is asked for a hundred times in a run
    if held is None:
        held = st.session_state[KEY] = Session()
    return held


def value(key: str) -> Any:
    """What the widget of that key shows, or is to show: until its browser hears of that, it says what it showed."""
    shown = st.session_state[key]
    run, before, wanted = session().shown.get(key, (0, None, None))
    return wanted if run > seen() and shown == before else shown


def has(key: str) -> bool:
    """Whether there is a value for the widget of that key."""
    return key in st.session_state


def show(**values: object) -> None:
    """Have widgets show these values, by their keys; before they are drawn."""
    for key, wanted in values.items():
        if has(key):
            if st.session_state[key] == wanted:
                continue
            session().shown[key] = (session().runs, st.session_state[key], wanted)
        st.session_state[key] = wanted


def seen(unknown: int | None = None) -> int:
    """Return the newest run that had come whole to the browser when it asked for this one.

    A browser says so with the page that it shows: over a slow line that may be the page before. `unknown` is returned
    where it said nothing; without it, this run.
    """
    texts = [st.session_state.get(f"{SEEN}_{page}", "") for page in session().numbered]
    return min(
        (int(text) for text in texts if text.isdecimal()), default=session().runs if unknown is None else unknown
    )


def draw_seen() -> None:
    """A field that nobody sees: a browser that is told the number of a run says it from then on. At the run's end."""
    here = session()
    here.numbered = [*dict.fromkeys((here.page, *here.numbered))][:2]
    st.session_state[f"{SEEN}_{here.page}"] = str(here.runs)
    with st.container(key=SEEN):
        st.text_input("Run", key=f"{SEEN}_{here.page}", max_chars=9, label_visibility="collapsed")


def picked(key: str, name: str = "picked") -> object:
    """What the component of that key says was picked. It comes from a browser, so it may be anything."""
    message: object = st.session_state[key].get(name)
    return message


def is_forged() -> bool:
    """Return whether the browser names fields that no page has: Streamlit would stumble over them."""
    try:
        len(st.session_state)
    except KeyError:
        return True
    return False
