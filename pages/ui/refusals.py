"""What the library refuses is said in a sentence, in one place, and the rest of the page stays."""

import logging
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from pages.ui.text import plain

ROOT = Path(__file__).parents[2]
OWN = (ROOT / "encoder", ROOT / "pages")
log = logging.getLogger(__name__)


@contextmanager
def told(*, ends: bool = False) -> Iterator[None]:
    """Where the block ends with a ValueError that the library raises, say its sentence here, and go on after the block.

    With `ends` the page ends there, since nothing after it can be. Any other error goes on its way: it is a mistake in
    the app, and nobody can act on it.
    """
    try:
        yield
    except ValueError as error:
        if not raised(error):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        log.warning("said on a page: %.300r (%s, line %s)", str(error), Path(place.filename).name, place.lineno)
        st.warning(plain(f"This cannot be shown: {str(error).rstrip('.')}."))
        if ends:
            st.stop()


def raised(error: ValueError) -> bool:
    """Whether an error was raised by the project's own code, in so many words, and by none that it calls."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    own = any(Path(last.filename).resolve().is_relative_to(folder) for folder in OWN)
    return own and (last.line or "").startswith("raise ")


def parts(*draws: Callable[[], None]) -> None:
    """The parts of a page, one below the other; what one cannot show hides no other."""
    for draw in draws:
        with told():
            draw()
