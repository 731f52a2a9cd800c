"""What the library refuses is said in a sentence, in one place, and the rest of the page stays."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from encoder.support.errors import EncoderError
from pages.ui.text import plain

log = logging.getLogger(__name__)


@contextmanager
def shows_errors(*, ends: bool = False) -> Iterator[None]:
    """Where the block ends with an EncoderError, say its sentence here, and go on after the block.

    With `ends` the page ends there, since nothing after it can be. Any other error goes on its way: it is a mistake in
    the app, and nobody can act on it.
    """
    try:
        yield
    except EncoderError as error:
        log.warning("said on a page: %.300r", str(error))
        st.warning(plain(f"This cannot be shown: {str(error).rstrip('.')}."))
        if ends:
            st.stop()


def parts(*draws: Callable[[], None]) -> None:
    """The parts of a page, one below the other; what one cannot show hides no other."""
    for draw in draws:
        with shows_errors():
            draw()
