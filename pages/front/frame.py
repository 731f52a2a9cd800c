"""What a run of a session draws where the page is one of the front: a component in the frame, which stays there.

The browser has all that is chosen, in the address. A session is told of it only when another page is to be shown.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.front import routes, shipped, site
from pages.ui.server import inside
from pages.ui.server.offers import MODELS
from pages.ui.server.redirects import base
from pages.ui.state.session import session
from pages.ui.state.site import Page

STYLE = f"<style>{Path(__file__).with_suffix('.css').read_text(encoding='utf-8')}</style>"
OWN = ("word", "off", "unfolded")  # what pages of the server are not told of
NAMES = ("sentence", "second", "model", "layer", "head", "step", "cell", "hidden", "edits", "v", *OWN)
LONGEST = 1_500  # characters of one of them


@cache
def _component() -> Any:
    """The component that mounts the browser's code."""
    script = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    return st.components.v2.component("front", html="<div class='front'></div>", js=script)


def draw(page: Page, pages: Mapping[Any, Page]) -> None:
    """Draw a page of the front; `pages` are all, by what Streamlit knows them as."""
    st.html(STYLE)
    hand_over()
    digest, _ = routes.bundle()
    said = _component()(
        key="front",
        data={
            "script": f"{base()}/api/front/{digest}/front.js",
            "run": f"{base()}/api/run",
            "page": site.DRAWN[page.key],
            "pages": tuple(site.listed()),
            "shipped": shipped.shelf().addresses(),
            "models": tuple(models()),
        },
        on_go_change=lambda: None,
        on_back_change=lambda: None,
    )
    to, query = asked(said.go)
    if to is not None and to != page:
        st.switch_page(next(one for one, about in pages.items() if about == to), query_params=query)


def hand_over() -> None:
    """Let the address say what a page of the server showed before, and forget that: from now on the browser knows it.

    Who went back sees what was there; the address says that already.
    """
    here = session()
    view, here.view = here.view, None
    here.page, here.go_to = "", ""
    here.written.clear()
    if view is None or inside.went_back() or st.query_params:
        return
    from encoder.pictures.link import to_query

    query = {"sentence": view.sentence, "model": view.model, "layer": str(view.layer), "head": str(view.head)}
    said = {name: text for name, text in (query | to_query(view)).items() if name in NAMES}
    st.query_params.from_dict(said)


def models() -> list[dict[str, str]]:
    """The models that this session can choose from."""
    own = session().own_models
    found = [{"name": name, "title": offer.label} for name, offer in MODELS.items()]
    return found + [{"name": name, "title": name.partition(":")[2][:60]} for name in own if name not in MODELS]


def asked(said: object) -> tuple[Page | None, dict[str, str]]:
    """The page that the browser asks for, and what its address is to say; None where it asks for none that there is.

    It may say anything. What is left of it is read by the page, as what any link says.
    """
    key, query = (said.get("key"), said.get("query")) if isinstance(said, Mapping) else (None, None)
    to = site.page_of(key) if isinstance(key, str) else None
    if to is None:
        return None, {}
    given = query if isinstance(query, Mapping) else {}
    known = [name for name in NAMES if to.key in site.DRAWN or name not in OWN]
    return to, {name: text for name in known if isinstance(text := given.get(name), str) and fits(text)}


def fits(text: str) -> bool:
    """Whether an address can hold a text."""
    return len(text) <= LONGEST and "\x00" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)
