"""Whatever a page lets a person choose is part of the link, and the link restores it: every page, tab and choice."""

import ast
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from page_tools import healthy
from streamlit.testing.v1 import AppTest
from tiers import mostly_nightly
from visits import link, offers_sweep, opened, pictures, sweep, widget

from encoder import PRESETS
from encoder.atlas import atlas_folders
from encoder.experiments import learning
from encoder.pictures import link as choices
from pages.ui.state import session_state as state
from pages.ui.state.choice_names import OF_PAGES, names
from pages.ui.state.site import PAGES, Page
from pages.ui.state.walk import steps_of

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[1] / "pages"
KEY = {"choice": 0, "tabs": 1, "pick_token": 2}  # what asks for a choice, and which argument is its key
MASKED = {"sentence": "The [MASK] sat on the mat.", "other": "The [MASK] stood on the mat."}
STARTS = (MASKED, MASKED | {"second": "The dog ran."}, MASKED | {"edits": "output:zero"})
LITTLE = {"model": "small", "sentence": "A [MASK]."}  # what is enough where every look takes a sweep
SWEPT = ("sentence", "what_if")
Asked = tuple[Collection[Any] | None, Any, bool]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Asked]:
    """What pages ask `choice` for: by key the options, the default and whether several may be chosen."""
    found: dict[str, Asked] = {}
    choice = state.choice

    def listening(key: str, options: Collection[Any] | None, default: Any, many: bool = False) -> dict[str, Any]:
        found[key] = (options, default, many)
        return choice(key, options, default, many)

    monkeypatch.setattr(state, "choice", listening)
    return found


@pytest.fixture
def briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a page trains when it is asked to learns in a few steps: how a choice gets into a link is the same."""
    monkeypatch.setattr(learning, "STEPS", 12)
    monkeypatch.setattr(learning, "learning_curve", cache(learning.learning_curve.__wrapped__))


def starts(page: Page) -> list[dict[str, str]]:
    """Views to begin with: every step of the page, a pair of sentences, and a changed run."""
    steps = steps_of(page, PRESETS["paper"], 4)
    little = LITTLE if page.key in SWEPT else {}
    return [MASKED | {"step": step} for step in steps] or [start | little for start in STARTS]


def another(asked: Asked, now: Any) -> Any:
    """Something else to choose."""
    options, _, many = asked
    if options is None:
        return f"{now} too"
    return list(options)[-1:] if many else next(one for one in reversed(list(options)) if one != now)


class Visits:
    """Fresh sessions of a page, each opened by its link once, and what each asks for."""

    def __init__(self, page: Page, asked: dict[str, Asked]) -> None:
        self.page, self.asked = page, asked
        self.opened: dict[frozenset[tuple[str, str]], tuple[AppTest, dict[str, Asked]]] = {}

    def at(self, query: dict[str, str]) -> AppTest:
        """The page as that link opens it, every sweep run."""
        name = frozenset(query.items())
        if name not in self.opened:
            self.asked.clear()
            app = sweep(opened(self.page.key, query))
            self.opened[name] = app, dict(self.asked)
        return self.opened[name][0]

    def taken(self, query: dict[str, str]) -> tuple[AppTest, dict[str, Asked]]:
        """The same, to do something on it: whoever asks for that link again gets another session."""
        self.at(query)
        return self.opened.pop(frozenset(query.items()))

    def restored(self, app: AppTest, key: str) -> None:
        """The link to what is on the screen shows the same in a fresh session."""
        assert key in link(app)
        other = self.at(link(app))
        assert pictures(other) == pictures(app)
        assert [warning.value for warning in other.warning] == []
        if (now := widget(app, key)) is not None:
            assert widget(other, key).value == now.value


OF_ONES_OWN = {"born_beside"}  # asked where another training was examined, see test_grammar_born.py


def written(page: Page) -> set[str]:
    """The keys that stand in the source of the page where it asks for a choice."""
    files = [FOLDER / "steps" / f"{page.key}.py", *(FOLDER / "parts" / page.key).glob("*.py")]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    keys = [call.args[KEY[name]] for call in calls if (name := ast.unparse(call.func).rpartition(".")[2]) in KEY]
    words = [node.value for key in keys for node in ast.walk(key) if isinstance(node, ast.Constant)]
    return {word for word in words if isinstance(word, str)}


@pytest.mark.usefixtures("briefly")
@pytest.mark.parametrize("page", PAGES, ids=[page.key for page in PAGES])
def test_all_that_is_chosen_in_one_visit_survives_its_link(page: Page, asked: dict[str, Asked]) -> None:
    """One thing after the other is chosen otherwise; the link at the end shows the same in a fresh session."""
    query, tried = starts(page)[0], set[str]()
    app = opened(page.key, query)
    for key, (options, default, _) in list(asked.items()):
        if options and widget(app, key) is None:  # tabs and folds, which only a link can choose here
            other = next(one for one in reversed(list(options)) if one != default)
            assert link(opened(page.key, query | {key: choices.spell(other)}))[key] == choices.spell(other)
    while todo := [key for key in asked if key not in tried and widget(app, key) is not None]:
        key = todo[0]
        tried.add(key)
        healthy(widget(app, key).set_value(another(asked[key], widget(app, key).value)).run())
        assert key in link(app)
    again = opened(page.key, link(app))
    assert pictures(again) == pictures(app) and not again.warning
    now = {key: one.value for key in tried if (one := widget(app, key)) is not None}
    assert {key: widget(again, key).value for key in now} == now


@pytest.mark.usefixtures("briefly")
@pytest.mark.parametrize("page", mostly_nightly([page.key for page in PAGES], ["attention", "heads"]))
def test_every_choice_survives_a_link(page: str, asked: dict[str, Asked], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        atlas_folders.FOLDER, str(atlas_folders.SHIPPED)
    )  # a second atlas of each model, so that there is one to choose
    at = next(one for one in PAGES if one.key == page)
    visits = Visits(at, asked)
    todo, tried, folds = starts(at), set(), dict[str, str]()
    while todo:
        query = folds | todo.pop(0)
        shown, found = visits.taken(query)
        widgets = {key for key in found if widget(shown, key) is not None}
        for key, one in found.items():
            if key not in widgets:  # tabs, and folds, which stay open from then on where they take no sweep
                links = [
                    query | {key: choices.spell(tab)}
                    for tab in one[0] or ()
                    if tab != one[1] and (key, tab) not in tried
                ]
                tried |= {key, *((key, tab) for tab in one[0] or ())}
                for asking in links:
                    visits.restored(visits.at(asking), key)
                if set(one[0] or ()) != {False, True}:
                    todo += links
                elif links and not any(offers_sweep(visits.at(asking)) for asking in links):
                    folds[key] = "1"
                    todo.append(query)
            elif key not in tried:
                tried.add(key)
                if one[0] is not None and len({*one[0]}) < 2:
                    continue  # there is nothing else to choose
                app = shown if widget(shown, key) is not None else visits.taken(query)[0]
                widget(app, key).set_value(another(one, widget(app, key).value)).run()
                visits.restored(sweep(app), key)
                todo.append(link(app))
                widget(app, key).set_value(one[1]).run()
                assert key not in link(app)
    assert written(at) - OF_ONES_OWN <= tried, "a choice that no view above shows"


@pytest.mark.parametrize("key", ["layer", "v", "Zoom", "a b", "", "x" * 21])
def test_a_choice_cannot_take_a_name_that_a_link_needs_or_cannot_say(key: str) -> None:
    with pytest.raises(ValueError, match="it must be 1 to 20 small letters"):
        state.choice(key, (False, True), False)


def test_what_no_page_asks_for_is_said_and_left_out() -> None:
    app = opened("atlas", {"move": "Length", "magic": "1", "<b>": "", "x" * 21: "1"})
    said = " ".join(warning.value for warning in app.warning).replace("\\", "")
    assert "“magic”, “<b>”" in said and "not known here" in said and "move" not in said
    assert link(app) == {"move": "Length", "v": "1"}


def test_a_link_may_not_make_endless_choices() -> None:
    many = dict.fromkeys(sorted(names())[: choices.MOST + 5], "1")
    found, notes = choices.read(many, 10, names())
    assert len(found) == choices.MOST and f"{choices.MOST + 5} choices" in notes[0]
    assert choices.read({"move": "x" * 11}, 10, names()) == (
        (),
        ["The link's choice for move is too long and is left out."],
    )


def test_every_name_of_a_choice_of_pages_stands_in_their_source() -> None:
    source = "".join(file.read_text(encoding="utf-8") for file in FOLDER.rglob("*.py") if file.stem != "choice_names")
    assert [name for name in OF_PAGES if f'"{name}"' not in source] == []


def test_a_choice_that_links_do_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="must stand in"):
        state.choice("magic", (False, True), False)


def test_what_no_page_asks_for_is_not_kept() -> None:
    found, notes = choices.read({"zero": "1", "move": "Length"}, 20, names())
    assert found == (("move", "Length"),) and "“zero”, which is not known here" in notes[0]
