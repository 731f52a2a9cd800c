"""Who asks: a page of this app or another one, and from which address."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from pages.ui.classroom.address import LOCAL, address, proxies


def is_own(headers: Mapping[str, str]) -> bool:
    """Whether a page of this app asks, or a program that is no browser; never a page of another origin."""
    site = headers.get("Sec-Fetch-Site")
    if site is not None and site != "same-origin":
        return False
    origin = headers.get("Origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == headers.get("Host", "").lower() != ""
    except ValueError:
        return False


def visitor(request: HTTPConnection) -> str:
    """The address that asks, as far as proxies are to be believed."""
    named = [one.strip() for one in request.headers.get("X-Forwarded-For", "").split(",") if one.strip()]
    return address(request.client.host if request.client else LOCAL, named, proxies())
