"""Where lessons come from, whether they fit the app, and what a step hides until it was answered."""

import os
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from encoder.pictures.labs import LABS as EXPERIMENTS
from encoder.pictures.link import LESSON, from_query
from encoder.pictures.view import View
from encoder.teach.lessons.lesson import MOST_BYTES, Lesson, LessonError, read
from pages.ui.server import offered_models
from pages.ui.state import session_state as state
from pages.ui.state.choice_names import names
from pages.ui.state.site import PAGES, Page, page_of

FOLDER = Path(__file__).parents[2] / "lessons"
OWN = "ENCODER_LESSONS"  # the variable that names the folder of a server's own lessons
MOST_FILES = 100  # of that folder
HERE = page_of("lessons")
PART, LABS = "lessons_part", replace(HERE, title="Labs", icon=":material/science:")  # the part that a step may show
FIND = "find"  # what is searched for on the page
FIRST_LAB = next(iter(EXPERIMENTS))
# Every page that a step may show, by key.
SHOWN = {page.key: page for page in PAGES if page.section != "Learn"} | {LABS.key: LABS}


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
        return OwnLessons({}, (f"{OWN} names {named!r}, which is no folder.",) if named else ())
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
        raise LessonError([f"{file.name}: it is no text in UTF-8; save it as one"]) from None
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
    problems, steps = [], []
    for number, written in enumerate(lesson.steps, 1):
        step = written
        if step.page == LABS.key:
            step = replace(step, view={**step.view, PART: LABS.title})  # no other part
        steps.append(step)
        where = f"{name}, step {number}"
        if step.page not in SHOWN:
            problems.append(f"{where}: there is no page {written.page!r}; the pages are {', '.join(SHOWN)}")
        _, notes = from_query(step.view, offered_models.check, names())
        problems += [f"{where}: {note.replace('The link', 'the view', 1)}" for note in notes]
    if problems:
        raise LessonError(problems)
    return replace(lesson, steps=tuple(steps))


def find(name: str) -> Lesson:
    """The lesson of that name.

    Raises:
        LessonError: there is none.
    """
    lesson = offered().get(name)
    if lesson is None:
        raise LessonError([f"There is no lesson {name!r} here. Choose one of those below."])
    return lesson


def asks(page: Page) -> bool:
    """Whether a step of a lesson asks on this page for what its picture says, and was not answered yet."""
    view = state.current()
    lesson = offered().get(view.lesson)
    if lesson is None or not 1 <= view.at <= len(lesson.steps):
        return False
    step = lesson.steps[view.at - 1]
    asked = step.question is not None and (view.lesson, view.at) not in state.session().answered
    return asked and step.page == page.key and step.view.get("model", View.model) == view.model


def go(name: str, at: int) -> None:
    """Lead to a step of a lesson."""
    step = find(name).steps[at - 1]
    view, _ = from_query(step.view, offered_models.check, names())
    here = state.session()
    here.view, here.go_to = replace(view, lesson=name, at=at), step.page


def open_lab(lab: str) -> None:
    """Show an experiment by its name."""
    state.remember("lab", lab, "")
    state.remember(PART, LABS.title, "")
    state.session().go_to = HERE.key
    end_search()


def end_search() -> None:
    """Show the parts of Lessons in place of what was searched for."""
    state.show(**{FIND: ""})
    state.remember(FIND, "", "")


def in_labs(page: Page) -> bool:
    """Return whether the part Labs is open on this page."""
    return page == HERE and dict(state.current().choices).get(PART) == LABS.title


def lab_has_place() -> bool:
    """Return whether a layer and a head mean something to the experiment that is open."""
    name = dict(state.current().choices).get("lab", FIRST_LAB)
    return EXPERIMENTS.get(name, EXPERIMENTS[FIRST_LAB]).place
