"""The plain page in a browser that runs no script, and the way to it from the front."""

from urllib.parse import parse_qs, urlsplit

import pytest
from browser_tools import barriers
from mounted import SIZES
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from encoder.packet.shipped import SENTENCES
from pages.front import routes
from pages.front.headers import Headers

SERVER = TestClient(Starlette(routes=routes.routes(), middleware=[Middleware(Headers)]), base_url="http://plain.test")


def answer(route: Route) -> None:
    """Answer a request as the server does; there is nothing but its pages to ask for."""
    request = route.request
    sent = SERVER.get(request.url, headers={"Sec-Fetch-Mode": "navigate"})
    assert urlsplit(request.url).path == "/plain", request.url
    route.fulfill(status=sent.status_code, headers=dict(sent.headers), body=sent.content)


@pytest.mark.parametrize(("size", "scheme"), SIZES, ids=("wide and light", "narrow and dark"))
def test_without_script_it_fits_and_axe_finds_nothing(browser: Browser, size: ViewportSize, scheme: str) -> None:
    with browser.new_context(viewport=size, color_scheme=scheme, java_script_enabled=False) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.route("**/*", answer)
        page.goto("http://plain.test/plain")
        expect(page.get_by_role("heading", level=1)).to_contain_text("“are”?")
        assert page.get_by_role("img").count() == 1  # one of two pictures, by the room there is
        words = page.locator("svg:visible text:not(.share)")
        assert words.count() == 10 and "keys" in words.all_text_contents()
        page.get_by_role("link", name="head 1 of layer 4").click()
        expect(page.locator(".claim")).to_contain_text("Head 1 of layer 4")
        page.get_by_label("Your own sentence").fill(SENTENCES[6])
        page.get_by_role("button", name="Show").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("What does “mouse” look at?")
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    with browser.new_context(viewport=size, color_scheme=scheme) as context:  # type: ignore[arg-type]
        page = context.new_page()  # axe-core is a script itself
        page.route("**/*", answer)
        for query in ("", "?model=none"):
            page.goto(f"http://plain.test/plain{query}")
            assert barriers(page, every=True) == []


def test_the_front_leads_there_first_with_what_is_chosen(front: Page) -> None:
    link = front.locator(".enc-plain")
    expect(link).to_be_hidden()  # no address of it is known here
    front.evaluate("void again({ plain: '/lab/plain' })")
    front.locator("[data-word]").filter(has_text="cabinet").click()
    front.evaluate("document.activeElement.blur()")
    front.locator("#root").evaluate("root => { root.tabIndex = -1; root.focus() }")
    front.keyboard.press("Tab")
    expect(link).to_be_focused()
    box = link.bounding_box()
    assert box is not None and box["width"] > 60 and box["height"] > 20
    front.keyboard.press("Enter")
    front.wait_for_url("**/lab/plain?**")
    assert parse_qs(urlsplit(front.url).query)["word"] == ["5"]


def test_in_a_file_nothing_leads_there(front: Page) -> None:
    front.evaluate("void again({ plain: '/plain', closed: true })")
    expect(front.locator(".enc-plain")).to_be_hidden()
    front.evaluate("void again({ closed: false })")
    expect(front.locator(".enc-plain")).to_have_count(1)
    assert front.locator(".enc-plain").get_attribute("href", timeout=1000).startswith("/plain?")
