"""Embedding & position in the browser: every number is the run's, for any token and part, by pointer and by keys."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from browser_tools import barriers
from made_once import level_1
from mounted import PHONE, Mounted, overflows, seen
from playwright.sync_api import Locator, Page, expect

from encoder import PRESETS, Edit, EncoderConfig, TextEncoder, Trace
from encoder.metrics import nearest_words
from encoder.metrics.lens import wordless
from encoder.packet.embedding import level_4
from encoder.support.formatting import brief

SENTENCE = "The keys to the cabinet [MASK] on the unbelievable table."
KEYS, CABINET, GAP = 2, 5, 6
SIZE = {"vocab_size": 16384, "max_positions": 512, "n_layers": 1}
CONFIGS = {
    "learned": EncoderConfig(
        d_model=64,
        n_heads=1,
        d_ff=70,
        positions="learned",
        n_segments=2,
        embedding_norm=True,
        scale_embeddings=False,
        **SIZE,
    ),
    "rotary": replace(PRESETS["modern"], d_model=64, n_heads=4, d_ff=66, window=2, **SIZE),
    "none": EncoderConfig(d_model=48, n_heads=3, d_ff=77, positions="none", **SIZE),
    "narrow": EncoderConfig(d_model=48, n_heads=3, d_ff=77, embedding_size=20, embedding_norm=True, **SIZE),
}
Opened = Callable[..., Page]


@cache
def encoder_of(model: str) -> TextEncoder:
    return TextEncoder.from_config(CONFIGS[model], 5, name=model)


@pytest.fixture(scope="module")
def trace(base: TextEncoder) -> Trace:
    return base.trace(SENTENCE)


def packets(encoder: TextEncoder, trace: Trace) -> dict[int, bytes]:
    return {1: level_1(encoder, trace, off=len(trace.tokens) <= 64), 4: level_4(encoder, trace)}


@pytest.fixture
def opened(mounted: Mounted, base: TextEncoder, trace: Trace) -> Opened:
    """Opens the page with a state."""

    def show(run: tuple[TextEncoder, Trace] | None = None, lost: bool = False, **first: object) -> Page:
        ready = ".em-trouble" if lost else ".em-body"
        found = packets(*(run or (base, trace)))
        return mounted("embedding", found, first=first, lost=[4] if lost else (), ready=ready)

    return show


def finding(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def word(page: Page, position: int) -> Locator:
    return page.locator(f"[data-word='{position}']")


def light(page: Page, name: str) -> None:
    page.get_by_role("radiogroup", name="Beside").get_by_role("radio", name=re.compile(f"^{name}")).click()


def bars(page: Page) -> list[tuple[str, str]]:
    rows = page.locator(".em-beside .bars li").all()
    return [(one.locator(".bar-name").inner_text(), one.locator(".bar-said").inner_text()) for one in rows]


def written(text: str) -> float:
    return float(text.replace("\u2212", "-").replace(",", ""))


def strips(page: Page) -> Locator:
    return page.get_by_role("slider", name=re.compile("^The .* numbers of"))


def number(page: Page, to: int) -> None:
    """Choose a number by keys, from the nearer end."""
    strips(page).focus()
    back = int(strips(page).get_attribute("aria-valuemax") or 0) - to
    near, end, leap, one = (
        (to, "Home", "PageUp", "ArrowRight") if to <= back else (back, "End", "PageDown", "ArrowLeft")
    )
    for key in (end, *[leap] * (near // 10), *[one] * (near % 10)):
        page.keyboard.press(key)
    expect(strips(page)).to_have_attribute("aria-valuenow", str(to))


def shown(page: Page) -> dict[str, float]:
    """The chosen number of each strip."""
    text = (strips(page).get_attribute("aria-valuetext") or "").partition(": ")[2]
    return {name: written(value) for name, value in (one.rsplit(" ", 1) for one in text.split(", "))}


def near_of(encoder: TextEncoder, trace: Trace, position: int) -> list[tuple[str, float]]:
    return nearest_words(encoder, trace.ids[position], 10)


def any_of(encoder: TextEncoder, trace: Trace, position: int) -> float:
    """The mean cosine of a row of the table with those of all other words."""
    rows = encoder.model.embedding.tokens.weight.detach().double()
    own, words = trace.ids[position], ~wordless(encoder)
    words[own] = False
    return float(torch.nn.functional.cosine_similarity(rows[own], rows[words]).mean())


def is_clear(near: list[tuple[str, float]]) -> bool:
    """Whether the nearest word is nearer than chance, and by 0.02 nearer than the next."""
    return near[0][1] > 0.25 and near[0][1] - near[1][1] >= 0.02


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        (SENTENCE, "cabinet"),
        ("Why do birds [MASK] south in winter?", "south"),
    ],
)
def test_it_opens_with_the_word_that_the_table_knows_best(
    opened: Opened, base: TextEncoder, text: str, opens: str
) -> None:
    """Where nobody chose, of the words that mean something alone, one whose nearest are far above a random word."""
    trace = base.trace(text)
    best = trace.tokens.index(opens)
    page = opened((base, trace))
    expect(word(page, best)).to_have_attribute("aria-pressed", "true")
    near, *_ = near_of(base, trace, best)
    assert near[1] - any_of(base, trace, best) > 0.15
    expect(finding(page)).to_contain_text(f"On its own, “{opens}” is most like")
    expect(finding(page)).to_contain_text(f"“{near[0]}”")


def test_the_headline_is_the_word_whose_row_is_most_like_the_chosen_one(
    opened: Opened, base: TextEncoder, trace: Trace
) -> None:
    """A gap has the vector of every gap."""
    page = opened()
    for position in (KEYS, CABINET, GAP, 0):
        word(page, position).click()
        expect(word(page, position)).to_have_attribute("aria-pressed", "true")
        near = near_of(base, trace, position)
        first, cosine = near[0]
        if position == GAP:
            expect(finding(page)).to_have_text(
                "The gap starts as one row of numbers, the same for every gap: that of [MASK]."
            )
        elif is_clear(near):
            expect(finding(page)).to_have_text(
                f"On its own, “{trace.tokens[position]}” is most like “{first}” to this model: cosine {cosine:.2f}, "
                f"where a random word has {any_of(base, trace, position):.2f}."
            )
        elif cosine > 0.25:
            expect(finding(page)).to_have_text(
                f"On its own, “{trace.tokens[position]}” is most like “{first}” ({cosine:.2f}) and “{near[1][0]}” "
                f"({near[1][1]:.2f}) to this model; a random word has {any_of(base, trace, position):.2f}."
            )
        else:
            expect(finding(page)).to_contain_text(f"is like no word to this model (closest: “{first}”, {cosine:.2f};")
        near.append(("a random word", any_of(base, trace, position)))
        assert bars(page) == [(text, f"{value:.2f}".replace("-", "\u2212")) for text, value in near]
        expect(page.locator(".em-beside .em-what")).to_contain_text(f"is row {trace.ids[position]:,},")
    assert page.evaluate("window.asked") == ["1", "4"]  # nothing was sent for any of them


def test_the_numbers_around_the_chosen_one_stand_under_each_other(opened: Opened, trace: Trace) -> None:
    """As many as there is room for: five on a phone."""
    page = opened(word=KEYS)
    steps = {"the word × 22.6": "scaled", f"+ position {KEYS}": "positions", "= the sum": "output"}
    for chosen, first in ((0, 0), (25, 21), (511, 503)):
        number(page, chosen)
        table = page.locator(".em-numbers")
        expect(table.locator("thead th").nth(1)).to_have_text(str(first))
        for row in table.locator("tbody tr").all():
            name, *cells = row.locator("th, td").all_inner_texts()
            true = trace[f"embedding.{steps[name]}"][KEYS, first : first + 9]
            np.testing.assert_allclose([written(one) for one in cells], true, atol=1.6e-3)
        word_, place_, sum_ = (
            [written(one) for one in row.locator("td").all_inner_texts()] for row in table.locator("tbody tr").all()
        )
        assert {len(one.split(".")[1]) for one in table.locator("td").all_inner_texts()} == {3}, "the same digits"
        np.testing.assert_allclose(np.add(word_, place_), sum_, atol=1.1e-3)  # but for the last digit of rounded ones
    expect(table.locator("thead .is-chosen")).to_have_text("511")
    table.locator("tbody tr").nth(1).locator("td").first.click()
    expect(strips(page)).to_have_attribute("aria-valuenow", "503")
    expect(page.get_by_role("radiogroup", name="Beside").get_by_role("radio", checked=True)).to_have_text("position")
    page.set_viewport_size(PHONE)
    expect(table.locator("thead th:visible")).to_have_count(6)
    expect(table.locator("thead .is-chosen")).to_be_visible()


def test_the_table_is_introduced_and_the_strips_add_up_number_by_number(
    opened: Opened, base: TextEncoder, trace: Trace
) -> None:
    page = opened(word=KEYS)
    lead, (rows, width) = page.locator(".em-lead"), base.model.embedding.tokens.weight.shape
    expect(lead).to_contain_text(f"one row of {width} learned numbers for each of {rows:,} tokens.")
    expect(lead).not_to_contain_text("ithout positions")
    expect(page.locator(".enc-spine-says")).to_contain_text("Without positions")
    row, place = (float(trace[f"embedding.{name}"][KEYS].norm()) for name in ("tokens", "positions"))
    expect(page.locator(".em-left .em-what")).to_have_text(
        f"The position (length {place:.3g}) counts less than the word ({row * 512**0.5:.3g}) because every row is "
        f"multiplied by √512 = 22.6: the row alone has length {row:.3g}."
    )
    tokens, scaled, places, output = (trace[f"embedding.{one}"] for one in ("tokens", "scaled", "positions", "output"))
    for chosen in (17, 511):
        number(page, chosen)
        for name, true in (("the word × 22.6", scaled), (f"+ position {KEYS}", places), ("= the sum", output)):
            assert abs(shown(page)[name] - float(true[KEYS, chosen])) <= 0.0051, (name, chosen)
        line = page.locator(".vs-worked")
        expect(line.locator("[data-agrees=true]")).to_have_attribute("title", re.compile("it agrees"))
        text = line.inner_text().partition(": ")[2].replace("\u2212 ", "\u2212")
        token, factor, place, total = (written(one) for one in re.findall(r"[\u2212-]?\d[\d.]*", text))
        for value, true in ((token, tokens), (place, places), (total, output)):
            assert abs(value - float(true[KEYS, chosen])) <= 0.0051, (text, chosen)
        assert abs(factor - 512**0.5) < 1e-3 and abs(token * factor + place - total) < 0.0101
    light(page, "sum")
    told = [brief(float(one[KEYS].norm())) for one in (tokens, scaled, places, output)]
    assert bars(page) == list(zip(("the word", "the word × 22.6", f"position {KEYS}", "the sum"), told, strict=True))
    cosine = float(tokens[KEYS] @ output[KEYS] / (tokens[KEYS].norm() * output[KEYS].norm()))
    expect(finding(page)).to_have_text(
        f"Adding the position changes “keys” little: cosine {cosine:.2f}. By that little the model "
        "tells positions apart."
    )
    assert page.evaluate("window.store.get().cell") == f"embedding.output:{KEYS},511"
    # A strip that is pressed is lit.
    box = strips(page).bounding_box()
    assert box
    for part, name in ((0.5, "position"), (0.9, "sum"), (0.2, "word")):
        strips(page).click(position={"x": 40, "y": box["height"] * part})
        expect(page.get_by_role("radiogroup", name="Beside").get_by_role("radio", checked=True)).to_have_text(name)
    light(page, "position")
    strips(page).focus()
    page.keyboard.press("ArrowRight")  # a key changes the number alone
    expect(page.get_by_role("radiogroup", name="Beside").get_by_role("radio", checked=True)).to_have_text("position")


def test_the_waves_are_the_recorded_places(opened: Opened, trace: Trace) -> None:
    page = opened(step="embedding.positions", word=CABINET)
    places = trace["embedding.positions"].numpy()
    unit = places / np.linalg.norm(places, axis=1, keepdims=True)
    like = unit @ unit[CABINET]
    others = [i for i in range(len(like)) if i != CABINET]
    least = min(others, key=lambda i: like[i])
    expect(finding(page)).to_contain_text(
        f"cosine {max(like[others]):.2f}, and least like position {least}, {like[least]:.2f}"
    )
    drawn = page.locator(".em-alike .curve svg")
    assert f"from {min(like.min(), 0):.2g} to 1" in (drawn.get_attribute("aria-label") or "")
    # The dots of a pair stand where the run's numbers are, on a scale from 1 at the top to -1 at 100.
    dots = page.locator(".em-waves .curve").first.locator(".curve-dots.is-first").get_attribute("d") or ""
    heights = [1 - float(y) / 50 for y in re.findall(r"M[\d.]+ ([\d.-]+)h0", dots)]
    np.testing.assert_allclose(heights, places[:, 0], atol=1e-3)
    for chosen in (0, 33):
        number(page, chosen)
        line = page.locator(".vs-worked").filter(has_text=f"position {CABINET}:")
        expect(line).to_contain_text("cos(5 / 10000^" if chosen % 2 else "sin(5 / 10000^")
        expect(line.locator("[data-agrees=true]")).to_be_visible()
        assert abs(written(line.inner_text().split()[-2]) - places[CABINET, chosen]) < 6e-4
        expect(page.locator(".em-waves [data-own] figcaption")).to_contain_text(str(chosen - chosen % 2))
    # A place that is pressed is chosen: the first one lies at the left.
    drawn.click(position={"x": 1, "y": 40})
    expect(word(page, 0)).to_have_attribute("aria-pressed", "true")


def test_the_address_says_which_token_and_number(opened: Opened) -> None:
    page = opened(step="embedding.output", cell="embedding.output:0,5")
    expect(word(page, 0)).to_have_attribute("aria-pressed", "true")
    expect(strips(page)).to_have_attribute("aria-valuenow", "5")
    word(page, KEYS).click()
    expect(strips(page)).to_have_attribute("aria-valuenow", "5")
    assert page.evaluate("window.store.get().word") == KEYS
    page = opened(word=GAP)  # whoever asks for the gap sees the gap
    expect(word(page, GAP)).to_have_attribute("aria-pressed", "true")
    expect(finding(page)).to_contain_text("The gap starts")
    page = opened()
    before = page.evaluate("window.store.get().word")
    light(page, "sum")
    number(page, 7)
    assert page.evaluate("window.store.get().word") == before  # what was shown
    pieces = page.locator(".word-row button", has_text="##")
    if pieces.count():
        pieces.first.click()
        expect(pieces.first).to_have_attribute("aria-pressed", "true")


def test_a_change_is_told_where_it_lies_between(opened: Opened, base: TextEncoder) -> None:
    trace = base.trace(SENTENCE, edits=(Edit("embedding.output", "zero", positions=(KEYS,)),))
    page = opened((base, trace), word=KEYS, step="embedding.output")
    expect(page.locator("[data-agrees=false]")).to_contain_text("A change made to this run lies between")
    trace = base.trace(SENTENCE, edits=(Edit("embedding.positions", "zero"),))
    page = opened((base, trace), word=KEYS, step="embedding.positions")
    expect(finding(page)).to_contain_text("a change of this run took them away")


@pytest.mark.parametrize(
    ("model", "names", "lines", "said"),
    [
        (
            "learned",
            ["the word", "+ position 2", "+ first or second sentence", "= the sum", "after the norm"],
            2,
            "most like",
        ),
        ("rotary", ["the word", "after the norm"], 1, "attention turns queries and keys by it instead"),
        ("none", ["the word × 6.93"], 1, "This model is not told that"),
        ("narrow", ["the word × 6.93", "+ position 2", "= the sum", "after the norm"], 2, "is most like position"),
    ],
)
def test_other_models_have_the_strips_of_what_they_do(
    opened: Opened, model: str, names: list[str], lines: int, said: str
) -> None:
    encoder = encoder_of(model)
    trace = encoder.trace(
        ("The cat chased the mouse.", "It ran.") if model == "learned" else "The cat chased the mouse."
    )
    page = opened((encoder, trace), word=2, step="embedding.positions")
    expect(finding(page)).to_contain_text(said)
    expect(page.locator(".em-table-box")).to_be_visible(visible=model == "learned")
    expect(page.locator(".em-waves")).to_be_visible(visible=model in ("rotary", "narrow"))
    light(page, "sum")
    steps = {"the word": "tokens", "+ position 2": "positions", "= the sum": "sum"}
    steps |= {"+ first or second sentence": "segments", "after the norm": "norm.output"}
    for chosen in (0, 19):
        number(page, chosen)
        assert [*shown(page)] == names
        for name, value in shown(page).items():
            step = f"embedding.{steps.get(name, 'scaled')}"
            true = float(trace[step if step in trace else "embedding.output"][2, chosen])
            assert abs(value - true) <= 6e-3 * max(1, abs(true)), (name, chosen)
        expect(page.locator(".vs-worked [data-agrees=true]")).to_have_count(lines)
    assert ("widens it from 20 numbers to 48" in finding(page).inner_text()) is (model == "narrow")
    assert model != "narrow" or barriers(page) == []


def test_a_long_text_in_the_other_direction_scrolls_in_its_own_box(opened: Opened, base: TextEncoder) -> None:
    trace = base.trace("الكلب the cat " * 90)
    page = opened((base, trace))
    page.set_viewport_size(PHONE)
    expect(page.locator(".word-row")).to_have_attribute("dir", "rtl")
    assert page.locator(".word-row [aria-disabled]").count() > 0
    assert not overflows(page)
    asked, *_, last = page.evaluate("window.asked"), *page.locator(".word-row button:not([aria-disabled])").all()
    last.click()
    expect(last).to_have_attribute("aria-pressed", "true")
    expect(finding(page)).to_contain_text("On its own, ")
    assert page.evaluate("window.asked") == asked


def test_what_goes_wrong_is_one_sentence_and_can_be_tried_again(opened: Opened) -> None:
    page = opened(lost=True)
    expect(page.get_by_role("alert").filter(has_text="The line is cut")).to_be_visible()
    expect(finding(page)).to_have_text("How does a word become a vector with a position?")
    page.evaluate("window.lost.clear()")
    page.locator(".em-trouble button").click()
    expect(finding(page)).to_contain_text("On its own, ")


def test_it_fits_a_desk_and_a_phone_and_is_used_by_keys_alone(opened: Opened) -> None:
    page = opened(word=KEYS)
    word(page, KEYS).focus()
    page.keyboard.press("ArrowRight")
    expect(word(page, KEYS + 1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(word(page, KEYS + 1)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("radiogroup", name="Beside").get_by_role("radio", checked=True).focus()
    page.keyboard.press("End")
    expect(finding(page)).to_contain_text("Adding the position")
    strips(page).focus()
    page.keyboard.press("Home")
    expect(page.locator(".vs-worked")).to_contain_text("number 0: ")
    seen(page, PHONE, "dark")
    for name in ("word", "position", "sum"):
        light(page, name)
        assert barriers(page) == [], name
        assert not overflows(page)
        first = page.locator(".em-beside").bounding_box()
        assert first and first["y"] < 300, name


def test_in_front_of_a_class_words_are_on_the_screen_and_what_is_saved_is_of_what_is_lit(opened: Opened) -> None:
    page = opened(word=KEYS)
    page.set_viewport_size({"width": 1366, "height": 768})
    page.keyboard.press("p")
    expect(page.locator(".enc-present")).to_have_count(1)
    for name, last in (("word", ".em-beside .bars li >> nth=-1"), ("position", ".em-alike"), ("sum", ".em-numbers")):
        light(page, name)
        expect(page.locator(last)).to_be_in_viewport(ratio=1)
        expect(page.locator("[data-open]")).to_be_in_viewport(ratio=1)
    page.keyboard.press("p")
    for name, picture in (("word", "near_words"), ("position", "alike_place"), ("sum", "embedding_strips")):
        light(page, name)
        page.get_by_role("button", name="Save", exact=True).click()
        page.wait_for_function("name => window.kept.at(-1)?.picture === name", arg=picture)
        page.keyboard.press("Escape")
    assert page.evaluate("window.kept.at(-1).query.step") == "embedding.output"
