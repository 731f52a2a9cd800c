"""The living map: the whole run in one picture that unfolds in place; what is chosen in it is what the session sees."""

import base64
import zlib
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from encoder.metrics.strongest_looks import strongest_link
from encoder.pictures.figures import living_map as figure
from encoder.pictures.figures.living_map import walk as sentences_of_walk
from encoder.pictures.figures.living_map_cells import cell_of, index_at, row_stretch
from encoder.pictures.picture import Answer
from encoder.pictures.view import Cell
from encoder.support.errors import EncoderError
from encoder.support.theme import Kind, Theme
from encoder.trace.trace import Trace
from pages.ui import session_runs
from pages.ui.component import component, packed_palette
from pages.ui.downloads import keep
from pages.ui.state import session_state as state
from pages.ui.state import walk
from pages.ui.state.session_state import remember

KINDS: tuple[Kind, ...] = ("signed", "share")
THEMES: tuple[Theme, ...] = ("light", "dark")
Packets = WeakKeyDictionary[Trace, dict[object, str]]  # by the run that another is drawn against; itself, where none is
_packets: WeakKeyDictionary[Trace, Packets] = WeakKeyDictionary()
_map = component(
    __file__,
    "living_map",
    "<section class='map' aria-label='The whole run in one picture'></section>",
)
_layer = component(__file__, "living_map_layer", "<span></span>")


def draw(answer: Answer, on_number: Callable[[Cell], None], before: Trace | None) -> None:
    """Draw a run, or its difference to the run `before`; `on_number` gets the number that a person picks."""
    model = answer.scene.view.model
    view, trace, key = state.current(), answer.scene.t, answer.picture.key
    whole = packed(trace, model, before)
    run = f"{zlib.crc32(whole.encode()):08x}"
    begin = strongest_link(trace, view.layer, view.head)
    row, each = asked_row(trace), row_stretch(len(trace.tokens))
    _map(
        key=key,
        on_picked_change=lambda: take(key, trace, on_number, before),
        data={
            "id": run,
            "whole": whole,
            "walk": walked(trace, model, row if row >= 0 else begin.query if begin else 0),
            "asked": row // each,
            "changed": bool(view.edits or view.hidden),
            "difference": before is not None,
            "begin": begin.query // each if begin else -1,
            "palettes": {theme: {kind: packed_palette(kind, theme) for kind in KINDS} for theme in THEMES},
        },
    )
    _layer(
        key="living_map_layer",
        data={
            "id": run,
            "layer": view.layer,
            "head": view.head,
            "open": unfolded(),
            "columns": packed_layer(trace, view.layer, before) if unfolded() >= 0 else "",
            "cell": mark(trace, view.cell),
        },
    )
    keep.draw(answer)


def asked_row(trace: Trace) -> int:
    """The row whose way was asked for, by Play or by the story; -1 for none."""
    return int(state.value(state.choice("walk_of", (-1, *range(len(trace.tokens))), -1)["key"]))


def walked(trace: Trace, model: str, at: int) -> dict[str, Any]:
    """The row of the token at a position, and a sentence on its way for each column."""
    guesses = session_runs.text_encoder(model).predict(trace, 1)
    return {"row": at // row_stretch(len(trace.tokens)), "said": sentences_of_walk(trace, at, guesses)}


def made_of(trace: Trace) -> Packets:
    """The packets of a run; those of its difference to another go with that one."""
    return _packets.setdefault(trace, WeakKeyDictionary())


def kept(trace: Trace, before: Trace | None, name: object, make: Callable[[], bytes]) -> str:
    """A packet of a run, or of its difference to another, as text, made once while both are kept."""
    packets = made_of(trace).setdefault(before or trace, {})
    if name not in packets:
        packets[name] = base64.b64encode(make()).decode()
    return packets[name]


def packed(trace: Trace, model: str, before: Trace | None) -> str:
    """The folded picture of a run, or of its difference to another."""
    encoder = session_runs.text_encoder(model)

    def make() -> bytes:
        return figure.whole(trace, encoder.predict(trace, figure.GUESSES), encoder.mask_token, before)

    return kept(trace, before, "whole", make)


def packed_layer(trace: Trace, layer: int, before: Trace | None) -> str:
    """One layer of it, unfolded."""
    return kept(trace, before, layer, lambda: figure.layer(trace, layer, before))


def unfolded() -> int:
    """The layer that is unfolded, -1 for none: the chosen one, where the link says so."""
    layer = state.current().layer
    tie = state.choice("unfolded", (0, 1), 0)
    return layer if state.value(tie["key"]) == 1 else -1


def mark(trace: Trace, cell: Cell | None) -> dict[str, Any] | None:
    """Where the opened number is in the picture."""
    if cell is None or cell.step not in trace:
        return None
    place = cell_of(trace, cell.step, cell.index)
    if place is None:
        return None
    head = cell.index[0] if len(cell.index) == 3 else -1
    return {"step": cell.step, "head": head, "row": place[0], "cell": place[1]}


def take(key: str, trace: Trace, on_number: Callable[[Cell], None], before: Trace | None) -> None:
    """Take over what a person did in the picture; what comes from a browser is checked first."""
    message = state.picked(key)
    if not isinstance(message, dict):
        return
    config = trace.config
    unfolded_layer = number(message, "open", config.n_layers, -1)
    if unfolded_layer is not None:
        remember("unfolded", int(unfolded_layer >= 0), 0)
        if unfolded_layer >= 0:
            state.change(layer=unfolded_layer)
    layer, head = number(message, "layer", config.n_layers), number(message, "head", config.n_heads)
    if layer is not None:
        state.change(layer=layer)
    if head is not None:
        state.change(head=head)
    follow = number(message, "follow", len(trace.tokens))
    if follow is not None:
        remember("walk_of", follow, -1)
    if isinstance(message.get("difference"), bool):
        remember("difference", int(message["difference"]), 0)
    step, page, row, cell = message.get("step"), message.get("go"), number(message, "row"), number(message, "cell")
    if isinstance(page, str) and page in trace:
        walk.show_step(trace.step(page))
    if isinstance(step, str) and step in trace and row is not None and cell is not None:
        try:
            on_number(Cell(step, index_at(trace, step, head or 0, row, cell, before)))
        except EncoderError:
            return


def number(message: dict[str, Any], name: str, most: int = 10**6, least: int = 0) -> int | None:
    """The whole number of that name, if it is one from `least` to below `most`."""
    value = message.get(name)
    return value if type(value) is int and least <= value < most else None
