"""The picture of a stop of the story, each a component that other pages have too."""

from collections.abc import Callable

import streamlit as st

from encoder.pictures.picture import Picture
from encoder.pictures.registry.grids import STORY_HEADS
from encoder.pictures.registry.story import STORY_PICTURE, story_of
from encoder.pictures.view import Cell
from encoder.story import StoryStop
from encoder.story.stop import PictureKind
from encoder.trace.trace import Trace
from pages.ui.components import maps
from pages.ui.lessons import story
from pages.ui.picture import answer_of, show
from pages.ui.picture import ask as ask_of
from pages.ui.step import ask_a_word, opened, token_strip, whole_run
from pages.ui.text import plain


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
    ask_a_word.draw_answers()


def chart(trace: Trace, stop: StoryStop) -> None:
    """What the stop measures."""
    assert stop.values is not None, "a chart has values"
    show(STORY_PICTURE, known={story_of(ask_of(STORY_PICTURE)): story.stops()}, sentence=False)
    if stop.values.left_out:
        st.caption(plain(stop.values.left_out))


def heads(trace: Trace, stop: StoryStop) -> None:
    """All heads of the layer as small maps; a click opens a number."""
    head_maps(STORY_HEADS, -1 if stop.head is None else stop.head, least=130)


def head_maps(picture: Picture, chosen: int, least: int = 170) -> None:
    """All heads of the layer as small maps, one of them marked; a click opens a number."""
    answer = answer_of(picture)
    layer = answer.scene.layer

    def take(head: int, row: int, column: int) -> None:
        opened.open_number(Cell(f"layers.{layer}.attention.weights", (head, row, column)))

    maps.draw(answer, take, chosen=chosen, least=least)
    st.caption(plain(f"The heads of layer {layer}: rows look, columns are looked at. {answer.left_out}"))


def whole(trace: Trace, stop: StoryStop) -> None:
    """The whole run in one picture."""
    whole_run.draw()
    st.caption("Play follows the word through the layers; point at it to see where it looks.")


PICTURES: dict[PictureKind, Callable[[Trace, StoryStop], None]] = {
    "tokens": tokens,
    "ask": ask,
    "bars": chart,
    "lines": chart,
    "race": chart,
    "heads": heads,
    "map": whole,
}
