"""What a run of a session draws where the page is one of the front: a component in the frame, which stays there.

The browser has all that is chosen, in the address. A session is told of it only when another page is to be shown.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any

import streamlit as st

from encoder.packet.shipped import SENTENCES
from pages.front import packets
from pages.front.request_fields import IN_ADDRESS
from pages.ui import browser_scripts, style
from pages.ui.component import built
from pages.ui.server.offers import MODELS
from pages.ui.state import site
from pages.ui.state.seat import JOINS, LONGEST_CODE
from pages.ui.state.session import OF_BROWSER, session
from pages.ui.state.site import Page, base

KEY = "front"
NAMES = (
    "sentence",
    "second",
    "model",
    "layer",
    "head",
    "step",
    "cell",
    "hidden",
    "edits",
    "other",
    "other_model",
    "v",
    "lesson",
    "at",
    *OF_BROWSER,
)
ALONG = (JOINS, "embed", "embed_options")


@cache
def _component() -> Any:
    """Return the component that mounts the browser's code."""
    return st.components.v2.component(
        "front", html="<div></div><div class='front'></div><div></div>", js=built("frame")
    )


def draw(page: Page, pages: Mapping[Any, Page]) -> None:
    """Draw a page of the front; `pages` are all, by what Streamlit knows them as."""
    style.draw(style.OF_FRONT)
    forget_view(page)
    events = _component()(
        key=KEY,
        data={  # Streamlit loads pandas to see whether a mapping or a list in it is a table: it has none
            "script": browser_scripts.address("front.js"),
            "run": f"{base()}/api/run",
            "picture": f"{base()}/api/picture",
            "more": f"{base()}/api/more",
            "page": page.key,
            "pages": tuple(site.listed()),
            "menu": not st.context.is_embedded,
            "examples": SENTENCES,
            "shipped": packets.shelf().addresses(),
            "models": tuple(models()),
            "lesson": f"{base()}/api/lesson",
            "classes": f"{base()}/api/class",
            "code": st.query_params.get(JOINS, "")[:LONGEST_CODE],
        },
        on_go_change=lambda: None,
        on_back_change=lambda: None,
    )
    to, query = destination(events.go)
    if to is not None and to != page:
        query = carried(to) | query
        st.switch_page(next(script for script, listed in pages.items() if listed == to), query_params=query)


def forget_view(page: Page) -> None:
    """Forget what a page of the server showed: the address says it, and from now on the browser knows it."""
    here = session()
    here.view, here.page, here.go_to = None, "", ""
    here.written.clear()
    if not st.query_params:
        here.bare.add(page.key)


def carried(to: Page) -> dict[str, str]:
    """Return what goes along to a page of what the address says beside what the browser knows of."""
    return {name: text for name, text in st.query_params.to_dict().items() if name in ALONG and fits(text)}


def models() -> list[dict[str, str]]:
    """Return the models that this session can choose from, and those that the address names."""
    bundled = [{"name": name, "title": offer.label} for name, offer in MODELS.items()]
    named = (st.query_params.get(name, "") for name in ("model", "other_model"))
    own = [name for name in dict.fromkeys((*session().own_models, *named)) if name and name not in MODELS]
    if not own:
        return bundled  # before any library is loaded
    from encoder.support.errors import EncoderError
    from pages.ui.server.offered_models import check, offer

    for name in own:
        with suppress(EncoderError):
            check(name)
            bundled.append({"name": name, "title": offer(name).label[:60]})
    return bundled


def destination(request: object) -> tuple[Page | None, dict[str, str]]:
    """The page that the browser asks for, and what its address is to say; None where it asks for none that there is.

    It may say anything. What is left of it is read by the page, as what any link says.
    """
    key, query = (request.get("key"), request.get("query")) if isinstance(request, Mapping) else (None, None)
    to = site.named(key)
    if to is None:
        return None, {}
    given = query if isinstance(query, Mapping) else {}
    known = [name for name in NAMES if to.is_drawn or name not in OF_BROWSER]
    return to, {name: text for name in known if isinstance(text := given.get(name), str) and fits(text)}


def fits(text: str) -> bool:
    """Return whether an address can hold a text."""
    return len(text) <= IN_ADDRESS and "\x00" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)
