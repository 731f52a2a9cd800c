"""What each part does to the output, as the sweep over all of them found it, for the switches to show."""

import math

from encoder.experiments.ablation import grid
from encoder.formatting import percent
from pages.ui import session
from pages.ui.components import board
from pages.ui.state import session_state as state
from pages.ui.step import switches


def effects() -> tuple[dict[tuple[int, int], board.Effect], str]:
    """What the last sweep over all parts found of this sentence and model, by switch, and what to say of it."""
    view, trace = state.current(), session.now()
    asked, found = state.session().sweeps.get("loo", (None, None))
    if not isinstance(asked, tuple) or asked[:3] != (view.model, trace.inputs, view.hidden):
        return {}, "Knock out each in turn, below, and each switch takes the colour of its effect."
    heads, changes = trace.config.n_heads, grid(found.effects, trace.config).tolist()
    largest = max((change for row in changes for change in row if math.isfinite(change)), default=0.0) or 1.0
    columns = [*range(heads), heads + list(switches.PARTS).index("feed-forward")]
    known: dict[tuple[int, int], board.Effect] = {
        (i, columns[j]): {"share": 0.85 * change / largest, "said": f"off, it changes the output by {percent(change)}"}
        for i, row in enumerate(changes)
        for j, change in enumerate(row)
        if math.isfinite(change)
    }
    changed = "" if asked[3] == view.edits else " It was measured before the last change."
    return known, f"The darker a switch, the more it changes the output: at most by {percent(largest)}.{changed}"
