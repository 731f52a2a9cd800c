"""Widgets that several pages have, each tied to the link."""

from collections.abc import Callable, Collection, Sequence

import streamlit as st

from encoder.support.formatting import shown
from pages.ui.refusals import shows_errors
from pages.ui.state import session_state as state
from pages.ui.text import plain


def fold(label: str, key: str, draw: Callable[[], object]) -> None:
    """What may stay closed, which is not drawn before it is opened; whether it is open is part of the link."""
    expander = st.expander(label, **state.choice(key, (False, True), False))
    if expander.open:
        with expander, shows_errors():
            draw()


def pick_token(
    label: str, tokens: Sequence[str], key: str, default: int = 0, *, among: Collection[int] | None = None
) -> int:
    """The position of the token that is tapped, `among` all of them or some; very many scroll in themselves."""
    places = range(len(tokens)) if among is None else among
    tie = state.choice(key, places, default)
    wanted = state.value(key)
    tapped = st.pills(label, list(places), required=True, format_func=lambda i: plain(f"{i} {shown(tokens[i])}"), **tie)
    position: int = next((i for i in (tapped, wanted) if type(i) is int and i in places), default)
    return position  # a tap on a token of the sentence before is no token of this one
