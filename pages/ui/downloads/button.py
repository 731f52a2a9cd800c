"""A button that makes a file."""

from collections.abc import Callable

import streamlit as st


def save(label: str, key: str, name: str, make: Callable[[], bytes], mime: str) -> None:
    """A button that makes a file when it is clicked; what goes wrong then is written in the file."""
    st.download_button(label, data=lambda: made(make), file_name=name, mime=mime, key=key, on_click="ignore")


def made(make: Callable[[], bytes]) -> bytes:
    """The file, or a sentence that says why there is none: Streamlit shows nothing of an error at this point."""
    try:
        return make()
    except Exception as error:
        return f"The file could not be made: {error}.\n".encode()
