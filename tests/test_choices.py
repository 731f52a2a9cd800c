"""Whatever a page lets a person choose is part of the link, and the link restores it: every page, tab and choice."""

import ast
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from page_tools import healthy
from visits import link, opened, pictures, widget

from encoder import PRESETS
from encoder.atlas import atlas_folders
from encoder.exam.relation_curve import EXAMPLES
from encoder.pictures import link as choices
from encoder.pictures.lab import Own
from encoder.pictures.labs import LABS
from encoder.tasks import learning
from pages.ui.state import session_state as state
from pages.ui.state.choice_names import OF_PAGES, names
from pages.ui.state.page_steps import steps_of
from pages.ui.state.site import PAGES, Page

pytestmark = pytest.mark.slow

OF_SERVER = [page for page in PAGES if not page.more]
FOLDER = Path(__file__).parents[1] / "pages"
KEY = {"choice": 0, "tabs": 1, "pick_token": 2}  # what asks for a choice, and which argument is its key
MASKED = {"sentence": "The [MASK] sat on the mat.", "other": "The [MASK] stood on the mat."}
STARTS = (MASKED, MASKED | {"second": "The dog ran."}, MASKED | {"edits": "output:zero"})
LITTLE = {"model": "small", "sentence": "A [MASK]."}  # what is enough where every look takes a sweep
SWEPT = ("start", "what_if")
Links = dict[tuple[str, str], dict[str, str]]
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
    """Views to begin with: every step, a pair of sentences, a changed run; of the list the labs of own code."""
    if page.key == "lessons":
        return [
            MASKED,
            *({"lab": name} for name, lab in LABS.items() if any(isinstance(part, Own) for part in lab.parts)),
        ]
    steps = steps_of(page, PRESETS["paper"], 4)
    little = LITTLE if page.key in SWEPT else {}
    return [MASKED | {"step": step} for step in steps] or [start | little for start in STARTS]


def another(asked: Asked, control: Any) -> Any:
    """Something else to choose; of labs only those of a group stand there."""
    options, _, many = asked
    now = control.value
    if options is None:
        return f"{now} too"
    if control.type == "button_group":
        options = [each for each in options if str(control.format_func(each)) in control.options]
    if many:
        return next([each] for each in reversed(list(options)) if [each] != now)
    return next(each for each in reversed(list(options)) if each != now)


# Asked where another training was examined, see test_grammar_born.py.
OF_ONES_OWN = {"born_beside"}


def written(page: Page) -> set[str]:
    """The keys that stand in the source of the page where it asks for a choice."""
    files = [*FOLDER.glob(f"{page.key}.py"), *(FOLDER / page.key).rglob("*.py")]
    assert files, page.key
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    keys = [call.args[KEY[name]] for call in calls if (name := ast.unparse(call.func).rpartition(".")[2]) in KEY]
    words = [node.value for key in keys for node in ast.walk(key) if isinstance(node, ast.Constant)]
    return {word for word in words if isinstance(word, str)}


def choose_all(page: Page, query: dict[str, str], asked: dict[str, Asked]) -> tuple[set[str], Links]:
    """Choose one thing after the other otherwise; the link at the end shows the same in a fresh session.

    Returns:
        What was chosen, and the links that open other tabs and folds, by the tab or fold.
    """
    tried, links = set[str](), Links()
    asked.clear()
    app = opened(page.key, query)
    # Labs have things of their own to choose too, and so has a network whose task is hidden.
    tabs = {each.key for each in app.segmented_control} | {"lab", "training_hidden"}
    for key, (options, default, _) in list(asked.items()):
        control = widget(app, key)
        if options and (control is None or key in tabs):
            others = {(key, choices.spell(each)): query | {key: choices.spell(each)} for each in options}
            others.pop((key, choices.spell(default)))
            links |= others
            if control is None:  # a fold, which only a link can open here
                last = list(others.values())[-1]
                by_link = opened(page.key, last)
                assert link(by_link)[key] == last[key] and not by_link.warning
                tried.add(key)
    while todo := [key for key in asked if key not in tried and widget(app, key) is not None]:
        key = next((each for each in todo if each not in tabs), todo[-1])  # another tab takes away what is in this one
        tried.add(key)
        if asked[key][0] is None or len({*asked[key][0]}) > 1:  # else there is nothing else to choose
            choice, usual = another(asked[key], widget(app, key)), asked[key][1]
            healthy(widget(app, key).set_value(choice).run())
            assert key in link(app) or choice == usual
    again = opened(page.key, link(app))
    assert pictures(again) == pictures(app) and not again.warning
    now = {key: one.value for key in tried if (one := widget(app, key)) is not None}
    assert {key: widget(again, key).value for key in now} == now
    return tried, links


@pytest.mark.usefixtures("briefly")
@pytest.mark.parametrize("page", OF_SERVER, ids=[page.key for page in OF_SERVER])
def test_all_that_is_chosen_in_one_visit_survives_its_link(page: Page, asked: dict[str, Asked]) -> None:
    choose_all(page, starts(page)[0], asked)


@pytest.mark.nightly
@pytest.mark.usefixtures("briefly")
@pytest.mark.parametrize("page", OF_SERVER, ids=[page.key for page in OF_SERVER])
def test_all_that_is_chosen_in_any_visit_survives_its_link(
    page: Page, asked: dict[str, Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every step, with every tab and fold open in turn, and with a second atlas, so that there is one to choose."""
    monkeypatch.setenv(atlas_folders.FOLDER, str(atlas_folders.SHIPPED))
    tried, followed, todo = set[str](), set[tuple[str, str]](), starts(page)
    while todo:
        chosen, links = choose_all(page, todo.pop(0), asked)
        todo += [each for what, each in links.items() if what not in followed]
        followed |= links.keys()
        tried |= chosen
    assert written(page) - OF_ONES_OWN <= tried, "a choice that no view above shows"


def test_a_choice_has_a_name_that_a_link_can_say_and_knows() -> None:
    for key in ("layer", "v", "Zoom", "a b", "", "x" * 21):
        with pytest.raises(ValueError, match="it must be 1 to 20 small letters"):
            state.choice(key, (False, True), False)
    with pytest.raises(ValueError, match="must stand in"):
        state.choice("magic", (False, True), False)
    source = "".join(file.read_text(encoding="utf-8") for file in FOLDER.rglob("*.py") if file.stem != "choice_names")
    assert [name for name in OF_PAGES if f'"{name}"' not in source] == []


def test_what_no_page_asks_for_is_said_and_left_out() -> None:
    app = opened("training", {"move": "Length", "magic": "1", "<b>": "", "x" * 21: "1"})
    said = " ".join(warning.value for warning in app.warning).replace("\\", "")
    assert "“magic”, “<b>”" in said and "not known here" in said and "move" not in said
    assert link(app) == {"move": "Length", "sentence": EXAMPLES["obj"].sentence, "v": "1"}
    found, notes = choices.read({"zero": "1", "move": "Length"}, 20, names())
    assert found == (("move", "Length"),) and "“zero”, which is not known here" in notes[0]


def test_a_link_may_not_make_endless_choices() -> None:
    many = dict.fromkeys(sorted(names())[: choices.MOST + 5], "1")
    found, notes = choices.read(many, 10, names())
    assert len(found) == choices.MOST and f"{choices.MOST + 5} choices" in notes[0]
    said = ["The link's choice for move is too long and is left out."]
    assert choices.read({"move": "x" * 11}, 10, names()) == ((), said)
