"""What a widget calls holds no run: Streamlit keeps it for as long as the session, drawn or not."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from page_tools import go, open_app

from encoder import Trace
from pages.ui.state.site import PAGES

pytestmark = pytest.mark.slow


def held(what: object, deep: int = 6) -> Iterator[object]:
    """What a callback holds: in its closure, its arguments, and what these are made of."""
    yield what
    if deep:
        parts: list[Any] = []
        if isinstance(what, partial):
            parts = [what.func, *what.args, *what.keywords.values()]
        elif isinstance(what, tuple | list | set | frozenset):
            parts = [*what]
        elif isinstance(what, dict):
            parts = [*what.values()]
        elif isinstance(what, Callable) and getattr(what, "__closure__", None):  # type: ignore[arg-type]
            parts = [cell.cell_contents for cell in what.__closure__ or ()]  # type: ignore[attr-defined]
        for part in parts:
            yield from held(part, deep - 1)


def test_no_callback_of_a_page_holds_a_run() -> None:
    app = open_app("training", model="small")
    for page in (page for page in PAGES if not page.is_drawn):
        go(app, page.key)
        kept = app.session_state._state._state._new_widget_state.widget_metadata
        assert kept
        for name, about in kept.items():
            calls = [about.callback, about.callback_args, about.callback_kwargs, getattr(about, "callbacks", None)]
            assert not [part for part in held(calls) if isinstance(part, Trace)], (page.key, name)
