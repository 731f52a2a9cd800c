"""Nothing is cut, overlaps or scrolls unseen on the pages that the browser draws, with as many as 120 tokens."""

import pytest
from playwright.sync_api import Page
from sweep import FAULTS, SIZES, looked
from tiers import mostly_nightly

from encoder.browser.page_table import PAGES

PLANTED = (  # what somebody could do to a page, and what is found then
    ("h1", "overflow: hidden; white-space: nowrap; max-width: 90px", "cut: h1"),
    (".at-what", "margin-top: -40px", "overlap:"),
    ("h1", "min-width: 4000px", "px wider than its window"),
    ("h1", "overflow: auto; white-space: nowrap; max-width: 90px", "scrolls across unseen: h1"),
)

DAILY = [*(f"phone {key}" for key in PAGES), *(f"projector {key}" for key in ("attention", "output", "heads"))]


@pytest.mark.parametrize("case", mostly_nightly([f"{size} {key}" for size in SIZES for key in PAGES], DAILY))
def test_a_page_has_room_for_what_is_on_it(page: Page, app_url: str, case: str) -> None:
    size, key = case.split()
    page.set_viewport_size(SIZES[size][0])
    assert looked(page, app_url, key, 120) == []


def test_what_is_wrong_on_a_page_is_found(page: Page, app_url: str) -> None:
    assert looked(page, app_url, "attention", 12) == []
    for selector, style, said in PLANTED:
        one = page.locator(selector).first
        one.evaluate("(one, style) => one.setAttribute('style', style)", style)
        found = page.evaluate(FAULTS)
        assert any(said in line for line in found), (style, found)
        one.evaluate("one => one.removeAttribute('style')")
