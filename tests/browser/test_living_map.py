"""The living map in a real browser: what lights up is what was recorded; mouse, touch and keys reach every number."""

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest
from browser_tools import BELOW, barriers, number, open_page, opened_number, own_sentence, press, rerun, runs, widget
from playwright.sync_api import Locator, Page, expect

from encoder import TextEncoder, Trace
from encoder.metrics import flow_shares
from encoder.metrics.strongest_looks import strongest_link
from encoder.pictures.figures.living_map import walk
from encoder.pictures.figures.living_map_cells import index_at
from encoder.pictures.view import EXAMPLE
from encoder.teach.story import story

LIT = "root => root.map.lit.map(band => [band.layer, band.query, band.key])"
DRAWN = "({map}) => Boolean(map && map.detail && map.lit && (map.open < 0 || map.detail.arrays))"
IT, ANIMAL = 8, 2


@pytest.fixture(scope="module")
def trace(base: TextEncoder) -> Trace:
    return base.trace(EXAMPLE)


def opened(page: Page, url: str, query: str = "") -> Locator:
    """The map below the first page, drawn; what a query does not say is usual."""
    asked = urlencode(dict(parse_qsl(f"{BELOW}&{urlsplit(url).query}&{query}")))
    open_page(page, f"{url.partition('?')[0].rstrip('/')}/?{asked}")
    root = widget(page, "living_map").locator(".map")
    expect(root.locator(".tokens button").first).to_be_visible()
    page.wait_for_function(DRAWN, arg=root.element_handle())
    return root


def lit(root: Locator) -> set[tuple[int, int, int]]:
    """The bands that stand out, as layer, token that looks, token looked at; once the picture is painted."""
    root.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return {tuple(band) for band in root.evaluate(LIT)}


def expected(trace: Trace, row: int, least: float, how: str = "max", head: int = 0) -> set[tuple[int, int, int]]:
    """The bands into a row whose recorded weight is at least so much, between words."""
    found = set()
    for layer in range(trace.config.n_layers):
        weights = trace[f"layers.{layer}.attention.weights"].numpy().astype(np.float64)
        values = {"max": weights.max(0), "mean": weights.mean(0), "head": weights[head]}[how]
        for key, special in enumerate(trace.tokenization.special):
            if not special and not trace.tokenization.special[row] and values[row, key] >= least:
                found.add((layer, row, key))
    return found


def hover(page: Page, root: Locator, row: int) -> None:
    """Put the mouse on a row, where there are no numbers."""
    token = root.locator(".tokens button").nth(row)
    token.scroll_into_view_if_needed()
    box = token.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def cell_centre(root: Locator, local: str, row: int, cell: int) -> tuple[float, float]:
    """Where a cell of the unfolded layer is on the screen."""
    x, y = root.evaluate(
        """(root, [local, row, cell]) => {
          const map = root.map, box = map.canvas.getBoundingClientRect();
          const at = map.cellAt(map.columns.findIndex(c => c.local === local), row, cell);
          const x = map.left + at.x + ((cell + 0.5) * at.w) / at.cells - map.scroll;
          return [box.left + x, box.top + map.top + (row + 0.5) * map.rowHeight];
        }""",
        [local, row, cell],
    )
    return x, y


def settled(page: Page, root: Locator) -> None:
    """Wait until what is unfolded has come."""
    page.wait_for_function("({map}) => (map.open < 0 || map.detail.arrays)", arg=root.element_handle())


def test_a_word_lights_exactly_the_bands_of_what_was_recorded_and_of_what_really_flows(
    page: Page, app_url: str, trace: Trace
) -> None:
    root = opened(page, app_url)
    asked = runs(page)
    assert root.get_attribute("data-lit") == str(IT), "the page opens on its own finding"
    assert lit(root) == expected(trace, IT, 0.15)
    for row in (2, 11, 0):
        hover(page, root, row)
        assert lit(root) == expected(trace, row, 0.15), row
    hover(page, root, IT)
    root.locator("select").first.select_option("mean")
    assert lit(root) == expected(trace, IT, 0.15, "mean")
    root.locator("select").first.select_option("head")
    root.locator("input[type=range]").fill("31")
    assert lit(root) == expected(trace, IT, 0.31, "head", head=1)
    root.locator("select").nth(1).select_option("to")
    said = {(layer, query, key) for layer, query, key in lit(root) if key == IT}
    assert said == lit(root) and said == {
        band for row in range(14) for band in expected(trace, row, 0.31, "head", head=1) if band[2] == IT
    }
    expect(root.locator("output.said")).to_contain_text("“it” is looked at most by")

    root.locator("select").nth(1).select_option("from")
    root.locator("input[type=range]").fill("15")
    root.locator("select").first.select_option("flow")
    special, shares = trace.tokenization.special, flow_shares(trace).double().numpy()
    for row in (IT, 5):
        hover(page, root, row)
        assert lit(root) == {
            (layer, row, key)
            for layer in range(trace.config.n_layers)
            for key in range(len(special))
            if not special[key] and shares[layer, row, key] >= 0.15
        }
    expect(root.locator("output.said")).to_contain_text("takes most from")
    assert runs(page) == asked, "all of this happens in the browser"


def test_the_picture_follows_the_headline_to_another_layer_until_a_word_is_chosen(
    page: Page, app_url: str, base: TextEncoder, trace: Trace
) -> None:
    root = opened(page, app_url)
    for layer in ("2", "0"):
        with rerun(page):
            page.locator(f'[data-head-row="{layer},1"]').click()
        link = strongest_link(trace, int(layer), 1)
        assert link is not None
        word = trace.tokens[link.query]
        assert root.evaluate("root => root.map.pinned") == link.query
        expect(root.locator("output.said")).to_contain_text(f"“{word}”")
    with rerun(page):
        own_sentence(page, "Hello")
    expect(root.locator(".tokens button")).to_have_count(len(base.tokenize("Hello").tokens))
    expect(root.locator("output.said")).to_have_text("")  # a sentence without two words has no finding
    with rerun(page):
        own_sentence(page, EXAMPLE)
    expect(root.locator(".tokens button")).to_have_count(len(trace.tokens))
    expect(root.locator("output.said")).not_to_have_text("")  # the map of the sentence before has gone
    root.locator(".tokens button").nth(ANIMAL).click()
    with rerun(page):
        page.locator('[data-head-row="3,1"]').click()
    assert root.evaluate("root => root.map.pinned") == ANIMAL, "a chosen word stays"


def test_the_difference_to_the_run_without_changes_is_drawn_signed(
    page: Page, app_url: str, base: TextEncoder, trace: Trace
) -> None:
    root = opened(page, app_url, "hidden=2")
    switch = root.get_by_label("difference to the run without changes")
    with rerun(page):
        switch.check()
    assert "difference=1" in page.url
    changed, special = base.trace(EXAMPLE, hidden=(2,)), trace.tokenization.special
    hover(page, root, IT)
    lit(root)
    said = {(b["layer"], b["key"]): b for b in root.evaluate("root => root.map.lit")}
    least, step = 0.05, root.evaluate("root => root.map.run.about.band_scale") / 127
    for layer in range(trace.config.n_layers):
        name = f"layers.{layer}.attention.weights"
        change = (changed[name] - trace[name])[:, IT].numpy()
        for key in [key for key in range(len(special)) if not special[key]]:
            largest = float(change[np.abs(change[:, key]).argmax(), key])
            if abs(abs(largest) - least) > step:
                assert ((layer, key) in said) == (abs(largest) >= least), (layer, key, largest)
            if (layer, key) in said:
                assert said[layer, key]["less"] == (largest < 0)
                assert abs(said[layer, key]["level"] / 200 - abs(largest)) <= step
    text = root.locator("output.said").inner_text()
    assert re.search(r"[+\u2212]\d+ points", text) and "%" not in text, "a share less a share is no percentage"
    with rerun(page):
        switch.uncheck()
    assert "difference" not in page.url
    assert opened(page, app_url).get_by_label("difference to the run without changes").is_hidden()


def test_the_word_of_the_story_stands_out_when_its_picture_opens(page: Page, app_url: str, base: TextEncoder) -> None:
    stop = story(base, base.trace(EXAMPLE))[8]
    found = strongest_link(base.trace(EXAMPLE), stop.layer or 0, stop.head or 0)
    assert stop.picture == "map" and found and found.query != stop.word
    open_page(page, f"{app_url}/story?stop=9")
    with rerun(page):
        page.keyboard.press("s")
    expect(widget(page, "living_map").locator(".map")).to_have_attribute("data-lit", str(stop.word))


def test_play_runs_through_the_columns_and_stops(page: Page, app_url: str, trace: Trace, base: TextEncoder) -> None:
    page.emulate_media(reduced_motion="reduce")
    root = opened(page, app_url)
    told, said = walk(trace, IT, base.predict(trace, 1)), root.locator("output.said")
    root.get_by_role("button", name="Play").click()
    expect(said).to_have_text(told[0])
    for sentence in told[1:]:
        page.keyboard.press("ArrowRight")
        expect(said).to_have_text(sentence)
    page.keyboard.press("ArrowRight")
    expect(root.get_by_role("button", name="Play")).to_be_visible()
    root.get_by_role("button", name="Play").click()
    page.keyboard.press("Escape")
    expect(root.get_by_role("button", name="Play")).to_be_visible()
    root.locator(".tokens button").nth(ANIMAL).click()
    with rerun(page):
        root.get_by_role("button", name="Play").click()
    expect(said).to_have_text(walk(trace, ANIMAL, base.predict(trace, 1))[0])
    expect(said).to_have_text(walk(trace, ANIMAL, base.predict(trace, 1))[1])  # it goes on by itself
    box = root.locator("canvas").first.bounding_box()
    assert box
    page.mouse.click(box["x"] + 130, box["y"] + 200)
    expect(root.get_by_role("button", name="Play")).to_be_visible()
    page.emulate_media(reduced_motion="no-preference")


def test_a_layer_unfolds_and_its_numbers_and_columns_lead_on(page: Page, app_url: str, trace: Trace) -> None:
    root = opened(page, app_url)
    with rerun(page):
        root.get_by_role("button", name="Layer 4", exact=True).click()
    settled(page, root)
    expect(root.get_by_role("button", name="Layer 4", exact=True)).to_have_attribute("aria-expanded", "true")
    press(page, *cell_centre(root, "attention.weights", IT, ANIMAL))
    weight = float(trace["layers.4.attention.weights"][1, IT, ANIMAL])
    opened_number(page, f"Attention weights, layer 4, head 1, “it” ({IT}) → “animal” ({ANIMAL})", weight)
    for part in ("unfolded=1", "cell=layers.4.attention.weights"):
        assert part in page.url
    said = number(page).inner_text()
    root = opened(page, page.url)
    expect(root.get_by_role("button", name="Layer 4", exact=True)).to_have_attribute("aria-expanded", "true")
    expect(number(page)).to_have_text(said)
    assert root.evaluate("root => root.map.mark") == {
        "step": "layers.4.attention.weights",
        "head": 1,
        "row": IT,
        "cell": ANIMAL,
    }
    with rerun(page):
        root.get_by_role("button", name="Layer 4, head 6").click()
    settled(page, root)
    root.evaluate("root => root.scrollIntoView({block: 'center'})")
    press(page, *cell_centre(root, "attention.q", IT, 3))
    name, index = "layers.4.attention.q", index_at(trace, "layers.4.attention.q", 6, IT, 3)
    opened_number(page, "", float(trace[name][index]))
    assert "head=6" in page.url
    assert barriers(page, "[data-testid=stMain]", every=True) == []
    root.get_by_role("button", name="Hidden units before activation").click()
    settled(page, root)
    with rerun(page):
        root.get_by_role("button", name="go to its page").click()
    expect(page.locator("h1")).to_contain_text("units fire for")
    assert "layer=4" in page.url and "step=feed_forward.hidden" in page.url


def test_keys_alone_reach_every_number(page: Page, app_url: str, trace: Trace) -> None:
    root = opened(page, app_url, "layer=1")
    said = root.locator("output.said")
    root.locator(".tokens button").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert lit(root) == expected(trace, 3, 0.15)
    page.keyboard.press("Enter")
    expect(root.locator(".tokens button").nth(3)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowRight")
    with rerun(page):
        page.keyboard.press("Enter")
    settled(page, root)
    expect(root.get_by_role("button", name="Layer 1", exact=True)).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("Layer 1, head 0")
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("Attention weights")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("“cross” → “the”")
    with rerun(page):
        page.keyboard.press("Enter")
    weight = float(trace["layers.1.attention.weights"][1, 4, 1])
    opened_number(page, "“cross” (4) → “the” (1)", weight)
    assert urlsplit(page.url).path == "/"
    expect(number(page)).to_be_focused()
    page.keyboard.press("Escape")  # the opened number first
    expect(number(page)).to_be_hidden()
    page.keyboard.press("Escape")  # then the cell that was pointed at
    with rerun(page):
        page.keyboard.press("Escape")
    expect(root.get_by_role("button", name="Layer 1", exact=True)).to_have_attribute("aria-expanded", "false")
    assert "unfolded" not in page.url


def test_a_phone_does_the_same_by_touch(phone: Page, app_url: str, trace: Trace) -> None:
    root = opened(phone, app_url)
    root.locator(".tokens button").nth(2).tap()
    shown = root.evaluate(
        "({map}) => map.now.cards.flatMap((c, i) => (c.x - map.scroll < map.width - map.left ? [i] : []))"
    )
    assert 1 <= len(shown) < 6, "the others are beyond the edge"
    assert lit(root) == {band for band in expected(trace, 2, 0.15) if band[0] in shown}
    with rerun(phone):
        root.get_by_role("button", name="Layer 0", exact=True).tap()
    settled(phone, root)
    small = root.evaluate(
        """root => [...root.querySelectorAll('button, select, input')].filter(b => b.checkVisibility()).map(b => {
          const hit = b.closest('label') || b, box = hit.getBoundingClientRect();
          return [b.ariaLabel || b.textContent, box.width, box.height];
        }).filter(([, w, h]) => w < 24 || h < 24)"""
    )
    assert small == []
    x, y = cell_centre(root, "attention.q", 2, 1)
    press(phone, x, y, tap=True)
    index = index_at(trace, "layers.0.attention.q", 1, 2, 1)
    value = float(trace["layers.0.attention.q"][index])
    opened_number(phone, "", value)
