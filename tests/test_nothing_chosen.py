"""A browser that is still being told what a widget shows may have no value for it: the view stays as it is."""

import pytest
from page_tools import healthy, open_app

from encoder.pictures.view import View
from pages.ui.state import session_state as state


@pytest.mark.parametrize("key", ["layer", "head"])
def test_buttons_of_which_none_is_chosen_change_nothing(key: str) -> None:
    app = open_app("add_norm", sentence="I understand this", model="small", layer="2", head="3")
    buttons = next(one for one in app.get("button_group") if one.key == key)
    healthy(buttons.set_value([]).run())
    assert (app.query_params["layer"], app.query_params["head"]) == ("2", "3")


@pytest.mark.parametrize("key", ["layer", "head", "hidden"])
def test_a_widget_without_a_value_changes_nothing(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    view = View(layer=2, head=3, hidden=(1,))
    monkeypatch.setattr(state, "value", lambda name: None)
    monkeypatch.setattr(state, "current", lambda: view)
    changed: list[View] = []
    monkeypatch.setattr(state, "change", lambda **fields: changed.append(fields))
    state.take(key)
    assert changed == []
