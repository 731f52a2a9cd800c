"""Where lessons come from, whether they fit the app, and what a step hides until it was answered."""

import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from encoder.pictures.lab import Lab
from encoder.pictures.labs import CLAIMS, LABS
from encoder.pictures.labs.trial import Claim
from encoder.pictures.link import LESSON, from_query
from encoder.pictures.view import View
from encoder.teach.lessons.lesson import MOST_BYTES, Lesson, LessonError, read
from pages.ui.server import offered_models
from pages.ui.state import session_state as state
from pages.ui.state.choice_names import names
from pages.ui.state.site import PAGES, Page

FOLDER = Path(__file__).parents[2] / "lessons"
OWN = "ENCODER_LESSONS"  # the variable that names the folder of a server's own lessons
MOST_FILES = 100  # of that folder
HERE = "lessons"  # the page of the list, and of each lab
SHOWN = {page.key: page for page in PAGES if page.key != "class"}  # every page that a step may show, by key


def files(folder: Path = FOLDER) -> dict[str, Path]:
    """The lesson files of a folder by name, in the order in which they are offered.

    A number before the name, as in 07-many-heads.toml, is its place; files without one follow, by name.
    """
    paths = sorted(folder.glob("*.toml"), key=lambda path: path.name)
    return {re.sub(r"^\d+-", "", path.stem): path for path in paths}


@cache
def bundled() -> dict[str, Lesson]:
    """The lessons that belong to the app, by name."""
    return {name: fitting(read(file.read_text(encoding="utf-8"), file.name)) for name, file in files().items()}


@dataclass(frozen=True)
class OwnLessons:
    """The lessons of a server's own folder, by name, and what is wrong with the files that hold none."""

    lessons: dict[str, Lesson]
    refused: tuple[str, ...]


@cache
def own() -> OwnLessons:
    """What the folder holds that ENCODER_LESSONS names, as it was when it was first asked for."""
    named = os.environ.get(OWN, "")
    folder = Path(named).expanduser()
    if not named or not folder.is_dir():
        return OwnLessons({}, (f"{OWN} names {named!r}, which is not a folder.",) if named else ())
    paths = files(folder)
    lessons, refused = {}, []
    for name, file in list(paths.items())[:MOST_FILES]:
        try:
            lessons[name] = from_file(name, file)
        except LessonError as error:
            refused += error.problems
    if len(paths) > MOST_FILES:
        refused.append(f"{OWN} names a folder with {len(paths)} files; the first {MOST_FILES} are read")
    return OwnLessons(lessons, tuple(refused))


def from_file(name: str, file: Path) -> Lesson:
    """The lesson of a server's own file.

    Raises:
        LessonError: it cannot be read or holds no lesson, or it cannot have this name.
    """
    if not LESSON.fullmatch(name):
        raise LessonError([f"{file.name}: the name before .toml must be 1 to 40 small letters, digits and hyphens"])
    if name in bundled():
        raise LessonError([f"{file.name}: there is a lesson {name!r} already; call the file something else"])
    try:
        if (size := file.stat().st_size) > MOST_BYTES:
            raise LessonError([f"{file.name}: it has {size:,} bytes; a lesson has at most {MOST_BYTES:,}"])
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise LessonError([f"{file.name}: it is not text in UTF-8; save it as that"]) from None
    except OSError as error:
        raise LessonError([f"{file.name}: it cannot be read: {error.strerror}"]) from None
    return fitting(read(text, file.name), file.name)


def offered() -> dict[str, Lesson]:
    """Every lesson by its name, the server's own first."""
    return own().lessons | bundled()


def fitting(lesson: Lesson, name: str = "the lesson") -> Lesson:
    """The same lesson, if all of its pages and views exist.

    Raises:
        LessonError: some do not.
    """
    problems = []
    for number, step in enumerate(lesson.steps, 1):
        where = f"{name}, step {number}"
        if step.page not in SHOWN:
            problems.append(f"{where}: there is no page {step.page!r}; the pages are {', '.join(SHOWN)}")
        if step.page == HERE and step.view.get("lab") not in LABS:
            problems.append(f"{where}: on the page lessons a view names a lab, one of {', '.join(LABS)}")
        _, notes = from_query(step.view, offered_models.check, names())
        problems += [f"{where}: {note.replace('The link', 'the view', 1)}" for note in notes]
    if problems:
        raise LessonError(problems)
    return lesson


def query_of(name: str, at: int) -> dict[str, str]:
    """What the address of a step says, counted from 1: its view, and the lesson beside it."""
    return {**offered()[name].steps[at - 1].view, "lesson": name, "at": str(at)}


def asks(page: Page) -> bool:
    """Whether a step of a lesson asks on this page for what its picture says, and was not answered yet."""
    view = state.current()
    lesson = offered().get(view.lesson)
    if lesson is None or not 1 <= view.at <= len(lesson.steps):
        return False
    step = lesson.steps[view.at - 1]
    asked = step.question is not None and (view.lesson, view.at) not in state.session().answered
    return asked and step.page == page.key and step.view.get("model", View.model) == view.model


def lab_of(page: Page) -> Lab | None:
    """The experiment that is open on a page; None where there is none."""
    return LABS.get(dict(state.current().choices).get("lab", "")) if page.key == HERE else None


def claim_of(page: Page) -> Claim | None:
    """The claim that is open on a page; None where there is none."""
    key = dict(state.current().choices).get("claim", "") if page.key == HERE else ""
    return next((claim for claim in CLAIMS if claim.key == key), None)


def shows_list(page: Page) -> bool:
    """Whether a page shows the list of lessons."""
    return page.key == HERE and lab_of(page) is None and claim_of(page) is None


def leave_lesson() -> None:
    """Have no lesson stand beside the page."""
    state.change(lesson="", at=View.at)


def show_list() -> None:
    """Show the list of lessons in the place of a lab or a claim."""
    for alone in ("lab", "claim"):
        state.remember(alone, "", "")
