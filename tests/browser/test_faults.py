"""A page that is reloaded, cut off, doubled or left by its server comes back as it was."""

import contextlib
import re
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from browser_tools import READY, choose_head, drawn, open_page, problems, rerun, sentence_line, watch, widget
from playwright.sync_api import Browser, Page, expect
from servers import free_port, started
from stalling import stalling

from encoder import TextEncoder, Trace
from encoder.metrics import head_outputs, length

APP = Path(__file__).resolve().parents[2] / "app.py"
TEXT = "Keys on the table belong to Sara."
A_FEW = 5  # clicks of somebody who sees nothing come
DRAWN = """first => {
  const plots = document.querySelectorAll('.st-key-head_lengths .js-plotly-plot')
  return plots.length === 1 && Math.fround(plots[0]._fullData?.[0].z[0][0]) === first
}"""
LONG = "The old man and the sea were friends. " * 60


def lengths(trace: Trace, layer: int) -> np.ndarray:
    """What is drawn below Attention: the length of what each head of a layer adds to each token."""
    found: np.ndarray = length(head_outputs(trace, layer)).numpy()
    return found


def shows_shares(page: Page, expected: np.ndarray) -> None:
    """Start draws these shares below; of another process, whose sums may have another order."""
    np.testing.assert_allclose(drawn(page, "together_matrix"), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.nightly
def test_a_reload_in_the_middle_of_a_sweep_ends_it(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/what_if?more=1&sentence={quote(LONG[:1400])}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Without head")  # what stands below moves no more
    widget(page, "loo_go").get_by_role("button").click()
    expect(page.get_by_test_id("stProgress")).to_contain_text("of 54 runs")
    open_page(page, page.url)
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    expect(sentence_line(page)).to_have_value(LONG[:1400])
    with rerun(page, 120):
        widget(page, "loo_go").get_by_role("button").click()  # its place in the queue was given up
    expect(widget(page, "loo_map").locator(".main-svg").first).to_be_visible()


def test_two_tabs_do_not_touch_each_other(page: Page, app_url: str, base: TextEncoder) -> None:
    weights = base.trace(TEXT)["layers.2.attention.weights"]
    tabs = [page, page.context.new_page()]
    watch(tabs[1])
    for i, tab in enumerate(tabs):
        open_page(tab, f"{app_url}/?several=1&sentence={quote(TEXT)}&layer=2&head={i + 2}")
    choose_head(tabs[0], 2, 6)
    shows_shares(tabs[0], weights[6].numpy())
    with rerun(tabs[1]):
        tabs[1].reload()
    shows_shares(tabs[1], weights[3].numpy())
    expect(tabs[1]).to_have_url(re.compile("head=3"))
    assert problems(tabs[1]) == []
    tabs[1].close()


@pytest.mark.nightly
def test_a_server_that_is_started_again_shows_the_same(browser: Browser, tmp_path: Path, base: TextEncoder) -> None:
    expected = base.trace(TEXT)["layers.2.attention.weights"][3].numpy()
    port = free_port()
    with browser.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(60_000)
        watch(page)
        app = page.locator("[data-testid=stApp]")
        with started(APP, tmp_path / "first", tmp_path, port) as server:
            open_page(page, f"{server.url}/?several=1&sentence={quote(TEXT)}&layer=2&head=3")
            address = page.url
            expect(page.locator("h1")).not_to_be_empty()
            assert problems(page) == []  # the first visitor of a server may come by a link
            expect(widget(page, "together_matrix").locator(".main-svg").first).to_be_visible()
        expect(app).not_to_have_attribute("data-test-connection-state", "CONNECTED")
        with contextlib.ExitStack() as second:
            with rerun(page, 60):  # the address is "/" for a tenth of a second, until the app has named its pages
                second.enter_context(started(APP, tmp_path / "second", tmp_path, port))
            assert page.url == address
            shows_shares(page, expected)
            with rerun(page, 60):
                page.reload()
            shows_shares(page, expected)
            assert page.url == address


@pytest.mark.nightly
def test_a_line_that_stood_still_while_somebody_clicked_comes_back(page: Page, app_url: str, base: TextEncoder) -> None:
    """The browser must still hold what it said it held."""
    units = lengths(base.trace(TEXT), A_FEW)
    with stalling(app_url) as line:
        open_page(page, f"{line.url}/attention?more=1&head=0&sentence={quote(TEXT)}&layer={A_FEW - 1}")
        layers = page.get_by_role("radiogroup", name="layer").get_by_role("radio")
        line.moves.clear()
        for step in range(A_FEW):
            layers.nth(step % A_FEW).click()
            page.wait_for_timeout(100)
        line.moves.set()
        page.wait_for_function(READY)
        layers.nth(A_FEW).click()
        page.wait_for_function(DRAWN, arg=float(units[0, 0]))
        np.testing.assert_allclose(drawn(page, "head_lengths"), units, rtol=1e-5)
        expect(layers.nth(A_FEW)).to_be_checked()
        assert problems(page) == []
