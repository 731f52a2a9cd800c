"""What can be taken along of a page that the server draws: each of its pictures, all of its run, and a link to it."""

from collections.abc import Callable
from html import escape
from typing import BinaryIO
from urllib.parse import urlencode

import streamlit as st

from encoder.pictures.export import layer_size, run_size, to_csv_zip, to_npz
from encoder.pictures.export.caption import file_name
from encoder.pictures.link import LONGEST_IN_URL
from encoder.pictures.picture import Answer
from encoder.pictures.picture_files import file_of, fits
from encoder.support.formatting import megabytes
from encoder.trace.trace import Trace
from pages.ui.server import file_links
from pages.ui.server.slow_files import MOST_BYTES, check_table, written
from pages.ui.state import session_state as state
from pages.ui.state.site import base

FILES = {  # the words and the types of a browser's own menu
    "svg": ("Picture as SVG", "image/svg+xml"),
    "png": ("Picture as PNG", "image/png"),
    "pdf": ("Picture as PDF", "application/pdf"),
    "csv": ("Numbers as CSV", "text/csv"),
    "json": ("Numbers as JSON", "application/json"),
}


def draw(answer: Answer) -> None:
    """Draw the way to keep a picture: as a file, its numbers, its words and lines of code."""
    key = f"keep_{answer.picture.key}"
    fold = st.popover("Keep", key=key, type="tertiary", icon=":material/download:", on_change="rerun")
    if fold.open:
        with fold:
            draw_ways(answer)


def draw_ways(answer: Answer) -> None:
    """Draw what is in a fold that was opened."""
    with st.container(horizontal=True):
        for kind in FILES:
            if fits(answer, f".{kind}"):
                save_picture(answer, kind)
    copied("Caption", answer.caption)
    copied("Alt text", answer.alt)
    if answer.code:
        st.markdown("Lines that run by themselves and print these numbers:")
        st.code(answer.code, language="python")


def save_picture(answer: Answer, kind: str) -> None:
    """Draw the link to a picture's file of that kind."""
    label, mime = FILES[kind]
    key, name = f"{kind}_{answer.picture.key}", f"{answer.file_name}.{kind}"

    def make() -> bytes:
        if kind in ("csv", "json"):
            check_table(answer.numbers.array.size)
        return file_of(answer, f".{kind}")

    save(label, key, name, make, mime)


def copied(name: str, text: str) -> None:
    """Draw a text with Streamlit's button that copies it."""
    st.caption(name)
    st.code(text, language=None, wrap_lines=True)


def draw_all(trace: Trace) -> None:
    """Draw what can be kept on every page: a link to what is seen, and all of the run."""
    view = state.current()
    fold = st.popover("Keep all", key="keep_all", icon=":material/download:", on_change="rerun")
    if not fold.open:
        return
    with fold:
        copied("A link to what you see", f"{st.context.url or ''}?{urlencode(state.written())}")
        if max(map(len, (view.sentence, view.second))) > LONGEST_IN_URL:
            st.caption("The sentence is too long to be part of the link.")
        st.markdown("**All numbers of this run**")
        whole, layer = run_size(trace), layer_size(trace, view.layer)
        name = f"{file_name(view.model, 'run')}.npz"
        save_archive("Every step, for numpy", name, whole, lambda f: to_npz(trace, f))
        name = f"{file_name(view.model, f'layer{view.layer}')}.zip"
        save_archive(f"Layer {view.layer}, as CSV", name, layer, lambda f: to_csv_zip(trace, view.layer, f))


def save_archive(label: str, name: str, nbytes: int, write: Callable[[BinaryIO], None]) -> None:
    """Draw the link to a file, with its size; a file that is too large is refused with it."""
    if nbytes > MOST_BYTES:
        most = megabytes(MOST_BYTES)
        st.caption(f"{label}: {megabytes(nbytes)}, more than the {most} that are handed out here; use the library.")
        return
    key, words = f"save_{name[-3:]}", f"{label} (about {megabytes(nbytes)})"
    save(words, key, name, lambda: written(nbytes, write), "application/octet-stream")


def save(label: str, key: str, name: str, make: Callable[[], bytes], mime: str) -> None:
    """A link that makes a file when it is clicked; what goes wrong then is written in the file."""
    address = f"{base()}{file_links.PATH}/{file_links.offer(key, name, mime, lambda: file_or_reason(make))}"
    with st.container(key=key, width="content"):
        st.html(f'<a class="save" href="{address}" download="{escape(name)}">{escape(label)}</a>')


def file_or_reason(make: Callable[[], bytes]) -> bytes:
    """The file, or a sentence that says why there is none: whoever clicked a link sees nothing else."""
    try:
        return make()
    except Exception as error:
        return f"The file could not be made: {error}.\n".encode()
