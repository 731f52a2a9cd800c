"""The picture of a stop of the story, each a component that other pages have too."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from encoder.pictures.ask import scene_of
from encoder.pictures.picture import Picture
from encoder.pictures.registry.grids import STORY_HEADS
from encoder.pictures.registry.sentence import ARCS, WORD, names_drawn, words_to_look_from
from encoder.pictures.registry.story import STORY_PICTURE, story_of
from encoder.pictures.view import Cell
from encoder.teach.story import StoryStop
from encoder.teach.story.stop import PictureKind
from encoder.trace.trace import Trace
from pages.ui import cell_links, session
from pages.ui.components import maps, story_arcs
from pages.ui.downloads import keep
from pages.ui.lessons import story
from pages.ui.picture import answer_of, show
from pages.ui.picture import ask as ask_of
from pages.ui.state import session_state as state
from pages.ui.step import living_map_section, token_strip
from pages.ui.text import plain


def draw(trace: Trace, stop: StoryStop) -> None:
    """Draw it."""
    PICTURES[stop.picture](trace, stop)


BESIDE: tuple[PictureKind, ...] = ("tokens", "bars", "lines", "race")  # what has room beside the answer


def tokens(trace: Trace, stop: StoryStop) -> None:
    """The text as tokens."""
    token_strip.draw(trace)
    st.caption(token_strip.explained(trace))


def arcs(trace: Trace, stop: StoryStop) -> None:
    """Where the stop's head looks from the word, as arcs; a button opens the number that the answer says."""
    said = state.current().choices
    view = replace(state.current(), choices=tuple(sorted({**dict(said), WORD.key: str(stop.word)}.items())))
    answer = answer_of(ARCS, scene_of(view, ARCS.needs, session.text_encoder, session.run))
    scene, shares = answer.scene, answer.numbers.array.tolist()
    asked = words_to_look_from(scene)[scene[WORD]]
    story_arcs.draw(ARCS.key, names_drawn(scene), asked, shares, answer.title, answer.alt)
    keep.draw(answer)
    cell = Cell(f"layers.{scene.layer}.attention.weights", (scene.head, stop.word or 0, stop.seen or 0))
    st.button("How it was computed", key="story_number", type="tertiary", on_click=cell_links.open_number, args=(cell,))


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
        cell_links.open_number(Cell(f"layers.{layer}.attention.weights", (head, row, column)))

    maps.draw(answer, take, chosen=chosen, least=least)
    st.caption(plain(f"The heads of layer {layer}: rows look, columns are looked at. {answer.left_out}"))


def whole(trace: Trace, stop: StoryStop) -> None:
    """The whole run in one picture."""
    living_map_section.draw()
    st.caption("Play follows the word through the layers; point at it to see where it looks.")


PICTURES: dict[PictureKind, Callable[[Trace, StoryStop], None]] = {
    "tokens": tokens,
    "arcs": arcs,
    "bars": chart,
    "lines": chart,
    "race": chart,
    "heads": heads,
    "map": whole,
}
