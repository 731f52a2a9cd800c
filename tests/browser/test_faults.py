"""A page that is reloaded, cut off, doubled or left by its server comes back as it was."""

import contextlib
import re
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from browser_tools import READY, drawn, open_page, problems, rerun, watch
from more_sections import numbers, settle
from playwright.sync_api import Browser, Page, expect
from servers import free_port, started
from stalling import stalling

from encoder import TextEncoder

APP = Path(__file__).resolve().parents[2] / "app.py"
TEXT = "Keys on the table belong to Sara."
A_FEW = 5  # clicks of somebody who sees nothing come
DRAWN = """first => {
  const plots = document.querySelectorAll('.st-key-pad_weights .js-plotly-plot')
  return plots.length === 1 && Math.fround(plots[0]._fullData?.[0].z[0][0]) === first
}"""


def shows_weights(page: Page, expected: np.ndarray) -> None:
    """Several heads together, of which one is chosen; of another process, whose sums may have another order."""
    one = page.locator("#more-several")
    settle(one)
    for _ in range(50):
        if np.allclose(numbers(one, at=1), expected, rtol=1e-5, atol=1e-6):
            return
        page.wait_for_timeout(100)
    np.testing.assert_allclose(numbers(one, at=1), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.nightly
def test_a_reload_in_the_middle_of_a_sweep_ends_it(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/what_if?more=board")
    board, measure = page.locator("#more-board"), re.compile("^Measure every part")
    board.get_by_role("button", name=measure).click()
    expect(board.get_by_role("status")).to_contain_text(re.compile(r"Working … \d+ %"), timeout=60_000)
    open_page(page, page.url)
    board.get_by_role("button", name=measure).click()  # its place in the queue was given up
    expect(board.get_by_role("status")).to_contain_text(re.compile(r"Working … \d+ %"), timeout=60_000)
    board.get_by_role("button", name="Stop").click()
    expect(board.get_by_role("status")).to_contain_text("Stopped.")


def test_two_tabs_do_not_touch_each_other(page: Page, app_url: str, base: TextEncoder) -> None:
    weights = base.trace(TEXT)["layers.2.attention.weights"]
    tabs = [page, page.context.new_page()]
    watch(tabs[1])
    for i, tab in enumerate(tabs):
        open_page(tab, f"{app_url}/?more=several&sentence={quote(TEXT)}&layer=2&head={i + 2}")
    shows_weights(tabs[0], weights[2].numpy())
    tabs[0].locator("[data-head-row='2,6']").first.click()
    expect(tabs[0]).to_have_url(re.compile("head=6"))
    shows_weights(tabs[0], weights[6].numpy())
    with rerun(tabs[1]):
        tabs[1].reload()
    shows_weights(tabs[1], weights[3].numpy())
    expect(tabs[1]).to_have_url(re.compile("head=3"))
    assert problems(tabs[1]) == []
    tabs[1].close()


@pytest.mark.nightly
def test_a_server_that_is_started_again_shows_the_same(browser: Browser, tmp_path: Path, base: TextEncoder) -> None:
    weights = base.trace(TEXT)["layers.2.attention.weights"].numpy()
    port = free_port()
    with browser.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(60_000)
        watch(page)
        app = page.locator("[data-testid=stApp]")
        with started(APP, tmp_path / "first", tmp_path, port) as server:
            open_page(page, f"{server.url}/?more=several&sentence={quote(TEXT)}&layer=2&head=3")
            address = page.url
            shows_weights(page, weights[3])
            assert problems(page) == []  # the first visitor of a server may come by a link
        expect(app).not_to_have_attribute("data-test-connection-state", "CONNECTED")
        with contextlib.ExitStack() as second:
            with rerun(page, 60):  # the address is "/" for a tenth of a second, until the app has named its pages
                second.enter_context(started(APP, tmp_path / "second", tmp_path, port))
            expect(page).to_have_url(address)
            page.locator("[data-head-row='2,6']").first.click()
            shows_weights(page, weights[6])
            with rerun(page, 60):
                page.reload()
            shows_weights(page, weights[6])


def test_a_line_that_stood_still_while_somebody_clicked_comes_back(page: Page, app_url: str) -> None:
    """The browser must still hold what it said it held."""
    asked = f"lessons?lab=Padding&head=0&sentence={quote(TEXT)}"
    with stalling(app_url) as line:
        open_page(page, f"{line.url}/{asked}&layer={A_FEW}")
        expected = drawn(page, "pad_weights")
        open_page(page, f"{line.url}/{asked}&layer={A_FEW - 1}")
        layers = page.get_by_role("radiogroup", name="layer").get_by_role("radio")
        line.moves.clear()
        for step in range(A_FEW):
            layers.nth(step % A_FEW).click()
            page.wait_for_timeout(100)
        line.moves.set()
        page.wait_for_function(READY)
        layers.nth(A_FEW).click()
        page.wait_for_function(DRAWN, arg=float(expected[0, 0]))
        np.testing.assert_allclose(drawn(page, "pad_weights"), expected, rtol=1e-5)
        expect(layers.nth(A_FEW)).to_be_checked()
        assert problems(page) == []
        page.goto("about:blank")
