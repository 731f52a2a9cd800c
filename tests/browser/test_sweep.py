"""Nothing is cut, overlaps or scrolls unseen on the pages that the browser draws, with as many as 120 tokens."""

from functools import partial

import pytest
from browser_tools import NEXT_FRAMES
from made_once import packet
from mounted import Mounted
from playwright.sync_api import Page
from sweep import FAULTS, SENTENCES, SIZES, WAITING

from encoder import TextEncoder
from encoder.browser.page_table import PAGES

PLANTED = (  # what somebody could do to a page, and what is found then
    ("h1", "overflow: hidden; white-space: nowrap; max-width: 90px", "cut: h1"),
    (".at-what", "margin-top: -40px", "overlap:"),
    ("h1", "min-width: 4000px", "px wider than its window"),
    ("h1", "overflow: auto; white-space: nowrap; max-width: 90px", "scrolls across unseen: h1"),
)


def looked(page: Page) -> list[str]:
    """What is wrong with how a page looks, once it is drawn for its window."""
    page.wait_for_function(f"() => !document.querySelector('{WAITING}, [aria-busy=true]')")
    page.evaluate("() => document.fonts.ready")
    page.evaluate(NEXT_FRAMES)
    found: list[str] = page.evaluate(FAULTS)
    return found


@pytest.mark.parametrize("key", PAGES)
def test_a_page_has_room_for_what_is_on_it(mounted: Mounted, base: TextEncoder, key: str) -> None:
    page = mounted(key, partial(packet, base, off=False), first={"sentence": SENTENCES[120]}, keys=PAGES, more=True)
    for name in ("phone", "tablet", "projector", "desk"):
        page.set_viewport_size(SIZES[name][0])
        assert looked(page) == [], name
    if key == "attention":
        for selector, style, said in PLANTED:
            one = page.locator(selector).first
            one.evaluate("(one, style) => one.setAttribute('style', style)", style)
            assert any(said in line for line in looked(page)), style
            one.evaluate("one => one.removeAttribute('style')")
