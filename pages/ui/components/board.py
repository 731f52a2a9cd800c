"""A table of switches, one for each part of each layer, as one component: one click each, also by keyboard."""

from collections.abc import Callable

from pages.ui.component import component
from pages.ui.state import session_state as state

_component = component(__file__, "board", "<div class='board'></div>")


def draw(
    key: str,
    rows: list[str],
    columns: list[str],
    off: list[list[bool]],
    on_pick: Callable[[int, int], None],
) -> None:
    """Draw the switches; those that are off are marked by colour and by sign."""
    _component(
        key=key,
        on_picked_change=lambda: picked(key, len(rows), len(columns), on_pick),
        data={"rows": rows, "columns": columns, "off": off},
    )


def picked(key: str, rows: int, columns: int, on_pick: Callable[[int, int], None]) -> None:
    """Hand on what was clicked; what comes from a browser is checked first."""
    said = state.picked(key)
    if not isinstance(said, list) or len(said) != 2 or any(type(v) is not int for v in said):
        return
    if 0 <= said[0] < rows and 0 <= said[1] < columns:
        on_pick(said[0], said[1])
