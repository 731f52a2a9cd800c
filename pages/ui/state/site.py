"""The pages as data, and as Streamlit and the browser are told of them; some of them are drawn in the browser."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from encoder.browser import living
from encoder.packet.shipped import SENTENCES

ROOT = Path(__file__).parents[2]
STEPS = "Step by step"  # the section of the way through the encoder


@dataclass(frozen=True)
class Page:
    """One page."""

    key: str
    title: str
    icon: str
    parts: tuple[str, ...] = ()  # of the encoder, that it explains
    opens_on: str = ""  # a step
    section: str = STEPS  # the heading it stands under in the menu
    walk: bool = True  # whether Previous and Next lead there, through steps or from page to page; else it has its own
    place: bool = True  # whether a layer and a head mean something there
    sentence: str = ""  # that an address without any parameter opens it with; empty for the usual one

    @property
    def script(self) -> str:
        """The page's file, or that of its folder, as Streamlit names it."""
        return f"{self.key}.py" if (ROOT / f"{self.key}.py").is_file() else f"{self.key}/__init__.py"

    def in_full(self, step: str) -> str:
        """Return the name of a step of this page; `*` stands for the layer, where it is of one."""
        return living.in_full(self.key, step)

    @staticmethod
    def part_of(step: str) -> str:
        """Return the part of the encoder that a step is of, by its name within a layer."""
        return step.partition(".")[0]


PAGES = (
    Page("sentence", "Start", ":material/home:"),
    Page("story", "The story", ":material/auto_stories:", walk=False, place=False, sentence=SENTENCES[0]),
    Page("embedding", "Embedding & position", ":material/database:", *living.STEPS["embedding"], place=False),
    Page("attention", "Attention", ":material/visibility:", *living.STEPS["attention"]),
    Page("add_norm", "Add & norm", ":material/add_circle:", *living.STEPS["add_norm"]),
    Page("feed_forward", "Feed-forward", ":material/bolt:", *living.STEPS["feed_forward"]),
    Page("stack", "Output", ":material/layers:", *living.STEPS["stack"]),
    Page("what_if", "What if", ":material/toggle_off:", section="Change and compare"),
    Page("compare", "Compare", ":material/compare:", section="Change and compare"),
    Page("your_model", "Models", ":material/deployed_code:", section="Change and compare", place=False),
    Page("heads", "Heads", ":material/apps:", section="Look deeper"),
    Page("learn", "Learning", ":material/model_training:", section="Look deeper", place=False),
    Page("lessons", "Lessons", ":material/school:", section="Learn", walk=False, place=False),
    Page("class", "A class", ":material/groups:", section="Learn", walk=False, place=False),
)

KEYS = frozenset(page.key for page in PAGES)
DRAWN = {  # a page that the browser draws -> what it calls it
    "sentence": "start",
    "attention": "attention",
    "embedding": "embedding",
    "add_norm": "add_norm",
    "feed_forward": "feed_forward",
    "stack": "stack",
    "what_if": "what_if",
    "compare": "compare",
    "heads": "heads",
}
KEY_OF = {name: key for key, name in DRAWN.items()}


def path(key: str) -> str:
    """Return the address of a page below that of the app: the first page has none."""
    return "" if key == PAGES[0].key else key


def page_of(key: str) -> Page:
    """The page of a key."""
    return next(page for page in PAGES if page.key == key)


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
