"""How every page shows a picture of the library: chart, sentence and table, and its place in Save."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any

import streamlit as st

from encoder.pictures.ask import scene_of
from encoder.pictures.expression import Kept, of_runs
from encoder.pictures.figures.drawn import tell_apart
from encoder.pictures.part_items import WORDY
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene
from pages.ui import session_runs
from pages.ui.downloads import keep, table
from pages.ui.server import picture_results
from pages.ui.state import session_state as state
from pages.ui.text import say, theme

CONFIG = {"displayModeBar": False}  # it would lie over labels; what saves a picture stands in the bar


def kept(scene: Scene) -> Kept:
    """What keeps the results of calls; the page says that it measures what may take long."""
    keep = picture_results.kept(scene)

    def spinning(now: Callable[[], Any]) -> Any:
        with st.spinner("Measuring …"):
            return now()

    return lambda part, now: keep(part, now if of_runs(part) else partial(spinning, now))


def ask(picture: Picture) -> Scene:
    """What this session asks of a picture."""
    return scene_of(state.current(), picture.needs, session_runs.text_encoder, session_runs.run)


def tie(option: Option, scene: Scene) -> dict[str, Any]:
    """What ties a widget to an option of a picture: key, value and what takes over a choice."""
    offered = None if option.offered is None else option.offered(scene)
    return state.choice(option.key, offered, option.usual(scene), option.many)


def answer_of(picture: Picture, scene: Scene | None = None, known: Mapping[Any, Any] | None = None) -> Answer:
    """A picture of what this session asks, for a component that draws it itself; `keep.offer` has Save offer it."""
    scene = scene or ask(picture)
    return picture.of(scene, kept(scene), known)


def show(
    picture: Picture,
    *,
    scene: Scene | None = None,
    known: Mapping[Any, Any] | None = None,
    more: str = "",
    numbers: bool = True,
    sentence: bool = True,
) -> Answer:
    """Draw a picture of what this session asks, say its finding, and offer its table and, in Save, its files.

    `scene` is what is asked, where the page has made more than the view of it; `known` are calls that were made
    already, with what they gave; `more` is Markdown that follows the sentence. Without `numbers` the page has a table
    of its own, without `sentence` it says the finding elsewhere.
    """
    answer = answer_of(picture, scene, known)
    scene, figure = answer.scene, answer.figure(theme())
    if scene.run is not None and scene.run.tokenization.second:
        tell_apart(figure, scene.run.tokens, scene.run.tokenization.second, theme())
    with st.container(key=f"wide_{picture.key}") if answer.kind in WORDY else nullcontext():
        st.plotly_chart(figure, key=picture.key, config=CONFIG, alt=answer.alt)
    if sentence:
        say(answer.sentence, more)
    keep.offer(answer)
    if numbers:
        table.folded(picture.key, answer.rows)
    return answer
