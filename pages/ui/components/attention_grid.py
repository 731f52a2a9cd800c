"""One head's grid from scores to what is taken: a picture that moves from step to step in the browser."""

import base64
import zlib
from collections.abc import Callable
from typing import Any

from encoder.explain.snippet import edit_source
from encoder.export.caption import About
from encoder.figures import attention_grid as figure
from encoder.figures.attention_grid import HEATS
from encoder.formatting import brief, percent, shown
from encoder.metrics.softmax import Setting, recomputed
from encoder.paper.pictures import grid_of_head
from encoder.theme import Kind, Theme
from encoder.trace.trace import Trace
from pages.ui.component import component
from pages.ui.components import present
from pages.ui.components.maps import packed_palette
from pages.ui.downloads.picture import card
from pages.ui.state import session_state as state

KINDS: tuple[Kind, ...] = ("signed", "share")
THEMES: tuple[Theme, ...] = ("light", "dark")
Choice = tuple[str, int, int, Setting]  # the frame's step, query, key, and the softmax that is tried
_grid = component(__file__, "attention_grid", "<section class='grid' aria-label='From scores to values'></section>")


def draw(
    trace: Trace,
    layer: int,
    head: int,
    chosen: Choice,
    on_choice: Callable[[Choice], None],
    on_number: Callable[[str, tuple[int, ...]], None],
) -> None:
    """Draw the grid of a head as `chosen`.

    `on_choice` gets what a person chooses in it, `on_number` the step and index of the number that they open.
    """
    step, query, key, setting = chosen
    packet = base64.b64encode(figure.grid(trace, layer, head, query, key)).decode()
    _grid(
        key="attention_grid",
        on_picked_change=lambda: take(trace, layer, head, on_choice, on_number),
        data={
            "id": f"{zlib.crc32(packet.encode()):08x}",
            "grid": packet,
            "state": {"step": step, "query": query, "key": key, "heat": setting.heat, "scaled": setting.scaled},
            "heats": list(HEATS),
            "zoom": present.LARGER if present.on() else 1,
            "palettes": {theme: {kind: packed_palette(kind, theme) for kind in KINDS} for theme in THEMES},
        },
    )
    about = About(trace, layer=layer, head=head, reads=("attention.heads",))
    card(
        "attention_grid",
        lambda: figure.table(trace, layer, head, setting),
        described(trace, layer, head, chosen),
        about,
        made=source(trace, layer, head, setting),
        panel=lambda title, caption: grid_of_head(title, caption, trace, layer, head, setting, (query, key)),
    )  # fmt: skip


def source(trace: Trace, layer: int, head: int, setting: Setting) -> str:
    """The expression for the numbers of the table: of the run, or of one whose softmax is computed otherwise."""
    edits = setting.edits(layer, head)
    more = "".join(f"{edit_source(edit, trace)}, " for edit in edits)
    of_run = f"enc.trace(t.inputs, hidden=t.hidden, edits=(*t.edits, {more}))" if edits else "t"
    steps = [f"layers.{layer}.attention.{name}" for name in ("scores", "scaled", "masked", "weights")]
    return f"[found[name][{head}] for found in [{of_run}] for name in {steps}]"


def described(trace: Trace, layer: int, head: int, chosen: Choice) -> str:
    """What the picture shows, in words, with the weight of its pair."""
    step, query, key, setting = chosen
    ours, theirs = (f"“{shown(trace.tokens[at])}” ({at})" for at in (query, key))
    recorded = trace[f"layers.{layer}.attention.weights"][head].numpy()
    weights = recorded if setting.recorded else recomputed(trace, layer, head, setting)["weights"]
    gives = f" {ours} gives {percent(float(weights[query, key]))} of its weight to {theirs}."
    divided = "" if setting.scaled else ", not divided by the square root of d_head"
    how = "" if setting.recorded else f" Recomputed with temperature {brief(setting.heat)}{divided}."
    (first, last), (left, right), n = (
        *(figure.window(len(trace.tokens), at) for at in (query, key)),
        len(trace.tokens),
    )
    part = f" Drawn are queries {first} to {last - 1} and keys {left} to {right - 1} of {n}." if n > figure.MOST else ""
    named = f"From scores to values, at the step {step.removeprefix('attention.')}, for {ours} and {theirs}."
    return f"{named}{gives}{how}{part}"


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
