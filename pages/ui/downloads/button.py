"""A button that makes a file."""

from collections.abc import Callable
from html import escape

import streamlit as st

from pages.ui.server import file_links
from pages.ui.server.redirects import base


def save(label: str, key: str, name: str, make: Callable[[], bytes], mime: str) -> None:
    """A link that makes a file when it is clicked; what goes wrong then is written in the file."""
    address = f"{base()}{file_links.PATH}/{file_links.offer(key, name, mime, lambda: made(make))}"
    with st.container(key=key, width="content"):
        st.html(f'<a class="save" href="{address}" download="{escape(name)}">{escape(label)}</a>')


def made(make: Callable[[], bytes]) -> bytes:
    """The file, or a sentence that says why there is none: whoever clicked a link sees nothing else."""
    try:
        return make()
    except Exception as error:
        return f"The file could not be made: {error}.\n".encode()
