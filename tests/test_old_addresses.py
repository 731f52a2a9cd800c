"""Every address that the app ever had leads to a page of today, in the state that it asked for."""

import asyncio
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import pytest
import streamlit as st
from page_tools import charts, open_app
from starlette.applications import Starlette
from visits import widget

from pages.ui.lessons import library
from pages.ui.server import redirects
from pages.ui.state import figure_link
from pages.ui.state.old_addresses import OLD
from pages.ui.state.site import PAGES

SENTENCE = "The dog <b>ran</b> & slept = 100 % 😀."
HERE = {"sentence": SENTENCE, "model": "small", "layer": "2", "head": "3"}


def answer(path: str, query: str) -> tuple[int, str]:
    """What the server's own routes say to a request: the status, and where it leads."""
    said: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        said.append(message)

    scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "path": path, "root_path": "",
        "query_string": query.encode(), "headers": [(b"host", b"localhost")], "server": ("localhost", 80),
    }  # fmt: skip
    asyncio.run(Starlette(routes=redirects.routes())(scope, receive, send))
    headers = {name.decode(): value.decode() for name, value in said[0]["headers"]}
    return said[0]["status"], headers.get("location", "")
