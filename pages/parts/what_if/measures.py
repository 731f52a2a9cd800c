"""The effects of leaving a part out, by which parts are compared: their names, colours and sentences."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from encoder.experiments.ablation import WatchedWord
from encoder.formatting import brief, percent, shown
from encoder.metrics import largest_cell
from encoder.theme import Kind
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.text import head_names


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
    "Cosine distance of the output": Measure("cosine_distance", "positive", ("output",), turned),
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
