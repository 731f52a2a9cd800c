"""A number opens beside its picture, on every page that draws recorded numbers, and nothing that was clicked moves."""

import re

import pytest
from browser_tools import AS_ELSEWHERE, BELOW, READY, answering, cell_of_chart, open_page, press, rerun, widget
from playwright.sync_api import Locator, Page, expect
from tiers import mostly_nightly

from encoder import TextEncoder
from encoder.pictures.view import EXAMPLE

STILL = """element => new Promise(done => {
  let before = null, same = 0;
  const look = () => {
    const y = element.getBoundingClientRect().y;
    same = y === before ? same + 1 : 0;
    before = y;
    if (same > 20) done(y); else requestAnimationFrame(look);
  };
  look();
})"""
UNFOLDED = """stage => new Promise(done => {
  const map = stage.closest('.map').map;
  const look = () => map.open >= 0 && map.now && !map.gliding ? done() : requestAnimationFrame(look);
  look();
})"""
AT_REST = """stage => new Promise(done => {
  const { map } = stage.closest('.map'), seen = [];
  const look = () => {
    seen.push(map.camera.x);
    if (seen.length > 20 && new Set(seen.slice(-10)).size === 1) done();
    else requestAnimationFrame(look);
  };
  look();
})"""
SLOW = """(() => {
  const listen = WebSocket.prototype.addEventListener;
  let free = 0;
  WebSocket.prototype.addEventListener = function (kind, hear, ...rest) {
    if (kind !== 'message') return listen.call(this, kind, hear, ...rest);
    return listen.call(this, kind, event => {
      free = Math.max(performance.now(), free) + (globalThis.between || 0);
      setTimeout(() => hear.call(this, event), free - performance.now());
    }, ...rest);
  };
})()"""  # messages of the server come `between` milliseconds apart
COMPARED = f"compare?beside_open=1&{AS_ELSEWHERE}"
PAGES = {  # a page -> the key of its picture, part of the title of what opens, the recorded step
    f"attention?{BELOW}": ("picture", "Attention weights, layer 4, head 1", ""),
    f"embedding?{BELOW}": ("picture", "dimension ", "embedding.tokens"),
    f"add_norm?{BELOW}": ("layer_step", "dimension ", "layers.4.add_norm_1.sum"),
    f"feed_forward?{BELOW}": ("picture", "unit 0", "layers.4.feed_forward.activation"),
    f"stack?{BELOW}": ("picture", "dimension ", "output"),
    COMPARED: ("beside_0", "Attention weights, layer 4, head 1", ""),
}
# Whether that cell of the picture stands between the top of the window and the sheet from below
ABOVE_THE_SHEET = """([row]) => {
  const plot = document.querySelector('.st-key-picture .js-plotly-plot'), { yaxis } = plot._fullLayout;
  const y = plot.getBoundingClientRect().top + yaxis._offset + yaxis.d2p(row);
  return 0 < y && y < document.querySelector('.st-key-inspector').getBoundingClientRect().y;
}"""
SMALL = {
    f"attention?{BELOW}": ("heads",),
    "heads?heads_part=What+really+flows": ("flows",),
}  # a page -> the keys of its small maps


def still(element: Locator) -> float:
    """Where an element stands in the window, once it has stood there for twenty frames."""
    return float(element.evaluate(STILL))


def click(page: Page, key: str, row: int, column: int) -> None:
    """Click a cell of a heatmap that is in the window."""
    answering(page, key)
    still(widget(page, key))
    x, y = cell_of_chart(page, key, row, column)
    page.mouse.move(x, y)
    expect(widget(page, key).locator(".hovertext").first).to_be_visible()  # the picture has come alive
    press(page, x, y)


def check_mark(page: Page, key: str, row: int, column: int) -> None:
    """The outline stands on that cell, and the two lines on its whole row and column."""
    x, y = cell_of_chart(page, key, row, column)
    over_x, over_y = cell_of_chart(page, key, row + 1, column + 1)
    parts = {part: widget(page, key).locator(f".opened.{part}").bounding_box() for part in ("row", "column", "cell")}
    cell, down, across = parts["cell"], parts["column"], parts["row"]
    assert cell and down and across
    assert abs(cell["x"] + cell["width"] / 2 - x) < 1.5 and abs(cell["width"] - (over_x - x)) < 1.5
    assert abs(cell["y"] + cell["height"] / 2 - y) < 1.5 and abs(cell["height"] - (over_y - y)) < 1.5
    assert down["x"] == cell["x"] and down["height"] > 5 * cell["height"]
    assert across["y"] == cell["y"] and across["width"] > 4 * cell["width"]


def within_the_window(page: Page) -> bool:
    """Whether all of the drawer can be seen, at the right edge."""
    box, size = widget(page, "inspector").bounding_box(), page.viewport_size
    assert box and size
    fits = box["x"] >= 0 and box["y"] >= 0 and box["y"] + box["height"] <= size["height"]
    return fits and size["width"] - 40 <= box["x"] + box["width"] <= size["width"]


def on_top(way: Locator) -> bool:
    """Whether what stands at the middle of an element is that element, or in it."""
    return bool(
        way.evaluate("""e => {
      const r = e.getBoundingClientRect();
      return e.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2));
    }""")
    )


def test_the_way_on_is_never_under_the_drawer(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    open_page(page, f"{app_url}/atlas?cell=layers.4.feed_forward.output:8,2")
    expect(widget(page, "inspector")).to_be_visible()
    way, main = widget(page, "bar").get_by_role("button", name="Next"), page.get_by_test_id("stMain")
    for scrolled in (0, 60, 700):
        main.evaluate("(e, by) => { e.scrollTop = by }", scrolled)
        still(widget(page, "inspector"))
        assert on_top(way) and on_top(widget(page, "close").get_by_role("button")) and within_the_window(page)


@pytest.mark.parametrize("path", mostly_nightly(PAGES, [f"attention?{BELOW}", f"embedding?{BELOW}", COMPARED]))
def test_a_clicked_number_opens_beside_the_picture_which_stays(
    page: Page, app_url: str, base: TextEncoder, path: str
) -> None:
    key, expected, step = PAGES[path]
    column = 0 if path.startswith("feed_forward") else 2  # several of its columns share a pixel
    open_page(page, f"{app_url}/{path}{'&' if '?' in path else '?'}strips_open=1")
    picture = widget(page, key)
    picture.locator(".js-plotly-plot .main-svg").first.wait_for()
    picture.evaluate("element => element.scrollIntoView({block: 'center'})")
    before = still(picture)
    click(page, key, 3, column)
    title = widget(page, "inspector").locator("h3")
    expect(title).to_contain_text(expected)
    expect(title).to_contain_text("“didn't” (3)")
    if expected == "dimension ":  # two of 512 columns share a pixel
        column = int(re.search(r"dimension (\d+)", title.inner_text())[1])
        assert column in (1, 2, 3)
    if step:
        recorded = float(base.trace(EXAMPLE)[step][3, column])
        expect(title).to_contain_text(f"{column}, “didn't” (3) = {recorded:.4g}")
    assert abs(still(picture) - before) <= 1
    assert within_the_window(page)
    check_mark(page, key, 3, column)
    box, drawer = picture.bounding_box(), widget(page, "inspector").bounding_box()
    assert box and drawer and box["x"] + box["width"] <= drawer["x"], "beside the picture, not over it"
    page.keyboard.press("Escape")
    expect(widget(page, "inspector")).to_have_count(0)
    assert abs(still(picture) - before) <= 1
    expect(picture.locator(".opened")).to_have_count(0)


def test_row_and_column_follow_and_the_address_restores_the_number(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/attention?{BELOW}")
    widget(page, "picture").evaluate("element => element.scrollIntoView({block: 'center'})")
    click(page, "picture", 8, 2)
    way = widget(page, "choose")
    for label, words in (("Row", "8 it"), ("Column", "2 animal")):
        expect(way.get_by_label(label).locator("option:checked")).to_have_text(words)
    open_page(page, page.url)
    expect(page.get_by_role("gridcell")).to_have_attribute("data-cell", "8,2")  # the picture itself says the number
    with rerun(page):
        way.get_by_role("button").click()
    expect(widget(page, "inspector").locator("h3")).to_contain_text("“it” (8) → “animal” (2)")
    assert within_the_window(page)
    expect(way.get_by_label("Row").locator("option:checked")).to_have_text("8 it")
    with rerun(page):
        widget(page, "close").get_by_role("button").click()
    expect(widget(page, "inspector")).to_have_count(0)
    assert "cell=" not in page.url


@pytest.mark.parametrize("path", mostly_nightly(SMALL, [f"attention?{BELOW}"]))
def test_a_number_of_a_small_map_opens_beside_it(page: Page, app_url: str, path: str) -> None:
    open_page(page, f"{app_url}/{path}")
    for key in SMALL[path]:
        small = widget(page, key).locator("canvas").first
        small.evaluate("element => element.scrollIntoView({block: 'center'})")
        before = still(small)
        box = small.bounding_box()
        assert box
        press(page, box["x"] + 2.5 / 14 * box["width"], box["y"] + 8.5 / 14 * box["height"])
        expect(widget(page, "inspector").locator("h3")).to_contain_text("“it” (8) → “animal” (2)")
        assert abs(still(small) - before) <= 1, key
        assert within_the_window(page), key
        expect(widget(page, key).locator("b:visible").first).to_be_visible()
        with rerun(page):
            page.keyboard.press("Escape")
        expect(widget(page, "inspector")).to_have_count(0)


def test_keys_open_a_number_enter_its_drawer_and_come_back(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/attention?{BELOW}")
    page.wait_for_function("() => globalThis.componentScripts?.has('drawer')")
    button = widget(page, "choose").get_by_role("button")
    with rerun(page):
        button.press("Enter")
    way_out = widget(page, "close").get_by_role("button")
    expect(way_out).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.st-key-inspector') !== null")
    with rerun(page):
        page.keyboard.press("Escape")
    expect(widget(page, "inspector")).to_have_count(0)
    expect(button).to_be_focused()


def test_row_and_column_choose_the_number_by_keys(page: Page, app_url: str, base: TextEncoder) -> None:
    open_page(page, f"{app_url}/embedding?more=1&step=embedding.tokens&sentence=I+understand+this")
    way = widget(page, "choose")
    for label, times in (("Row", 2), ("Column", 7)):
        way.get_by_label(label).focus()
        for _ in range(times):
            page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    expect(way.get_by_role("button", name="Open this number")).to_be_focused()
    with rerun(page):
        page.keyboard.press("Enter")
    recorded = float(base.trace("I understand this")["embedding.tokens"][2, 7])
    expect(widget(page, "inspector").locator("h3")).to_contain_text(f"= {recorded:.4g}")
    expect(way.get_by_label("Column").locator("option:checked")).to_have_text("7")
    for label in ("Row", "Column"):
        way.get_by_label(label).select_option(index=0)
    with rerun(page):
        widget(page, "close").get_by_role("button").click()
    expect(way.get_by_label("Column").locator("option:checked")).to_have_text("0")  # what a person chose stays


def test_on_a_phone_it_is_a_sheet_from_below_that_leaves_the_cell_in_sight(phone: Page, app_url: str) -> None:
    """Of a cell that the sheet would cover; the second time, the sheet comes in parts, as by a slow line."""
    phone.add_init_script(SLOW)
    open_page(phone, f"{app_url}/attention?{BELOW}")
    picture, sheet = widget(phone, "picture"), widget(phone, "inspector")
    for between, row, column, words in (
        (0, 9, 3, "“was” (9) → “didn't” (3)"),
        (30, 10, 2, "“too” (10) → “animal” (2)"),
    ):
        phone.evaluate("between => { globalThis.between = between }", between)
        picture.evaluate("element => element.scrollIntoView({block: 'end'})")
        still(picture)
        answering(phone, "picture")
        press(phone, *cell_of_chart(phone, "picture", row, column), tap=True)
        expect(sheet.locator("h3")).to_contain_text(words)
        expect(sheet.locator("[data-testid=stDataFrame]")).to_be_attached()
        phone.wait_for_function(READY)
        phone.wait_for_function(ABOVE_THE_SHEET, arg=[row])
        still(picture)
        box = sheet.bounding_box()
        assert box and box["x"] == 0 and box["width"] == 390
        assert 844 * 0.4 < box["y"] < 844 and box["y"] + box["height"] <= 844
        assert 0 < cell_of_chart(phone, "picture", row, column)[1] < box["y"], "it stays in sight"
        with rerun(phone):
            widget(phone, "close").get_by_role("button").tap()
        expect(sheet).to_have_count(0)


def test_the_map_keeps_its_place_and_opens_the_number_that_pointing_names(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    open_page(page, f"{app_url}/?{BELOW}&unfolded=1")
    stage = widget(page, "living_map").locator(".stage")
    stage.evaluate(UNFOLDED)
    stage.evaluate("element => element.scrollIntoView({block: 'center'})")
    before = still(stage)
    strip = base.trace(EXAMPLE)["embedding.scaled"][5]
    box = stage.bounding_box()
    assert box
    x, y = stage.evaluate(
        """stage => { const map = stage.closest('.map').map, s = map.now.strips[0];
          return [map.left + s.x + s.w / 64 - map.camera.x, map.top + 5.5 * map.rowHeight] }"""
    )
    press(page, box["x"] + x, box["y"] + y)
    value = float(strip[strip[:16].abs().argmax()])
    expect(widget(page, "inspector").locator("h3")).to_contain_text(f"“the” (5) = {value:.4g}")
    assert abs(still(stage) - before) <= 1
    assert within_the_window(page)
    with rerun(page):
        page.keyboard.press("Escape")

    said = widget(page, "living_map").locator("output.said")
    box = stage.bounding_box()
    assert box
    y = box["y"] + stage.evaluate(
        "stage => { const { map } = stage.closest('.map'); return map.top + 5.5 * map.rowHeight }"
    )
    page.mouse.move(box["x"] + 300, y)
    page.mouse.wheel(200, 0)  # as far as it goes, which is no whole number of pixels
    stage.evaluate(AT_REST)
    edge = box["x"] + stage.evaluate(
        "stage => { const { map } = stage.closest('.map'); return map.left + map.cellAt(1, 5, 0).x - map.camera.x }"
    )
    assert edge % 1 > 0.05, "a browser gives clicks, not moves, whole pixels"
    page.mouse.move(edge + 0.02, y)
    expect(said).to_contain_text("Queries, head 1: “the”")
    with rerun(page, 20):
        page.mouse.click(edge + 0.02, y)
    expect(widget(page, "inspector").locator("h3")).to_contain_text("Queries, layer 4, head 1, dimension 0, “the” (5)")


def test_the_strips_of_a_pair_open_their_numbers_and_stay_with_the_pair(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    open_page(page, f"{app_url}/attention?{BELOW}&products=1&cell=layers.4.attention.weights:1,3,2")
    strips, trace = widget(page, "neurons"), base.trace(EXAMPLE)
    strips.locator(".js-plotly-plot .main-svg").first.wait_for()
    for row, step, index in ((0, "q", (1, 3, 5)), (1, "k", (1, 2, 5)), (2, "scores", (1, 3, 2))):
        strips.evaluate("element => element.scrollIntoView({block: 'center'})")
        click(page, "neurons", row, 5)
        number = float(trace[f"layers.4.attention.{step}"][index])
        expect(widget(page, "inspector").locator("h3")).to_contain_text(f"= {number:.4g}")
        expect(page.get_by_text("Query of “didn't” (3) and key of “animal” (2)").first).to_be_attached()
