"""Cells of a notebook beside one another: each draws itself in its frame, asks nothing, and leaves the others alone."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from browser_tools import barriers, problems, watch
from playwright.sync_api import Browser, FrameLocator, Page, expect

from encoder import Edit, EncoderError, TextEncoder, Trace
from encoder.browser.held import MOST
from encoder.browser.living import PAGES
from encoder.exam.examination import bundled_exam
from encoder.pictures.registry import picture
from encoder.pictures.scene import Scene
from encoder.pictures.view import View

KEYS = "The keys to the old cabinet [MASK] on the wooden table."
NASTY = "</script><script>window.broken = 1</script><!-- ' & \u202e abc \x00 <b onclick='x'>cat</b>"
HEBREW = "הילד ראה את הכלב בגן [MASK]"
# What a converter makes of a notebook: the outputs of its cells one after the other, in styles of its own.
CONVERTED = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A notebook</title>
<style>* {{ color: #b00 !important; font: 30px/3 serif !important }} iframe {{ height: 1px; display: none }}
body {{ color: #111; background: #fff }} svg, .enc {{ display: none !important }}</style></head>
<body><main><h1>A notebook</h1>{cells}</main></body></html>"""
CELL = '<div class="jp-OutputArea-output" data-mime-type="text/html">{}</div>'


@pytest.fixture(scope="module")
def encoder() -> TextEncoder:
    return TextEncoder.from_pretrained("base")


@pytest.fixture(scope="module")
def keys(encoder: TextEncoder) -> Trace:
    return encoder.trace(KEYS)


def wrote(path: Path, *cells: str) -> str:
    """The address of a notebook of these outputs, turned into a page."""
    path.write_text(CONVERTED.format(cells="".join(map(CELL.format, cells))), encoding="utf-8", newline="")
    return path.as_uri()


@pytest.fixture(scope="module")
def notebook(encoder: TextEncoder, keys: Trace, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run, the same one at a head of Attention, hostile text, other directions, a long text, a picture, an exam."""
    arcs = picture("arcs").of(Scene(View(sentence=KEYS, layer=4, head=1, choices=(("word", "2"),)), encoder, keys))
    exam = bundled_exam("base")
    shown = [
        keys,
        keys.show("attention", layer=4, head=1),
        *(encoder.trace(text) for text in (NASTY, HEBREW, "word " * 10_000)),
        arcs,
        exam,
    ]
    return wrote(tmp_path_factory.mktemp("notebook") / "notebook.html", *(one._repr_html_() for one in shown))


@pytest.fixture
def page(browser: Browser, notebook: str) -> Iterator[Page]:
    """The notebook from a disk, without a network; the test fails where an error or a request happened."""
    with browser.new_context(viewport={"width": 1280, "height": 900}, offline=True) as context:
        page = context.new_page()
        watch(page)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(notebook)
        yield page
        assert problems(page) == []
        assert [url for url in asked if url != notebook and not url.startswith("about:")] == []


def frame(page: Page, i: int) -> FrameLocator:
    return page.frame_locator("iframe").nth(i)


def shares(place: FrameLocator) -> dict[int, float]:
    found = place.locator("[data-word][data-share]").evaluate_all("all => all.map(one => Object.values(one.dataset))")
    return {int(one[0]): float(one[1]) for one in found}


def test_cells_show_their_runs_and_do_not_disturb_each_other(page: Page, keys: Trace) -> None:
    start, attention = frame(page, 0), frame(page, 1)
    start.locator("[data-claim]").wait_for()
    start.locator("[data-head-row='4,1']").click()
    for position, share in shares(start).items():
        assert share == pytest.approx(keys["layers.4.attention.weights"][1, 7, position].item(), abs=1e-4)
    cell = attention.get_by_role("gridcell")
    expect(attention.get_by_role("radio", name="layer 4", exact=True)).to_be_checked()
    before = cell.get_attribute("aria-label")
    start.locator("[data-head-row='5,6']").click()
    expect(start.locator("[data-claim]")).to_contain_text("Head 6 of layer 5")
    assert cell.get_attribute("aria-label") == before
    attention.get_by_role("radio", name="layer 2", exact=True).click()
    expect(start.locator("[data-claim]")).to_contain_text("Head 6 of layer 5")
    assert start.locator("h1").evaluate("one => getComputedStyle(one).fontFamily") != "serif"
    for i in range(7):
        frame(page, i).locator("h1").first.wait_for()
    assert page.locator("iframe:visible").count() == 7
    assert {one.get_attribute("sandbox") for one in page.locator("iframe").all()} == {"allow-scripts"}


def test_a_frame_is_as_high_as_its_page(page: Page) -> None:
    for i in (0, 1):
        frame(page, i).locator("h1").wait_for()
        body = frame(page, i).locator("body")
        outside = page.locator("iframe").nth(i)
        outside.scroll_into_view_if_needed()  # a browser lays out no frame that is out of sight
        page.wait_for_function("i => document.querySelectorAll('iframe')[i].style.height !== '640px'", arg=i)
        height = body.evaluate("one => one.getBoundingClientRect().height")
        assert outside.bounding_box()["height"] == pytest.approx(height, abs=2)  # type: ignore[index]


def test_text_stays_text(page: Page, encoder: TextEncoder) -> None:
    hostile = frame(page, 2)
    hostile.locator("h1").wait_for()
    words = " ".join(hostile.locator("[data-word]").all_inner_texts())
    assert "script" in words and "onclick" in words
    assert hostile.locator("body").evaluate("() => window.broken") is None
    assert page.evaluate("() => window.broken") is None
    assert hostile.locator("b[onclick]").count() == page.locator("b[onclick]").count() == 0
    assert frame(page, 3).locator("h1").inner_text()
    expect(frame(page, 4).locator("body")).to_contain_text("at the end are left out")


def test_the_same_is_there_in_words(page: Page, keys: Trace) -> None:
    first = page.locator("details").first
    first.evaluate("one => { one.open = true }")  # a frame above it may still grow
    expect(first).to_contain_text("Head 6 of layer 5 looks past cabinet, to keys")
    expect(first.get_by_role("rowheader", name="cabinet")).to_be_visible()
    assert page.locator("iframe").first.get_attribute("title") == repr(keys.show())
    page.add_style_tag(content="* { font: 16px/1.5 sans-serif !important; color: #111 !important }")
    frame(page, 0).locator("[data-claim]").wait_for()
    assert barriers(page) == []


def test_a_cell_of_a_usual_sentence_is_small(keys: Trace) -> None:
    assert len(keys.tokens) == 14
    for name in PAGES:
        cell = keys.show(name, layer=5)
        assert len(cell._repr_html_().encode()) <= MOST, name
        assert len(cell.file.encode()) <= MOST, name


def test_what_cannot_be_shown_says_why(keys: Trace, encoder: TextEncoder) -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("atlas", {}, "there is no page 'atlas'; choose start, embedding, attention"),
        ("attention", {"layer": 6}, "layer"),
        ("attention", {"head": "x"}, "head"),
        ("attention", {"colour": 1}, "'colour' cannot be chosen"),
    ]
    for name, chosen, said in cases:
        with pytest.raises(EncoderError, match=re.escape(said)):
            keys.show(name, **chosen)
    by_hand = Trace(keys.tokenization, keys.config, keys.source, {n: keys[n][None] for n in keys}, keys.ready)
    with pytest.raises(EncoderError, match="put together by hand"):
        by_hand.show()
    assert "put together by hand" in by_hand._repr_html_()
    patched = encoder.trace(KEYS, edits=[Edit("layers.2.attention.heads", "patch", heads=(1,), value=keys)])
    assert unescape(patched._repr_html_()).startswith("Trace(")


def test_a_cell_is_saved_as_a_file_that_opens(browser: Browser, keys: Trace, tmp_path: Path) -> None:
    path = keys.show("output", word=6).save(tmp_path / "output.html")
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        watch(page)
        page.goto(path.as_uri())
        expect(page.locator("h1")).to_be_visible()
        expect(page.locator("header")).to_contain_text("Output")
        assert barriers(page) == []
        assert problems(page) == []
