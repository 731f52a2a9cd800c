"""The living map: the whole run in one picture that unfolds in place; what is chosen in it is what the session sees."""

import base64
import zlib
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from encoder.export.caption import About
from encoder.figures import living_map as figure
from encoder.figures.theme import Kind, Theme
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.component import component
from pages.ui.components.maps import packed_palette
from pages.ui.downloads.picture import card
from pages.ui.state import session_state as state
from pages.ui.state.session_state import remember
from pages.ui.state.view import Cell

KINDS: tuple[Kind, ...] = ("signed", "share")
THEMES: tuple[Theme, ...] = ("light", "dark")
_wholes: WeakKeyDictionary[Trace, str] = WeakKeyDictionary()
_layers: WeakKeyDictionary[Trace, dict[int, str]] = WeakKeyDictionary()
_map = component(
    __file__,
    "living_map",
    "<section class='map' aria-label='The whole run in one picture'></section>",
)
_layer = component(__file__, "living_map_layer", "<span></span>")


def draw(
    trace: Trace,
    on_number: Callable[[Cell], None],
    on_step: Callable[[str], None],
) -> None:
    """Draw the run: `on_number` gets the number that a person picks, `on_step` the step whose page they ask for."""
    view = state.current()
    whole = packed(trace)
    run = f"{zlib.crc32(whole.encode()):08x}"
    begin = figure.strongest_link(trace, view.layer, view.head)
    _map(
        key="living_map",
        on_picked_change=lambda: take(on_number, on_step),
        data={
            "id": run,
            "whole": whole,
            "begin": begin.query // figure.row_stretch(len(trace.tokens)) if begin else -1,
            "palettes": {theme: {kind: packed_palette(kind, theme) for kind in KINDS} for theme in THEMES},
        },
    )
    _layer(
        key="living_map_layer",
        data={
            "id": run,
            "layer": view.layer,
            "head": view.head,
            "open": unfolded(trace),
            "columns": packed_layer(trace, view.layer),
            "cell": mark(trace, view.cell),
        },
    )
    said = f"The whole run, {len(trace.tokens)} tokens through {trace.config.n_layers} layers of {trace.config.n_heads}"
    alt = f"{said} heads. {figure.finding(trace, view.layer, view.head)}"
    card("living_map", lambda: figure.strongest_rows(trace), alt, About(trace), scale="0 to 100 % of a row")


def packed(trace: Trace) -> str:
    """The folded picture of a run as text, made once for each run that is kept."""
    if trace not in _wholes:
        encoder = session.text_encoder(state.current().model)
        whole = figure.whole(trace, encoder.predict(trace, figure.GUESSES), encoder.mask_token)
        _wholes[trace] = base64.b64encode(whole).decode()
    return _wholes[trace]


def packed_layer(trace: Trace, layer: int) -> str:
    """One layer of it, unfolded, as text."""
    kept = _layers.setdefault(trace, {})
    if layer not in kept:
        kept[layer] = base64.b64encode(figure.layer(trace, layer)).decode()
    return kept[layer]


def unfolded(trace: Trace) -> int:
    """The layer that is unfolded, -1 for none: the chosen one, where the link says so or a number of it is open."""
    layer = state.current().layer
    tie = state.choice("unfolded", (0, 1), 0)
    return layer if state.value(tie["key"]) == 1 else -1


def mark(trace: Trace, cell: Cell | None) -> dict[str, Any] | None:
    """Where the opened number is in the picture."""
    if cell is None or cell.step not in trace:
        return None
    found = figure.cell_of(trace, cell.step, cell.index)
    if found is None:
        return None
    head = cell.index[0] if len(cell.index) == 3 else -1
    return {"step": cell.step, "head": head, "row": found[0], "cell": found[1]}


def take(on_number: Callable[[Cell], None], on_step: Callable[[str], None]) -> None:
    """Take over what a person did in the picture; what comes from a browser is checked first."""
    said = state.picked("living_map")
    if not isinstance(said, dict):
        return
    trace = session.now()
    config = trace.config
    unfolded_layer = number(said, "open", config.n_layers, -1)
    if unfolded_layer is not None:
        remember("unfolded", int(unfolded_layer >= 0), 0)
        if unfolded_layer >= 0:
            state.change(layer=unfolded_layer)
    layer, head = number(said, "layer", config.n_layers), number(said, "head", config.n_heads)
    if layer is not None:
        state.change(layer=layer)
    if head is not None:
        state.change(head=head)
    step, page, row, cell = said.get("step"), said.get("go"), number(said, "row"), number(said, "cell")
    if isinstance(page, str) and page in trace:
        on_step(page)
    if isinstance(step, str) and step in trace and row is not None and cell is not None:
        try:
            on_number(Cell(step, figure.index_at(trace, step, head or 0, row, cell)))
        except ValueError:
            return


def number(said: dict[str, Any], name: str, most: int = 10**6, least: int = 0) -> int | None:
    """The whole number of that name, if it is one from `least` to below `most`."""
    value = said.get(name)
    return value if type(value) is int and least <= value < most else None
