"""Ask a word: the sentence to be tapped, answered in the browser; what is asked is what the session sees."""

import base64
import zlib
from collections.abc import Callable
from weakref import WeakKeyDictionary

from encoder.figures import ask
from encoder.metrics.asking import NOBODY, WAYS, Asked, opened
from encoder.pictures.picture import Answer
from encoder.pictures.registry.sentence import DRAWN, MERGED, asked_of, question
from encoder.pictures.view import Cell
from encoder.selection import Choice
from encoder.theme import Theme
from encoder.trace.trace import Trace
from pages.ui.component import component
from pages.ui.components.maps import packed_palette
from pages.ui.downloads import keep
from pages.ui.state import session_state as state
from pages.ui.state.session_state import remember

THEMES: tuple[Theme, ...] = ("light", "dark")
FEW = 12  # small maps that are shown before all are asked for
_packets: WeakKeyDictionary[Trace, dict[tuple[Choice, bool], str]] = WeakKeyDictionary()
_ask = component(__file__, "ask", "<section class='ask' aria-label='Ask a word'></section>")
_choice = component(__file__, "ask_choice", "<span></span>")


def draw(answer: Answer, on_number: Callable[[Cell], None]) -> str:
    """Draw the sentence and return what the chosen head parks on what is left out.

    `on_number` gets the number behind a picked share.
    """
    scene = answer.scene
    trace, choice, merged = scene.t, scene[DRAWN], scene[MERGED]
    run: Asked = answer.value(asked_of(scene))
    word, second, way = question(scene)
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
            "layer": scene.layer,
            "head": scene.head,
            "answer": base64.b64encode(ask.answer(run, word, way)).decode() if asked_here else "",
        },
    )
    keep.draw(answer)
    return run.parked_sentence(scene.layer, scene.head)


def packed(trace: Trace, run: Asked, choice: Choice, merged: bool) -> str:
    """What is sent before a word is asked, as text, made once for each run that is kept."""
    kept = _packets.setdefault(trace, {})
    if (choice, merged) not in kept:
        kept[choice, merged] = base64.b64encode(ask.packet(run)).decode()
    return kept[choice, merged]


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
