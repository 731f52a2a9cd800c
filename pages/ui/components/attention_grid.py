"""One head's grid from scores to what is taken: a picture that moves from step to step in the browser."""

import base64
import zlib
from collections.abc import Callable
from typing import Any

from encoder.figures import attention_grid as figure
from encoder.figures.attention_grid import HEATS
from encoder.metrics.softmax import Setting
from encoder.pictures.picture import Answer
from encoder.pictures.registry.grids import pair_in_grid
from encoder.theme import Kind, Theme
from encoder.trace.trace import Trace
from pages.ui.component import component
from pages.ui.components import present
from pages.ui.components.maps import packed_palette
from pages.ui.downloads import keep
from pages.ui.state import session_state as state

KINDS: tuple[Kind, ...] = ("signed", "share")
THEMES: tuple[Theme, ...] = ("light", "dark")
Choice = tuple[str, int, int, Setting]  # the frame's step, query, key, and the softmax that is tried
_grid = component(__file__, "attention_grid", "<section class='grid' aria-label='From scores to values'></section>")


def draw(
    answer: Answer, frame: str, on_choice: Callable[[Choice], None], on_number: Callable[[str, tuple[int, ...]], None]
) -> None:
    """Draw the grid of a head at the step `frame`, with the ways to keep it.

    `on_choice` gets what a person chooses in it, `on_number` the step and index of the number that they open.
    """
    trace, layer, head = answer.scene.t, answer.scene.layer, answer.scene.head
    query, key, setting = pair_in_grid(answer.scene)
    packet = base64.b64encode(figure.grid(trace, layer, head, query, key)).decode()
    _grid(
        key="attention_grid",
        on_picked_change=lambda: take(trace, layer, head, on_choice, on_number),
        data={
            "id": f"{zlib.crc32(packet.encode()):08x}",
            "grid": packet,
            "state": {"step": frame, "query": query, "key": key, "heat": setting.heat, "scaled": setting.scaled},
            "heats": list(HEATS),
            "zoom": present.LARGER if present.on() else 1,
            "palettes": {theme: {kind: packed_palette(kind, theme) for kind in KINDS} for theme in THEMES},
        },
    )
    keep.draw(answer)


def take(
    trace: Trace,
    layer: int,
    head: int,
    on_choice: Callable[[Choice], None],
    on_number: Callable[[str, tuple[int, ...]], None],
) -> None:
    """Take over what a person did in the grid; what comes from a browser is checked first."""
    said = state.picked("attention_grid")
    if not isinstance(said, dict):
        return
    n, steps = len(trace.tokens), {step.local: step for step in figure.frames(trace, layer)}
    query, key, heat = place(said, "query", n), place(said, "key", n), said.get("heat")
    step = steps.get(str(said.get("step")))
    if query is None or key is None or step is None or heat not in HEATS:
        return
    on_choice((step.local, query, key, Setting(float(heat), said.get("scaled") is not False)))
    number = place(said, "open", step.sizes(trace.config, n)[-1])
    if number is not None:
        on_number(step.name, (head, query, number))


def place(said: dict[str, Any], name: str, count: int) -> int | None:
    """The whole number of that name, if it is one from 0 to below `count`."""
    value = said.get(name)
    return value if type(value) is int and 0 <= value < count else None
