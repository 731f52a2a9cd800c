"""All heads unfolded on Start, a head off in the address, words from the right: what is drawn is the run."""

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from browser_tools import barriers
from made_once import level_1
from mounted import CAT, FRANCE, KEY, KEYS, PHONE, Bench, overflows, random_model
from playwright.sync_api import Page, expect
from said import say
from shared_models import pretrained

from encoder import TextEncoder, Trace
from encoder.packet.format import unpack
from encoder.support.formatting import percent

HEBREW, ARABIC = "שלום לכולם בבית הגדול הזה היום.", "ذهب الولد إلى المدرسة [MASK] الصباح."
MIXED, FOREIGN = "שלום world 123", "The word سلام means peace."
CHINESE = "今天天气很好我们去公园散步吧" * 5
SIXTY = "The quick brown fox jumps over the lazy dog and " * 6
LONG = "pneumonoultramicroscopicsilicovolcanoconiosisandmore"
HEADS, MAP, CLAIM = ((5, 6), (2, 3), (3, 0)), "[data-head-map='{},{}']", "[data-claim]"
# The columns of a map's row by how dark each is painted, in its middle, the darkest first.
DARKEST = """([place, row, rows, columns]) => {
  const cell = document.querySelector(`[data-head-map="${place}"]`).getBoundingClientRect()
  const canvas = document.querySelector('.enc-map canvas'), box = canvas.getBoundingClientRect()
  const scale = canvas.width / box.width, pen = canvas.getContext('2d')
  const dark = column => {
    const x = cell.x - box.x + (column + 0.5) * cell.width / columns
    const y = cell.y - box.y + (row + 0.5) * cell.height / rows
    return pen.getImageData(Math.floor(x * scale), Math.floor(y * scale), 1, 1).data.slice(0, 3).reduce((a, b) => a + b)
  }
  return [...Array(columns).keys()].sort((a, b) => dark(a) - dark(b))
}"""
ORDER = """all => all.map(one => one.querySelector('.enc-name').getBoundingClientRect())
  .map(({ left, right }) => ({ left, right }))"""
# Which cell of a head's small row is darkest, counted from the left.
STRIP = """([layer, head, words]) => {
  const canvas = document.querySelectorAll('.enc-layer canvas')[layer], pen = canvas.getContext('2d')
  const heads = document.querySelectorAll('.enc-layer-rows')[layer].children.length
  const y = Math.floor((head + 0.4) * canvas.height / heads), x = i => Math.floor((i + 0.5) * canvas.width / words)
  const alpha = [...Array(words).keys()].map(i => pen.getImageData(x(i), y, 1, 1).data[3])
  return alpha.indexOf(Math.max(...alpha))
}"""
ENDS = """one => [0, one.getTotalLength()].map(at => one.getPointAtLength(at).x
  + one.ownerSVGElement.getBoundingClientRect().x)"""
Opened = Callable[..., Page]


@pytest.fixture(scope="module")
def encoder() -> TextEncoder:
    return pretrained("base")


@pytest.fixture(scope="module")
def run(encoder: TextEncoder) -> Callable[[str], Trace]:
    return cache(encoder.trace)


@pytest.fixture(scope="module")
def packet(encoder: TextEncoder, run: Any) -> Callable[[str], bytes]:
    return cache(lambda sentence: level_1(encoder, run(sentence)))


def random_packet(layers: int, heads: int, sentence: str = KEYS, **more: Any) -> bytes:
    encoder = random_model(layers, heads)
    return level_1(encoder, encoder.trace(sentence), **more)


@pytest.fixture
def opened(bench: Bench, packet: Any) -> Opened:
    """Opens an address of a page with these sentences or packets."""

    def open_it(query: str = "", *, packets: dict[str, bytes] | None = None) -> Page:
        runs = packets or {KEYS: packet(KEYS)}
        return bench.visit({sentence: f"/packets/{i}" for i, sentence in enumerate(runs)}, query, [*runs.values()])

    return open_it


def address_of(sentence: str, more: str = "") -> str:
    return f"?{urlencode({'sentence': sentence})}{more}"


def text(page: Page, selector: str) -> str:
    return " ".join((page.locator(selector).text_content() or "").split()).replace("\u2212", "-")


def tight(sentence: str) -> str:
    """A sentence as it is set beside a picture."""
    return sentence.replace("over ", "> ").replace("under ", "< ")


def aimed(trace: Trace, layer: int, head: int, position: int) -> str:
    """What is said of a head from a word, where every word is one token."""
    row = trace[f"layers.{layer}.attention.weights"][head, position]
    special = (row[0] + row[-1]).item()
    top = int(row[1:-1].argmax()) + 1
    word, share = (
        ("[CLS] and [SEP]", special) if special > row[top].item() else (f"“{trace.tokens[top]}”", row[top].item())
    )
    return say("aim", head=head, layer=layer, asked="the gap", word=word, share=share)


def unfold(page: Page) -> None:
    page.get_by_role("button", name="All 48 heads").click()
    expect(page.locator(".enc-map")).to_be_visible()


def test_maps_say_and_draw_what_heads_do_and_one_that_is_chosen_changes_claim_arcs_and_address(
    opened: Opened, run: Any
) -> None:
    page, trace = opened(), run(KEYS)
    assert page.locator(".enc-map").is_hidden()
    unfold(page)
    assert page.locator("[data-head-map]").count() == 48
    for layer, head in HEADS:
        page.locator(MAP.format(layer, head)).hover()
        assert text(page, "[data-aim]") == tight(aimed(trace, layer, head, 6))
        label = page.locator(MAP.format(layer, head)).get_attribute("aria-label") or ""
        assert label.replace("\xa0", " ") == tight(aimed(trace, layer, head, 6))
        weights = trace[f"layers.{layer}.attention.weights"][head]
        for row in (1, 6):
            darkest = page.evaluate(DARKEST, [f"{layer},{head}", row, len(weights), len(weights)])
            assert darkest[0] == int(weights[row].argmax())
    page.mouse.move(5, 5)
    assert text(page, "[data-aim]") == tight(aimed(trace, 5, 6, 6))
    row = trace["layers.4.attention.weights"][:, 6].mean(0)
    most = max((row[0] + row[-1]).item(), row[1:-1].max().item())
    for place in ("[role=rowheader]", ".enc-map-mean"):
        page.locator(f".enc-map-row {place}").nth(4).hover()
        expect(page.locator("[data-aim]")).to_contain_text("Layer 4, the mean of its heads: from the gap most to ")
        assert percent(most) in text(page, "[data-aim]")
    page.locator(MAP.format(4, 1)).click()
    page.mouse.move(5, 5)
    row = trace["layers.4.attention.weights"][1, 6]
    assert "heads 4.1 and 5.6, pass on whether the subject is one or many" in text(page, CLAIM)
    assert "Arcs: where 4.1, head 1 of layer 4, looks." in text(page, "[data-rest]")
    assert text(page, f"[data-word='{int(row[1:-1].argmax()) + 1}'] small") == percent(row[1:-1].max().item(), 1)
    shares = page.locator("[data-word]").evaluate_all("all => all.map(one => [+one.dataset.word, +one.dataset.share])")
    for position, share in shares:
        assert share == pytest.approx(row[position].item(), abs=1e-4)
    thickest = page.locator(".enc-arcs path.enc-most").get_attribute("data-to")
    assert thickest == str(max(shares, key=lambda one: one[1])[0])
    chosen = page.locator(".enc-map [aria-selected=true]")
    expect(chosen).to_have_attribute("data-head-map", "4,1")
    expect(page.locator(".enc-rows [aria-selected=true]")).to_have_attribute("data-head-row", "4,1")
    page.wait_for_url("**/?layer=4&head=1&word=6&maps=1&v=1")
    page.locator("[data-word='2']").click()
    assert text(page, "[data-aim]").startswith("Head 1 of layer 4: from “keys” most to ")
    page.emulate_media(color_scheme="dark")
    assert barriers(page, every=True) == []


def test_maps_are_walked_by_keys_with_one_stop_and_lead_to_attention(opened: Opened) -> None:
    page = opened()
    unfold(page)
    page.locator("[data-head-row][tabindex='0']").focus()
    page.keyboard.press("Tab")
    expect(page.locator(MAP.format(5, 6))).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    expect(page.locator(MAP.format(4, 5))).to_be_focused()
    assert text(page, "[data-aim]").startswith("Head 5 of layer 4")
    page.keyboard.press("Home")
    expect(page.locator(MAP.format(0, 0))).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(MAP.format(0, 1))).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Open this head")).to_be_focused()
    assert "ead 1 of layer 0" in text(page, CLAIM)
    page.keyboard.press("Enter")
    [[key, query]] = page.evaluate("led")
    assert (key, query["layer"], query["head"]) == ("attention", "0", "1")
    links = page.locator(".enc-map-links a").evaluate_all("all => all.map(one => one.href)")
    for link, path in zip(links, ("/attention", "/heads"), strict=True):
        parts = urlsplit(link)
        assert (parts.path, parse_qs(parts.query)["layer"], parse_qs(parts.query)["head"]) == (path, ["0"], ["1"])


def test_a_reload_and_a_copied_address_show_the_head_off_and_the_maps(opened: Opened) -> None:
    page = opened()
    unfold(page)
    page.get_by_role("radio", name="off", exact=True).check()
    page.wait_for_url("**/?layer=5&head=6&word=6&off=1&maps=1&v=1")
    seen = [text(page, CLAIM), page.locator(".enc-guess .bars").inner_text(), text(page, "[data-aim]")]
    assert seen[0].startswith("Without head 6 of layer 5")
    page.reload()
    expect(page.locator(CLAIM)).to_contain_text("Without head 6 of layer 5")
    for copied in (False, True):
        page = opened(f"?{urlsplit(page.url).query}") if copied else page
        expect(page.get_by_role("radio", name="off", exact=True)).to_be_checked()
        expect(page.get_by_role("button", name="All 48 heads")).to_have_attribute("aria-expanded", "true")
        assert [text(page, CLAIM), page.locator(".enc-guess .bars").inner_text(), text(page, "[data-aim]")] == seen
        assert page.locator(".bars b:visible").count() == 3
    page.get_by_role("button", name="All 48 heads").click()
    expect(page.locator(".enc-map")).to_be_hidden()
    page.get_by_role("radio", name="on", exact=True).check()
    page.wait_for_url(lambda url: "off" not in url and "maps" not in url)


def test_a_head_stays_off_in_the_other_sentence_of_a_pair_and_is_on_in_any_other(opened: Opened, packet: Any) -> None:
    page = opened("?off=1", packets={one: packet(one) for one in (KEYS, KEY, CAT)})
    page.get_by_role("radio", name="key", exact=True).check()
    expect(page.locator("h1")).to_contain_text("still says “is”")
    assert text(page, CLAIM).startswith("Without head")
    assert parse_qs(urlsplit(page.url).query)["off"] == ["1"]
    page.get_by_role("button", name="own sentence").click()
    page.get_by_role("button", name=CAT).click()
    expect(page.locator("h1")).to_contain_text("look at?")
    assert "off" not in parse_qs(urlsplit(page.url).query)
    page.get_by_role("button", name="own sentence").click()
    page.get_by_role("button", name=KEYS).click()
    expect(page.locator("h1")).to_contain_text("“are”?")
    expect(page.get_by_role("radio", name="on", exact=True)).to_be_checked()
    page.go_back()
    page.go_back()
    expect(page.get_by_role("radio", name="off", exact=True)).to_be_checked()


def test_many_heads_and_a_single_one_are_drawn_and_no_phone_scrolls_sideways(opened: Opened) -> None:
    for layers, heads in ((24, 16), (1, 1)):
        page = opened("?maps=1", packets={KEYS: random_packet(layers, heads, off=False)})
        page.set_viewport_size(PHONE)
        assert page.locator("[data-head-map]").count() == layers * heads
        assert not overflows(page)
        box = page.locator(".enc-map-box")
        assert box.evaluate("one => one.scrollWidth > one.clientWidth") == (heads > 1)
        last = page.locator(MAP.format(layers - 1, heads - 1))
        last.click()
        expect(last).to_have_attribute("aria-selected", "true")
        side: Any = last.bounding_box()
        assert side["width"] >= 24 and side["height"] >= 24


def test_of_a_long_sentence_the_rows_that_are_there_are_drawn_and_it_is_said(opened: Opened) -> None:
    packets = {KEYS: random_packet(3, 2, "The keys to the cabinet are on the table. " * 8, most_bytes=6000)}
    rows = unpack(packets[KEYS])[1]["rows"]
    page = opened("?maps=1", packets=packets)
    assert 1 < len(rows) < 60
    assert f"rows {rows[0]} to {rows[-1]} of " in text(page, "[data-window]")


def test_words_small_rows_and_maps_run_as_they_are_read(opened: Opened, run: Any, packet: Any) -> None:
    packets = {one: packet(one) for one in (FOREIGN, HEBREW)}
    for sentence, back in ((FOREIGN, False), (HEBREW, True)):
        page = opened(address_of(sentence, "&maps=1"), packets=packets)
        boxes = page.locator("[data-word]").evaluate_all(ORDER)
        assert len(boxes) >= 3
        for one, then in pairwise(boxes):
            assert then["right"] <= one["left"] if back else one["right"] <= then["left"]
        shares = page.locator("[data-word]").evaluate_all("all => all.map(one => +one.dataset.share)")
        [layer, head] = (page.locator(".enc-rows [aria-selected=true]").get_attribute("data-head-row") or "").split(",")
        top = shares.index(max(shares))
        darkest = page.evaluate(STRIP, [int(layer), int(head), len(shares)])
        assert darkest == (len(shares) - 1 - top if back else top)
        arc: Any = page.locator(".enc-arcs path.enc-most").evaluate(ENDS)
        asked = page.locator("[data-word]").evaluate_all("all => all.findIndex(one => one.ariaPressed === 'true')")
        for x, word in zip(arc, (asked, top), strict=True):
            assert boxes[word]["left"] < x < boxes[word]["right"]
    # The last of them runs from the right, and so do its maps.
    weights = run(HEBREW)["layers.2.attention.weights"][4]
    n = len(weights)
    for row in (1, 3):
        assert page.evaluate(DARKEST, ["2,4", row, n, n])[0] == n - 1 - int(weights[row].argmax())


def test_long_words_and_sentences_stay_on_the_page_and_what_is_cut_can_be_read(opened: Opened, packet: Any) -> None:
    long, column = f"{SIXTY}it is a {LONG}.", f"A {LONG} is long."
    packets = {one: packet(one) for one in (long, column, CHINESE)}
    for sentence in packets:
        page = opened(address_of(sentence), packets=packets)
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 844})
            page.wait_for_function(  # drawn anew for it
                "width => document.documentElement.scrollWidth === width", arg=width
            )
            right = page.locator(".enc-name").evaluate_all(
                "all => Math.max(...all.map(one => one.getBoundingClientRect().right))"
            )
            assert right <= width
        if sentence != CHINESE:
            cut = page.locator(f".enc-name[title='{LONG}']")
            assert (cut.text_content() or "").endswith("…")


def test_each_switch_shows_once_that_it_is_one(opened: Opened, packet: Any) -> None:
    page = opened(packets={one: packet(one) for one in (KEYS, KEY, FRANCE)})
    nudged = page.locator("[data-switch=pair].enc-nudge")
    expect(nudged).to_have_count(1)
    page.keyboard.press("Tab")
    expect(nudged).to_have_count(0)
    page.reload()
    page.locator(f"{CLAIM}:not(:empty)").wait_for()
    assert nudged.count() == 0
    page.get_by_role("button", name="own sentence").click()
    page.get_by_role("button", name=FRANCE).click()  # the head's own switch, there first
    expect(page.locator("[data-switch=head].enc-nudge")).to_have_count(1)
    page.mouse.down()
    expect(page.locator(".enc-nudge")).to_have_count(0)
    page.mouse.up()
