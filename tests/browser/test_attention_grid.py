"""The grid of attention in a real browser: every number on it is recorded, or computed again as the encoder would."""

import base64
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from browser_tools import barriers, dark, open_page, rerun, runs, widget
from playwright.sync_api import Locator, Page, expect

from encoder import TextEncoder, Trace
from encoder.figures.attention_grid import grid
from encoder.formatting import agreement, brief, percent
from encoder.metrics.softmax import Setting
from encoder.pictures.view import EXAMPLE

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
IT, ANIMAL = 8, 2
FRAMES = ("scores", "scaled", "masked", "weights", "heads")
AT = "layers.4.attention."
CELLS = "(root, name) => Array.from(root.grid.numbers.cells['attention.' + name])"
STILL = "root => root.grid && root.grid.t === 1 && root.grid.run"
# The texts of the picture on the way from one frame to another, in a page that has the scripts alone
TEXTS = """async ([data, setting, from, to, t, width]) => {
  const { unpack } = await import('/pages/ui/components/living_map_data.js')
  const { numbersOf } = await import('/pages/ui/components/attention_grid_data.js')
  const { scene } = await import('/pages/ui/components/attention_grid_scene.js')
  const { about, arrays } = unpack(Uint8Array.from(atob(data), c => c.charCodeAt(0)))
  const palette = new Uint8Array(765).fill(99)
  const colours = { ink: '', muted: '', accent: '', second: '', page: '', border: '', signed: palette, share: palette }
  const numbers = numbersOf({ about, arrays }, ...setting)
  const moment = { about, arrays, numbers, query: 8, key: 2, heat: setting[0], scaled: setting[1], from, to, t }
  return scene(moment, width, colours).shapes.filter(one => one.kind === 'text' && one.alpha !== 0).map(one => one.text)
}"""


@pytest.fixture(scope="module")
def trace(base: TextEncoder) -> Trace:
    return base.trace(EXAMPLE)


def shown(page: Page, url: str, query: str = "") -> Locator:
    """The grid of the attention page, drawn and at rest."""
    open_page(page, f"{url}/attention?{query}")
    root = widget(page, "attention_grid").locator("section.grid")
    page.wait_for_function(STILL, arg=root.element_handle())
    return root


def number(text: float) -> str:
    return brief(text).replace("-", "\u2212")


def said_of(trace: Trace, frame: str) -> str:
    """The sentence of the pair "it" and "animal", from the recorded numbers."""
    score, scaled, masked, weight = (float(trace[AT + name][1, IT, ANIMAL]) for name in FRAMES[:4])
    if frame == "heads":
        row = trace[AT + "weights"][1, IT]
        parts = [f"{percent(float(row[k]))} of the value of “{trace.tokens[k]}”" for k in row.topk(2).indices.tolist()]
        return f"“it” takes {', '.join(parts)}: all values times their weights, added up, are its row of Z."
    return {
        "scores": f"“it” and “animal”: the 64 products of query and key add up to {number(score)}.",
        "scaled": f"“it” and “animal”: {number(score)} / 8 = {number(scaled)}.",
        "masked": f"Nothing is hidden from “it”: {number(scaled)} stays {number(masked)}.",
        "weights": f"“it” gives {percent(weight)} of its attention to “animal”.",
    }[frame]


STOPS = ("QKᵀ", "÷ 8", "mask", "softmax", "× V")  # the buttons of the frames


def test_each_frame_says_and_draws_what_was_recorded(page: Page, app_url: str, trace: Trace) -> None:
    """By a press of its button, and the first by its address; the page goes on to the step that is drawn."""
    root = shown(page, app_url, "step=attention.scores")
    for frame, stop in zip(FRAMES, STOPS, strict=True):
        if frame != "scores":
            with rerun(page):
                root.locator(".stops").get_by_text(stop, exact=True).click()
            page.wait_for_function(STILL, arg=root.element_handle())
        expect(page).to_have_url(re.compile(f"step=attention.{frame}"))
        expect(root.locator(".stops button[aria-current]")).to_have_text(stop)
        expect(root.locator(".said")).to_have_text(said_of(trace, frame))
        expect(root.locator(".check").first).to_contain_text("Recorded in this run.")
        if frame in ("scores", "weights", "heads"):
            expect(root.locator(".check").first).to_contain_text("✓")
        if frame != "heads":
            cells = np.array(root.evaluate(CELLS, frame), dtype=np.float32)
            np.testing.assert_array_equal(cells, trace[AT + frame][1].numpy().ravel(), err_msg=frame)


def test_the_products_add_up_to_the_score_and_next_walks_the_grid_on(page: Page, app_url: str, trace: Trace) -> None:
    root = shown(page, app_url, "step=attention.scores")
    root.locator("summary").click()
    expect(root.locator("tbody tr")).to_have_count(64)
    cells = [row.replace("\u2212", "-").split("\t") for row in root.locator("tbody").inner_text().splitlines()]
    found = np.array(cells, dtype=float)
    q, k = (trace[AT + name][1, i].numpy().astype(np.float64) for name, i in (("q", IT), ("k", ANIMAL)))
    np.testing.assert_allclose(found[:, 1:4], np.stack([q, k, q * k], 1), rtol=1e-5, atol=1e-4)
    assert brief(found[-1, 4]) == brief(float(trace[AT + "scores"][1, IT, ANIMAL]))
    with rerun(page):
        widget(page, "next").get_by_role("button").click()
    expect(root.locator(".said")).to_have_text(said_of(trace, "scaled"))


def test_another_softmax_is_moved_live_and_is_that_of_the_encoder(page: Page, app_url: str, base: TextEncoder) -> None:
    root = shown(page, app_url)
    asked = runs(page)
    slider = root.locator("fieldset input[type=range]")
    for heat, scaled in ((0.5, True), (2.0, True), (2.0, False), (1.0, False)):
        slider.fill(str(round(heat * 10) - 1))
        root.locator("fieldset input[type=checkbox]").set_checked(scaled)
        changed = base.trace(EXAMPLE, edits=Setting(heat, scaled).edits(4, 1))
        for frame in FRAMES[1:4]:
            found = np.array(root.evaluate(CELLS, frame))
            np.testing.assert_allclose(found, changed[AT + frame][1].numpy().ravel(), rtol=1e-5, atol=1e-7)
        weight = float(changed[AT + "weights"][1, IT, ANIMAL])
        expect(root.locator(".said")).to_have_text(f"“it” gives {percent(weight)} of its attention to “animal”.")
        expect(root.locator(".check").first).to_have_text("Recomputed here, in float64, from the recorded scores.")
    assert asked <= runs(page) <= asked + 4, "the server only hears what it came to"
    expect(page).to_have_url(re.compile(r"grid=8%2C2%2C1\.0%2C0"))
    root.get_by_role("button", name="As recorded").click()
    expect(root.locator(".check").first).to_contain_text("Recorded in this run.")
    expect(page).not_to_have_url(re.compile("grid="))


def test_what_is_taken_with_another_softmax_is_that_of_the_encoder_and_is_kept_as_a_picture(
    page: Page, app_url: str, base: TextEncoder, trace: Trace
) -> None:
    root = shown(page, app_url, "step=attention.heads&grid=8,2,0.5,1")
    root.locator("summary").click()
    expect(root.locator("tbody tr")).to_have_count(64)
    cells = [row.replace("\u2212", "-").split("\t") for row in root.locator("tbody").inner_text().splitlines()]
    z = base.trace(EXAMPLE, edits=Setting(0.5).edits(4, 1))[AT + "heads"][1, IT].numpy()
    np.testing.assert_allclose(np.array(cells, dtype=float)[:, 1], z, rtol=2e-5, atol=1e-5)

    with rerun(page):
        root.locator(".stops").get_by_text("softmax", exact=True).click()
    page.wait_for_function(STILL, arg=root.element_handle())
    widget(page, "keep_attention_grid").get_by_role("button").first.click()
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG", exact=True).click()
    content = Path(download.value.path()).read_text(encoding="utf-8")
    svg = ElementTree.fromstring(content)
    texts = ["".join(text.itertext()) for text in svg.iter(f"{SVG}text")]
    assert all(texts.count(token) >= 2 for token in trace.tokens)
    assert len(list(svg.iter(f"{SVG}rect"))) > len(trace.tokens) ** 2
    words = " ".join(texts)
    assert "of its attention to “animal”" in words
    assert "Recomputed with temperature 0.5" in words and "Layer 4, head 1" in words
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG 1×", exact=True).click()
    assert Path(download.value.path()).stat().st_size > 10_000


def test_on_the_way_no_number_is_written_that_neither_frame_has(blank: Any, trace: Trace) -> None:
    data = base64.b64encode(grid(trace, 4, 1, IT, ANIMAL)).decode()

    def texts(setting: list[Any], a: int, b: int, t: float) -> set[str]:
        return set(blank.evaluate(TEXTS, [data, setting, a, b, t, 1280]))

    for setting in ([1, True], [0.5, False]):
        ends = [texts(setting, k, k, 1) for k in range(5)]
        assert number(float(trace[AT + "scores"][1, IT, ANIMAL])) in ends[0]
        for a in range(5):
            for b in range(5):
                for t in (0, 0.1, 0.45, 0.55, 0.9):
                    assert texts(setting, a, b, t) <= ends[a] | ends[b], (a, b, t)
                assert texts(setting, a, b, 1) == ends[b]


def test_play_goes_through_all_frames_in_the_browser_alone(page: Page, app_url: str) -> None:
    root = shown(page, app_url, "step=attention.scores")
    asked = runs(page)
    root.get_by_role("button", name="Play").click()
    expect(root.get_by_role("button", name="Pause")).to_be_visible()
    for name in ("÷ 8", "mask", "softmax"):
        expect(root.locator(".stops button[aria-current]")).to_have_text(name)
        assert runs(page) == asked
    expect(root.locator(".stops button[aria-current]")).to_have_text("× V")
    expect(root.get_by_role("button", name="Play")).to_be_visible()
    expect(page).to_have_url(re.compile("step=attention.heads"))
    expect(page.locator("h2").filter(has_text="Weighted values")).to_be_visible()
    page.wait_for_function(STILL, arg=root.element_handle())


def test_who_wants_no_motion_sees_none(page: Page, app_url: str) -> None:
    page.emulate_media(reduced_motion="reduce")
    root = shown(page, app_url, "step=attention.scores")
    root.get_by_role("button", name="softmax").click()
    assert root.evaluate("root => [root.grid.frame, root.grid.from, root.grid.t]") == [3, 3, 1]
    page.emulate_media(reduced_motion="no-preference")


def test_all_of_it_by_keyboard_alone(page: Page, app_url: str, trace: Trace) -> None:
    root = shown(page, app_url)
    root.locator(".bar input").focus()
    page.keyboard.press("ArrowLeft")
    expect(root.locator(".stops button[aria-current]")).to_have_text("mask")
    page.keyboard.press("Home")
    expect(root.locator(".stops button[aria-current]")).to_have_text("QKᵀ")
    root.locator("canvas").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("PageDown")
    score, scaled = (number(float(trace[AT + name][1, 9, 3])) for name in ("scores", "scaled"))
    expect(root.locator(".said")).to_have_text(f"“was” and “didn't”: {score} / 8 = {scaled}.")
    expect(page).to_have_url(re.compile(r"grid=9%2C3.*step=attention.scaled|step=attention.scaled.*grid=9%2C3"))
    with rerun(page):
        page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Attention")
    recorded = float(trace[AT + "scaled"][1, 9, 3])
    expect(widget(page, "inspector").locator("h3")).to_contain_text(f"“was” (9) → “didn't” (3) = {recorded:.4g}")


def test_a_link_shows_the_same_grid_elsewhere(page: Page, app_url: str) -> None:
    root = shown(page, app_url, "step=attention.masked&hidden=5&grid=10,4,0.5,1")
    expect(root.locator(".said")).to_contain_text("1 token is hidden from “too”, but not “cross”")
    assert root.locator("select").evaluate_all("all => all.map(one => one.value)") == ["10", "4"]
    expect(root.locator("fieldset output")).to_have_text("0.5")
    root.locator("select").nth(1).select_option("5")
    expect(root.locator(".said")).to_contain_text("“the” (5) may not be seen")
    expect(root.locator(".said")).to_contain_text("becomes \u2212∞.")


def test_of_a_long_text_it_is_said_what_is_drawn_and_any_pair_can_be_asked_for(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    text = "The old man and the sea were friends. " * 12
    n = len(base.trace(text).tokens)
    root = shown(page, app_url, f"sentence={text.replace(' ', '+')}&grid=0,0")
    expect(root.locator(".check").nth(1)).to_have_text(
        f"Drawn are queries 0 to 63 and keys 0 to 63 of {n} tokens, those around the chosen pair; "
        f"every softmax and sum counts all {n}."
    )
    with rerun(page):
        root.locator("select").nth(1).select_option(str(n - 2))
    expect(root.locator(".check").nth(1)).to_contain_text(f"keys {n - 64} to {n - 1}")
    weight = float(base.trace(text)[AT + "weights"][1, 0, n - 2])
    expect(root.locator(".said")).to_contain_text(f"gives {percent(weight)} of its attention")


def test_a_head_that_is_switched_off_is_said(page: Page, app_url: str) -> None:
    root = shown(page, app_url, f"step=attention.heads&edits={AT}heads:zero:h=1")
    expect(root.locator(".check").first).to_contain_text("weighted values set to zero")
    expect(root.locator(".check").first).to_contain_text("is not what was recorded")
    expect(root.locator(".blocked")).to_contain_text("Another softmax cannot be tried here: layer 4, head 1")
    expect(root.locator("fieldset[disabled] input[type=range]")).to_be_disabled()


def test_on_a_phone_in_the_dark_it_fits_and_a_tap_chooses(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    root = shown(page, app_url)
    dark(page)
    box = root.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390
    canvas = root.locator("canvas")
    at = root.evaluate("""root => { const box = root.querySelector('canvas').getBoundingClientRect();
      return [box.width, box.height] }""")
    assert at[0] <= 390 and at[1] > 500
    before = root.locator(".said").inner_text()
    canvas.click(position={"x": 130, "y": 90})
    expect(root.locator(".said")).not_to_have_text(before)
    assert barriers(page, ".st-key-attention_grid") == []


def test_a_difference_is_told_in_the_words_of_the_pages(blank: Any) -> None:
    call = """async ([name, given]) =>
      (await import('/pages/ui/components/attention_grid_data.js'))[name](...given)"""
    drawn = np.random.default_rng(3)
    for value in [0.0, 27.1234, 999.6, 12345.6, -3.39, 0.0042, 1.0, *drawn.normal(0, 30, 60).tolist()]:
        assert blank.evaluate(call, ["written", [value]]) == number(value)
    for share in [0.0, 1.0, 0.00001, 0.994, 0.9999, 0.5, *drawn.random(60).tolist()]:
        assert blank.evaluate(call, ["shareText", [share]]) == percent(share).replace(" %", "\u00a0%")
    for size in (1.0, 27.0):
        for difference in (0.0, 1e-7, 3e-4, 0.02):
            assert blank.evaluate(call, ["agreementText", [difference, size]]) == agreement(difference, size)
    assert blank.evaluate(call, ["agreementText", [1.0, 2.0]]) == ""
