"""What a person does in a real browser: open, type, choose, walk."""

import re

import numpy as np
import pytest
from browser_tools import chart, open_page, rerun, widget
from playwright.sync_api import Page, expect

from encoder import TextEncoder
from pages.ui.site import PAGES
from pages.ui.state import EXAMPLE


def type_sentence(page: Page, text: str) -> None:
    box = widget(page, "sentence").locator("textarea")
    box.fill(text)
    with rerun(page):
        box.press("Control+Enter")


def choose(page: Page, key: str, value: int) -> None:
    with rerun(page):
        widget(page, key).get_by_role("radio", name=str(value), exact=True).click()


def drawn(page: Page) -> np.ndarray:
    return np.array(chart(page, "picture")[0]["z"], dtype=np.float32)


def test_the_first_page_is_usable_at_once(page: Page, app_url: str, base: TextEncoder) -> None:
    open_page(page, app_url)
    expect(page.locator(".tokens > div")).to_have_count(14)
    np.testing.assert_array_equal(drawn(page), base.trace(EXAMPLE)["layers.4.attention.weights"][1].numpy())


def test_a_person_types_chooses_and_walks(page: Page, app_url: str, base: TextEncoder) -> None:
    text = "Keys on the table belong to Sara."
    trace = base.trace(text)
    open_page(page, app_url)
    type_sentence(page, text)
    with rerun(page):
        page.get_by_role("link", name="Attention").click()
    choose(page, "layer", 2)
    choose(page, "head", 3)
    np.testing.assert_array_equal(drawn(page), trace["layers.2.attention.weights"][3].numpy())
    expect(page).to_have_url(re.compile("layer=2.*head=3"))
    for name in ("heads", "concat", "output"):
        with rerun(page):
            widget(page, "next").get_by_role("button").click()
        values = trace[f"layers.2.attention.{name}"].numpy()
        np.testing.assert_array_equal(drawn(page), values[3] if values.ndim == 3 else values)
    page.locator("h1").click()
    with rerun(page):
        page.keyboard.press("ArrowRight")
    expect(page.locator("h1")).to_have_text("Add & norm")
    np.testing.assert_array_equal(drawn(page), trace["layers.2.add_norm_1.sum"].numpy())
    with rerun(page):
        page.keyboard.press("ArrowLeft")
    expect(page.locator("h1")).to_have_text("Attention")


def test_a_click_in_the_head_grid_shows_that_head(page: Page, app_url: str, base: TextEncoder) -> None:
    open_page(page, f"{app_url}/attention")
    with rerun(page):
        widget(page, "head_grid").get_by_role("button", name="Show head 6").click()
    np.testing.assert_array_equal(drawn(page), base.trace(EXAMPLE)["layers.4.attention.weights"][6].numpy())


def test_a_link_opened_in_a_new_tab_shows_the_same(page: Page, app_url: str, base: TextEncoder) -> None:
    open_page(page, f"{app_url}/attention?sentence=I+understand+this&layer=1&head=7&step=attention.scores&hidden=2")
    recorded = base.trace("I understand this", hidden=(2,))["layers.1.attention.scores"][7]
    np.testing.assert_array_equal(drawn(page), recorded.numpy())
    expect(widget(page, "sentence").locator("textarea")).to_have_value("I understand this")


@pytest.mark.parametrize("path", [page.key for page in PAGES[1:]])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_draws(page: Page, app_url: str, path: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    open_page(page, f"{app_url}/{path}")
    expect(page.locator("h1")).to_have_text(next(p.title for p in PAGES if p.key == path))
    if path != "model_cost":
        assert np.isfinite(drawn(page)).all()


HOSTILE = (
    "<b>bold</b><img src=x onerror=alert(1)> $x^2$ **a** [b](javascript:alert(1)) `c` 😀 مرحبا 你好 \u202eabc\u200b"
)


@pytest.mark.parametrize("path", ["", *(page.key for page in PAGES[1:])])
def test_nothing_that_is_typed_becomes_markup(page: Page, app_url: str, path: str) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    open_page(page, f"{app_url}/{path}")
    type_sentence(page, HOSTILE)
    body = page.locator("[data-testid=stMain]")
    expect(body.locator("img[src=x]")).to_have_count(0)
    expect(body.locator("a[href^=javascript]")).to_have_count(0)


def test_a_paste_of_100_000_characters_is_cut_and_said(page: Page, app_url: str) -> None:
    open_page(page, app_url)
    type_sentence(page, "word " * 20_000)
    expect(page.locator("[data-testid=stAlert]")).to_contain_text("512 tokens")


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("path", ["", *(page.key for page in PAGES[1:])])
def test_no_page_is_wider_than_the_screen(page: Page, app_url: str, path: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    open_page(page, f"{app_url}/{path}")
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 0
