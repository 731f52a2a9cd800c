"""What each part does to the output, as the sweep over all of them found it, for its map and for the switches."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from encoder.experiments.ablation import WatchedWord, grid
from encoder.formatting import brief, percent, shown
from encoder.metrics import largest_cell
from encoder.theme import Kind, colour
from pages.ui import session
from pages.ui.components import board
from pages.ui.state import session_state as state
from pages.ui.step import switches
from pages.ui.text import head_names, theme

CHOICE = "loo_measure"


@dataclass(frozen=True)
class Measure:
    """One effect of leaving a part out: the name in `Effect`, its colours, what it reads, and how a value is said.

    Of all of them a larger value is more harm. `sentence` is what happens without the part; its second argument is the
    watched word.
    """

    field: str
    kind: Kind
    reads: tuple[str, ...]
    sentence: Callable[[float, str], str]


def lost(nats: float, word: str) -> str:
    """How far the log-probability of a word goes down, or up."""
    return f"ln p of “{word}” {'rises' if nats < 0 else 'falls'} by {brief(abs(nats))} nats"


def turned(distance: float, word: str) -> str:
    """How far the vectors of the output turn."""
    return f"the output turns away, to a cosine distance of {brief(distance)}"


MEASURES = {
    "Change of the output": Measure(
        "relative_change", "positive", ("output",), lambda value, _: f"the output changes by {percent(value)}"
    ),
    "Cosine distance of the output": Measure(
        "cosine_distance",
        "positive",
        ("output",),
        turned,
    ),
    "Loss of the word's ln p": Measure("loss", "signed", ("mlm.logits",), lost),
}


def offered(watch: WatchedWord | None) -> dict[str, Measure]:
    """What can be measured; the loss only where a word is watched."""
    return {name: measure for name, measure in MEASURES.items() if watch or measure.field != "loss"}


def usual(watch: WatchedWord | None) -> str:
    """The effect that is shown first: that on the watched word, where there is one."""
    names = list(offered(watch))
    return names[-1 if watch else 0]


def strongest(values: np.ndarray, measure: Measure, watch: WatchedWord | None) -> str:
    """Which part matters most of values [n_layers, n_heads + 1], and what happens without it."""
    config = session.now().config
    i, j = largest_cell(np.nan_to_num(np.abs(values)))
    columns = [*head_names(config), "feed-forward"]
    word = shown(session.text_encoder(state.current().model).tokenizer.id_to_token(watch.token) or "") if watch else ""
    return f"Layer {i}, {columns[j]} matters most: without it {measure.sentence(float(values[i, j]), word)}."


def effects() -> tuple[dict[tuple[int, int], board.Effect], str]:
    """What the last sweep over all parts found of this sentence and model, by switch, and what to say of it."""
    view, trace = state.current(), session.now()
    asked, found = state.session().sweeps.get("loo", (None, None))
    if not isinstance(asked, tuple) or asked[:3] != (view.model, trace.inputs, view.hidden):
        return {}, "Knock out each in turn, below, and each switch takes the colour of its effect."
    config, watch = trace.config, asked[4]
    choice = dict(view.choices).get(CHOICE, "")
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
    return known, f"{said} {strongest(values, measure, watch)}{changed}"
