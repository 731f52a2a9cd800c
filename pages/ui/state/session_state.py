"""The one state of the app, and its form in the URL."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import streamlit as st

from pages.ui.state.view import View, from_query, spell


def current() -> View:
    """The view of this session."""
    view: View = st.session_state["view"]
    return view


def change(**fields_of_view: object) -> None:
    """Move the session to another view."""
    st.session_state["view"] = replace(current(), **fields_of_view)  # type: ignore[arg-type]


def widget(name: str) -> dict[str, Any]:
    """What ties a widget to a field of the view: its key, which shows the view, and what takes over its changes.

    The view is a plain entry of the session, because Streamlit forgets the values of widgets when the page changes.
    """
    value = getattr(current(), name)
    value = list(value) if isinstance(value, tuple) else value
    if st.session_state.get(name) != value:
        st.session_state[name] = value
    return {"key": name, "on_change": take, "args": (name,)}


def take(name: str) -> None:
    """Take over what a person chose in a widget."""
    value = st.session_state[name]
    change(**{name: tuple(sorted(value)) if isinstance(value, list) else value})


def choice(key: str, options: Collection[Any] | None, default: Any, many: bool = False) -> dict[str, Any]:
    """What ties a page's own widget to the link: its key, which shows what was chosen, and what remembers a choice.

    `options` are what may be chosen, None for any text; with `many` several of them. A choice that is not offered any
    more, or never was, gives way to `default`. The widget itself must have no default.
    """
    asked = dict(current().choices).get(key)
    before = st.session_state.setdefault("defaults", {})
    value = st.session_state.get(key, default) if before.get(key, default) == default else default
    before[key] = default
    if asked is not None:
        offered = {spell(option): option for option in options or ()}
        parts = [part for part in asked.split(",") if part] if many else [asked]
        if options is None or all(part in offered for part in parts):
            found = [offered.get(part, part) for part in parts]
            value = found if many else found[0]
        else:
            remember(key, default, default)
            if st.session_state.get("linked"):
                note([f"The link asks for “{asked[:40]}” ({key}), which is not offered here."])
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    return {"key": key, "on_change": lambda: remember(key, st.session_state[key], default)}


def remember(key: str, value: Any, default: Any) -> None:
    """Make a choice part of the view; the default needs no words."""
    chosen = dict(current().choices)
    chosen.pop(key, None)
    if value != default:
        chosen[key] = spell(value)
    change(choices=tuple(sorted(chosen.items())))


def note(sentences: list[str]) -> None:
    """Say these sentences on top of the page in this run."""
    st.session_state["notes"] = [*st.session_state.get("notes", []), *sentences]


def read_url(check_model: Callable[[str], None], steps: frozenset[str]) -> None:
    """Take over what the URL asks for, if it is not what this session wrote there itself. Before any widget.

    Choosing a page leaves the URL without parameters; that asks for nothing, and the view stays.
    """
    query = st.query_params.to_dict()
    if "view" not in st.session_state or (query and query != st.session_state.get("written")):
        st.session_state["view"], notes = from_query(query, check_model, steps)
        st.session_state["linked"] = True
        note(notes)


def write_url() -> None:
    """Let the URL say what is on the screen. After all widgets."""
    query = written()
    st.session_state["linked"] = False
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)


def written() -> dict[str, str]:
    """The parameters of the current view, remembered as this session's own."""
    query = current().to_query()
    st.session_state["written"] = query
    return query
