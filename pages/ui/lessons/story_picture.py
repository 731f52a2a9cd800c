"""The picture of a stop of the story, each a component that other pages have too."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from encoder.export.caption import About
from encoder.figures import charts
from encoder.figures.drawn import Drawn
from encoder.pictures.picture import Picture
from encoder.pictures.registry.grids import STORY_HEADS
from encoder.pictures.view import Cell
from encoder.story import StoryStop, Values
from encoder.story.stop import PictureKind
from encoder.trace.trace import Trace
from pages.ui.components import maps
from pages.ui.components.chart import chart
from pages.ui.picture import answer_of
from pages.ui.step import ask_a_word, opened, token_strip, whole_run
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
    ask_a_word.draw_answers()


def bars(values: Values) -> Drawn:
    """A bar for each name."""
    return charts.token_bars(values.series, values.names, title=values.title, theme=theme(), at=values.at)


def lines(values: Values) -> Drawn:
    """A line over the layers."""
    count = len(values.names)
    return charts.lines(values.series, np.arange(count), ("layers behind it", values.title), theme=theme())


def race(values: Values) -> Drawn:
    """The places of words over the layers."""
    return charts.race(values.series["ranks"], values.names, theme())


def drawn(make: Callable[[Values], Drawn]) -> Callable[[Trace, StoryStop], None]:
    """A stop's chart, made by that function."""

    def draw_chart(trace: Trace, stop: StoryStop) -> None:
        assert stop.values is not None, "a chart has values"
        chart(make(stop.values), "story_picture", f"{stop.name}. {stop.sentence}", About(trace),
              made=f"next(one for one in story(enc, t) if one.name == {stop.name!r}).values.series")  # fmt: skip
        if stop.values.left_out:
            st.caption(plain(stop.values.left_out))

    return draw_chart


def heads(trace: Trace, stop: StoryStop) -> None:
    """All heads of the layer as small maps; a click opens a number."""
    head_maps(STORY_HEADS, -1 if stop.head is None else stop.head)


def head_maps(picture: Picture, chosen: int) -> None:
    """All heads of the layer as small maps, one of them marked; a click opens a number."""
    answer = answer_of(picture)
    layer = answer.scene.layer

    def take(head: int, row: int, column: int) -> None:
        opened.open_number(Cell(f"layers.{layer}.attention.weights", (head, row, column)), fresh=True)

    maps.draw(answer, take, chosen=chosen, least=170)
    st.caption(plain(f"The heads of layer {layer}: rows look, columns are looked at. {answer.left_out}"))


def whole(trace: Trace, stop: StoryStop) -> None:
    """The whole run in one picture."""
    st.caption("Play follows the word through the layers; point at it to see where it looks.")
    whole_run.draw()


PICTURES: dict[PictureKind, Callable[[Trace, StoryStop], None]] = {
    "tokens": tokens,
    "ask": ask,
    "bars": drawn(bars),
    "lines": drawn(lines),
    "race": drawn(race),
    "heads": heads,
    "map": whole,
}
