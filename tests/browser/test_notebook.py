"""Cells of a notebook beside one another: each draws itself in its frame, asks nothing, and leaves the others alone."""

import json
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from browser_tools import barriers, problems, watch
from playwright.sync_api import Browser, FrameLocator, Page, expect
from shared_models import pretrained

from encoder import Edit, EncoderError, TextEncoder, Trace
from encoder.atlas.atlas_folders import SHIPPED
from encoder.atlas.atlas_reader import Atlas
from encoder.browser.cell import LivingCell
from encoder.browser.held import MOST
from encoder.exam.examination import bundled_exam
from encoder.pictures.registry import picture
from encoder.pictures.scene import Scene
from encoder.pictures.view import View

KEYS = "The keys to the old cabinet [MASK] on the wooden table."
NASTY = "</script><script>window.broken = 1</script><!-- ' & \u202e abc \x00 <b onclick='x'>cat</b>"
HEBREW = "הילד ראה את הכלב בגן [MASK]"
# What nbconvert makes of a notebook: the outputs of its cells one after the other, in styles of its own. Its own
# page also asks a CDN for MathJax and RequireJS, which no cell needs.
CONVERTED = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A notebook</title>
<style>* {{ color: #b00 !important; font: 30px/3 serif !important }} iframe {{ height: 1px; display: none }}
body {{ color: #111; background: #fff }} svg, .enc {{ display: none !important }}</style></head>
<body><main><h1>A notebook</h1>{cells}</main></body></html>"""
INSIDE = """text => {
  const frame = document.createElement('iframe')
  frame.sandbox = 'allow-scripts'
  frame.srcdoc = text
  frame.style = 'width: 1200px; height: 900px'
  document.body.append(frame)
}"""
CELL = '<div class="jp-OutputArea-output" data-mime-type="text/html">{}</div>'


@pytest.fixture(scope="module")
def encoder() -> TextEncoder:
    return pretrained("base")


@pytest.fixture(scope="module")
def keys(encoder: TextEncoder) -> Trace:
    return encoder.trace(KEYS)


@pytest.fixture(scope="module")
def living(keys: Trace) -> LivingCell:
    """A run as the last line of a cell shows it."""
    return keys.show()


def wrote(path: Path, *cells: str) -> str:
    """The address of a notebook of these outputs, turned into a page."""
    path.write_text(CONVERTED.format(cells="".join(map(CELL.format, cells))), encoding="utf-8", newline="")
    return path.as_uri()


@pytest.fixture(scope="module")
def notebook(encoder: TextEncoder, keys: Trace, living: LivingCell, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run, it at a head of Attention, hostile text, other directions, a long text, a picture, an exam, a head."""
    arcs = picture("arcs").of(Scene(View(sentence=KEYS, layer=4, head=1, choices=(("word", "2"),)), encoder, keys))
    exam = bundled_exam("base")
    shown = [
        living,
        keys.show("attention", layer=4, head=1),
        *(pretrained("small").trace(text) for text in (NASTY, HEBREW, "word " * 10_000)),
        arcs,
        exam,
        Atlas(SHIPPED / "small").head(2, 3),
    ]
    return wrote(tmp_path_factory.mktemp("notebook") / "notebook.html", *(one._repr_html_() for one in shown))


@pytest.fixture(scope="module")
def shown(browser: Browser, notebook: str) -> Iterator[Page]:
    """The notebook from a disk, without a network; the tests fail where an error or a request happened."""
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


@pytest.mark.nightly
def test_a_notebook_is_alive_in_each_cell_as_high_as_its_pages_and_text_and_words_for_everybody(
    shown: Page, keys: Trace
) -> None:
    """One visit, as such a notebook takes seconds to make."""
    show_their_runs_and_do_not_disturb_each_other(shown, keys)
    frames_are_as_high_as_their_pages(shown)
    text_stays_text(shown)
    a_head_of_an_atlas_is_its_strongest_context_and_a_table(shown)
    the_same_is_there_in_words(shown, keys)


def show_their_runs_and_do_not_disturb_each_other(page: Page, keys: Trace) -> None:
    start, attention = frame(page, 0), frame(page, 1)
    start.locator("[data-claim]").wait_for()
    start.locator("[data-head-row='4,1']").click()
    for position, share in shares(start).items():
        assert share == pytest.approx(keys["layers.4.attention.weights"][1, 7, position].item(), abs=1e-4)
    cell = attention.get_by_role("gridcell")
    expect(attention.get_by_role("radio", name="layer 4", exact=True)).to_be_checked()
    before = cell.get_attribute("aria-label")
    start.locator("[data-head-row='5,6']").click()
    expect(start.locator("[data-rest]")).to_contain_text("head 6 of layer 5")
    assert cell.get_attribute("aria-label") == before
    attention.get_by_role("radio", name="layer 2", exact=True).click()
    expect(start.locator("[data-rest]")).to_contain_text("head 6 of layer 5")
    assert start.locator("h1").evaluate("one => getComputedStyle(one).fontFamily") != "serif"
    for i in range(8):
        frame(page, i).locator("h1").first.wait_for()
    assert page.locator("iframe:visible").count() == 8
    assert {one.get_attribute("sandbox") for one in page.locator("iframe").all()} == {"allow-scripts"}


def frames_are_as_high_as_their_pages(page: Page) -> None:
    for i in (0, 1):
        frame(page, i).locator("h1").wait_for()
        body = frame(page, i).locator("body")
        outside = page.locator("iframe").nth(i)
        outside.scroll_into_view_if_needed()  # a browser lays out no frame that is out of sight
        page.wait_for_function("i => document.querySelectorAll('iframe')[i].style.height !== '640px'", arg=i)
        height = body.evaluate("one => one.getBoundingClientRect().height")
        assert outside.bounding_box()["height"] == pytest.approx(height, abs=2)  # type: ignore[index]


def text_stays_text(page: Page) -> None:
    hostile = frame(page, 2)
    hostile.locator("h1").wait_for()
    words = " ".join(hostile.locator("[data-word]").all_inner_texts())
    assert "script" in words and "onclick" in words
    assert hostile.locator("body").evaluate("() => window.broken") is None
    assert page.evaluate("() => window.broken") is None
    assert hostile.locator("b[onclick]").count() == page.locator("b[onclick]").count() == 0
    assert frame(page, 3).locator("h1").inner_text()
    expect(frame(page, 4).locator("body")).to_contain_text("at the end are left out")


def the_same_is_there_in_words(page: Page, keys: Trace) -> None:
    first = page.locator("details").first
    first.evaluate("one => { one.open = true }")  # a frame above it may still grow
    gap = keys.tokens.index("[MASK]")
    guessed = keys["mlm.probabilities"][gap].max().item()
    expect(first).to_contain_text(f"The model guesses “are” {round(100 * guessed)} %")
    expect(first).to_contain_text(f"Where head 1 of layer 4 looks from token {gap}, “[MASK]”")
    weight, place = keys["layers.4.attention.weights"][1, gap].max(0)
    expect(first.get_by_role("row").nth(1)).to_have_text(f"{keys.tokens[place]}{round(100 * weight.item())} %")
    assert page.locator("iframe").first.get_attribute("title") == repr(keys.show())
    page.add_style_tag(content="* { font: 16px/1.5 sans-serif !important; color: #111 !important }")
    frame(page, 0).locator("[data-claim]").wait_for()
    assert barriers(page) == []


def test_a_cell_of_a_usual_sentence_is_small(keys: Trace, living: LivingCell) -> None:
    assert len(keys.tokens) == 14 and keys._repr_html_() == living._repr_html_()
    for cell in (living, keys.show("feed_forward", layer=5)):
        assert len(cell._repr_html_().encode()) <= MOST, cell
        assert len(cell.file.encode()) <= MOST, cell


def test_a_notebook_in_a_strict_sandbox_is_alive_and_a_cell_is_saved_as_a_file(
    browser: Browser, keys: Trace, living: LivingCell, tmp_path: Path
) -> None:
    """As a host shows it: in a frame without an origin, in which are the frames of the cells."""
    path = tmp_path / "notebook.html"
    wrote(path, living._repr_html_())
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        watch(page)
        page.evaluate(INSIDE, path.read_text(encoding="utf-8"))
        cell = page.frame_locator("iframe").frame_locator("iframe").first
        cell.locator("[data-head-row='4,1']").click()
        expect(cell.locator("[data-rest]")).to_contain_text("head 1 of layer 4")
        for position, share in shares(cell).items():
            assert share == pytest.approx(keys["layers.4.attention.weights"][1, 7, position].item(), abs=1e-4)
        page.goto(living.save(tmp_path / "start.html").as_uri())
        expect(page.locator("[data-rest]")).to_contain_text("head 1 of layer 4")
        expect(page.locator("header")).to_contain_text("See how an encoder thinks")
        assert problems(page) == []


def a_head_of_an_atlas_is_its_strongest_context_and_a_table(page: Page) -> None:
    atlas = Atlas(SHIPPED / "small")
    contexts = atlas.head_firings(2, 3, "weight", "top")
    cell = frame(page, 7)
    expect(
        cell.get_by_role("radio", name="layer 2", exact=True).or_(cell.locator("[data-claim]")).first
    ).to_be_visible()
    text = atlas.texts([contexts[0].sentence])[contexts[0].sentence]
    trace = pretrained("small").trace(text)
    row = trace["layers.2.attention.weights"][3, contexts[0].position]
    assert row[contexts[0].looks_at].item() == pytest.approx(contexts[0].weight, abs=1e-4)
    expect(cell.locator("[data-claim]")).to_contain_text("ead 3 of layer 2")
    words = page.locator("details").nth(7)
    words.evaluate("one => { one.open = true }")
    rows = words.get_by_role("row")
    expect(rows).to_have_count(1 + len(contexts))
    expect(rows.nth(1)).to_contain_text(f"{contexts[0].weight:.4f}")
    assert dict(atlas.head(2, 3)) == atlas.heads.slice(2 * 4 + 3, 1).to_pylist()[0]


def test_a_head_of_a_model_that_is_elsewhere_is_a_table(tmp_path: Path) -> None:
    folder = shutil.copytree(SHIPPED / "small", tmp_path / "</script><b>atlas")
    card = json.loads((folder / "card.json").read_text())
    (folder / "card.json").write_text(json.dumps(card | {"model": card["model"] | {"name": "<script>x</script>"}}))
    shown = Atlas(folder).head(0, 0)._repr_html_()
    assert "<iframe" not in shown and "<script" not in shown and "&lt;script&gt;x" in shown and "<table>" in shown


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
