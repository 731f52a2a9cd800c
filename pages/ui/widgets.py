"""Widgets that several pages have, each tied to the link."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal

import streamlit as st

from encoder.formatting import shown
from pages.ui.state import session_state as state


def tabs(parts: Mapping[str, Callable[[], None]], key: str, *, linked: bool = True) -> None:
    """Tabs by their titles, the first one open unless the link says another; only the open one is drawn.

    A page whose tabs are not `linked` opens on its first one whatever the link says.
    """
    titles = list(parts)
    tie = state.choice(key, titles, titles[0]) if linked else {"key": key, "on_change": "rerun"}
    for tab, draw in zip(st.tabs(titles, **tie), parts.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def pick_token(
    label: str, tokens: Sequence[str], key: str, default: int = 0, *, among: Collection[int] | None = None,
    width: int | Literal["stretch"] = "stretch",
) -> int:  # fmt: skip
    """The position of the token that is chosen, `among` all of them or some."""
    places = range(len(tokens)) if among is None else among
    tie = state.choice(key, places, default)
    position: int = st.selectbox(label, places, format_func=lambda i: f"{i} {shown(tokens[i])}", width=width, **tie)
    return position
