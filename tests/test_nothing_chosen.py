"""A browser that is still being told what a widget shows may have no value for it: the view stays as it is."""

import pytest

from encoder.pictures.view import View
from pages.ui.state import session_state as state


@pytest.mark.parametrize("key", ["layer", "head", "hidden"])
def test_a_widget_without_a_value_changes_nothing(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    view = View(layer=2, head=3, hidden=(1,))
    monkeypatch.setattr(state, "value", lambda name: None)
    monkeypatch.setattr(state, "current", lambda: view)
    changed: list[View] = []
    monkeypatch.setattr(state, "change", lambda **fields: changed.append(fields))
    state.take(key)
    assert changed == []
