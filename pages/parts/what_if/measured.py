"""What each part does to the output, as the sweep over all of them found it, for the switches to show."""

import numpy as np

from encoder.experiments.ablation import grid
from encoder.formatting import brief
from encoder.pictures.registry.what_if import EFFECT, MEASURES, offered, strongest, usual
from encoder.theme import colour
from pages.ui import session
from pages.ui.components import board
from pages.ui.state import session_state as state
from pages.ui.step import switches
from pages.ui.text import theme


def effects() -> tuple[dict[tuple[int, int], board.Effect], str]:
    """What the last sweep over all parts found of this sentence and model, by switch, and what to say of it."""
    view, trace = state.current(), session.now()
    asked, found = state.session().sweeps.get("loo", (None, None))
    if not isinstance(asked, tuple) or asked[:3] != (view.model, trace.inputs, view.hidden):
        return {}, "Knock out each in turn, below, and each switch takes the colour of its effect."
    config, watch = trace.config, asked[4]
    choice = dict(view.choices).get(EFFECT.key, "")
    name = choice if choice in offered(watch) else usual(watch)
    measure = MEASURES[name]
    values = grid(found.effects, config, measure.field).numpy()
    largest = float(np.nan_to_num(np.abs(values)).max(initial=0.0))
    columns = [*range(config.n_heads), config.n_heads + list(switches.PARTS).index("feed-forward")]
    known: dict[tuple[int, int], board.Effect] = {
        (i, columns[j]): {
            "colour": colour(float(value), measure.kind, largest, theme()),
            "said": f"{name} when it is off: {brief(float(value))}",
        }
        for (i, j), value in np.ndenumerate(values)
        if np.isfinite(value)
    }
    changed = "" if asked[3] == view.edits else " It was measured before the last change."
    said = f"A switch has the colour of its effect, as in the map under Leave one out: {name[0].lower()}{name[1:]}."
    return known, f"{said} {strongest(values, measure, session.text_encoder(view.model), watch)}{changed}"
