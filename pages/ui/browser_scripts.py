"""The scripts of the browser's own pages: where they lie, and their address, which changes when they do."""

import hashlib
from functools import cache
from pathlib import Path

import encoder
from pages.ui.state.site import base

BUILT = Path(encoder.__file__).parent / "browser" / "built"
SCRIPTS = (
    "front.js",
    "pages.js",
    "in_class.js",
    "lesson.js",
    "more.js",
    "plotly.js",
)  # the others are fetched by the first


@cache
def digest() -> str:
    """Return the digest of the browser's code."""
    return hashlib.sha256(b"".join((BUILT / name).read_bytes() for name in SCRIPTS)).hexdigest()[:16]


def address(name: str) -> str:
    """Return where a script is to be had."""
    return f"{base()}/api/front/{digest()}/{name}"
