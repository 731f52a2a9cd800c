"""The page that Streamlit serves for every address, told where its server is.

Below / its script would try the page's own path first, as a server's base path, and each page that is opened by its
address would begin with two errors in the console.
"""

import json
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from pages.ui.state.site import base

INDEX = Path(st.__file__).parent / "static" / "index.html"
TELLS = "<script>window.__streamlit = {{ BACKEND_BASE_URL: new URL({path}, location.origin).href }}</script>"


@cache
def text(path: str) -> str:
    """Return it, for a server below a path."""
    page = INDEX.read_text(encoding="utf-8") if INDEX.is_file() else ""
    return page.replace("<head>", "<head>" + TELLS.format(path=json.dumps(f"{path}/")), 1)


async def answer(_request: Request) -> Response:
    """Serve it."""
    return HTMLResponse(text(base()), headers={"Cache-Control": "no-cache"})
