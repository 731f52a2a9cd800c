"""The pages as data, and as Streamlit and the browser are told of them; some of them are drawn in the browser."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from encoder.browser import living
from encoder.packet.shipped import SENTENCES

ROOT = Path(__file__).parents[2]
CHART, CHECKS = ("chart", "As a chart"), ("checks", "How to check")
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
    is_drawn: bool = False  # whether the browser draws it
    more: tuple[tuple[str, str], ...] = ()  # the sections below its picture, and what they are called

    @property
    def script(self) -> str | Callable[[], None]:
        """The page's file, or that of its folder, as Streamlit names it; the browser's pages have none."""
        if self.is_drawn:
            return in_browser
        return f"{self.key}.py" if (ROOT / f"{self.key}.py").is_file() else f"{self.key}/__init__.py"

    def in_full(self, step: str) -> str:
        """Return the name of a step of this page; `*` stands for the layer, where it is of one."""
        return living.in_full(self.key, step)


def in_browser() -> None:
    """Draw nothing: a page of the browser's is drawn in the frame of all."""


def drawn(key: str, icon: str, **more: Any) -> Page:
    """Return a page that the browser draws, by what the library knows of it."""
    parts, opens_on = living.STEPS.get(key, ((), ""))
    return Page(key, living.PAGES[key][0], icon, parts, opens_on, is_drawn=True, **more)


PAGES = (
    drawn(
        "start",
        ":material/home:",
        more=(
            ("words", "Which words made the guess"),
            ("several", "Several heads together, as lines and as a matrix"),
            ("tokens", "The sentence as tokens"),
        ),
    ),
    Page("story", "The story", ":material/auto_stories:", walk=False, place=False, sentence=SENTENCES[0]),
    drawn(
        "embedding",
        ":material/database:",
        place=False,
        more=(("near", "The nearest words of the table"), ("places", "How alike two places are"), CHECKS),
    ),
    drawn(
        "attention",
        ":material/visibility:",
        more=(
            CHART,
            ("heads", "What each head adds, after W_O"),
            ("bias", "What is added for the distance of two tokens"),
            ("one_matrix", "One matrix for all heads, or one for each"),
            CHECKS,
        ),
    ),
    drawn(
        "add_norm",
        ":material/add_circle:",
        more=(
            CHART,
            ("sides", "All numbers before the norm and after it"),
            ("moments", "Every token's means and variances"),
            ("learned", "What this norm has learned"),
            CHECKS,
        ),
    ),
    drawn(
        "feed_forward",
        ":material/bolt:",
        more=(
            CHART,
            ("corpus", "Where a unit fires in many sentences"),
            ("all_units", "How often all units of the layer fire"),
            ("silent", "Units that no sentence wakes"),
            CHECKS,
        ),
    ),
    drawn(
        "output",
        ":material/layers:",
        more=(
            CHART,
            ("words", "The nearest words of the table"),
            ("ways", "How the vectors change from layer to layer"),
            ("layers", "How alike the layers are, over many sentences"),
            ("sources", "Where vectors come from"),
            ("units", "Units of the feed-forward and the words they point to"),
            CHECKS,
        ),
    ),
    drawn(
        "what_if",
        ":material/toggle_off:",
        section="Change and compare",
        more=(
            ("whole", "Switches for the whole model"),
            ("differs", "What differs from the run without changes"),
            ("beside", "Any step of both runs, side by side"),
            ("parts", "Which parts made the guess"),
            ("words", "Which words made the guess"),
            ("loo", "Each part left out, in this sentence"),
            ("board", "Each part left out, over many sentences"),
        ),
    ),
    drawn(
        "compare",
        ":material/compare:",
        section="Change and compare",
        more=(
            ("apart", "How far the two runs are apart"),
            ("beside", "Any step of both runs, side by side"),
            ("cosine", "How alike the two sentences are"),
            ("patch", "What a patch of A brings to B"),
            ("word", "One word in many sentences"),
            ("list", "How alike the sentences of a list are"),
        ),
    ),
    Page("models", "Models", ":material/deployed_code:", section="Change and compare", place=False),
    drawn(
        "heads",
        ":material/apps:",
        section="Look deeper",
        more=(
            ("jobs", "Jobs that were examined on gold trees"),
            ("roles", "Where each head looks, and all measures of all heads"),
            ("measures", "One measure, head by head"),
            ("alike", "How alike heads are"),
            ("inside", "Why one word scores another"),
            ("flow", "What really flows"),
            ("between", "From one sentence of a pair to the other"),
            ("contexts", "Where this head looks in many sentences"),
            ("two_measures", "All heads by two measures, over many sentences"),
            ("kinds", "From one kind of token to another, over many sentences"),
            ("find", "Find a word in many sentences"),
            ("nearest", "The nearest vectors in many sentences"),
            ("beside", "Beside another model, relation by relation"),
            ("trees", "Examine heads on trees of your own"),
            ("list", "Measure a list of sentences"),
        ),
    ),
    Page("training", "Training", ":material/model_training:", section="Look deeper", place=False),
    Page("lessons", "Lessons", ":material/school:", section="Learn", walk=False, place=False),
    Page("class", "A class", ":material/groups:", section="Learn", walk=False, place=False),
)

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
            "shows": living.SHOWN.get(page.key),
            "more": page.more,
        }
        for page in PAGES
    ]
