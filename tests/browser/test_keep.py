"""What is taken along of a page that the server draws is what the run recorded; links, frames and the presenter."""

import csv
import io
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import numpy as np
from browser_tools import dark, open_page, problems, rerun, sentence_line, widget
from PIL import Image
from playwright.sync_api import Page, expect

from encoder import TextEncoder
from encoder.metrics import rollout

TEXT = "Keys on the <b>table</b> belong to\x01 Sara."
AT = "sentence=Keys+on+the+%3Cb%3Etable%3C%2Fb%3E+belong+to%01+Sara.&layer=2&head=3"


def download(page: Page, name: str) -> tuple[str, bytes]:
    """The name and content of the file that a link gives."""
    with page.expect_download() as download:
        page.get_by_role("link", name=name, exact=True).click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def test_a_picture_is_kept_as_drawing_pixels_paper_numbers_and_words(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    """One visit, in dark: a file is of paper whatever the screen shows, and holds no character that no XML may hold."""
    trace = base.trace(TEXT)
    open_page(page, f"{app_url}/lessons?lessons_part=Labs&lab=Rollout&{AT}")
    dark(page)
    with rerun(page):
        widget(page, "keep_rollout").get_by_role("button").first.click()
    name, svg = download(page, "Picture as SVG")
    assert name == "base-rollout-layer5.svg"
    texts = ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert all(texts.count(token) >= 2 for token in trace.tokens), "rows and columns are named"
    assert not re.search(rb"https?://(?!www\.w3\.org|creativecommons\.org|purl\.org)", svg)
    image = Image.open(io.BytesIO(download(page, "Picture as PNG")[1])).convert("RGB")
    assert image.getpixel((0, 0)) == (255, 255, 255) and len(image.getcolors(1 << 24) or []) > 50
    assert download(page, "Picture as PDF")[1].startswith(b"%PDF")
    _, *rows = csv.reader(io.StringIO(download(page, "Numbers as CSV")[1].decode(), newline=""))
    saved = np.array([row[1:] for row in rows], dtype=float)
    # The server's weights are laid out for the processor, those of this run are not: their sums round otherwise.
    np.testing.assert_allclose(saved, rollout(trace).numpy()[-1], rtol=0, atol=5e-6)
    expect(page.get_by_test_id("stCode").first).to_contain_text("“Keys on the <b>table</b> belong to\x01 Sara.”")
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


def test_in_a_frame_there_is_no_menu_and_the_link_is_that_of_the_page(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/training?embed=true&{AT}")
    menu = page.get_by_role("button", name="Menu", exact=True)
    expect(sentence_line(page)).to_be_visible()
    expect(menu).to_be_hidden()
    expect(page.locator("[data-testid=stAlert]")).to_have_count(0)
    with rerun(page):
        widget(page, "keep_all").get_by_role("button").click()
    link = urlsplit(page.get_by_test_id("stCode").inner_text().strip())
    asked = parse_qs(urlsplit(page.url).query)
    assert link.path == "/training" and parse_qs(link.query) | {"embed": ["true"]} == asked | {"v": ["1"]}
    widget(page, "previous").get_by_role("button").click()
    expect(page).to_have_url(re.compile("/heads.*embed=true"))
    expect(menu).to_be_hidden()


def test_one_key_presents_and_the_arrow_keys_still_walk(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/lessons?lessons_part=Labs&lab=Padding&{AT}")
    height = "plot => plot.clientHeight"
    plot = widget(page, "pad_weights").locator(".js-plotly-plot")
    usual = plot.evaluate(height)
    page.locator("h1").click()
    with rerun(page):
        page.keyboard.press("p")
    menu = page.get_by_role("button", name="Menu", exact=True)
    expect(menu).to_be_hidden()
    assert plot.evaluate(height) > 1.25 * usual
    with rerun(page):
        page.keyboard.press("Escape")
    expect(menu).to_be_visible()
    expect(page).not_to_have_url(re.compile("present"))
    open_page(page, f"{app_url}/training?{AT}&present=1")
    page.locator("h1").click()
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("/heads.*present=1"))
