"""Whatever a page lets a person choose is part of the link, and a link restores it: every page, every tab, every choice."""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from visits import link, opened, pictures, sweep, widget

from encoder import PRESETS
from pages.ui.state import session_state as state
from pages.ui.state.site import PAGES, Page
from pages.ui.state.walk import stops_of

PAGES_FOLDER = Path(__file__).parents[1] / "pages"
MASKED = {"sentence": "The [MASK] sat on the mat.", "other": "The [MASK] stood on the mat."}
STARTS = (MASKED, MASKED | {"second": "The dog ran."}, MASKED | {"edits": "output:zero"})
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


def starts(page: Page) -> list[dict[str, str]]:
    """Views to begin with: every step of the page, a pair of sentences, and a changed run."""
    steps = stops_of(page, PRESETS["paper"], 4)
    return [MASKED | {"step": step} for step in steps if step] or list(STARTS)


def another(asked: Asked, now: Any) -> Any:
    """Something else to choose."""
    options, _, many = asked
    if options is None:
        return f"{now} too"
    return list(options)[-1:] if many else next(one for one in reversed(list(options)) if one != now)


def restored(page: str, app: AppTest, key: str) -> None:
    """The link to what is on the screen shows the same in a fresh session."""
    assert key in link(app)
    other = sweep(opened(page, link(app)))
    assert pictures(other) == pictures(app)
    assert [warning.value for warning in other.warning] == []
    if (now := widget(app, key)) is not None:
        assert widget(other, key).value == now.value


@pytest.mark.parametrize("page", PAGES, ids=[page.key for page in PAGES])
def test_every_choice_survives_a_link(page: Page, asked: dict[str, Asked]) -> None:
    todo, tried = starts(page), set()
    while todo:
        query = todo.pop(0)
        asked.clear()
        shown = sweep(opened(page.key, query))
        for key, one in list(asked.items()):
            if widget(shown, key) is None:  # tabs
                links = [query | {key: str(tab)} for tab in one[0] or () if tab != one[1] and (key, tab) not in tried]
                tried |= {key, *((key, tab) for tab in one[0] or ())}
                for asking in links:
                    restored(page.key, sweep(opened(page.key, asking)), key)
                todo += links
            elif key not in tried:
                tried.add(key)
                app = sweep(opened(page.key, query))
                widget(app, key).set_value(another(one, widget(app, key).value)).run()
                restored(page.key, sweep(app), key)
                todo.append(link(app))
                widget(app, key).set_value(asked[key][1]).run()
                assert key not in link(app)
    own = [PAGES_FOLDER / "steps" / f"{page.key}.py", *(PAGES_FOLDER / "tabs" / page.key).glob("*.py")]
    written = {key for file in own for key in re.findall(r'choice\(\s*"(\w+)"', file.read_text(encoding="utf-8"))}
    assert written <= tried
