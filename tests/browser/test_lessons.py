"""Lessons in a real browser: two played with keys alone, and the terms beside a step."""

import re

import numpy as np
from browser_tools import chart, open_page, rerun, sentence_line, widget
from playwright.sync_api import Page, expect

from encoder import TextEncoder
from encoder.pictures.view import EXAMPLE
from pages.ui.lessons import library


def focus(page: Page, key: str, text: str = "") -> None:
    """Press Tab until a button of that widget has the focus."""
    for _ in range(120):
        page.keyboard.press("Tab")
        found = page.evaluate(
            "([key, text]) => !!document.activeElement.closest('.st-key-' + key)"
            " && document.activeElement.textContent.includes(text)",
            [key, text],
        )
        if found:
            return
    raise AssertionError(f"the Tab key never reaches {key} {text}")


def press(page: Page, key: str) -> None:
    with rerun(page, timeout=60):
        page.keyboard.press(key)


def play(page: Page, name: str) -> None:
    """Every step of a lesson, by arrow keys, with each answer shown before the next step."""
    lesson = library.bundled()[name]
    for at, step in enumerate(lesson.steps, 1):
        expect(page.get_by_test_id("stProgress")).to_contain_text(f"Step {at} of {len(lesson.steps)}")
        expect(widget(page, "lesson_text")).to_contain_text(step.text[:40])
        if step.question and widget(page, "reveal").count():
            press(page, "s")
        if step.trial:
            expect(page.get_by_test_id("stMetricValue").first).to_be_visible()
        if at < len(lesson.steps):
            press(page, "ArrowRight")
    expect(widget(page, "lesson_next").get_by_role("button")).to_be_disabled()
    expect(page.get_by_text("The end.")).to_be_visible()


def test_a_lesson_is_played_with_keys_alone(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/lessons")
    focus(page, "start_word-order")
    press(page, "Enter")
    expect(page).to_have_url(re.compile("lesson=word-order"))
    page.locator("h1").click()  # the button that had the focus is gone; so that no other one has it
    play(page, "word-order")
    for at in (5, 4):
        press(page, "ArrowLeft")
        expect(page.get_by_test_id("stProgress")).to_contain_text(f"Step {at} of 6")
    expect(page).to_have_url(re.compile("at=4"))
    open_page(page, page.url)
    expect(page.get_by_test_id("stProgress")).to_contain_text("Step 4 of 6")


def test_a_prediction_is_made_with_keys_alone(page: Page, app_url: str, base: TextEncoder) -> None:
    open_page(page, f"{app_url}/lessons?lesson=who-is-it")
    expect(page.locator(".js-plotly-plot")).to_have_count(0)
    focus(page, "lesson_guess", "0 [CLS]")
    for _ in range(6):
        page.keyboard.press("ArrowRight")  # within the tokens, not to the next step
    press(page, "Space")  # the guess brings the picture
    outcome = widget(page, "lesson_outcome")
    expect(outcome).to_contain_text("“it” (8) looks most at “animal” (2)")
    expect(outcome).to_contain_text("You marked “street” (6), 4 tokens away")
    drawn = np.array(chart(page, "picture")[0]["z"], dtype=np.float32)
    np.testing.assert_allclose(
        drawn, base.trace(EXAMPLE)["layers.4.attention.weights"][1].numpy(), rtol=1e-5, atol=1e-6
    )
    play(page, "who-is-it")


def test_before_the_guess_the_picture_is_veiled_and_beside_the_question_the_sentence_in_sight(
    page: Page, app_url: str
) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_page(page, f"{app_url}/lessons?lesson=what-is-attention&at=2")
    question, veil = widget(page, "lesson_question").bounding_box(), page.locator(".veil").bounding_box()
    assert question is not None and veil is not None
    assert question["x"] + question["width"] < veil["x"] and veil["y"] < question["y"] < veil["y"] + veil["height"]
    press(page, "s")
    expect(page.locator(".veil")).to_have_count(0)
    expect(widget(page, "picture").locator(".main-svg").first).to_be_in_viewport(ratio=0.9)
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 700)")
    for part in (sentence_line(page), widget(page, "lesson_next")):
        expect(part).to_be_in_viewport(ratio=0.99)


def test_on_a_phone_the_ways_through_a_lesson_are_at_hand(phone: Page, app_url: str) -> None:
    open_page(phone, f"{app_url}/lessons?lesson=what-is-attention&at=7")
    with rerun(phone):
        widget(phone, "reveal").get_by_role("button").click()
    for part in (widget(phone, "lesson_previous"), sentence_line(phone)):
        expect(part).to_be_in_viewport(ratio=0.99)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    with rerun(phone):
        widget(phone, "next_lesson").get_by_role("button").click()
    expect(widget(phone, "lesson_text")).to_contain_text("three words")


def test_a_lesson_leads_to_its_page_and_that_back_to_the_lesson(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/lessons?lesson=a-mystery")
    with rerun(page):
        widget(page, "open_view").get_by_role("button").click()
    expect(page.locator(".enc-title")).to_have_text("Training")
    with rerun(page):
        widget(page, "back_to_lesson").get_by_role("button").click()
    expect(page.get_by_test_id("stProgress")).to_contain_text("Step 1 of")
