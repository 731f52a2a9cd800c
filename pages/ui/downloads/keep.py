"""What can be taken along of a page that the server draws: its pictures by Save in the bar, its tables by links."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from html import escape

import streamlit as st

from encoder.pictures.picture import Answer
from encoder.pictures.picture_files import file_of, fits
from encoder.pictures.printing import SIZES, Sheet
from pages.ui.server import file_links
from pages.ui.server.slow_files import check_table
from pages.ui.state import session_state as state
from pages.ui.state.site import base

ABOUT, TABLES, DRAWN = "about", ("csv", "json"), ("svg", "png", "pdf")
TYPES = {  # of the files of a picture
    ABOUT: "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "csv": "text/csv",
    "json": "application/json",
}


def offer(answer: Answer) -> None:
    """Have Save in the bar offer a picture that is drawn in this run."""
    state.session().pictures.setdefault(answer.title, answer)


def offered() -> list[dict[str, object]]:
    """Return what Save offers in this run: of each picture its name, its key, and where each of its files is."""
    pictures = state.session().pictures
    first = {answer.picture.key: title for title, answer in reversed(pictures.items())}
    return [saved(title, answer) for title, answer in pictures.items() if first[answer.picture.key] == title]


def saved(title: str, answer: Answer) -> dict[str, object]:
    """Return what Save offers of a picture; each file is made when it is asked for."""

    def link(kind: str, size: str) -> tuple[str, str]:
        called, name = f"{kind}_{size}", f"{answer.file_name}.{kind}"
        make = partial(picture_file, answer, kind, size)
        return called, address(f"{called}_{answer.picture.key}", name, make, TYPES[kind])

    kinds = [(kind, size) for kind in TYPES for size in (SIZES if kind in DRAWN else ("shown",))]
    return {"name": title, "picture": answer.picture.key, "files": tuple(link(*each) for each in kinds)}


def picture_file(answer: Answer, kind: str, size: str) -> bytes:
    """Make a file of a picture, one that is drawn in one of SIZES."""
    if kind == ABOUT:
        return about(answer).encode()
    if kind in TABLES:
        check_table(answer.numbers.array.size)
    return file_of(answer, f".{kind}", size)


def about(answer: Answer) -> str:
    """Return what is said of a picture, the lines that make its numbers, and which files it has, as JSON."""
    formats = [kind for kind in TYPES if kind != ABOUT and fits(answer, f".{kind}")]
    words: Mapping[str, object] = {
        "title": answer.title,
        "caption": answer.caption,
        "alt": answer.alt,
        "code": answer.code,
        "formats": formats,
        "note": Sheet((answer,)).note if "svg" in formats else "",
    }
    return json.dumps(words, ensure_ascii=False)


def save(label: str, key: str, name: str, make: Callable[[], bytes], mime: str) -> None:
    """A link that makes a file when it is clicked; what goes wrong then is written in the file."""
    with st.container(key=key, width="content"):
        href = address(key, name, make, mime)
        st.html(f'<a class="save" href="{href}" download="{escape(name)}">{escape(label)}</a>')


def address(key: str, name: str, make: Callable[[], bytes], mime: str) -> str:
    """Return where a file is to be had that is made when it is asked for."""
    return f"{base()}{file_links.PATH}/{file_links.offer(key, name, mime, lambda: file_or_reason(make))}"


def file_or_reason(make: Callable[[], bytes]) -> bytes:
    """The file, or a sentence that says why there is none: whoever clicked a link sees nothing else."""
    try:
        return make()
    except Exception as error:
        return f"The file could not be made: {error}.\n".encode()
