"""The picture of a stop of the story, each a component that other pages have too."""

from collections.abc import Callable

import streamlit as st

from encoder.export.caption import About
from encoder.figures.steps import cut_kind
from encoder.metrics import tokens_drawn
from encoder.pictures.registry.story import STORY, STORY_PICTURE
from encoder.pictures.view import Cell
from encoder.story import StoryStop
from encoder.story.stop import PictureKind
from encoder.theme import Kind
from encoder.trace.trace import Trace
from pages.ui.components import ask as ask_component
from pages.ui.components import maps
from pages.ui.lessons import story
from pages.ui.picture import show
from pages.ui.step import ask_a_word, opened, token_strip, whole_run, words_only
from pages.ui.text import plain, theme


def draw(trace: Trace, stop: StoryStop) -> None:
    """Draw it."""
    PICTURES[stop.picture](trace, stop)


BESIDE: tuple[PictureKind, ...] = ("tokens", "bars", "lines", "race")  # what has room beside the answer


def tokens(trace: Trace, stop: StoryStop) -> None:
    """The text as tokens."""
    token_strip.draw(trace)
    st.caption(token_strip.explained(trace))


def ask(trace: Trace, stop: StoryStop) -> None:
    """The word and where it looks, in every head."""
    left_out = ask_component.draw(trace, words_only.chosen(), False, ask_a_word.open_number)
    if left_out:
        st.caption(plain(left_out))


def chart(trace: Trace, stop: StoryStop) -> None:
    """What the stop measures."""
    assert stop.values is not None, "a chart has values"
    show(STORY_PICTURE, known={STORY: story.stops()}, sentence=False)
    if stop.values.left_out:
        st.caption(plain(stop.values.left_out))


def heads(trace: Trace, stop: StoryStop) -> None:
    """All heads of the layer as small maps; a click opens a number."""
    assert stop.layer is not None, "a stop of heads has a layer"
    head_maps(trace, stop.layer, -1 if stop.head is None else stop.head, "story_heads")


def head_maps(trace: Trace, layer: int, chosen: int, key: str) -> None:
    """All heads of a layer as small maps, one of them marked; a click opens a number."""
    step = trace.step(f"layers.{layer}.attention.weights")
    seen = tokens_drawn(trace, "words")
    weights = trace.array(step.name)
    kind: Kind = "share" if seen.whole else cut_kind("share")
    largest = 1.0 if seen.whole else float(seen.cut(weights).max())
    small = [
        maps.Map(f"head {h}", f"Layer {layer}, head {h}", maps.of_head(trace, step.name, h, seen), kind, largest)
        for h in range(trace.config.n_heads)
    ]

    def take(head: int, row: int, column: int) -> None:
        opened.open_number(Cell(step.name, (head, row, column)), fresh=True)

    left_out = seen.sentence(weights)
    maps.draw(
        key, small, seen.drawn, theme(), take, About.of(trace, step.name), chosen=chosen, least=170,
        at=seen.at, left_out=left_out, made=words_only.cut(f't["{step.name}"]', "words"),
    )  # fmt: skip
    st.caption(plain(f"The heads of layer {layer}: rows look, columns are looked at. {left_out}"))


def whole(trace: Trace, stop: StoryStop) -> None:
    """The whole run in one picture."""
    st.caption("Play follows the word through the layers; point at it to see where it looks.")
    whole_run.draw(trace)


PICTURES: dict[PictureKind, Callable[[Trace, StoryStop], None]] = {
    "tokens": tokens,
    "ask": ask,
    "bars": chart,
    "lines": chart,
    "race": chart,
    "heads": heads,
    "map": whole,
}
