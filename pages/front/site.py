"""The pages of an app with the new front: Start and Attention, drawn in the browser, and all others as they were."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.ui.server.redirects import base
from pages.ui.state.session import session
from pages.ui.state.site import PAGES, Page

START = Page("start", "Start", ":material/home:", section="", walk=False)
ATTENTION = Page("attention_front", "Attention", ":material/visibility:", section="", walk=False)
DRAWN = {START.key: "start", ATTENTION.key: "attention"}  # a page of the front -> what the browser calls it
BEHIND = {"sentence": "Sentence & tokens", "attention": "Attention, all pictures"}  # whose address another page has now
PATHS = {START.key: "", ATTENTION.key: "attention", "attention": "attention_pictures"}


def path(key: str) -> str:
    """The address of a page, without what all pages have before it."""
    return PATHS.get(key, key)


def nothing() -> None:
    """A page whose whole picture is drawn in the frame."""


def usual() -> dict[Any, Page]:
    """All pages as Streamlit is told of them where there is no front."""
    return {st.Page(one.script, title=one.title, icon=one.icon, default=one is PAGES[0]): one for one in PAGES}


def scripts() -> dict[Any, Page]:
    """All pages as Streamlit is told of them, the front's first."""
    front = {
        st.Page(nothing, title=one.title, icon=one.icon, url_path=path(one.key), default=one is START): one
        for one in (START, ATTENTION)
    }
    behind = {
        st.Page(one.script, title=BEHIND.get(one.key, one.title), icon=one.icon, url_path=path(one.key)): one
        for one in PAGES
    }
    return front | behind


def navigate(pages: Mapping[Any, Page]) -> Page:
    """Tell Streamlit of all pages, and return the one that is to be drawn; none of the front has Streamlit's menu.

    A session of which nothing is known yet opens on the front, as does one that was there last; where that was wrong,
    the browser is told again.
    """
    has_front = any(one.key in DRAWN for one in pages.values())
    hidden = has_front and not session().page
    page = told(pages, hidden)
    if has_front and (page.key in DRAWN) != hidden:
        page = told(pages, not hidden)
    return page


def told(pages: Mapping[Any, Page], hidden: bool) -> Page:
    """Tell Streamlit of all pages, by their sections."""
    sections: dict[str, list[Any]] = {}
    for one, about in pages.items():
        sections.setdefault(about.section, []).append(one)
    return pages[st.navigation(sections, position="hidden" if hidden else "top", expanded=True)]


def listed() -> list[dict[str, object]]:
    """The pages for the menu that the browser draws."""
    front = [
        {"key": name, "title": page.title, "address": f"{base()}/{path(page.key)}", "front": True, "group": ""}
        for page, name in ((START, "start"), (ATTENTION, "attention"))
    ]
    behind: list[dict[str, object]] = [
        {
            "key": key_for_browser(one.key),
            "title": BEHIND.get(one.key, one.title),
            "address": f"{base()}/{path(one.key)}",
            "front": False,
            "group": one.section,
        }
        for one in PAGES
    ]
    return [*front, *behind]


def key_for_browser(key: str) -> str:
    """How the browser calls a page: two of it are called Attention here."""
    return DRAWN.get(key, path(key))


def page_of(said: str) -> Page | None:
    """The page that the browser calls so; None where there is none."""
    return next((one for one in (START, ATTENTION, *PAGES) if key_for_browser(one.key) == said), None)
