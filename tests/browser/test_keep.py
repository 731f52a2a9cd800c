"""What is taken along of a page that the server draws is what the run recorded; links, frames and the presenter."""

import csv
import io
import re
from xml.etree import ElementTree

import numpy as np
from browser_tools import arrived, dark, open_page, problems, rerun, save, sentence_line
from PIL import Image
from playwright.sync_api import Page, Route, expect

from encoder import TextEncoder
from encoder.metrics import rollout

ROLLOUT = "Rollout up to layer 5"  # the second picture of its lab
TEXT = "Keys on the <b>table</b> belong to\x01 Sara."
AT = "sentence=Keys+on+the+%3Cb%3Etable%3C%2Fb%3E+belong+to%01+Sara.&layer=2&head=3"


def test_a_picture_is_kept_as_drawing_pixels_paper_numbers_and_words(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    """One visit, in dark: a file is of paper whatever the screen shows, and holds no character that no XML may hold."""
    trace = base.trace(TEXT)
    open_page(page, f"{app_url}/lessons?lab=Rollout&{AT}")
    dark(page)
    name, svg = save(page, "Picture as SVG", ROLLOUT)
    assert name == "base-rollout-layer5.svg"
    texts = ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert all(texts.count(token) >= 2 for token in trace.tokens), "rows and columns are named"
    assert not re.search(rb"https?://(?!www\.w3\.org|creativecommons\.org|purl\.org)", svg)
    image = Image.open(io.BytesIO(save(page, "Picture as PNG", ROLLOUT)[1])).convert("RGB")
    assert image.getpixel((0, 0)) == (255, 255, 255) and len(image.getcolors(1 << 24) or []) > 50
    assert save(page, "Picture as PDF", ROLLOUT)[1].startswith(b"%PDF")
    _, *rows = csv.reader(io.StringIO(save(page, "Numbers as CSV", ROLLOUT)[1].decode(), newline=""))
    saved = np.array([row[1:] for row in rows], dtype=float)
    # The server's weights are laid out for the processor, those of this run are not: their sums round otherwise.
    np.testing.assert_allclose(saved, rollout(trace).numpy()[-1], rtol=0, atol=5e-6)
    page.locator(".enc-keep").click()
    page.get_by_role("menuitem", name="Caption and alt text").click()
    expect(page.get_by_role("dialog")).to_contain_text("“Keys on the <b>table</b> belong to\x01 Sara.”")
    assert problems(page) == []


def test_the_menu_of_what_is_saved_stays_open_while_the_page_is_drawn_again(page: Page, app_url: str) -> None:
    """It said “Finding what can be saved …” for ever to who opened it while the page was still being drawn."""
    open_page(page, f"{app_url}/lessons?lab=Padding&{AT}")
    waiting: list[Route] = []
    page.route("**/api/file/*", lambda route: route.continue_() if waiting else waiting.append(route))
    page.locator(".enc-keep").click()
    expect(page.get_by_text("Finding what can be saved")).to_be_visible()
    with rerun(page):
        page.get_by_role("radiogroup", name="layer").get_by_role("radio").first.evaluate("radio => radio.click()")
    arrived(page, waiting, 1).continue_()
    expect(page.get_by_role("menuitem", name="Picture as SVG")).to_be_visible()
    assert problems(page) == []


def test_what_a_link_says_never_becomes_a_link_of_the_app(page: Page, app_url: str) -> None:
    asked = (
        "step=http://evil.example/x",
        "head=www.evil.example",
        "layer=me@evil.example",
        "cell=HTTPS://evil.example",
    )
    open_page(page, f"{app_url}/training?{'&'.join(asked)}&hidden=%E2%80%AEabc")
    note = page.get_by_test_id("stAlert")
    expect(note).to_contain_text("evil.example/x")
    expect(note).to_contain_text("me@")
    expect(note).to_contain_text("\\u202eabc")
    assert page.locator("a[href*=evil]").count() == 0
    assert "\u202e" not in page.locator("body").inner_text()


def test_in_a_frame_there_is_no_menu_and_one_key_makes_a_page_large(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/models?embed=true&{AT}")
    menu = page.get_by_role("button", name="Menu", exact=True)
    expect(sentence_line(page)).to_be_visible()
    expect(menu).to_be_hidden()
    expect(page.locator("[data-testid=stAlert]")).to_have_count(0)
    open_page(page, f"{app_url}/training?{AT}")
    height = "one => one.getBoundingClientRect().height"
    save = page.get_by_role("button", name="Save")
    bars = page.locator(".bars").first  # the curves have what height is left
    usual = bars.evaluate(height)
    page.locator("h1").click()
    page.keyboard.press("p")
    for one in (menu, save):
        expect(one).to_be_hidden()
    assert bars.evaluate(height) > 1.15 * usual
    page.keyboard.press("Escape")
    for one in (menu, save):
        expect(one).to_be_visible()
    assert bars.evaluate(height) == usual
