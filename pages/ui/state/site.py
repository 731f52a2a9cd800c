"""The pages as data, and as Streamlit and the browser are told of them; some of them are drawn in the browser."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from encoder.browser.page_table import ALONG, CHANGE, DEEPER, DrawnPage
from encoder.browser.page_table import PAGES as DRAWN_PAGES

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Page:
    """One page."""

    key: str
    title: str
    icon: str
    parts: tuple[str, ...] = ()  # of the encoder, that it explains
    opens_on: str = ""  # a step
    section: str = ALONG  # the heading it stands under in the menu
    place: bool = True  # whether a layer and a head mean something there
    sentence: str = ""  # that an address without any parameter opens it with; empty for the usual one
    is_drawn: bool = False  # whether the browser draws it
    unread: tuple[str, str] = ("", "")  # a choice on it at which it reads neither sentence nor model
    more: tuple[tuple[str, str], ...] = ()  # the sections below its picture, and what they are called
    under: tuple[tuple[str, tuple[str, ...]], ...] = ()  # headings that unfold to some of them

    @property
    def script(self) -> str | Callable[[], None]:
        """The page's file, or that of its folder, as Streamlit names it; the browser's pages have none."""
        if self.is_drawn:
            return in_browser
        return f"{self.key}.py" if (ROOT / f"{self.key}.py").is_file() else f"{self.key}/__init__.py"

    def in_full(self, step: str) -> str:
        """Return the name of a step of this page; `*` stands for the layer, where it is of one."""
        return DRAWN_PAGES[self.key].in_full(step) if self.is_drawn else step


def in_browser() -> None:
    """Draw nothing: a page of the browser's is drawn in the frame of all."""


def drawn(key: str, about: DrawnPage) -> Page:
    """Return a page that the browser draws, by what the library knows of it."""
    icon = f":material/{about.symbol}:"
    return Page(
        key,
        about.title,
        icon,
        about.parts,
        about.opens_on,
        about.group,
        place=about.place,
        is_drawn=True,
        more=about.more,
        under=about.under,
    )


# The pages that the server draws, by the one of the browser's that they stand behind in the menu
SERVED: Mapping[str, tuple[Page, ...]] = {
    "compare": (Page("models", "Models", ":material/deployed_code:", section=CHANGE, place=False),),
    "heads": (
        Page(
            "training",
            "Training",
            ":material/model_training:",
            section=DEEPER,
            place=False,
            unread=("training_part", "Small networks"),
        ),
        Page("lessons", "Lessons", ":material/school:", section="Learn", place=False),
        Page("class", "A class", ":material/groups:", section="Learn", place=False),
    ),
}
PAGES = tuple(page for key, about in DRAWN_PAGES.items() for page in (drawn(key, about), *SERVED.get(key, ())))

KEYS = frozenset(page.key for page in PAGES)
DRAWN = tuple(page.key for page in PAGES if page.is_drawn)


def path(key: str) -> str:
    """Return the address of a page below that of the app: the first page has none."""
    return "" if key == PAGES[0].key else key


def page_of(key: str) -> Page:
    """The page of a key."""
    return next(page for page in PAGES if page.key == key)


def named(key: object) -> Page | None:
    """Return the page that a browser names; None where there is none of that key."""
    return page_of(key) if isinstance(key, str) and key in KEYS else None


def base() -> str:
    """Return the path that the app is served under, without a slash at its end; empty at the root."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def scripts() -> dict[Any, Page]:
    """Return all pages as Streamlit is told of them."""
    return {
        st.Page(page.script, title=page.title, icon=page.icon, url_path=page.key, default=page is PAGES[0]): page
        for page in PAGES
    }


def listed() -> list[dict[str, object]]:
    """Return the pages for the menu that the browser draws."""
    return [
        {
            "key": page.key,
            "title": page.title,
            "address": f"{base()}/{path(page.key)}",
            "front": page.is_drawn,
            "group": page.section,
            "parts": page.parts,
            "step": page.in_full(page.opens_on),
            "shows": DRAWN_PAGES[page.key].shows if page.is_drawn else None,
            "pictures": DRAWN_PAGES[page.key].pictures if page.is_drawn else {},
            "more": page.more,
            "under": page.under,
        }
        for page in PAGES
    ]
