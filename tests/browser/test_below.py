"""What the server draws below a picture of the browser's: of the same run, and each changes the other."""

import re

import numpy as np
import pytest
from browser_tools import (
    READY,
    choose,
    chosen_place,
    drawn,
    open_page,
    own_sentence,
    places,
    problems,
    rerun,
    runs,
    watch,
    widget,
)
from playwright.sync_api import Browser, Locator, Page, WebSocket, expect

from encoder import TextEncoder, Trace
from encoder.metrics import head_outputs, length

GAP = "The keys to the cabinet [MASK] on the table."


@pytest.fixture(scope="module")
def trace(base: TextEncoder) -> Trace:
    return base.trace(GAP)


def unfold(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile("^(More of this|Less)"))


def below(page: Page) -> Locator:
    return page.locator(".st-key-below")


def shows(page: Page, trace: Trace, layer: int | str) -> None:
    """The chart below the page of attention is of that layer of the run."""
    expect(below(page)).to_contain_text(f"In layer {layer} head")
    expected = length(head_outputs(trace, int(layer))).numpy()
    np.testing.assert_allclose(drawn(page, "head_lengths"), expected, rtol=1e-5)


def tokens(page: Page) -> Locator:
    """The tokens of the sentence, below Start."""
    return below(page).locator(".tokens > div")


def heard(page: Page) -> list[object]:
    """All that the page sends to the server from its next opening on."""
    sent: list[object] = []

    def listen(line: WebSocket) -> None:
        line.on("framesent", lambda frame: sent.append(frame))

    page.on("websocket", listen)
    return sent


def test_the_button_opens_what_stands_below_for_the_head_of_the_picture_and_its_address_shows_it_elsewhere(
    page: Page, app_url: str, browser: Browser, trace: Trace
) -> None:
    """Nobody chose a head; the run itself has it."""
    open_page(page, f"{app_url}/attention")
    expect(unfold(page)).to_have_attribute("aria-expanded", "false")
    expect(below(page)).to_have_count(0)
    layer, _ = chosen_place(page)
    before = runs(page)
    with rerun(page):
        unfold(page).click()
    shows(page, trace, layer)
    expect(unfold(page)).to_have_attribute("aria-expanded", "true")
    assert runs(page) - before == 1
    choose(page, "layer", 3)
    with rerun(page):
        below(page).get_by_text("One matrix of").click()
    expect(page).to_have_url(re.compile("one_matrix="))
    with browser.new_context() as context:
        other = context.new_page()
        other.set_default_timeout(60_000)
        watch(other)
        open_page(other, page.url)
        shows(other, trace, 3)
        assert chosen_place(other) == chosen_place(page)
        expect(below(other)).to_contain_text("Made head by head and made by the one matrix they agree")
        assert problems(other) == []


def test_picture_and_what_stands_below_change_each_other_until_it_is_closed_and_back_leads_back(
    page: Page, app_url: str, base: TextEncoder, trace: Trace
) -> None:
    sent, other = heard(page), base.trace("Dogs bark.")
    open_page(page, f"{app_url}/attention?more=1")
    shows(page, trace, chosen_place(page)[0])
    choose(page, "layer", 2)
    shows(page, trace, 2)
    expect(page).to_have_url(re.compile("layer=2&head=6"))
    for _ in range(2):  # what changes no view has the run drawn that is there
        with rerun(page):
            widget(page, "keep_head_lengths").get_by_role("button").first.click()
        shows(page, trace, 2)
    # Closed again it is gone, and the server hears of no choice.
    with rerun(page):
        unfold(page).click()
    expect(below(page)).to_have_count(0)
    expect(unfold(page)).to_have_attribute("aria-expanded", "false")
    assert "more" not in page.url
    sent.clear()
    for layer in (1, 3):
        places(page, "layer").get_by_role("radio", name=f"layer {layer}", exact=True).click()
        expect(page).to_have_url(re.compile(f"layer={layer}"))
    with rerun(page):
        unfold(page).click()
    assert len(sent) == 1, "the press of the button alone"
    shows(page, trace, 3)
    # Back over a sentence leads to its picture and to what stood below.
    title, field = page.get_by_role("heading", level=1), page.get_by_role("textbox", name="Sentence", exact=True)
    said = title.inner_text()
    field.fill("Dogs bark.")
    with rerun(page):
        field.press("Enter")
    expect(title).not_to_have_text(said)
    shows(page, other, 3)
    with rerun(page):
        page.go_back()
    expect(title).to_have_text(said)
    expect(field).to_have_value(GAP)
    shows(page, trace, 3)
    with rerun(page):
        page.go_forward()
    expect(field).to_have_value("Dogs bark.")
    shows(page, other, 3)


def test_a_change_that_is_made_below_shows_above(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/what_if?more=1&why=Switches")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Without head")  # drawn above, and heard of below
    page.wait_for_function(READY)
    with rerun(page):
        widget(page, "whole").get_by_role("button", name="Causal mask").click()
    expect(page).to_have_url(re.compile("edits=.*causal"))


def test_an_own_sentence_on_start_changes_the_tokens_below(page: Page, app_url: str, base: TextEncoder) -> None:
    open_page(page, f"{app_url}/?more=1&layer=5&head=6")
    expect(tokens(page)).to_have_count(len(base.tokenize(GAP).tokens))
    with rerun(page):
        own_sentence(page, "Dogs bark.")
    expect(tokens(page)).to_have_count(len(base.tokenize("Dogs bark.").tokens))
    expect(tokens(page).nth(1)).to_contain_text("dogs")


def test_the_way_back_to_a_lesson_stands_above_and_leads_back(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/lessons?lesson=many-heads&at=2")
    with rerun(page):
        page.keyboard.press("s")
    with rerun(page):
        widget(page, "open_view").get_by_role("button").click()
    expect(page).to_have_url(re.compile("/attention[?].*lesson=many-heads"))
    expect(below(page).get_by_role("heading")).to_have_count(0)
    choose(page, "head", 5)
    with rerun(page):
        widget(page, "back_to_lesson").get_by_role("button").click()
    expect(page.get_by_test_id("stProgress")).to_contain_text("Step 2 of 6")


@pytest.mark.parametrize("name", ["feed_forward", "attention"])
def test_the_word_stays_in_the_address_when_more_is_unfolded(page: Page, app_url: str, name: str) -> None:
    """Who loads the page again reads of the same word."""
    open_page(page, f"{app_url}/{name}?word=2&layer=4")
    title = page.get_by_role("heading", level=1).first
    expect(title).to_contain_text("“keys”")
    said = title.text_content() or ""
    with rerun(page):
        unfold(page).click()
    expect(page).to_have_url(re.compile("more=1"))
    expect(page).to_have_url(re.compile("word=2"))
    page.reload()
    expect(title).to_have_text(said)
