"""The first screen of every page: few controls, its picture in sight on a phone, and not long before it is unfolded."""

import pytest
from browser_tools import open_page
from page_sizes import CONTROLS, PICTURE, SCREENS, SIDEWAYS, SIZES, STEADY
from playwright.sync_api import Page, ViewportSize

from pages.ui.state.site import PAGES, path

WIDE, PHONE = SIZES
MOST_CONTROLS, MOST_ON_START = 20, 12  # that can be used without scrolling
MOST_SCREENS = 2  # of a wide window
TOP = 300  # pixels from the top of a phone within which the first picture begins


def faults(page: Page, key: str, size: ViewportSize) -> list[str]:
    """What is too much on the page that is open."""
    controls, screens, top, beyond = (page.evaluate(script) for script in (CONTROLS, SCREENS, PICTURE, SIDEWAYS))
    most = MOST_CONTROLS if path(key) else MOST_ON_START
    found = [f"{controls} controls"] if controls > most else []
    found += [f"{screens:.1f} screens"] if size is WIDE and screens > MOST_SCREENS else []
    found += [f"the picture begins at {top:.0f}"] if size is PHONE and top >= TOP else []
    return found + ([f"scrolls sideways by {beyond}"] if beyond > 0 else [])


@pytest.mark.parametrize("size", SIZES, ids=["wide", "phone"])
def test_the_first_screen_of_every_page_is_one_that_is_taken_in(page: Page, app_url: str, size: ViewportSize) -> None:
    """All pages are visited once in one test: opening them is what takes time."""
    page.set_viewport_size(size)
    found = {}
    for one in PAGES:
        open_page(page, f"{app_url}/{path(one.key)}")
        page.wait_for_function(STEADY, polling=100)
        found[one.title] = faults(page, one.key, size)
    assert {title: wrong for title, wrong in found.items() if wrong} == {}
