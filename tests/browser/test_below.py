"""What the server draws below a picture of the browser's: of the same run, and each changes the other."""

import re

from browser_tools import (
    choose,
    open_page,
    own_sentence,
    rerun,
    widget,
)
from playwright.sync_api import Locator, Page, expect

from encoder import TextEncoder

GAP = "The keys to the cabinet [MASK] on the table."


def unfold(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile("^(More of this|Less)"))


def below(page: Page) -> Locator:
    return page.locator(".st-key-below")


def tokens(page: Page) -> Locator:
    """The tokens of the sentence, below Start."""
    return below(page).locator(".tokens > div")


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


def test_the_word_stays_in_the_address_when_more_is_unfolded(page: Page, app_url: str) -> None:
    """Who loads the page again reads of the same word."""
    open_page(page, f"{app_url}/?word=2&layer=4&head=1")
    title = page.get_by_role("heading", level=1).first
    expect(title).to_contain_text("keys")
    said = title.text_content() or ""
    with rerun(page):
        unfold(page).click()
    expect(page).to_have_url(re.compile("more=1"))
    expect(page).to_have_url(re.compile("word=2"))
    page.reload()
    expect(title).to_have_text(said)
