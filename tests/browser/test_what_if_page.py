"""The What if page in the browser: what it opens with, what a press changes, and that its numbers are true."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from made_once import level_1, level_7
from mounted import DESK, Mounted
from playwright.sync_api import Locator, Page, expect

from encoder import Edit, EncoderConfig, TextEncoder
from encoder.edits.edit_text import text_to_edits
from encoder.packet.cost_level import level_12
from encoder.pictures.ask import scene_of
from encoder.pictures.link import from_query
from encoder.pictures.picture import Answer
from encoder.pictures.registry import picture
from encoder.support.formatting import percent
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace

KEYS = "The keys to the cabinet [MASK] on the table."
OWN = "The cat chased the mouse."
STOP = """() => document.querySelector('.board [tabindex="0"]').getAttribute('data-cell')"""
FOCUS = "() => document.activeElement.getAttribute('data-cell')"
NAMED = "({ level, edits }) => edits ? 'changed' : level"
KINDS = ["attention", "feed_forward", "embedding", "output"]
Opened = Callable[..., Page]


@pytest.fixture
def opened(mounted: Mounted, base: TextEncoder) -> Opened:
    """Opens the page with a state."""

    def show(encoder: TextEncoder = base, **first: object) -> Page:
        def packet(asked: dict[str, Any]) -> bytes:
            edits = text_to_edits(asked["edits"])
            trace = encoder.trace(asked["sentence"], hidden=asked["hidden"], edits=edits)
            if asked["level"] == 12:
                return level_12(encoder, trace, asked["step"], asked["index"], asked["words"])
            return level_1(encoder, trace) if asked["level"] == 1 else level_7(encoder, trace)

        ready = ".wi .enc-finding:not(:empty)"
        return mounted("what_if", packet, first=first, named=NAMED, keys=KINDS, more=True, ready=ready)

    return show


def cell(page: Page, layer: int, column: int) -> Locator:
    return page.locator(f'[data-cell="{layer},{column}"]')


def title(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def bars(page: Page) -> dict[str, tuple[float, float]]:
    """Each word that is drawn with its share before and after."""
    found = page.locator("[data-guess]").evaluate_all("all => all.map(one => ({ ...one.dataset }))")
    return {one["guess"]: (float(one["before"]), float(one["after"])) for one in found}


@cache
def guess(encoder: TextEncoder, sentence: str, edits: str) -> torch.Tensor:
    trace = encoder.trace(sentence, edits=text_to_edits(edits))
    return trace["mlm.probabilities"][trace.tokens.index("[MASK]")]


def share(encoder: TextEncoder, sentence: str, word: str, edits: str = "") -> float:
    return float(guess(encoder, sentence, edits)[encoder.tokenizer.token_to_id(word)])


def settled(page: Page) -> None:
    """Wait until what the switches change is here."""
    expect(page.locator(".wi-first")).not_to_have_text(re.compile(r"^\W*$"), timeout=30_000)
    expect(page.locator("[data-guess]:not([data-after])")).to_have_count(0)


def true_bars(page: Page, encoder: TextEncoder, sentence: str, edits: str) -> None:
    for word, (before, after) in bars(page).items():
        assert before == pytest.approx(share(encoder, sentence, word), abs=1e-5), word
        assert after == pytest.approx(share(encoder, sentence, word, edits), abs=1e-5), word


def test_it_opens_with_everything_on_and_says_which_head_is_needed_most(opened: Opened, base: TextEncoder) -> None:
    page = opened()
    now = share(base, KEYS, "are")
    heads = [(layer, head) for layer in range(6) for head in range(8)]
    left = {(i, j): share(base, KEYS, "are", f"layers.{i}.attention.heads:zero:h={j}") for i, j in heads}
    layer, head = min(heads, key=lambda place: left[place])
    off = f"layers.{layer}.attention.heads:zero:h={head}"
    still = percent(left[layer, head]).replace(" ", "\u00a0")
    needed = f"Of all heads, head {head} of layer {layer} matters most: without it “are” falls to {still}."
    expect(title(page)).to_contain_text(needed)
    expect(page.locator("[data-cell][aria-pressed=true]")).to_have_count(0)
    expect(page.locator("[data-value]").first).to_be_visible(timeout=30_000)
    assert page.evaluate("window.requests.every(one => !one.edits)")  # no changed run was asked for
    board, tools = (page.locator(name).bounding_box() for name in (".board", ".wi-tools"))
    cell(page, layer, head).click()
    expect(title(page)).to_contain_text(f"Without head {head} of layer {layer}, “are” falls from")
    said = (title(page).text_content() or "").replace("\u00a0", " ")
    assert (
        f"from {percent(now)} to {percent(left[layer, head])}, “is” rises to {percent(share(base, KEYS, 'is', off))}."
        in said
    )
    settled(page)
    true_bars(page, base, KEYS, off)
    falls = [after for _, after in bars(page).values()]
    assert falls == sorted(falls, reverse=True)  # the guess now is on top
    assert {"are", "were", "is"} <= bars(page).keys() and len(bars(page)) <= 5
    assert page.locator("[data-cell][aria-pressed=true]").evaluate_all("all => all.map(one => one.dataset.cell)") == [
        f"{layer},{head}"
    ]
    assert page.evaluate(STOP) == f"{layer},{head}"  # the tab key leads to it
    # Board and buttons are where they were, and the strip still tells of the run with everything on.
    assert board == page.locator(".board").bounding_box() and tools == page.locator(".wi-tools").bounding_box()
    expect(page.locator(".enc-spine-says")).to_contain_text("Unchanged run: what each part costs “are”")
    cost = page.locator(".enc-spine-parts [data-part='1,1']").get_attribute("data-cost") or ""
    assert float(cost) == pytest.approx(now - share(base, KEYS, "are", "layers.1.feed_forward.output:zero"), abs=1e-5)
    # Every switch says what is lost without it alone.
    parts = ("attention.output:zero", "feed_forward.output:zero")
    for i, j in [(0, 0), (4, 1), (5, 6)]:
        assert float(cell(page, i, j).get_attribute("data-value") or "") == pytest.approx(now - left[i, j], abs=1e-5)
    for i in (1, 4):
        edits = [f"layers.{i}.{part}" for part in parts]
        for column, text in zip((8, 9, 10), [*edits, ";".join(edits)], strict=True):
            after = share(base, KEYS, "are", text)
            lost, told = now - after, [float(percent(one).removesuffix(" %")) for one in (now, after)]
            assert float(cell(page, i, column).get_attribute("data-value") or "") == pytest.approx(lost, abs=1e-5)
            text = (cell(page, i, column).text_content() or "").replace("\N{MINUS SIGN}", "-")
            assert text == str(round(told[0] - told[1]))


def test_presses_add_up_and_are_taken_back(opened: Opened, base: TextEncoder) -> None:
    page = opened()
    cell(page, 5, 6).click()
    settled(page)
    page.evaluate("window.held.add('changed')")
    cell(page, 4, 1).click()
    expect(cell(page, 4, 1)).to_have_attribute("aria-pressed", "true")  # before any answer
    expect(title(page)).to_contain_text("Without head 1 of layer 4 and head 6 of layer 5")
    page.wait_for_function("Boolean(window.waiting.changed)")
    page.evaluate("window.free('changed')")
    both = "layers.4.attention.heads:zero:h=1;layers.5.attention.heads:zero:h=6"
    assert page.evaluate("window.store.query()") | {"edits": both, "layer": "4", "head": "1"} == page.evaluate(
        "window.store.query()"
    )
    settled(page)
    true_bars(page, base, KEYS, both)
    expect(title(page)).to_contain_text("“is” comes first, with 62\u00a0%: “are” goes from 85\u00a0% to 18\u00a0%.")
    assert page.evaluate(STOP) == "4,1"
    # By keys: to the whole layer, which switches both of its parts.
    cell(page, 4, 1).focus()
    page.keyboard.press("End")
    assert page.evaluate(FOCUS) == "4,10"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    assert page.evaluate(FOCUS) == "3,10"
    for column in (8, 9, 10):
        expect(cell(page, 3, column)).to_have_attribute("aria-pressed", "true")
    more = f"layers.3.attention.output:zero;layers.3.feed_forward.output:zero;{both}"
    assert page.evaluate("window.store.get().edits") == more
    expect(page.locator(".wi-first")).to_contain_text("in layer 3", timeout=30_000)
    true_bars(page, base, KEYS, more)
    page.get_by_role("button", name="Undo").click()
    assert page.evaluate("window.store.get().edits") == both
    page.get_by_role("button", name="All on again").click()
    expect(title(page)).to_contain_text("Everything is on: the guess at the gap is “are”")
    expect(page.locator("[data-cell][aria-pressed=true]")).to_have_count(0)
    assert page.evaluate("window.store.get().edits") == ""
    for edits in (both, "layers.5.attention.heads:zero:h=6", ""):
        page.get_by_role("button", name="Undo").click()
        assert page.evaluate("window.store.get().edits") == edits
    expect(page.get_by_role("button", name="Undo")).to_have_attribute("aria-disabled", "true")
    expect(title(page)).to_contain_text("Everything is on")


def test_the_keys_stay_where_they_were_on_the_buttons_that_take_back(opened: Opened) -> None:
    page = opened(edits="layers.5.attention.heads:zero:h=6")
    settled(page)
    every, undo = (page.get_by_role("button", name=name) for name in ("All on again", "Undo"))
    every.focus()
    for button, other in ((every, undo), (undo, every)):
        page.keyboard.press("Enter")
        expect(button).to_have_attribute("aria-disabled", "true")  # it has nothing more to do
        expect(button).to_be_focused()
        settled(page)
        page.keyboard.press("Enter")
        expect(button).to_be_focused()
        page.keyboard.press("Tab" if button is every else "Shift+Tab")
        expect(other).to_be_focused()


def test_blue_speaks_for_the_guess_and_warm_against_it_on_board_and_spine(opened: Opened) -> None:
    page = opened()
    expect(page.locator("[data-value]").first).to_be_visible(timeout=30_000)
    shades = (
        "all => all.map(one => [+one.dataset.value, getComputedStyle(one).backgroundColor.match(/\\d+/g).map(Number)])"
    )
    values = page.locator("[data-cell]:not([aria-pressed=true])").evaluate_all(shades)
    for value, (red, _, blue) in values:
        assert abs(value) < 0.02 or (blue > red) is (value > 0), (value, red, blue)
    most = max(values, key=lambda one: abs(one[0]))
    assert [one for one in values if one[1] == most[1]] == [most]  # the largest alone has the last colour
    key = page.locator(".wi-key > span").all_inner_texts()
    lost, gained = (round(100 * edge(value for value, _ in values)) for edge in (max, min))
    assert key == [
        "Without one part alone:",
        f"{lost}“are” loses {lost} points",
        f"\N{MINUS SIGN}{-gained}“are” gains {-gained} points",
    ]
    for column in page.locator(".enc-spine-parts button").all():
        below = float(column.get_attribute("data-cost") or "") < 0
        assert column.locator("i.is-below").count() == below
        colour = column.locator("i").evaluate("one => getComputedStyle(one).backgroundColor.match(/\\d+/g).map(Number)")
        assert (colour[0] > colour[2]) is below


def test_a_link_with_changes_opens_on_them_and_leads_to_the_first_step(opened: Opened, base: TextEncoder) -> None:
    edits = "layers.4.attention.heads:zero:h=1;embedding.positions:shift:v=2;layers.0.feed_forward.output:zero"
    page = opened(edits=edits)
    settled(page)
    true_bars(page, base, KEYS, edits)
    expect(title(page)).to_contain_text("With these 3 changes, “are” falls from")
    for place in ((4, 1), (0, 9)):
        expect(cell(page, *place)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".wi-others")).to_contain_text("with rows moved by 2")
    expect(page.locator(".wi-first a")).to_have_attribute(
        "href", re.compile("^/embedding[?].*step=embedding.positions")
    )
    page.get_by_role("button", name="Remove").click()
    kept = "layers.0.feed_forward.output:zero;layers.4.attention.heads:zero:h=1"
    assert page.evaluate("window.store.get().edits") == kept
    expect(page.locator(".wi-others")).to_be_hidden()
    expect(page.locator(".wi-first")).to_contain_text("in layer 0", timeout=30_000)
    true_bars(page, base, KEYS, kept)
    page.locator(".wi-first a").click()
    (key, query), *_ = page.evaluate("window.led")
    assert key == "feed_forward" and query["step"] == "feed_forward.output" and query["layer"] == "0"
    assert query["edits"] == kept


def hidden_word(page: Page, base: TextEncoder, sentence: str, word: str, place: int, edits: str) -> None:
    """The word that is hidden has its own share among the bars, or below them, in the run as it is and as it was."""
    line, number = page.locator(f"[data-guess='{word}']"), base.tokenizer.token_to_id(word)
    runs = [base.trace(sentence, edits=text_to_edits(text)) for text in (("", edits) if edits else ("",))]
    shares = [float(run["mlm.probabilities"][place, number]) for run in runs]
    for name, share in zip(("before", "after"), shares, strict=False):
        expect(line).to_have_attribute(f"data-{name}", re.compile("."), timeout=30_000)
        assert float(line.get_attribute(f"data-{name}") or "") == pytest.approx(share, rel=1e-3), (word, name)


def test_without_a_gap_a_word_is_hidden_and_another_can_be(opened: Opened, base: TextEncoder) -> None:
    page = opened(sentence=OWN, word=3)
    hidden = OWN.replace("chased", "[MASK]")
    expect(page.locator(".wi-hides")).to_contain_text("“chased” is hidden")
    expect(page.locator(".wi-hides")).to_contain_text("Choose another word to hide:")
    expect(page.locator(".enc-spine")).to_be_hidden()  # its numbers are of the run in which nothing is hidden
    hidden_word(page, base, hidden, "chased", 3, "")
    cell(page, 5, 2).click()
    settled(page)
    expect(page.locator(".wi-key")).to_contain_text("Without one part alone, in the unchanged run:")
    hidden_word(page, base, hidden, "chased", 3, "layers.5.attention.heads:zero:h=2")
    first = base.predict(base.trace(hidden), 1, [3])[0][0][0]
    assert next(iter(bars(page))) == first
    true_bars(page, base, hidden, "layers.5.attention.heads:zero:h=2")
    page.get_by_role("button", name="Hide mouse").click()
    expect(page.locator(".wi-hides")).to_contain_text("“mouse” is hidden")
    cell(page, 2, 9).click()
    expect(cell(page, 2, 9)).to_have_attribute("aria-pressed", "true")
    settled(page)
    now = page.evaluate("window.store.get()")
    assert now["sentence"] == OWN and now["word"] == 5 and now["edits"].startswith("layers.2.feed_forward.output:zero")
    true_bars(page, base, OWN.replace("mouse", "[MASK]"), now["edits"])


def kept(page: Page, encoder: TextEncoder) -> Answer:
    """The picture that the menu Save offers, of the model that made the page's runs."""
    page.get_by_role("button", name="Save").click()
    page.wait_for_function("window.kept.length")
    asked = page.evaluate("window.kept.pop()")
    page.keyboard.press("Escape")
    view, notes = from_query(asked["query"], lambda model: None, ())
    assert notes == []
    shown = picture(asked["picture"])

    def run(model: str, text: Text, hidden: tuple[int, ...], edits: str) -> Trace:
        return encoder.trace(text, hidden=hidden, edits=text_to_edits(edits))

    return shown.of(scene_of(view, shown.needs, lambda model: encoder, run))


@pytest.mark.parametrize("first", [{}, {"sentence": OWN, "word": 3}])
def test_what_is_kept_are_the_bars_that_are_seen(opened: Opened, base: TextEncoder, first: dict[str, Any]) -> None:
    page = opened(edits="layers.2.attention.output:zero", **first)
    settled(page)
    if first:
        hidden_word(page, base, OWN.replace("chased", "[MASK]"), "chased", 3, "layers.2.attention.output:zero")
    found = kept(page, base)
    assert list(bars(page)) == found.numbers.along("word")
    np.testing.assert_allclose(np.array([*bars(page).values()]).T, found.numbers.array, rtol=1e-4)
    page.get_by_role("button", name="All on again").click()
    expect(title(page)).to_contain_text("Everything is on")
    found = kept(page, base)
    drawn = page.locator("[data-guess]").evaluate_all("all => all.map(one => one.dataset.guess)")
    assert drawn == found.numbers.along("word") and found.numbers.array.shape == (1, len(drawn))


def test_a_model_that_guesses_no_words_shows_how_far_its_output_goes(opened: Opened) -> None:
    encoder = TextEncoder.from_config(EncoderConfig(n_layers=2, d_model=24, n_heads=3, d_ff=40, vocab_size=16384), 3)
    page = opened(encoder, sentence=OWN)
    expect(title(page)).to_contain_text("the output changes most without", timeout=30_000)
    trace = encoder.trace(OWN)

    def change(*edits: Edit) -> float:
        return float((encoder.trace(OWN, edits=edits)["output"] - trace["output"]).norm() / trace["output"].norm())

    heads = {(i, j): change(Edit(f"layers.{i}.attention.heads", "zero", heads=(j,))) for i in (0, 1) for j in range(3)}
    layer, head = max(heads, key=lambda place: heads[place])
    expect(title(page)).to_contain_text(f"without head {head} of layer {layer}: by")
    cell(page, layer, head).click()
    expect(title(page)).to_contain_text("the output changes by", timeout=30_000)
    said = (title(page).text_content() or "").replace("\u00a0", " ")
    assert f"Without head {head} of layer {layer}, the output changes by {percent(heads[layer, head])}" in said
    assert float(cell(page, 1, 4).get_attribute("data-value") or "") == pytest.approx(
        change(Edit("layers.1.feed_forward.output", "zero")), rel=1e-3
    )
    assert page.locator("[data-moved]").count() == 5 and page.locator(".wi-gap").count() == 0
    moved = page.locator("[data-moved]").evaluate_all("all => all.map(one => [one.dataset.moved, +one.dataset.share])")
    found = kept(page, encoder)
    assert [name for name, _ in moved] == found.numbers.along("word")
    np.testing.assert_allclose([share for _, share in moved], found.numbers.array, rtol=1e-4)


def test_a_change_that_cannot_be_is_said(opened: Opened) -> None:
    page = opened()
    board = page.locator(".board").bounding_box()
    assert board and board["y"] < 300 and board["y"] + board["height"] < DESK["height"]
    page.evaluate("window.store.set({ edits: 'layers.77.output:zero' })")
    expect(page.get_by_role("alert").first).to_contain_text("77")
    page.get_by_role("button", name="All on again").click()
    expect(title(page)).to_contain_text("Everything is on")
