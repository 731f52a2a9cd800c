"""The Compare page that is drawn in the browser: B minus A as the runs have it, chosen by pointer and by keys."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from made_once import level_1
from mounted import PHONE, Mounted, coded, overflows, random_model
from playwright.sync_api import Locator, Page, expect

from encoder import TextEncoder, Trace
from encoder.pictures.view import TWINS, View
from encoder.support.formatting import percent, points

KEYS, KEY = "The keys to the cabinet [MASK] on the table.", "The key to the cabinet [MASK] on the table."
KIND, GOOD = "Unfathomable kindness hurt him.", "Goodness never hurt him."
GOOD_LONG = "The keys that open the cabinet were found on the table today."
HEBREW, OTHER_HEBREW = "שלום לכולם בבית הגדול.", "שלום לכולם בבית הקטן."
NAMED = "({ level, model, sentence }) => (level === 1 ? `${model}|${sentence}` : level)"
STATE = """() => {
  const { layer, head, word, other, other_model } = store.get()
  return [layer, head, word, other, other_model]
}"""
TWIN = """async sentence => {
  const { sentenceB } = await import('/encoder/browser/compare_runs.js')
  return sentenceB({ sentence, other: '' })
}"""
# Presses every head in turn: how many pictures there were as soon as each press was over
EVERY = """() => {
  const canvas = document.querySelector('.picture-canvas'), drawn = new Set()
  for (const one of document.querySelectorAll('[data-head-row]')) {
    one.click()
    drawn.add(canvas.toDataURL())
  }
  return drawn.size
}"""
Opened = Callable[..., Page]


@pytest.fixture(scope="module")
def run(base: TextEncoder) -> Callable[[str], Trace]:
    return cache(base.trace)


@pytest.fixture(scope="module")
def packet(base: TextEncoder, run: Any) -> Callable[[str], bytes]:
    return cache(lambda sentence: level_1(base, run(sentence), off=False))


@pytest.fixture
def opened(mounted: Mounted, packet: Any) -> Opened:
    """Opens the page with a state."""

    def show(
        a: str = KEYS,
        b: str = "",
        packets: dict[str, bytes] | None = None,
        held: tuple[str, ...] = (),
        **first: object,
    ) -> Page:
        other = b or View(sentence=a).sentence_b
        found = {f"base|{one}": packet(one) for one in {a, other}} if packets is None else packets
        some = {"named": NAMED, "held": held, "models": ("base", "small")}
        return mounted("compare", found, first={"sentence": a, "other": b, "view": "look", **first}, **some)

    return show


def text(at: Locator) -> str:
    """What stands there, with plain signs."""
    return " ".join((at.text_content() or "").replace("\u00a0", " ").replace("\u2212", "-").split())


def title(page: Page) -> str:
    return text(page.get_by_role("heading", level=1))


def grouped(trace: Trace, layer: int, head: int) -> np.ndarray:
    """Shares from word to word: to the pieces of a word they are added, from them their mean is taken."""
    weights = trace[f"layers.{layer}.attention.weights"][head].numpy()
    special = trace.tokenization.special
    words = [
        list(word) for word in trace.tokenization.words if not special[word[0]] or trace.tokens[word[0]] == "[MASK]"
    ]
    return np.stack([np.stack([weights[a][:, b].sum(1).mean() for b in words]) for a in words])


def difference(a: Trace, b: Trace, layer: int, head: int) -> np.ndarray:
    return np.asarray(grouped(b, layer, head) - grouped(a, layer, head))


def largest(change: np.ndarray, out: int) -> tuple[int, int, float]:
    """The cell that differs most, in the rows of the words that both sentences share."""
    rest = np.abs(change).copy()
    rest[out] = -1
    row, column = np.unravel_index(int(rest.argmax()), rest.shape)
    return int(row), int(column), float(change[row, column])


def test_it_opens_on_what_the_two_runs_show(opened: Opened, run: Any, base: TextEncoder) -> None:
    page, a, b = opened(), run(KEYS), run(KEY)
    found = {(layer, head): largest(difference(a, b, layer, head), 1) for layer in range(6) for head in range(8)}
    (layer, head), (row, column, change) = max(found.items(), key=lambda one: abs(one[1][2]))
    words = ["The", "keys/key", "to", "the", "cabinet", "[MASK]", "on", "the", "table", "."]
    said = (
        f"Head {head} of layer {layer} changes most: in B “{words[row]}” gives “{words[column]}” {points(abs(change))} "
    )
    guesses = [base.predict(one, 1)[6][0] for one in (a, b)]
    was, now = (f"“{word}” ({percent(share)})" for word, share in guesses)
    assert title(page) == f"{said}{'more' if change > 0 else 'less'}. The guess goes from {was} to {now}."
    assert (was, now) == ("“are” (85 %)", "“is” (87 %)")
    # Every head's share of the colours is its largest difference.
    cells = page.locator("[data-head-row]").evaluate_all(
        "all => all.map(one => [one.dataset.headRow, Number(one.dataset.value), one.ariaLabel])"
    )
    assert len(cells) == 48
    for place, value, label in cells:
        at = tuple(map(int, place.split(",")))
        assert abs(abs(value) - abs(found[at][2])) < 3e-5
        assert label == f"Head {at[1]} of layer {at[0]}: {points(abs(value))}".replace(" %", "\u00a0%")
    assert page.locator(f"[data-head-row='{layer},{head}']").get_attribute("aria-selected") == "true"
    assert text(page.locator(".cp-scale span").last) == points(abs(change))
    # The bars of the row are its shares in both runs; what goes to no word stands last.
    bars = page.locator(".cp-bars li").evaluate_all(
        "all => all.map(li => [Number(li.dataset.share), Number(li.dataset.after)])"
    )
    for i, trace in enumerate((a, b)):
        shares = grouped(trace, layer, head)[row]
        np.testing.assert_allclose([one[i] for one in bars], [*shares, 1 - shares.sum()], atol=1e-4)
    assert page.evaluate(STATE) == [layer, head, a.tokenization.words[row + 1][0], "", ""]
    # A head that hardly differs says so, and is pale.
    page.evaluate("store.set({ layer: 2, head: 3, word: null })")
    row, _, change = largest(difference(a, b, 2, 3), 1)
    said = f"Head 3 of layer 2: “{words[row]}” looks almost where it looks in A, {points(abs(change))} apart at "
    assert abs(change) < 0.05 and title(page).startswith(said)
    expect(page.locator(".picture-legend")).to_contain_text("5 points")
    assert page.evaluate("asked") == [f"base|{KEYS}", f"base|{KEY}"]


def test_the_colours_of_the_map_are_the_differences_and_their_ends_are_printed(opened: Opened, run: Any) -> None:
    page = opened(layer=5, head=6)
    change = difference(run(KEYS), run(KEY), 5, 6)
    cell = page.locator(".picture-cell")
    at, whole = cell.bounding_box(), page.locator(".picture-canvas").bounding_box()
    position, column = map(int, (cell.get_attribute("data-cell") or "").split(","))
    row = position - 1
    assert at and whole
    colours = page.evaluate(
        """([x, y, side, n]) => {
          const canvas = document.querySelector('.picture-canvas'), scale = canvas.width / canvas.clientWidth
          const pen = canvas.getContext('2d')
          return [...Array(n * n).keys()].map(i => [...pen.getImageData(
            (x + (i % n + 0.12) * side) * scale, (y + (Math.floor(i / n) + 0.12) * side) * scale, 1, 1).data])
        }""",
        [at["x"] - whole["x"] - column * at["width"], at["y"] - whole["y"] - row * at["height"], at["width"], 10],
    )
    warmth = np.array([red - blue for red, _, blue, _ in colours]).reshape(10, 10)
    seen = np.abs(change) > 0.3 * np.abs(change).max()
    assert seen.sum() > 2 and (np.sign(warmth[seen]) == -np.sign(change[seen])).all()
    ends = [text(one) for one in page.locator(".picture-legend > span").all()[:2]]
    assert ends == [f"-{points(np.abs(change).max(), 1)}", f"+{points(np.abs(change).max(), 1)}"]
    # No number lies beyond the ends, so that no two large ones look alike.
    lost, found = "My neighbour lost her keys.", "My granddaughter lost her keys."
    page = opened(lost, found, layer=5, head=4)
    most = points(np.abs(difference(run(lost), run(found), 5, 4)).max(), 1)
    assert [text(one) for one in page.locator(".picture-legend > span").all()[:2]] == [f"-{most}", f"+{most}"]
    expect(page.locator(".picture-legend")).not_to_contain_text("beyond")


def test_a_head_and_a_word_are_chosen_by_pointer_and_keys_and_nothing_is_sent(opened: Opened, run: Any) -> None:
    page, a, b = opened(), run(KEYS), run(KEY)
    page.locator("[data-head-row='5,6']").click()
    row, _, change = largest(difference(a, b, 5, 6), 1)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Head 6 of layer 5: in B")
    assert points(abs(change)) in title(page)
    assert page.evaluate(STATE)[2] == row + 1
    page.keyboard.press("ArrowUp")
    expect(page.locator("[data-head-row='4,6']")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate(STATE)[:2] == [4, 6]
    # A word of the line is a row of the picture, and the headline is about it.
    page.locator(".cp-word", has_text="cabinet").click()
    change_row = difference(a, b, 4, 6)[4]
    most = int(np.abs(change_row).argmax())
    expect(page.get_by_role("heading", level=1)).to_contain_text("Head 6 of layer 4: “cabinet” looks almost")
    assert points(abs(float(change_row[most]))) in title(page)
    expect(page.locator(".cp-right h2").last).to_have_text("Where “cabinet” looks")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.evaluate(STATE)[2] == 6
    cell = page.locator(".picture-cell")
    cell.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    shares = [grouped(one, 4, 6)[5, 1] for one in (a, b)]
    expect(cell).to_have_attribute("data-cell", "6,1")
    said = (cell.get_attribute("aria-label") or "").replace("\u00a0", " ")
    assert said == f"“[MASK]” looks at “keys/key”: {percent(float(shares[0]))} in A, {percent(float(shares[1]))} in B"
    page.keyboard.press("ArrowUp")
    assert page.evaluate(STATE)[2] == 5 and cell.get_attribute("data-cell") == "5,1"
    box = page.locator(".picture-canvas").bounding_box()
    at = cell.bounding_box()
    assert box and at
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] * 2.5)
    expect(page.locator(".cp-right h2").last).to_have_text("Where “on” looks")
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    expect(page.locator(".cp-right h2").last).to_have_text("Where “cabinet” looks")
    assert len(page.evaluate("asked")) == 2
    assert page.evaluate(EVERY) == 48
    assert len(page.evaluate("asked")) == 2


def test_another_b_is_run_once_and_words_without_a_partner_are_said(opened: Opened, packet: Any, run: Any) -> None:
    packets = {f"base|{one}": packet(one) for one in (KEYS, KEY, KIND, GOOD)}
    page = opened(KIND, GOOD, packets=packets, layer=2, head=1)
    # “Unfathomable” and “kindness” are two words, “Goodness” and “never” two others: they are paired in order.
    assert page.locator(".cp-differs").count() == 2
    np.testing.assert_allclose(
        page.locator(".cp-bars li").evaluate_all("all => all.map(li => Number(li.dataset.after))")[:5],
        grouped(run(GOOD), 2, 1)[
            page.evaluate("[...document.querySelectorAll('.cp-word')].findIndex(one => one.ariaPressed === 'true')")
        ],
        atol=1e-4,
    )
    field = page.get_by_role("textbox", name="Sentence B")
    field.fill(KEY)
    field.press("Enter")
    expect(page.locator(".cp-alone")).to_contain_text("Only in A: “Unfathomable”, “kindness”")
    expect(page.locator(".cp-alone")).to_contain_text("They have no partner and are left out of the picture.")
    assert page.evaluate(STATE)[3] == KEY
    field.fill(KIND)
    field.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("A and B are the same so far: change one word of B.")
    assert page.evaluate(STATE)[3] == KIND and page.locator(".cp-body").is_hidden()
    assert page.evaluate("asked").count(f"base|{KEY}") == 1


def test_a_b_that_is_slow_or_lost_says_so_and_comes_when_it_is_asked_again(opened: Opened, packet: Any) -> None:
    page = opened(packets={f"base|{KEYS}": packet(KEYS)}, held=(f"base|{KEY}",))
    expect(page.get_by_text("Running B …")).to_be_visible()
    assert title(page) == "What differs between A and B?"
    page.evaluate("name => free(name)", f"base|{KEY}")
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("The line is cut")
    page.evaluate("([name, packet]) => { window.packets[name] = packet }", [f"base|{KEY}", coded(packet(KEY))])
    page.get_by_role("button", name="Try again").filter(visible=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("changes most")
    expect(page.locator(".picture-canvas")).to_be_visible()


def test_one_sentence_in_two_models(opened: Opened, packet: Any, base: TextEncoder, small: TextEncoder) -> None:
    packets = {
        f"base|{KEYS}": packet(KEYS),
        f"base|{KEY}": packet(KEY),
        f"small|{KEY}": level_1(small, small.trace(KEY), off=False),
    }
    page = opened(packets=packets)
    page.get_by_role("combobox", name="Model B").select_option("small")
    layers, heads = small.model.config.n_layers, small.model.config.n_heads
    expect(page.get_by_role("heading", level=1)).to_contain_text(
        f"Model A has 6 layers of 8 heads, model B {layers} of {heads}"
    )
    expect(page.locator(".cp-body")).to_be_hidden()
    assert page.evaluate(STATE)[4] == "small"
    page.get_by_role("combobox", name="Model B").select_option("")
    expect(page.locator(".cp-body")).to_be_visible()


def test_on_a_phone_the_chosen_word_is_seen(opened: Opened) -> None:
    page = opened(GOOD_LONG, GOOD_LONG.replace("table", "chair"), word=11)
    page.set_viewport_size(PHONE)
    for word in (1, 11):
        page.evaluate("word => store.set({ word })", word)
        expect(page.locator(f".cp-word[data-word='{word}']")).to_be_in_viewport(ratio=1)


def test_words_from_the_right_and_names_that_are_markup(opened: Opened) -> None:
    page = opened(HEBREW, OTHER_HEBREW)
    expect(page.locator(".cp-words")).to_have_attribute("dir", "rtl")
    first, second = (page.locator(".cp-word").nth(i).bounding_box() for i in (0, 1))
    assert first and second and first["x"] > second["x"]
    page = opened("A <b>cat</b> sat.", "A <img src=x onerror=alert(1)> sat.")
    assert page.locator(".cp b, .cp img").count() == 0
    assert "<" in text(page.locator(".cp-words")) or "img" in text(page.locator(".cp-words"))


def random_packets(layers: int, heads: int, *sentences: str, **more: Any) -> dict[str, bytes]:
    encoder = random_model(layers, heads)
    return {f"base|{one}": level_1(encoder, encoder.trace(one), off=False, **more) for one in sentences}


@pytest.mark.parametrize(("layers", "heads"), [(1, 1), (24, 16)])
def test_models_of_any_size_are_drawn(opened: Opened, layers: int, heads: int) -> None:
    page = opened(packets=random_packets(layers, heads, KEYS, KEY))
    assert page.locator("[data-head-row]").count() == layers * heads
    assert re.match(r"(Head \d+ of layer \d+ changes most|No head)", title(page))
    page.set_viewport_size(PHONE)
    assert not overflows(page)
    page.wait_for_function("document.querySelector('.picture-canvas').clientWidth < 390")
    page.locator("[data-head-row]").last.click()
    assert page.evaluate(STATE)[:2] == [layers - 1, heads - 1]


def test_one_word_is_not_folded_away(opened: Opened) -> None:
    a = "My brother repairs old radios because they remind him of our grandfather."
    page = opened(a, a.replace("radios", "radio"), layer=5, head=1)
    names = page.locator(".cp-bars .bar-name")
    expect(names).to_have_count(14)  # 13 words, and those that the model added
    assert not [name for name in names.all_text_contents() if "other word" in name]


def test_of_a_long_text_the_rows_that_both_runs_hold_are_drawn(opened: Opened) -> None:
    a = "The quick brown fox jumps over the lazy dog and " * 12 + "sleeps."
    b = a.replace("sleeps", "rests")
    page = opened(a, b, packets=random_packets(2, 2, a, b, most_bytes=30_000))
    expect(page.locator(".cp-how").first).to_contain_text("The sentence is too long for all rows")
    assert page.locator(".cp-bars li").count() <= 14
    page.set_viewport_size(PHONE)
    assert not overflows(page)


def test_the_twins_in_the_browser_are_those_of_the_library(blank: Page) -> None:
    for sentence, twin in TWINS.items():
        assert blank.evaluate(TWIN, sentence) == twin
