"""The address by which pupils join a class, and its code for a camera."""

import socket
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from encoder.support.errors import EncoderError
from pages.ui.components.share import OWN, code
from pages.ui.state.seat import JOINS

ELSEWHERE = ("192.0.2.1", 9)  # an address that nobody has: nothing is sent to it


def to_join(at: str, class_code: str) -> dict[str, Any]:
    """Return the link to the class's page `at`, its code, and whether only this computer can open it.

    In place of the computer's own name for itself stands its address in the network, where that is known.

    Raises:
        EncoderError: `at` is no address of a page.
    """
    try:
        parts = urlsplit(at)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise EncoderError("there is no such page") from None
    if parts.scheme not in ("http", "https") or not host:
        raise EncoderError("there is no such page")
    local = host in (name.strip("[]") for name in OWN)
    near = in_network() if local else ""
    place = parts.netloc if not near else near if port is None else f"{near}:{port}"
    link = urlunsplit((parts.scheme, place, parts.path, f"{JOINS}={class_code}", ""))
    size, path = code(link)
    return {"link": link, "size": size, "path": path, "local": local and not near, "near": bool(near)}


def in_network() -> str:
    """Return the address of this computer that others in its network see; empty where it has none, or does not listen.

    No packet leaves for it: the system is asked which of its addresses it would send from.
    """
    if str(st.get_option("server.address") or "") not in ("", "0.0.0.0"):
        return ""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            asked.connect(ELSEWHERE)
            found = str(asked.getsockname()[0])
    except OSError:
        return ""
    return "" if found.startswith("127.") or found == "0.0.0.0" else found
