"""The pages of the app as Streamlit and as the browser are told of them; some of them are drawn in the browser."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.ui.server.redirects import base
from pages.ui.state.site import DRAWN, KEYS, PAGES, Page, page_of, path

KEY_OF = {name: key for key, name in DRAWN.items()}


def scripts() -> dict[Any, Page]:
    """Return all pages as Streamlit is told of them."""
    return {
        st.Page(page.script, title=page.title, icon=page.icon, url_path=page.key, default=page is PAGES[0]): page
        for page in PAGES
    }


def navigate(pages: Mapping[Any, Page]) -> Page:
    """Tell Streamlit of all pages, and return the one that is open; the menu is in the bar."""
    return pages[st.navigation(list(pages), position="hidden")]


def listed() -> list[dict[str, object]]:
    """Return the pages for the menu that the browser draws."""
    return [
        {
            "key": DRAWN.get(page.key, page.key),
            "title": page.title,
            "address": f"{base()}/{path(page.key)}",
            "front": page.key in DRAWN,
            "group": page.section,
            "parts": page.parts,
            "step": page.in_full(page.opens_on),
        }
        for page in PAGES
    ]


def called(name: str) -> Page | None:
    """Return the page that the browser calls so; None where there is none."""
    key = KEY_OF.get(name, name)
    return page_of(key) if key in KEYS and DRAWN.get(key, name) == name else None
