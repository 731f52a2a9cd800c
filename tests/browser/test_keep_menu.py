"""The menu Save on the front: by keys, what it offers, and that what is taken along is the run that is shown."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser_tools import arrived, barriers
from mounted import Bench, address
from playwright.sync_api import Browser, Locator, Page, Route, expect
from starlette.applications import Starlette
from starlette.testclient import TestClient

from encoder import TextEncoder, Trace
from encoder.pictures.numbers import array
from pages.front import routes

SENTENCE = "The keys to the cabinet [MASK] on the table."
ALL = [
    "Copy link",
    "Picture as SVG",
    "Picture as PNG",
    "Picture as PDF",
    "Numbers as CSV",
    "Numbers as JSON",
    "Code in Python",
    "Caption and alt text",
    *(OF_RUN := ["The whole run, for numpy", "This layer, as tables", "A page of its own"]),
]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """The app's own routes, without Streamlit."""
    with TestClient(Starlette(routes=routes.routes()), base_url="http://front.test") as found:
        yield found


@pytest.fixture
def front(bench: Bench, client: TestClient) -> Page:
    """Start on a page without Streamlit, whose requests the app's own routes answer."""

    def asked(route: Route) -> None:
        request = route.request
        answer = client.post(
            request.url, content=request.post_data_buffer, headers={"Content-Type": "application/json"}
        )
        headers = {name: text for name, text in answer.headers.items() if name.startswith("content-disp")}
        kind = answer.headers["Content-Type"]
        route.fulfill(status=answer.status_code, body=answer.content, content_type=kind, headers=headers)

    page = bench.visit({SENTENCE: address(SENTENCE)}, server=True)
    page.route("**/api/*", asked)
    return page


def menu(page: Page) -> Locator:
    """The menu, opened, with all that is offered."""
    page.get_by_role("button", name="Save", exact=True).click()
    found = page.get_by_role("menu")
    expect(found.get_by_role("menuitem", name="Caption and alt text")).to_be_visible()
    return found


def choose(page: Page, name: str) -> None:
    menu(page).get_by_role("menuitem", name=name).click()


def saved(page: Page, name: str) -> tuple[str, bytes]:
    """A file that is downloaded: its name, and what is in it."""
    with page.expect_download() as coming:
        choose(page, name)
    expect(page.get_by_text("Saved as ")).to_contain_text(coming.value.suggested_filename)
    return coming.value.suggested_filename, coming.value.path().read_bytes()


def numbers(data: bytes) -> np.ndarray:
    """The numbers of a table, which has the names of its rows before them."""
    return np.array([[float(cell) for cell in row[1:]] for row in list(csv.reader(io.StringIO(data.decode())))[1:]])


def shares(trace: Trace, layer: int, head: int, word: int) -> np.ndarray:
    """Where a head looks from a token, among those of the sentence."""
    return trace.array(f"layers.{layer}.attention.weights")[head, word, 1:-1]


def test_the_menu_is_walked_by_keys_alone(front: Page) -> None:
    button, menu = front.get_by_role("button", name="Save", exact=True), front.get_by_role("menu")
    pictures = menu.get_by_role("group", name="Picture", exact=True).get_by_role("menuitemradio")
    expect(button).to_have_attribute("aria-haspopup", "menu")
    for key in ("Enter", "Space", "ArrowDown"):
        button.focus()
        front.keyboard.press(key)
        expect(button).to_have_attribute("aria-expanded", "true")
        expect(pictures.first).to_be_focused()
        front.keyboard.press("Escape")
        expect(button).to_be_focused()
        expect(menu).to_be_hidden()
        expect(button).to_have_attribute("aria-expanded", "false")
    front.keyboard.press("Enter")
    expect(menu.get_by_role("menuitem")).to_have_text(ALL)
    expect(pictures).to_have_text([re.compile("Head 6 of layer 5"), "What each part costs"])
    assert barriers(front, every=True) == []
    last = menu.get_by_role("menuitem", name=ALL[-1])
    for key, to in (("ArrowUp", last), ("ArrowDown", pictures.first), ("ArrowDown", pictures.last), ("End", last)):
        front.keyboard.press(key)
        expect(to).to_be_focused()
    front.keyboard.press("Tab")
    expect(menu).to_be_hidden()
    button.click()
    front.locator("h1").click()
    expect(menu).to_be_hidden()


def test_the_numbers_of_start_are_those_of_the_run(front: Page, base: TextEncoder) -> None:
    front.locator("[data-head-row='4,1']").click()
    front.locator("[data-word='2']").click()
    expected = shares(base.trace(SENTENCE), 4, 1, 2)
    name, data = saved(front, "Numbers as CSV")
    assert name == "base-arcs-layer4-head1.csv"
    np.testing.assert_allclose(numbers(data)[:, 0], expected, rtol=1e-5)
    drawn = front.locator("[data-word]").evaluate_all("all => all.map(one => Number(one.dataset.share))")
    np.testing.assert_allclose(numbers(data)[:, 0], drawn, atol=1e-4)
    _, told = saved(front, "Numbers as JSON")
    np.testing.assert_allclose(json.loads(told)["numbers"], expected, rtol=1e-5)


def test_a_picture_is_as_wide_as_chosen(front: Page) -> None:
    for name, width in (("As shown", 190.5), ("One column", 85), ("Two columns", 180)):
        found = menu(front)
        size = found.get_by_role("menuitemradio", name=name)
        size.click()
        expect(size).to_have_attribute("aria-checked", "true")
        widths = found.get_by_role("group", name="Width of a picture")
        expect(widths.get_by_role("menuitemradio", checked=True)).to_have_count(1)
        with front.expect_download() as coming:
            found.get_by_role("menuitem", name="Picture as SVG").click()
        assert f'width="{width:.3f}mm"' in coming.value.path().read_text(encoding="utf-8")
        expect(front.get_by_text("Saved as ")).to_be_visible()


def test_the_numbers_of_attention_are_those_of_its_stop(front: Page, base: TextEncoder) -> None:
    front.evaluate("() => { again({ page: 'attention' }) }")
    front.get_by_role("radio", name="Q", exact=False).first.click()
    front.get_by_role("radio", name="layer 2").click()
    front.get_by_role("radio", name="head 3").click()
    name, data = saved(front, "Numbers as CSV")
    assert name == "base-attention.q-layer2-head3.csv"
    np.testing.assert_allclose(numbers(data), base.trace(SENTENCE).array("layers.2.attention.q")[3], rtol=1e-6)


@pytest.mark.parametrize("page", ["start", "attention"])
def test_the_code_that_is_copied_measures_the_same_numbers_by_itself(front: Page, base: TextEncoder, page: str) -> None:
    """In a namespace of its own; that such code runs in a fresh interpreter is shown for every picture elsewhere."""
    front.evaluate("page => { again({ page }) }", page)
    if page == "start":
        choose(front, "Code in Python")
    else:
        front.get_by_role("button", name="Code", exact=True).click()
    dialog = front.get_by_role("dialog", name="Code in Python")
    expect(dialog).to_be_visible()
    assert page == "attention" or barriers(front, every=True) == []
    dialog.get_by_role("button", name="Copy").click()
    expect(dialog.get_by_role("button", name="Copied")).to_be_visible()
    code = front.evaluate("navigator.clipboard.readText()")
    assert code == dialog.locator("pre").text_content()
    names = {"__name__": "__main__"}
    exec(compile(code, "copied", "exec"), names)
    trace = base.trace(SENTENCE)
    expected = shares(trace, 5, 6, 6) if page == "start" else trace.array("layers.5.attention.weights")[6]
    np.testing.assert_allclose(array(names["x"]), array(expected), rtol=1e-5)
    front.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(front.get_by_role("button", name="Save" if page == "start" else "Code", exact=True)).to_be_focused()


def test_the_link_and_the_words_can_be_copied(front: Page) -> None:
    front.locator("[data-head-row='4,1']").click()
    choose(front, "Copy link")
    expect(front.get_by_text("The link is copied.")).to_be_visible()
    assert "layer=4&head=1" in front.evaluate("navigator.clipboard.readText()")
    choose(front, "Caption and alt text")
    dialog = front.get_by_role("dialog")
    expect(dialog).to_contain_text("head 1 of layer 4")
    dialog.get_by_role("button", name="Copy caption").click()
    expect(dialog.get_by_role("button", name="Copied")).to_be_visible()
    assert SENTENCE in front.evaluate("navigator.clipboard.readText()")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    # What a browser may not copy is shown, to be copied by hand.
    front.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }")
    choose(front, "Copy link")
    expect(front.get_by_role("dialog", name="Link")).to_contain_text("https://front.test/")


def held(page: Page, answer: Callable[[dict[str, Any]], dict[str, Any] | None]) -> list[Route]:
    """Has the test answer requests for pictures: those that `answer` has nothing for wait in the list."""
    waiting: list[Route] = []

    def asked(route: Route) -> None:
        given = answer(route.request.post_data_json)
        if given is None:
            waiting.append(route)
        else:
            route.fulfill(**given)

    page.route("**/api/picture", asked)
    return waiting


ABOUT = {"title": "A", "caption": "C", "alt": "A", "code": "", "formats": ["csv"]}
NAMED = {"Content-Disposition": 'attachment; filename="a.csv"'}


def test_what_is_not_to_be_had_is_not_in_the_menu(front: Page) -> None:
    held(front, lambda asked: {"json": ABOUT, "headers": NAMED})
    expect(menu(front).get_by_role("menuitem")).to_have_text(
        ["Copy link", "Numbers as CSV", "Caption and alt text", *OF_RUN]
    )


def test_what_the_menu_offers_is_what_is_shown_by_then(front: Page) -> None:
    """Another head is chosen, as by a class, while the menu is open: before the server says what is there, or after."""
    waiting = held(front, lambda asked: None)
    front.get_by_role("button", name="Save", exact=True).click()
    entry, of = (
        front.get_by_role("menuitem", name="Numbers as CSV"),
        front.get_by_role("group", name="Picture", exact=True),
    )
    for number, place in enumerate(("4,1", "5,6"), 2):  # the first was of the head before
        expect(of).not_to_contain_text("Head 1 of layer 4" if place == "4,1" else "Head 6 of layer 5")
        front.locator(f"[data-head-row='{place}']").evaluate("row => row.click()")
        expect(of).to_contain_text("Head 1 of layer 4" if place == "4,1" else "Head 6 of layer 5")
        expect(of.get_by_role("menuitemradio").first).to_be_focused()
        arrived(front, waiting, number).fulfill(json=ABOUT, headers=NAMED)
        expect(entry).to_be_visible()
    entry.click()
    expect(front.locator(".enc-kept")).to_have_text("Making the CSV …")
    query = arrived(front, waiting, 4).request.post_data_json["query"]
    assert (query["layer"], query["head"]) == ("5", "6")


def test_what_is_made_is_said_and_so_is_what_went_wrong(front: Page) -> None:
    waiting = held(front, lambda asked: {"json": ABOUT, "headers": NAMED} if asked["format"] == "about" else None)
    choose(front, "Numbers as CSV")
    told = front.locator(".enc-kept")
    expect(told).to_have_text("Making the CSV …")
    expect(front.get_by_role("button", name="Save", exact=True)).to_be_focused()
    arrived(front, waiting, 1).fulfill(status=503, json={"message": "The server has much to do."})
    expect(told).to_have_text("The server has much to do.")
    front.locator("h1").click()
    expect(told).to_be_empty()


def test_a_server_that_does_not_answer_leaves_the_link(front: Page) -> None:
    held(front, lambda asked: {"status": 503, "json": {"message": "The server has much to do."}})
    front.get_by_role("button", name="Save", exact=True).click()
    expect(front.get_by_text("The server has much to do.")).to_be_visible()
    expect(front.get_by_role("menuitem")).to_have_text(["Copy link"])
    front.unroute("**/api/picture")
    front.keyboard.press("Escape")
    expect(menu(front).get_by_role("menuitem")).to_have_text(ALL)  # asked again, and not what went wrong once
    front.keyboard.press("Escape")
    front.evaluate("() => { again({ closed: true, keep: undefined }) }")  # a file that asks no server
    expect(front.get_by_role("button", name="Save", exact=True)).to_be_hidden()


def test_a_page_of_its_own_opens_where_it_was_kept(front: Page, browser: Browser, tmp_path: Path) -> None:
    front.evaluate("() => { again({ page: 'attention' }) }")
    front.get_by_role("radio", name="layer 2", exact=True).click()
    front.get_by_role("radio", name="head 3", exact=True).click()
    cell = front.get_by_role("gridcell").get_attribute("aria-label") or ""
    name, data = saved(front, "A page of its own")
    line = front.get_by_role("dialog").locator("pre").inner_text()
    assert name == "base-attention.html" and f'src="{name}"' in line
    (tmp_path / name).write_bytes(data)
    around = tmp_path / "course.html"
    around.write_text(f"<!DOCTYPE html><html lang='en'><title>Course</title><h1>Course</h1>{line}", encoding="utf-8")
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(around.as_uri())
        kept = page.frame_locator("iframe")
        expect(kept.get_by_role("radio", name="layer 2", exact=True)).to_be_checked()
        expect(kept.get_by_role("radio", name="head 3", exact=True)).to_be_checked()
        expect(kept.get_by_role("gridcell")).to_have_attribute("aria-label", cell)
        foot = kept.get_by_role("contentinfo")
        expect(foot).to_contain_text("When it was kept: ")
        expect(foot).to_contain_text("head 3 of layer 2", ignore_case=True)
        expect(foot.get_by_role("link")).to_have_attribute("href", re.compile(r"^https://front\.test/\?.*layer=2"))
        assert errors == []


def test_the_menu_fits_a_phone(front: Page) -> None:
    front.set_viewport_size({"width": 390, "height": 844})
    box = menu(front).bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["y"] + box["height"] <= 844
    assert front.evaluate("document.documentElement.scrollWidth <= innerWidth")
    front.keyboard.press("Escape")
    for page, sentences in (("start", 0), ("attention", 1)):
        front.evaluate("page => { again({ page }) }", page)
        bar = front.locator(".enc-bar").bounding_box()
        button = front.get_by_role("button", name="Save", exact=True).bounding_box()
        assert bar and button and button["x"] + button["width"] <= 390
        rows = [one.bounding_box() for one in front.locator(".enc-bar .enc-form:visible").all()]
        assert len(rows) == sentences  # it has rows of its own
        assert bar["height"] - sum(row["height"] for row in rows if row) <= 48
