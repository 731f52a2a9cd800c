"""The tokens as buttons, each pressed or not: one element of the page, however many they are."""

from collections.abc import Callable, Sequence

from pages.ui.component import component
from pages.ui.state import session_state as state

_buttons = component(__file__, "token_buttons", "<div class='buttons' role='group'></div>")


def draw(key: str, label: str, tokens: Sequence[str], pressed: Sequence[int], on_change: Callable[[], None]) -> None:
    """Draw them under their label; `on_change` is called after a tap, and `taken` tells which are pressed then."""
    data = {"label": label, "tokens": list(tokens), "pressed": list(pressed)}
    _buttons(key=key, on_picked_change=on_change, data=data)


def taken(key: str, count: int) -> list[int] | None:
    """Which of `count` buttons are pressed after a tap; what comes from a browser is checked first."""
    said = state.picked(key)
    if not isinstance(said, list) or not all(type(i) is int and 0 <= i < count for i in said):
        return None
    return sorted(set(said))
