"""Ask a word: the sentence to be tapped, answered in the browser; what is asked is what the session sees."""

import base64
import zlib
from collections.abc import Callable
from weakref import WeakKeyDictionary

from encoder.export.caption import About
from encoder.figures import ask
from encoder.formatting import percent
from encoder.metrics import asked
from encoder.metrics.asking import NOBODY, WAYS, Asked, Way, fact, opened
from encoder.metrics.looks import strongest_link
from encoder.pictures.view import Cell
from encoder.selection import Choice
from encoder.theme import Theme
from encoder.trace.trace import Trace
from pages.ui.component import component
from pages.ui.components.maps import packed_palette
from pages.ui.downloads.picture import card
from pages.ui.state import session_state as state
from pages.ui.state.session_state import remember

THEMES: tuple[Theme, ...] = ("light", "dark")
FEW = 12  # small maps that are shown before all are asked for
_packets: WeakKeyDictionary[Trace, dict[tuple[Choice, bool], str]] = WeakKeyDictionary()
_ask = component(__file__, "ask", "<section class='ask' aria-label='Ask a word'></section>")
_choice = component(__file__, "ask_choice", "<span></span>")


def draw(trace: Trace, choice: Choice, merged: bool, on_number: Callable[[Cell], None]) -> str:
    """Draw the sentence and return what the chosen head answers; `on_number` gets the number behind a picked share.

    `choice` says which tokens are words; with `merged` the pieces of a word are one.
    """
    view = state.current()
    run = asked(trace, choice, merged=merged)
    word, second, way = question(trace, run)
    packet = packed(trace, run, choice, merged)
    name = f"{zlib.crc32(packet.encode()):08x}"
    _ask(
        key="ask",
        on_picked_change=lambda: take(trace, run, on_number),
        data={
            "id": name,
            "packet": packet,
            "palettes": {theme: packed_palette("share", theme) for theme in THEMES},
            "few": FEW,
        },
    )
    asked_here = word != NOBODY and not ask.at_once(run)
    _choice(
        key="ask_choice",
        data={
            "id": name,
            "word": word,
            "second": second,
            "way": way,
            "layer": view.layer,
            "head": view.head,
            "answer": base64.b64encode(ask.answer(run, word, way)).decode() if asked_here else "",
        },
    )
    said = fact(run, view.layer, view.head, word, way, second)
    left_out = run.parked_sentence(view.layer, view.head)
    about = About(trace, reads=(f"layers.{trace.config.n_layers - 1}.attention.weights",))
    alt = f"{said} Below, small maps of the heads, the one that answers most first. {left_out}".strip()
    made = f"asked(t, {choice!r}, merged={merged}).answers({word}, {way!r})" if word != NOBODY else ""
    card("ask", lambda: ask.rows(run, word, way), alt, about, made=made,
         scale=f"0 to {percent(run.largest, 1)} in the maps")  # fmt: skip
    return left_out


def packed(trace: Trace, run: Asked, choice: Choice, merged: bool) -> str:
    """What is sent before a word is asked, as text, made once for each run that is kept."""
    kept = _packets.setdefault(trace, {})
    if (choice, merged) not in kept:
        kept[choice, merged] = base64.b64encode(ask.packet(run)).decode()
    return kept[choice, merged]


def question(trace: Trace, run: Asked) -> tuple[int, int, Way]:
    """What is asked: the word, the second word and the way, from the link; else the word of the strongest look here."""
    view, places = state.current(), range(-1, len(trace.tokens))
    word, second = (
        run.word_at(state.value(state.choice(key, places, NOBODY)["key"])) for key in ("ask_word", "ask_second")
    )
    way: Way = state.value(state.choice("ask_way", WAYS, WAYS[0])["key"])
    if word == NOBODY and (begin := strongest_link(trace, view.layer, view.head)):
        word = run.word_at(begin.query)
    return word, second if second != word else NOBODY, way


def take(trace: Trace, run: Asked, on_number: Callable[[Cell], None]) -> None:
    """Take over what a person asked or picked; what comes from a browser is checked first."""
    said = state.picked("ask")
    if not isinstance(said, dict):
        return
    n, config = len(trace.tokens), trace.config

    def number(name: str, most: int, least: int = 0) -> int | None:
        value = said.get(name)
        return value if type(value) is int and least <= value < most else None

    word, second, way = number("word", n, -1), number("second", n, -1), said.get("way")
    layer, head = number("layer", config.n_layers), number("head", config.n_heads)
    if word is None or second is None or layer is None or head is None or way not in WAYS:
        return
    for key, value, usual in (("ask_word", word, -1), ("ask_second", second, -1), ("ask_way", way, WAYS[0])):
        remember(key, value, usual)
    state.change(layer=layer, head=head)
    query, key_ = number("query", n), number("key", n)
    if query is not None and key_ is not None:
        groups = {group[0]: i for i, group in enumerate(run.groups)}
        if query in groups and key_ in groups:
            index = opened(trace, run, layer, head, groups[query], groups[key_])
            on_number(Cell(f"layers.{layer}.attention.weights", index))
