"""A link to hand on: as text with a button that copies it, and as a code that a phone's camera reads."""

from base64 import b64encode
from urllib.parse import urlsplit

import segno
import streamlit as st

LONGEST_CODE = 700  # characters: the squares of more are too small to be read from the back of a room
QUIET = 4  # modules of white around a code
OWN = ("localhost", "127.0.0.1", "[::1]")


def draw(link: str) -> None:
    """Draw both; a link that is too long for a code is said to be so."""
    size, path = code(link)
    if path:
        # An image, for Streamlit takes an SVG out of HTML.
        size_of = f"viewBox='0 0 {size} {size}' shape-rendering='crispEdges'"
        drawing = f"<svg xmlns='http://www.w3.org/2000/svg' {size_of}><path d='{path}'/></svg>"
        source = f"data:image/svg+xml;base64,{b64encode(drawing.encode()).decode()}"
        st.html(f"<img class='share-code' alt='The link as a code for a camera' src='{source}'>")
    st.code(link, language=None, wrap_lines=True)
    if not path:
        st.caption("It is too long for a code that a camera could read from afar.")
    if urlsplit(link).hostname in OWN:
        st.caption("This is the computer's own address: for other devices put its name in the network in its place.")


def code(link: str) -> tuple[int, str]:
    """The QR code of a link: its width in modules, and its dark modules as an SVG path; none for a long link."""
    if len(link) > LONGEST_CODE:
        return 0, ""
    rows = segno.make(link, error="l", micro=False, boost_error=True).matrix
    dark = [f"M{x + QUIET} {y + QUIET}h1v1h-1z" for y, row in enumerate(rows) for x, bit in enumerate(row) if bit]
    return len(rows) + 2 * QUIET, "".join(dark)
