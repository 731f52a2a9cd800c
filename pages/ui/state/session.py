"""What one session holds besides the values of its widgets. Needs no torch: it is there before the libraries are."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    from encoder.lessons.lesson import Lesson
    from encoder.paper.files import PaperFigure
    from encoder.paper.panel import Panel
    from encoder.pictures.figure_link import PictureAt
    from encoder.pictures.view import View
    from encoder.trace.tokens import Text
    from pages.ui.state.site import Page

KEY, SEEN = "session", "seen"
# Parameters of a link that only pictures drawn in the browser have.
OF_BROWSER = ("word", "off", "maps", "more", "after", "lens_word", "number", "numbers")


@dataclass
class Session:
    """All that is remembered between two runs of a session's script.

    The view and its link: `view` is None until the link was read. `own` is the last sentence that the person typed or
    came with. `read` is what the model reads: the sentence, or the
    pair. `scripts` are the pages as Streamlit knows them. `page` is the key of the page on the screen, `go_to` the
    script of the page that comes next. `linked` tells whether the view was just taken from a link, `address` are the
    parameters of an address that it was just taken from; `written` are the pages and parameters that its URL was given
    lately, each with the run that did so, `bare` the pages that were shown without any. So many `runs` have begun;
    `numbered` are the last two pages that were told a number of one. `shown` holds, for each widget that was told to
    show something else, the run that told it, what it showed before and what it is to show. `defaults` holds, for each
    choice that a page asked for, what it is where nothing is chosen. `notes` are the sentences to say on top of the
    page. `opens_more` tells whether that next page is to be opened with what stands below its picture, `below` is the
    view that was last drawn below a picture of the browser's, None where nothing was; `reading` tells that a run has
    not taken over yet what the address says there, `handed` counts what that picture was told to show.

    Models and runs: `last_model` could be shown last, `own_models` are those that the person has opened,
    `models_asked_for` those chosen by a click, `offered` the view of a link whose model takes long to load. `asked_for`
    are the keys of long computations that were asked for just now. `links` are those of files that the page offers,
    by key, each with the run that offered it last. `opened` counts the numbers that were opened in a
    picture of the server's, and is the last one as a link spells it. `sweeps` keeps, by the sweep's key,
    what was last asked and what was found. `moment` is the moment of training that was picked.

    Lessons: `before_lesson` is the view whose place a lesson took, `aside` the lesson and step that Labs were opened
    from, on the same page. `entered` is the lesson and step that was last gone
    to, `seen` how far each lesson was played. `touched` is the step whose slider
    was moved, `guesses` and `right` are by lesson and step; guesses of the story by run and stop, and `told` is the run
    and stop of it that the view was last set to, `hero_of` is what was read when its word was
    chosen. `lesson_files` are lessons too long for a link, by name. `draft` is the lesson
    that is being made, `drafting` whether views are collected, `draft_round` counts how often its fields
    were filled anew, `draft_problems` say what is wrong with the file that was opened.

    Mysteries, by number: `hints_seen` are how many hints were asked for, `mystery_guesses` the task and head that were
    last put to the test.

    The figure: `figure` are its pictures in order, `panels` what was drawn of each, `not_drawn` why one was not.
    `printed` is the figure that was on the screen last.
    """

    view: "View | None" = None
    own: str = ""
    read: "Text" = ""
    scripts: "dict[Any, Page]" = field(default_factory=dict)
    page: str = ""
    go_to: str = ""
    linked: bool = False
    address: dict[str, str] | None = None
    written: list[tuple[int, str, dict[str, str]]] = field(default_factory=list)
    bare: set[str] = field(default_factory=set)
    runs: int = 0
    numbered: list[str] = field(default_factory=list)
    shown: dict[str, tuple[int, Any, Any]] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    opens_more: bool = False
    below: "View | None" = None
    reading: bool = False
    handed: int = 0

    last_model: str = ""
    models_asked_for: set[str] = field(default_factory=set)
    offered: "View | None" = None
    asked_for: set[str] = field(default_factory=set)
    links: dict[str, tuple[str, int]] = field(default_factory=dict)
    own_models: list[str] = field(default_factory=list)
    opened: tuple[int, str] = (0, "")
    sweeps: dict[str, tuple[object, Any]] = field(default_factory=dict)
    moment: int = 0

    before_lesson: "View | None" = None
    aside: tuple[str, int] | None = None
    entered: tuple[str, int] | None = None
    seen: dict[str, int] = field(default_factory=dict)
    guesses: dict[tuple[str, int], int | float | str | None] = field(default_factory=dict)
    touched: tuple[str, int] | None = None
    told: tuple[str, int] | None = None
    hero_of: "Text" = ""
    right: dict[tuple[str, int], bool] = field(default_factory=dict)
    lesson_files: "dict[str, Lesson]" = field(default_factory=dict)
    draft: "Lesson | None" = None
    drafting: bool = False
    draft_round: int = 0
    draft_problems: list[str] = field(default_factory=list)

    hints_seen: dict[int, int] = field(default_factory=dict)
    mystery_guesses: dict[int, tuple[str, str]] = field(default_factory=dict)

    figure: "list[PictureAt]" = field(default_factory=list)
    panels: "dict[PictureAt, Panel]" = field(default_factory=dict)
    not_drawn: "dict[PictureAt, str]" = field(default_factory=dict)
    printed: "PaperFigure | None" = None


def session() -> Session:
    """What this session holds."""
    found: Session | None = st.session_state.get(KEY)  # looked up once: this is asked for a hundred times in a run
    if found is None:
        found = st.session_state[KEY] = Session()
    return found


def value(key: str) -> Any:
    """What the widget of that key shows, or is to show: until its browser hears of that, it says what it showed."""
    said = st.session_state[key]
    run, before, wanted = session().shown.get(key, (0, None, None))
    return wanted if run > seen() and said == before else said


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
    st.text_input("Run", key=f"{SEEN}_{here.page}", max_chars=9, label_visibility="collapsed")


def picked(key: str, name: str = "picked") -> object:
    """What the component of that key says was picked. It comes from a browser, so it may be anything."""
    said: object = st.session_state[key].get(name)
    return said


def is_forged() -> bool:
    """Return whether the browser names fields that no page has: Streamlit would stumble over them."""
    try:
        len(st.session_state)
    except KeyError:
        return True
    return False
