"""Routes of the server that lead from an old address to its page of today, with all that the address asks for."""

from urllib.parse import urlencode

import streamlit as st
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from encoder.pictures.old_addresses import OLD, lead
from pages.ui.state.site import path


def base() -> str:
    """Return the path that the app is served under, without a slash at its end; empty at the root."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


async def redirect(request: Request) -> Response:
    """Answer a request for an old address by where it is now; the browser asks again, also tomorrow."""
    page, query = lead(request.url.path.rpartition("/")[2], dict(request.query_params))
    said = f"?{urlencode(query)}" if query else ""
    return RedirectResponse(f"{base()}/{path(page)}{said}", status_code=307)


def routes() -> list[Route]:
    """Return a route for every old address, under the path that the app is served under."""
    return [Route(f"{base()}/{page}", redirect) for page in OLD]
