"""The figure as it will be printed: what is chosen, the preview in true size, and the files."""

import base64
import html
import threading
from collections.abc import Callable, Sequence
from functools import partial

import cachetools
import streamlit as st

from encoder.export.caption import file_name
from encoder.paper.files import DPI, NAME, PaperFigure
from encoder.paper.panel import Panel, PanelError, heat_map, of_maps
from encoder.paper.sheet import Sheet
from pages.parts.figure.choices import chosen
from pages.parts.figure.panels import shown
from pages.ui import session
from pages.ui.downloads.button import save
from pages.ui.state import session_state as state
from pages.ui.text import plain

PREVIEW = 192  # dots per inch
lately: cachetools.LRUCache[tuple[object, ...], PaperFigure] = cachetools.LRUCache(maxsize=8)
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


def draw() -> None:
    """What will come out on the left, on a phone on top, and the choices beside it."""
    left, right = st.columns([5, 2])
    with right:
        sheet = chosen()
    with left:
        if panels := shown():
            state.session().printed = figure = painted(panels, sheet)
            preview(figure)
            files(figure)
            st.markdown(f"**Caption** {plain(figure.caption)}")
            st.code(figure.latex(f"{NAME}.pdf"), language="latex", wrap_lines=True)
        else:
            example(sheet)


def example(sheet: Sheet) -> None:
    """The chosen head's weights, as they are shown while nothing is in the figure."""
    trace, view = session.now(), state.current()
    head = min(view.head, trace.config.n_heads - 1)
    title = f"Layer {view.layer}, head {head}"

    def make() -> PaperFigure:
        weights = trace.array(f"layers.{view.layer}.attention.weights")[head]
        panel = of_maps(title, title, [heat_map(weights, trace.tokens, trace.tokens, "share")])
        return PaperFigure((panel,), sheet)

    try:
        preview(once((view.model, trace.inputs, trace.hidden, trace.edits, title, sheet), make))
    except PanelError as error:
        st.caption(f"No example of this sentence is drawn: {error}.")
        return
    st.caption("An example, to see what the choices do: the weights of the chosen head.")


def preview(figure: PaperFigure) -> None:
    """The figure in true size, and its size in words."""
    picture = base64.b64encode(figure.png(PREVIEW)).decode()
    alt = html.escape(figure.alt)
    st.html(
        f'<img class="true-size" alt="{alt}" src="data:image/png;base64,{picture}" style="width:{figure.width:.2f}mm">'
    )
    st.caption(f"{figure.width:.1f} × {figure.height:.1f} mm, shown in true size where the window is wide enough.")


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
