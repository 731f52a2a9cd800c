"""What a person does in a real browser: open, type, choose, walk."""

import re

import pytest
from browser_tools import (
    chosen_place,
    follow_menu,
    open_page,
    rerun,
    type_sentence,
    valued,
)
from playwright.sync_api import Page, expect

from encoder import TextEncoder
from encoder.support.formatting import percent


def test_a_person_types_chooses_and_walks(page: Page, app_url: str, base: TextEncoder) -> None:
    text = "Keys on the table belong to Sara."
    trace = base.trace(text)
    open_page(page, f"{app_url}/models")
    type_sentence(page, text)
    with rerun(page):
        follow_menu(page, "Add & norm")
    page.get_by_role("radio", name="layer 2", exact=True).click()
    expect(page.get_by_text("Loading the")).to_be_hidden()  # what stands below moves once it is here
    page.get_by_role("button", name="All numbers of every step").click()
    section = page.get_by_role("region", name="The numbers of a step")
    chosen = section.get_by_role("gridcell")
    expect(section.locator("code")).to_contain_text("layers.2.add_norm_1.sum")
    chosen.press("Home")
    row = int((chosen.get_attribute("data-cell") or "").split(",")[0])
    said = valued((chosen.get_attribute("aria-label") or "").rpartition(": ")[2])
    assert said == pytest.approx(float(trace["layers.2.add_norm_1.sum"][row, 0]), rel=1e-3)
    page.get_by_role("link", name="Feed-forward →").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("of 2,048 units fire for")
    expect(page.locator(".enc-spine-says")).to_contain_text("Without the feed-forward of layer 2")


def test_a_head_that_was_chosen_among_all_is_seen_in_the_sentence(page: Page, app_url: str, base: TextEncoder) -> None:
    open_page(page, f"{app_url}/heads?sentence=I+understand+this")
    page.locator("[data-head-map='2,3']").click()
    page.get_by_role("link", name="Step by step").click()
    expect(page).to_have_url(re.compile("/attention[?]"))
    assert chosen_place(page) == ["2", "3"]
    row, column = map(int, (page.get_by_role("gridcell").get_attribute("data-cell") or "").split(","))
    share = float(base.trace("I understand this")["layers.2.attention.weights"][3, row, column])
    said = (page.get_by_role("gridcell").get_attribute("aria-label") or "").replace("\N{NO-BREAK SPACE}", " ")
    assert said.endswith(percent(share, 1).replace("over ", "> "))


def test_a_long_sweep_shows_its_progress_and_can_be_cancelled(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/what_if?more=board")
    board = page.locator("#more-board")
    board.get_by_role("button", name=re.compile("^Measure every part")).click()
    expect(board.get_by_role("status")).to_contain_text(re.compile(r"Working … \d+ %"), timeout=60_000)
    board.get_by_role("button", name="Stop").click()
    expect(board.get_by_role("status")).to_contain_text("Stopped.")
    expect(board.locator(".main-svg")).to_have_count(0)
