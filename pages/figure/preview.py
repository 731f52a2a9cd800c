"""A figure painted once, and its picture in true size."""

import base64
import html
import threading
from collections.abc import Callable, Sequence

import cachetools
import streamlit as st

from encoder.pictures.paper.files import PaperFigure
from encoder.pictures.paper.panel import Panel
from encoder.pictures.paper.sheet import Sheet

PREVIEW = 192  # dots per inch
lately: cachetools.LRUCache[tuple[object, ...], PaperFigure] = cachetools.LRUCache(maxsize=8)
drawn_lately: cachetools.LRUCache[int, tuple[PaperFigure, str]] = cachetools.LRUCache(maxsize=8)
lock = threading.Lock()


def painted(panels: Sequence[Panel], sheet: Sheet) -> PaperFigure:
    """The figure, painted once for these very panels."""
    key = (*map(id, panels), sheet)  # a figure holds its panels, so no other gets their numbers
    return once(key, lambda: PaperFigure(tuple(panels), sheet))


def once(key: tuple[object, ...], make: Callable[[], PaperFigure]) -> PaperFigure:
    """A figure, made where none is kept for this key."""
    with lock:
        found = lately.get(key)
        if found is None:
            found = lately[key] = make()
        return found


def picture_of(figure: PaperFigure) -> str:
    """The figure as a picture in a page, drawn once for this very figure."""
    with lock:
        of, picture = drawn_lately.get(id(figure), (None, ""))
    if of is not figure:
        picture = base64.b64encode(figure.png(PREVIEW)).decode()
        with lock:
            drawn_lately[id(figure)] = figure, picture  # held here, so no other figure gets its number
    return picture


def draw(figure: PaperFigure) -> None:
    """The figure in true size, and its size in words."""
    picture = picture_of(figure)
    alt = html.escape(figure.alt)
    st.html(
        f'<img class="true-size" alt="{alt}" src="data:image/png;base64,{picture}" style="width:{figure.width:.2f}mm">'
    )
    st.caption(f"{figure.width:.1f} × {figure.height:.1f} mm, shown in true size where the window is wide enough.")
