"""Widgets that several pages have, each tied to the link."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import streamlit as st

from encoder.support.formatting import brief, shown
from pages.ui.refusals import shows_errors
from pages.ui.state import session_state as state
from pages.ui.text import plain


def apart() -> Any:
    """What holds a page whose first screen is not of the tokens of this sentence: none is masked or added there."""
    return st.container(key="apart")


def fold(label: str, key: str, draw: Callable[[], object], *, holds: Collection[str] = ()) -> None:
    """What may stay closed, which is not drawn before it is opened; whether it is open is part of the link.

    A link that knows only of the choices that it `holds` opens it.
    """
    chosen = dict(state.current().choices)
    if state.session().linked and key not in chosen and chosen.keys() & set(holds):
        state.remember(key, True, False)
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


def bounded(
    label: str,
    low: float,
    high: float,
    step: float,
    values: Sequence[float],
    usual: float,
    key: str,
    take: Callable[[], None],
) -> None:
    """A slider for a number that a link may say too; what its range does not hold is shown at its end, and said.

    Args:
        label: what the number is.
        low: the least it can be set to; without a slider where `high` is not above it.
        high: the largest.
        step: between two neighbours.
        values: what the number is now; none is `usual`, and several are several that the slider cannot show at once.
        usual: the number where nothing is changed.
        key: of the slider.
        take: takes over what was chosen.
    """
    if high <= low:
        return
    now = values[0] if values else usual
    nearest = low + step * round((min(max(now, low), high) - low) / step)
    state.show(**{key: type(low)(round(nearest, 6))})
    with st.container(width=240):
        st.slider(label, low, high, step=step, key=key, on_change=take)
        if len(values) > 1 or abs(now - nearest) > step:
            texts = ", ".join(map(brief, values[:3])) + (", …" if len(values) > 3 else "")
            st.caption(plain(f"In this run it is {texts}, which the slider cannot show."))
