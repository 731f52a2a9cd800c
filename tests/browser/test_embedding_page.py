"""Embedding & position in the browser: every number is the run's, for any token and stop, by pointer and by keys."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from browser_tools import barriers
from mounted import PHONE, Mounted, overflows, seen
from playwright.sync_api import Locator, Page, expect

from encoder import PRESETS, Edit, EncoderConfig, TextEncoder, Trace
from encoder.metrics import nearest_words
from encoder.packet.embedding import level_4
from encoder.packet.run import level_1
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
    return {1: level_1(encoder, trace, off=False), 4: level_4(encoder, trace)}


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


def stop(page: Page, name: str) -> None:
    page.get_by_role("radiogroup", name="Stop").get_by_role("radio", name=re.compile(f"^{name}")).click()


def bars(page: Page) -> list[tuple[str, str]]:
    rows = page.locator(".em-left .bars li").all()
    return [(one.locator(".bar-name").inner_text(), one.locator(".bar-said").inner_text()) for one in rows]


def written(text: str) -> float:
    return float(text.replace("\u2212", "-").replace(",", ""))


def number(page: Page) -> Locator:
    return page.get_by_role("slider", name=re.compile("^(Number|Pair)$"))


def test_it_opens_with_the_words_nearest_to_the_word_that_tells_most(
    opened: Opened, base: TextEncoder, trace: Trace
) -> None:
    """Where nobody chose that is no gap, whose vector is that of every gap."""
    page = opened()
    longest = max((i for i, token in enumerate(trace.tokens) if token.isalpha()), key=lambda i: len(trace.tokens[i]))
    expect(word(page, longest)).to_have_attribute("aria-pressed", "true")
    for position in (KEYS, CABINET, GAP, 0):
        word(page, position).click()
        expect(word(page, position)).to_have_attribute("aria-pressed", "true")
        near = nearest_words(base, trace.ids[position], 10)
        first, cosine = near[0]
        name = {GAP: "the gap", 0: "[CLS]"}.get(position, f"“{trace.tokens[position]}”")
        said = f"Of 16,379 words and pieces in the table, “{first}” is nearest to {name}: cosine {cosine:.2f}."
        if cosine > 0.25:
            expect(finding(page)).to_have_text(said)
        else:
            expect(finding(page)).to_contain_text(f"No word is near {name}")
        assert bars(page) == [(text, f"{value:.2f}".replace("-", "\u2212")) for text, value in near]
    assert page.evaluate("window.asked") == ["1", "4"]  # nothing was sent for any of them


def test_every_stop_says_the_numbers_of_the_run(opened: Opened, trace: Trace) -> None:
    page = opened(word=KEYS)
    tokens, scaled, places, output = (trace[f"embedding.{one}"] for one in ("tokens", "scaled", "positions", "output"))
    stop(page, "×")
    expect(finding(page)).to_contain_text(f"“keys” has length {brief(float(scaled[KEYS].norm()))};")
    told = [value for _, value in bars(page)]
    assert told == [brief(float(one[KEYS].norm())) for one in (tokens, scaled, places)]
    stop(page, "sum")
    for chosen in (0, 17, 300, 511):
        number(page).fill(str(chosen))
        text = page.locator(".em-sum").inner_text()
        expect(page.locator(".em-check")).to_have_attribute("data-agrees", "true")
        token, factor, place, total = (
            written(one) for one in re.findall(r"[\u2212-]?\d[\d.]*", text.replace("\u2212 ", "\u2212"))
        )
        for shown, true in ((token, tokens), (place, places), (total, output)):
            assert abs(shown - float(true[KEYS, chosen])) <= 0.0051, (text, chosen)
        assert abs(factor - 512**0.5) < 1e-3 and abs(token * factor + place - total) < 0.0101
        assert written(page.locator(".em-check").inner_text().split()[3].rstrip(":")) == total
    cosine = float(tokens[KEYS] @ output[KEYS] / (tokens[KEYS].norm() * output[KEYS].norm()))
    expect(finding(page)).to_have_text(
        f"After the sum, the vector of “keys” has a cosine of {cosine:.2f} with its row of the table."
    )
    strips = page.get_by_role("slider", name="The 512 numbers of “keys”")
    assert "the word × 22.6" in (strips.get_attribute("aria-valuetext") or "")
    assert page.evaluate("window.store.get().cell") == f"embedding.output:{KEYS},511"


def test_the_waves_are_the_recorded_places(opened: Opened, trace: Trace) -> None:
    page = opened(step="embedding.positions", word=CABINET)
    places = trace["embedding.positions"].numpy()
    unit = places / np.linalg.norm(places, axis=1, keepdims=True)
    like = unit @ unit[CABINET]
    others = [i for i in range(len(like)) if i != CABINET]
    least = min(others, key=lambda i: like[i])
    expect(finding(page)).to_contain_text(
        f"cosine {max(like[others]):.2f}, and least like place {least}, {like[least]:.2f}"
    )
    drawn = page.locator(".em-beside .curve svg")
    assert f"from {like.min():.2g} to 1" in (drawn.get_attribute("aria-label") or "")
    # The dots of a pair stand where the run's numbers are, on a scale from 1 at the top to -1 at 100.
    dots = page.locator(".em-waves .curve").first.locator(".curve-dots.is-first").get_attribute("d") or ""
    heights = [1 - float(y) / 50 for y in re.findall(r"M[\d.]+ ([\d.-]+)h0", dots)]
    np.testing.assert_allclose(heights, places[:, 0], atol=1e-3)
    for chosen in (0, 33, 148):
        number(page).fill(str(chosen))
        expect(page.locator(".em-check")).to_have_attribute("data-agrees", "true")
        expect(page.locator(".em-sum")).to_contain_text("cos(5 / 10000^" if chosen % 2 else "sin(5 / 10000^")
        assert abs(written((page.locator(".em-sum").inner_text()).split()[-1]) - places[CABINET, chosen]) < 6e-4
    # A place that is pressed is chosen: the first one lies at the left.
    drawn.click(position={"x": 1, "y": 40})
    expect(word(page, 0)).to_have_attribute("aria-pressed", "true")


def test_the_address_says_which_token_and_number(opened: Opened) -> None:
    page = opened(step="embedding.output", cell="embedding.output:0,5")
    expect(word(page, 0)).to_have_attribute("aria-pressed", "true")
    expect(number(page)).to_have_value("5")
    word(page, KEYS).click()
    expect(number(page)).to_have_value("5")
    assert page.evaluate("window.store.get().word") == KEYS
    page = opened(word=GAP)  # whoever asks for the gap sees the gap
    expect(word(page, GAP)).to_have_attribute("aria-pressed", "true")
    expect(finding(page)).to_contain_text("the gap")
    page = opened()
    before = page.evaluate("window.store.get().word")
    stop(page, "sum")
    number(page).fill("7")
    assert page.evaluate("window.store.get().word") == before == CABINET  # what was shown
    pieces = page.locator(".word-row button", has_text="##")
    if pieces.count():
        pieces.first.click()
        expect(pieces.first).to_have_attribute("aria-pressed", "true")


def test_a_change_is_told_where_it_lies_between(opened: Opened, base: TextEncoder) -> None:
    trace = base.trace(SENTENCE, edits=(Edit("embedding.output", "zero", positions=(KEYS,)),))
    page = opened((base, trace), word=KEYS, step="embedding.output")
    expect(page.locator(".em-check")).to_have_attribute("data-agrees", "false")
    expect(page.locator(".em-check")).to_contain_text("A change of this run lies between")
    trace = base.trace(SENTENCE, edits=(Edit("embedding.positions", "zero"),))
    page = opened((base, trace), word=KEYS, step="embedding.positions")
    expect(finding(page)).to_contain_text("a change of this run took them away")


@pytest.mark.parametrize(
    ("model", "stops", "said"),
    [
        ("learned", ["word", "place", "sum", "norm"], "is most like place"),
        ("rotary", ["word", "place", "sum", "norm"], "attention turns queries and keys by it instead"),
        ("none", ["word", "× 6.93", "place", "sum"], "This model is not told that"),
        ("narrow", ["word", "× 6.93", "place", "sum", "norm", "widened"], "is most like place"),
    ],
)
def test_other_models_have_the_stops_of_what_they_do(opened: Opened, model: str, stops: list[str], said: str) -> None:
    encoder = encoder_of(model)
    trace = encoder.trace("The cat chased the mouse.")
    page = opened((encoder, trace), word=2, step="embedding.positions")
    assert page.locator(".rail-stops [role=radio]").all_inner_texts() == stops
    expect(finding(page)).to_contain_text(said)
    expect(page.locator(".em-nothing")).to_be_visible(visible=model == "none")
    expect(page.locator(".em-table-box")).to_be_visible(visible=model == "learned")
    if model == "rotary":
        expect(page.locator(".em-check")).to_have_attribute("data-agrees", "true")
    for name in stops[3:]:
        stop(page, name)
        for chosen in ("0", "19"):
            number(page).fill(chosen)
            check = page.locator(".em-check")
            expect(check).to_have_attribute("data-agrees", "true") if name != "widened" else expect(
                check
            ).to_be_hidden()
    assert model != "narrow" or barriers(page) == []  # it has every stop


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
    expect(finding(page)).to_contain_text("is nearest to")
    assert page.evaluate("window.asked") == asked


def test_what_goes_wrong_is_one_sentence_and_can_be_tried_again(opened: Opened) -> None:
    page = opened(lost=True)
    expect(page.get_by_role("alert").filter(has_text="The line is cut")).to_be_visible()
    expect(finding(page)).to_have_text("How does a word become a vector with a place?")
    page.evaluate("window.lost.clear()")
    page.locator(".em-trouble button").click()
    expect(finding(page)).to_contain_text("is nearest to")


def test_it_fits_a_desk_and_a_phone_and_is_used_by_keys_alone(opened: Opened) -> None:
    page = opened(word=KEYS)
    word(page, KEYS).focus()
    page.keyboard.press("ArrowRight")
    expect(word(page, KEYS + 1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(word(page, KEYS + 1)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("radiogroup", name="Stop").get_by_role("radio", checked=True).focus()
    page.keyboard.press("End")
    expect(finding(page)).to_contain_text("After the sum")
    number(page).focus()
    page.keyboard.press("Home")
    expect(page.get_by_role("heading", level=2)).to_contain_text("Number 0")
    seen(page, PHONE, "dark")
    for name in ("word", "×", "place", "sum"):
        stop(page, name)
        assert name == "×" or barriers(page) == [], name
        assert not overflows(page)
        first = page.locator(".em-left").bounding_box()
        assert first and first["y"] < 300, name


def test_keep_takes_the_picture_of_the_stop(opened: Opened) -> None:
    page = opened(word=KEYS)
    for name, picture in (("word", "near_words"), ("place", "alike_places"), ("sum", "picture")):
        stop(page, name)
        page.get_by_role("button", name="Keep", exact=True).click()
        page.wait_for_function("name => window.kept.at(-1)?.picture === name", arg=picture)
        page.keyboard.press("Escape")
    assert page.evaluate("window.kept.at(-1).query.step") == "embedding.output"
