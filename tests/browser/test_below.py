"""What the server draws below a picture of the browser's: of the same run, and each changes the other."""

import re

import numpy as np
import pytest
from browser_tools import (
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

GAP = "The keys to the cabinet [MASK] on the table."


@pytest.fixture(scope="module")
def trace(base: TextEncoder) -> Trace:
    return base.trace(GAP)


def unfold(page: Page) -> Locator:
    return page.locator(".enc-unfold")


def below(page: Page) -> Locator:
    return page.locator(".st-key-below")


def headline(page: Page) -> Locator:
    """What the chart below the page of attention is of."""
    return below(page).get_by_role("heading", level=2).first


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


def test_the_button_opens_what_stands_below_for_the_head_that_the_picture_shows(
    page: Page, app_url: str, trace: Trace
) -> None:
    """Nobody chose one; the run itself has it."""
    open_page(page, f"{app_url}/attention")
    expect(unfold(page)).to_have_attribute("aria-expanded", "false")
    expect(below(page)).to_have_count(0)
    layer, head = chosen_place(page)
    before = runs(page)
    with rerun(page):
        unfold(page).click()
    expect(headline(page)).to_have_text(f"Attention weights (layer {layer}, head {head})")
    np.testing.assert_array_equal(drawn(page), trace[f"layers.{layer}.attention.weights"][int(head)].numpy())
    expect(unfold(page)).to_have_attribute("aria-expanded", "true")
    assert runs(page) - before == 1


def test_an_address_without_a_place_opens_below_at_that_of_the_picture(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/attention?more=1")
    layer, head = chosen_place(page)
    expect(headline(page)).to_have_text(f"Attention weights (layer {layer}, head {head})")


def test_picture_and_what_stands_below_change_each_other(page: Page, app_url: str, trace: Trace) -> None:
    open_page(page, f"{app_url}/attention?more=1&layer=5&head=6")
    choose(page, "head", 1)
    expect(headline(page)).to_have_text("Attention weights (layer 5, head 1)")
    choose(page, "layer", 2)
    expect(headline(page)).to_have_text("Attention weights (layer 2, head 1)")
    with rerun(page):
        below(page).get_by_text("Scaled scores", exact=True).first.click()
    expect(page.get_by_role("radiogroup", name="Stop").get_by_role("radio", checked=True)).to_have_text("÷ 8")
    expect(page).to_have_url(re.compile("step=attention.scaled"))
    for _ in range(2):  # what changes no view has the run drawn that is there
        with rerun(page):
            widget(page, "keep_picture").get_by_role("button").first.click()
        expect(headline(page)).to_have_text("Scaled scores (layer 2, head 1)")
    with rerun(page):
        widget(page, "heads").get_by_role("button", name="Scaled scores, head 4").click()
    assert chosen_place(page) == ["2", "4"]
    np.testing.assert_array_equal(drawn(page), trace["layers.2.attention.scaled"][4].numpy())
    expect(page).to_have_url(re.compile("layer=2&head=4"))


def test_closed_again_it_is_gone_and_the_server_hears_of_no_choice(page: Page, app_url: str) -> None:
    sent = heard(page)
    open_page(page, f"{app_url}/attention?more=1&layer=5&head=6")
    with rerun(page):
        unfold(page).click()
    expect(below(page)).to_have_count(0)
    expect(unfold(page)).to_have_attribute("aria-expanded", "false")
    assert "more" not in page.url
    sent.clear()
    for head in (2, 3):
        places(page, "head").get_by_role("radio", name=f"head {head}", exact=True).click()
        expect(page).to_have_url(re.compile(f"head={head}"))
    with rerun(page):
        unfold(page).click()
    assert len(sent) == 1, "the press of the button alone"
    expect(headline(page)).to_have_text("Attention weights (layer 5, head 3)")


def test_its_address_shows_the_same_elsewhere(page: Page, app_url: str, browser: Browser) -> None:
    open_page(page, f"{app_url}/attention")
    with rerun(page):
        unfold(page).click()
    choose(page, "head", 3)
    with rerun(page):
        below(page).get_by_text("Words only", exact=True).click()
    expect(page).to_have_url(re.compile("words_only="))
    with browser.new_context() as context:
        other = context.new_page()
        other.set_default_timeout(60_000)
        watch(other)
        open_page(other, page.url)
        expect(headline(other)).to_have_text(headline(page).inner_text())
        assert chosen_place(other) == chosen_place(page)
        np.testing.assert_array_equal(drawn(other), drawn(page))
        assert problems(other) == []


def test_an_own_sentence_on_start_changes_the_tokens_below(page: Page, app_url: str, base: TextEncoder) -> None:
    open_page(page, f"{app_url}/?more=1&layer=5&head=6")
    expect(tokens(page)).to_have_count(len(base.tokenize(GAP).tokens))
    with rerun(page):
        own_sentence(page, "Dogs bark.")
    expect(tokens(page)).to_have_count(len(base.tokenize("Dogs bark.").tokens))
    expect(tokens(page).nth(1)).to_contain_text("dogs")


def test_back_over_a_sentence_leads_to_its_picture_and_to_what_stood_below(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    open_page(page, f"{app_url}/attention?more=1&layer=2&head=3")
    title, field = page.get_by_role("heading", level=1), page.get_by_role("textbox", name="Sentence")
    said = title.inner_text()
    field.fill("Dogs bark.")
    with rerun(page):
        field.press("Enter")
    expect(title).not_to_have_text(said)
    weights = base.trace("Dogs bark.")["layers.2.attention.weights"][3].numpy()
    np.testing.assert_array_equal(drawn(page), weights)
    with rerun(page):
        page.go_back()
    expect(title).to_have_text(said)
    expect(field).to_have_value(GAP)
    np.testing.assert_array_equal(drawn(page), base.trace(GAP)["layers.2.attention.weights"][3].numpy())
    with rerun(page):
        page.go_forward()
    expect(field).to_have_value("Dogs bark.")
    np.testing.assert_array_equal(drawn(page), weights)


def test_back_undoes_what_was_pressed_below(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/attention?more=1&layer=2&head=3")
    with rerun(page):
        below(page).get_by_text("Queries", exact=True).first.click()
    stop = page.get_by_role("radiogroup", name="Stop").get_by_role("radio", checked=True)
    expect(stop).to_have_text("Q")
    with rerun(page):
        page.go_back()
    expect(stop).to_have_text("softmax")
    expect(headline(page)).to_have_text("Attention weights (layer 2, head 3)")


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
