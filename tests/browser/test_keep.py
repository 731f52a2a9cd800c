"""What a person takes along is what the run recorded: each kind of file is downloaded, opened and compared."""

import csv
import io
import json
import re
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest
from browser_tools import dark, follow_menu, open_page, problems, rerun, sentence_line, watch, widget
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect
from tiers import mostly_nightly

from encoder import TextEncoder, Trace
from pages.ui.state.site import DRAWN, PAGES

TEXT = "Keys on the table belong to Sara."
AT = "sentence=Keys+on+the+table+belong+to+Sara.&layer=2&head=3"
WEIGHTS = "layers.2.attention.weights"
SEEN = """() => {
  const plain = value => ArrayBuffer.isView(value) ? Array.from(value)
    : Array.isArray(value) ? value.map(plain) : value ?? null;
  const plots = [...document.querySelectorAll('[data-testid=stMain] .js-plotly-plot')].map(plot => plot._fullData.map(
    ({ type, x, y, z, text, zmin, zmax }) => [type, x, y, z, text, zmin, zmax].map(plain)));
  const roots = [...document.querySelectorAll('[data-testid=stMain] *')].map(e => e.shadowRoot).filter(Boolean);
  const maps = roots.flatMap(root => [...root.querySelectorAll('canvas')].map(
    canvas => [canvas.getAttribute('aria-label'), canvas.toDataURL()]));
  const boards = roots.flatMap(root => [...root.querySelectorAll('.board')].map(board => board.innerHTML));
  return JSON.stringify([plots, maps, boards, document.querySelector('[data-testid=stMain]').innerText]);
}"""
# Where Plotly draws the cells of a matrix, in pixels
PLACE = """plot => { const { xaxis, yaxis } = plot._fullLayout;
  return [xaxis._offset, xaxis._length, yaxis._offset, yaxis._length]; }"""
# What is chosen on a page before its link is copied: the key of a widget, and the name of what is clicked in it
CHOSEN = {
    "lessons": [("lessons_part", "Labs"), ("lab_group", "Attention and softmax")],
    "heads": [("heads_part", "Measures"), ("measure", "Previous")],
}


@pytest.fixture(scope="module")
def trace(base: TextEncoder) -> Trace:
    return base.trace(TEXT)


@contextmanager
def keeping(page: Page, key: str) -> Iterator[None]:
    """What stands under a picture to keep it, opened and closed again; both have been answered."""
    door = widget(page, f"keep_{key}").get_by_role("button").first
    with rerun(page):
        door.click()
    yield
    with rerun(page):
        door.click()
    expect(page.get_by_role("button", name="SVG", exact=True)).to_have_count(0)


def download(page: Page, button: Locator) -> tuple[str, bytes]:
    """The name and content of the file that a button gives."""
    with page.expect_download() as download:
        button.click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def keep(page: Page, key: str, *buttons: str) -> list[tuple[str, bytes]]:
    """The names and contents of the files that buttons under a picture give."""
    with keeping(page, key):
        return [download(page, named(page, button)) for button in buttons]


def named(page: Page, name: str) -> Locator:
    """What is clicked for a file: a link to one of the server's, or a button for one that is made in the browser."""
    return page.get_by_role("link", name=name, exact=True).or_(page.get_by_role("button", name=name, exact=True))


def png(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content)).convert("RGBA")


def rows(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


def check_svg(content: bytes, trace: Trace) -> None:
    """Tokens and caption are text, the cells are shapes, and the larger a weight the darker its cell."""
    root = ElementTree.fromstring(content)
    texts = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert all(texts.count(token) == 2 for token in trace.tokens)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}image"))) <= 1, "the cells of the matrix are shapes"
    fills = [one.get("fill") for one in root.findall(".//{*}g[@class='cells']/{*}rect")]
    light = [sum(map(int, re.findall(r"\d+", str(fill)))) for fill in fills]
    assert len(fills) == len(trace.tokens) ** 2
    assert np.corrcoef(light, trace[WEIGHTS][3].flatten().numpy())[0, 1] < -0.95
    words = " ".join(text for text in texts if text not in trace.tokens)
    for part in ("Model base (sha256 ", f"“{TEXT}”", "layer 2, head 3", "Colour scale 0 to 1"):
        assert part in words
    assert not re.search(rb"https?://(?!www\.w3\.org)", content)


def check_csv(content: bytes, recorded: np.ndarray, trace: Trace) -> None:
    """A row for each token, with the numbers of the trace."""
    _, *found = rows(content)
    np.testing.assert_allclose(np.array([row[1:] for row in found], dtype=float), recorded, rtol=0, atol=1e-6)
    assert [row[0] for row in found] == [f"{i} {token}" for i, token in enumerate(trace.tokens)]


def check_colours(image: Image.Image, place: list[float], trace: Trace) -> None:
    """The darker a cell of the picture of twice the size, the larger the weight."""
    left, wide, top, high = place
    grey = np.array(image)[..., :3].mean(-1)
    n = len(trace.tokens)
    middle = (np.arange(n) + 0.5) / n
    ys, xs = (2 * (12 + top + high * middle)).astype(int), (2 * (12 + left + wide * middle)).astype(int)
    weights, greys = trace.array(WEIGHTS)[3].ravel(), grey[np.ix_(ys, xs)].ravel()
    assert np.diff(weights[np.argsort(-greys)]).min() > -0.02
    assert weights.max() > weights.min() + 0.5


def test_a_picture_is_kept_as_drawing_pixels_table_and_print(page: Page, app_url: str, trace: Trace) -> None:
    """One visit: every kind of file of a matrix and of the small maps, in light, in dark and without background."""
    with page.add_init_script("window.print = () => { window.top.printed = document.body.innerHTML }"):
        open_page(page, f"{app_url}/?several=1&{AT}")
        place = widget(page, "together_matrix").locator(".js-plotly-plot").evaluate(PLACE)
        kinds = ("SVG", "PNG 1×", "PNG 2×", "PNG 4×", "CSV of the numbers shown")
        files = dict(zip(kinds, keep(page, "together_matrix", *kinds), strict=True))
        name, svg = files["SVG"]
        assert name == "base-together_matrix-layer2-head3.svg"
        check_svg(svg, trace)
        root = ElementTree.fromstring(svg)
        width, height = int(root.get("width", "0")), int(root.get("height", "0"))
        for scale in (1, 2, 4):
            name, content = files[f"PNG {scale}×"]
            assert name.endswith(f"-{scale}x.png")
            assert Image.open(io.BytesIO(content)).size == (scale * width, scale * height)
        light, large = png(files["PNG 1×"][1]), png(files["PNG 2×"][1])
        assert len(light.getcolors(1 << 24) or []) > 50
        check_colours(large, place, trace)
        check_csv(files["CSV of the numbers shown"][1], trace.array(WEIGHTS)[3], trace)

        with keeping(page, "together_matrix"):
            page.get_by_role("button", name="Print or PDF").click()
            printed = page.wait_for_function("window.printed").json_value()
            assert all(printed.count(f">{token}<") >= 2 for token in trace.tokens)
        dark(page)
        pixels = {"light": np.array(light), "dark": np.array(png(keep(page, "together_matrix", "PNG 1×")[0][1]))}
        for scheme, shown in pixels.items():
            assert (shown[0, 0, :3].mean() > 240) == (scheme == "light") and shown[..., 3].min() == 255, scheme

        with keeping(page, "together_matrix"):
            page.get_by_label("Caption in the picture").uncheck()
            page.get_by_label("Transparent background").check()
            clear = png(download(page, page.get_by_role("button", name="PNG 1×", exact=True))[1])
            bare = download(page, page.get_by_role("button", name="SVG", exact=True))[1]
        assert clear.height < light.height and clear.getpixel((0, 0))[3] == 0
        assert b"Model base" not in bare.split(b"</desc>")[1]
        again = png(keep(page, "living_map", "PNG 1×")[0][1])  # who keeps a row of pictures chooses once
        assert again.getpixel((0, 0))[3] == 0


def test_characters_that_no_xml_holds_spoil_no_picture(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/?several=1&layer=4&head=1&sentence=a%01b+%EF%BF%BE+%0Bc+%1F+%3C%2Ftext%3E")
    (_, svg), (_, pixels) = keep(page, "together_matrix", "SVG", "PNG 1×")
    root = ElementTree.fromstring(svg)
    assert "</text>" in "".join(root.itertext())
    assert png(pixels).size == (int(root.get("width", "0")), int(root.get("height", "0")))


def test_what_a_link_says_never_becomes_a_link_of_the_app(page: Page, app_url: str) -> None:
    asked = (
        "step=http://evil.example/x",
        "head=www.evil.example",
        "layer=me@evil.example",
        "cell=HTTPS://evil.example",
    )
    open_page(page, f"{app_url}/atlas?{'&'.join(asked)}&hidden=%E2%80%AEabc")
    note = page.get_by_test_id("stAlert")
    expect(note).to_contain_text("evil.example/x")
    expect(note).to_contain_text("me@")
    expect(note).to_contain_text("\\u202eabc")
    assert page.locator("a[href*=evil]").count() == 0
    assert "\u202e" not in page.locator("body").inner_text()


@pytest.mark.nightly
def test_the_csv_holds_the_numbers_of_the_trace_and_is_the_same_twice(page: Page, app_url: str, trace: Trace) -> None:
    open_page(page, f"{app_url}/?several=1&{AT}")
    files = keep(page, "together_matrix", "CSV of the numbers shown")
    check_csv(files[0][1], trace[WEIGHTS][3].numpy(), trace)
    open_page(page, f"{app_url}/?several=1&{AT}")
    assert keep(page, "together_matrix", "CSV of the numbers shown") == files


def test_captions_are_copied(page: Page, app_url: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page(page, f"{app_url}/?several=1&{AT}&edits=layers.2.attention.weights:zero:h=3")
    widget(page, "keep_together_matrix").get_by_role("button").first.click()
    for button, part in (
        ("Copy caption", "Changed: layer 2, head 3: attention weights set to zero"),
        ("Copy alt", "puts 0 % on"),
    ):
        page.get_by_role("button", name=button).click()
        expect(page.get_by_text("Copied.")).to_be_visible()
        assert part in page.evaluate("navigator.clipboard.readText()")


def test_a_run_is_kept_as_arrays_and_tables(page: Page, app_url: str, base: TextEncoder) -> None:
    text = "The old man and <b>his dog were good friends."
    trace = base.trace(text)
    open_page(page, f"{app_url}/atlas?{urlencode({'sentence': text, 'layer': 2, 'head': 3})}")
    with rerun(page):
        widget(page, "keep_all").get_by_role("button").click()
    expect(widget(page, "save_npz")).to_contain_text("MB")
    with np.load(io.BytesIO(download(page, widget(page, "save_npz").get_by_role("link"))[1])) as kept:
        assert set(kept.files) == {*trace, "about.json"}
        for name in trace:
            np.testing.assert_array_equal(kept[name], trace[name].numpy(), strict=True)
        assert json.loads(kept["about.json"])["tokens"] == trace.tokens
    tables = download(page, widget(page, "save_zip").get_by_role("link"))[1]
    with zipfile.ZipFile(io.BytesIO(tables)) as whole:
        found = rows(whole.read("attention.weights.csv"))
    values = np.array([row[2:] for row in found[1:]], dtype=np.float32)
    np.testing.assert_array_equal(values.reshape(8, len(trace.tokens), -1), trace.array(WEIGHTS))


@pytest.fixture(scope="module")
def walker(browser: Browser, app_url: str) -> Iterator[Page]:
    """A visitor with a changed run, who goes from page to page by the menu."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.set_default_timeout(60_000)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        watch(page)
        start = f"{app_url}/figure?sentence=Keys+on+the+table+belong+to+me.&layer=1&head=2&hidden=3"
        open_page(page, f"{start}&edits=layers.0.attention.heads:zero:h=3&cell=layers.1.attention.scores:2,1,1")
        yield page


def copied(page: Page) -> str:
    """The link that the button copies: the address of the page, and the version."""
    asked = parse_qs(urlsplit(page.url).query)
    with rerun(page):
        widget(page, "keep_all").get_by_role("button").click()
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    link = str(page.evaluate("navigator.clipboard.readText()"))
    with rerun(page):
        widget(page, "keep_all").get_by_role("button").click()
    assert parse_qs(urlsplit(link).query) == asked | {"v": ["1"]}
    return link


@pytest.mark.parametrize("path", mostly_nightly([page.key for page in PAGES if page.key not in DRAWN], ["lessons"]))
def test_a_link_copied_from_a_page_shows_the_same_elsewhere(walker: Page, page: Page, path: str) -> None:
    """Elsewhere is a browser of its own: it shares nothing with that of the walker.

    The button, the same on all pages, is pressed where something was chosen first; it copies
    what the line of addresses says.
    """
    other, page = page, walker
    about = next(one for one in PAGES if one.key == path)
    if page.locator("h1").inner_text() != about.title:
        with rerun(page):
            follow_menu(page, about.title)
    before = page.evaluate(SEEN)
    for key, name in CHOSEN.get(path, []):
        place = widget(page, key)
        with rerun(page):
            (place.get_by_text(name, exact=True) if name else place.locator("label")).first.click()
        assert page.evaluate(SEEN) != before
    link = copied(page) if path in CHOSEN else page.url
    open_page(other, link)
    expect(other.locator("h1")).to_have_text(about.title)
    same(other, page)
    assert problems(other) + problems(page) == []


def same(a: Page, b: Page) -> None:
    """Both come to show the same pictures: one of them may still be moving to its place."""
    for page in (a, b):
        page.wait_for_function(
            "[...document.querySelectorAll('[data-testid=stMain] .js-plotly-plot')].every(plot => plot._fullData)"
        )
    deadline = time.monotonic() + 60
    while True:
        ours, theirs = (json.loads(page.evaluate(SEEN))[:3] for page in (a, b))
        if ours == theirs:
            return
        assert time.monotonic() < deadline, (ours, theirs)
        a.wait_for_timeout(100)


def test_in_a_frame_there_is_no_menu(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/atlas?embed=true&{AT}")
    menu = page.get_by_role("button", name="Menu", exact=True)
    expect(sentence_line(page)).to_be_visible()
    expect(menu).to_be_hidden()
    with rerun(page):
        widget(page, "next").get_by_role("button").click()
    expect(page).to_have_url(re.compile("/learn.*embed=true"))
    expect(menu).to_be_hidden()
    expect(page.locator("[data-testid=stAlert]")).to_have_count(0)


def test_one_key_presents_and_the_arrow_keys_still_walk(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/atlas?{AT}&atlas_map=1")
    height = "plot => plot.clientHeight"
    plot = widget(page, "atlas_heads").locator(".js-plotly-plot")
    usual = plot.evaluate(height)
    page.locator("h1").click()
    with rerun(page):
        page.keyboard.press("p")
    menu = page.get_by_role("button", name="Menu", exact=True)
    expect(menu).to_be_hidden()
    assert plot.evaluate(height) > 1.25 * usual
    with rerun(page):
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("/learn.*present=1"))
    with rerun(page):
        page.keyboard.press("Escape")
    expect(menu).to_be_visible()
    expect(page).not_to_have_url(re.compile("present"))
