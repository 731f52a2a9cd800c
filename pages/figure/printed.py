"""The figure as it will be printed, in true size, and its files; an example while nothing is in it; a card to share."""

import base64
import html
import threading
from collections.abc import Callable, Sequence
from functools import partial

import cachetools
import streamlit as st

from encoder.pictures.export.caption import file_name
from encoder.pictures.paper.card_to_share import PIXELS, share_card
from encoder.pictures.paper.files import DPI, NAME, PaperFigure
from encoder.pictures.paper.printed_panel import Panel, PanelError, heat_map, of_maps
from encoder.pictures.paper.sheet import Sheet
from encoder.support.theme import Theme
from pages.figure import contents
from pages.figure.contents import choose_sheet, head, shown, title
from pages.ui import session_runs
from pages.ui.components import share
from pages.ui.downloads.keep import save
from pages.ui.state import session_state as state
from pages.ui.text import plain


def draw_printed() -> None:
    """What will come out on the left, on a phone on top, and the choices beside it."""
    left, right = st.columns([5, 2])
    with right:
        contents.draw_beginnings()
        sheet = choose_sheet()
    with left:
        if panels := shown():
            state.session().figure.printed = figure = painted(panels, sheet)
            draw_preview(figure)
            files(figure)
            st.markdown(f"**Caption** {plain(figure.caption)}")
            st.code(figure.latex(f"{NAME}.pdf"), language="latex", wrap_lines=True)
        else:
            draw_example(sheet)


def files(figure: PaperFigure) -> None:
    """A button for each file."""
    name = file_name(figure.sheet.title) if figure.sheet.title else NAME
    kinds: dict[str, tuple[str, Callable[[], bytes], str]] = {
        "PDF": ("pdf", figure.pdf, "application/pdf"),
        "SVG": ("svg", lambda: figure.svg().encode(), "image/svg+xml"),
        **{f"PNG {dpi} dpi": (f"{dpi}.png", partial(figure.png, dpi), "image/png") for dpi in DPI},
        "CSV": ("csv", lambda: figure.csv().encode(), "text/csv"),
        "LaTeX": ("tex", lambda: figure.latex(f"{name}.pdf").encode(), "text/plain"),
        "Markdown": ("md", lambda: figure.markdown(f"{name}.svg").encode(), "text/plain"),
        "All in one zip": ("zip", lambda: figure.zip(name), "application/zip"),
    }
    with st.container(horizontal=True, key="figure_files"):
        for label, (ending, make, mime) in kinds.items():
            save(label, f"figure_{ending.replace('.', '_')}", f"{name}.{ending}", make, mime)


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
        figure = lately.get(key)
        if figure is None:
            figure = lately[key] = make()
        return figure


def picture_of(figure: PaperFigure) -> str:
    """The figure as a picture in a page, drawn once for this very figure."""
    with lock:
        of, picture = drawn_lately.get(id(figure), (None, ""))
    if of is not figure:
        picture = base64.b64encode(figure.png(PREVIEW)).decode()
        with lock:
            drawn_lately[id(figure)] = figure, picture  # held here, so no other figure gets its number
    return picture


def draw_preview(figure: PaperFigure) -> None:
    """The figure in true size, and its size in words."""
    picture = picture_of(figure)
    alt = html.escape(figure.alt)
    st.html(
        f'<img class="true-size" alt="{alt}" src="data:image/png;base64,{picture}" style="width:{figure.width:.2f}mm">'
    )
    st.caption(f"{figure.width:.1f} × {figure.height:.1f} mm, shown in true size where the window is wide enough.")


def panel() -> Panel:
    """The weights of the chosen head.

    Raises:
        PanelError: they are too many.
    """
    trace, view = session_runs.now(), state.current()
    weights = trace.array(f"layers.{view.layer}.attention.weights")[head()]
    return of_maps(title(), f"{title()}.", [heat_map(weights, trace.tokens, trace.tokens, "share")])


def draw_example(sheet: Sheet) -> None:
    """The example on a sheet, or why there is none."""
    trace, view = session_runs.now(), state.current()
    try:
        asked = (view.model, trace.inputs, trace.hidden, trace.edits, title(), sheet)
        draw_preview(once(asked, lambda: PaperFigure((panel(),), sheet)))
    except PanelError as error:
        st.caption(f"No example of this sentence is drawn: {error}.")
        return
    st.caption("An example, to see what the choices do: the weights of the chosen head.")


def draw_share_card() -> None:
    """The card of the first picture, and its file; while there is none, that of the chosen head as an example."""
    view, panels, figure = state.current(), shown(), state.session().figure.pictures
    try:
        first = panels[0] if panels else panel()
    except PanelError as error:
        st.caption(f"A card shows the first picture of the figure; no example of this sentence is drawn: {error}.")
        return
    theme: Theme = "dark" if dict(view.choices).get("figure_theme") == "dark" else "light"
    sentence = dict(figure[0].query).get("sentence", type(view).sentence) if panels else view.sentence
    address = share.app_address()
    card = share_card(first, sentence, address, theme)
    picture = base64.b64encode(card).decode()
    alt = html.escape(" ".join(filter(None, (sentence, first.caption, first.not_drawn))))
    st.html(
        f'<img class="true-size" alt="{alt}" src="data:image/png;base64,{picture}" style="width:{PIXELS[0] // 2}px">'
    )
    st.caption(f"{PIXELS[0]} × {PIXELS[1]} pixels, as pages and messages show of a link.")
    if not panels:
        st.caption("An example: with Add to figure, the first picture that you add stands here.")
    save("PNG", "share_card", "card.png", lambda: card, "image/png")
