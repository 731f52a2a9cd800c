"""Every number of a run opens in a drawer and leads to what it was made of; nothing that was touched moves."""

import re

import numpy as np
import pytest
from browser_tools import (
    AS_ELSEWHERE,
    barriers,
    dark,
    follow_menu,
    number,
    open_page,
    opened_number,
    problems,
    rerun,
    valued,
)
from playwright.sync_api import Locator, Page, expect

from encoder import TextEncoder
from encoder.pictures.view import EXAMPLE

STILL = """element => new Promise(done => {
  let before = null, same = 0;
  const look = () => {
    const y = element.getBoundingClientRect().y;
    same = y === before ? same + 1 : 0;
    before = y;
    if (same > 20) done(y); else requestAnimationFrame(look);
  };
  look();
})"""
OPEN = "detail => document.dispatchEvent(new CustomEvent('encoder:number', { detail }))"
NUMBERS = f"{AS_ELSEWHERE}&numbers=1"


def still(element: Locator) -> float:
    """Where an element stands in the window, once it has stood there for twenty frames."""
    return float(element.evaluate(STILL))


def grid(page: Page) -> Locator:
    """The picture of all numbers of a step."""
    return page.get_by_role("region", name="The numbers of a step").get_by_role("grid")


def cell(page: Page) -> tuple[int, int]:
    """Which cell of it has the keys."""
    row, column = (grid(page).get_by_role("gridcell").get_attribute("data-cell") or "").split(",")
    return int(row), int(column)


def click(page: Page, row: int, column: int, *, tap: bool = False) -> None:
    """Click a cell of it, where a cell that is chosen by keys says that it stands."""
    chosen = grid(page).get_by_role("gridcell")
    chosen.press("Home")
    for _ in range(30):
        chosen.press("ArrowUp")
    first = chosen.bounding_box()
    chosen.press("ArrowDown")
    chosen.press("ArrowRight")
    second = chosen.bounding_box()
    assert first and second
    x = first["x"] + first["width"] / 2 + column * (second["x"] - first["x"])
    y = first["y"] + first["height"] / 2 + row * (second["y"] - first["y"])
    page.touchscreen.tap(x, y) if tap else page.mouse.click(x, y)


def test_a_clicked_number_opens_beside_what_was_clicked_which_stays(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    open_page(page, f"{app_url}/attention?{NUMBERS}")
    expect(grid(page)).to_be_visible()
    grid(page).evaluate("element => element.scrollIntoView({block: 'center'})")
    before = still(grid(page))
    click(page, 3, 2)
    expect(number(page)).to_contain_text("Attention weights, head 1 of layer 4")
    row, column = cell(page)
    assert (row, column) == (3, 2)
    opened_number(page, "", float(base.trace(EXAMPLE)["layers.4.attention.weights"][1, 3, 2]))
    expect(page.locator(".on-check")).to_contain_text("They agree to")
    assert abs(still(grid(page)) - before) <= 1
    box, picture = page.locator(".enc-number").bounding_box(), grid(page).bounding_box()
    assert box and picture and 1279 <= box["x"] + box["width"] <= 1281 and box["y"] + box["height"] <= 901
    page.keyboard.press("Escape")
    expect(number(page)).to_be_hidden()
    assert abs(still(grid(page)) - before) <= 1


def test_a_number_that_opens_leaves_the_headline_in_sight(page: Page, app_url: str) -> None:
    """The page grows for want of room, and what was touched may go down with it."""
    page.set_viewport_size({"width": 1366, "height": 768})
    open_page(page, f"{app_url}/add_norm?{AS_ELSEWHERE}")
    headline, bar = page.get_by_role("heading", level=1), page.locator(".enc-bar")
    opener = page.locator("[data-open]").first
    opener.wait_for(state="attached")
    if opener.is_hidden():
        page.get_by_text("Number by number").click()
    opener.scroll_into_view_if_needed()
    still(opener)
    before = still(headline)
    below = bar.bounding_box()
    assert below and before >= below["height"]
    opener.click()
    expect(number(page)).to_contain_text("=")
    assert still(headline) >= below["height"]
    page.keyboard.press("Escape")
    expect(number(page)).to_be_hidden()
    assert abs(still(headline) - before) <= 1


def test_every_step_of_a_page_can_be_chosen_and_is_the_recorded_one(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    open_page(page, f"{app_url}/add_norm?{NUMBERS}")
    trace, steps = base.trace(EXAMPLE), page.get_by_role("combobox", name="Step")
    expect(grid(page)).to_be_visible()
    offered = steps.locator("option").evaluate_all("all => all.map(one => one.value)")
    assert {one.split(".")[2] for one in offered} == {"add_norm_1", "add_norm_2", "output"}
    assert len(offered) == len({name for name in trace if re.match(r"layers\.4\.(add_norm|output)", name)})
    for step in ("layers.4.add_norm_2.variance", "layers.4.add_norm_1.normalized"):
        steps.select_option(step)
        expect(page.locator(".nu-top code")).to_contain_text(step)
        chosen = grid(page).get_by_role("gridcell")
        chosen.press("Home")
        value = float(trace.array(step)[cell(page)[0]].ravel()[0])
        said = (chosen.get_attribute("aria-label") or "").rpartition(": ")[2]
        assert valued(said) == pytest.approx(value, rel=1e-3)
    expect(page).to_have_url(re.compile("numbers=layers.4.add_norm_1.normalized"))
    page.get_by_role("radio", name="layer 2", exact=True).click()
    expect(page.locator(".nu-top code")).to_contain_text("layers.2.add_norm_1.normalized")


def test_keys_open_a_number_lead_on_and_back_and_the_address_restores_it(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    open_page(page, f"{app_url}/attention?{NUMBERS}")
    trace = base.trace(EXAMPLE)
    button = page.get_by_role("button", name="All numbers of every step")
    expect(button).to_have_attribute("aria-expanded", "true")
    chosen = grid(page).get_by_role("gridcell")
    chosen.press("Home")
    for key in ("ArrowUp",) * 14 + ("ArrowDown",) * 8 + ("ArrowRight",) * 2 + ("Enter",):
        page.keyboard.press(key)
    weight = float(trace["layers.4.attention.weights"][1, 8, 2])
    opened_number(page, "Attention weights, head 1 of layer 4, “it” (8) → “animal” (2)", weight)
    said = number(page).inner_text()
    expect(number(page)).to_be_focused()
    masked = float(trace["layers.4.attention.masked"][1, 8, 2])
    page.get_by_role("button", name="Masked scores, head 1 of layer 4, “it” (8) → “animal” (2)").press("Enter")
    opened_number(page, "Masked scores, head 1 of layer 4, “it” (8) → “animal” (2)", masked)
    expect(page).to_have_url(re.compile("number=layers.4.attention.masked:1,8,2"))
    page.get_by_role("navigation", name="Opened before").get_by_role("button").press("Enter")
    expect(number(page)).to_have_text(said)
    expect(page).to_have_url(re.compile("number=layers.4.attention.weights:1,8,2"))
    open_page(page, page.url)
    expect(number(page)).to_have_text(said)
    page.keyboard.press("Escape")
    expect(number(page)).to_be_hidden()
    expect(page).not_to_have_url(re.compile("number="))
    # What is no number says so.
    for wrong in ("nothing:1", "layers.4.attention.weights:1,8,99", "x", "layers.9.output:0,0"):
        page.evaluate(OPEN, wrong)
        expect(page.locator(".enc-number").get_by_role("alert")).to_have_text(re.compile(r"\w+ \w+ .*\w"))
        page.get_by_role("button", name="Close").click()
        expect(page.locator(".enc-number")).to_be_hidden()
    assert all("400" in one for one in problems(page))  # which a browser logs of an answer that refuses


def test_on_a_phone_it_is_a_sheet_from_below_that_leaves_the_cell_in_sight(phone: Page, app_url: str) -> None:
    open_page(phone, f"{app_url}/attention?{NUMBERS}")
    expect(grid(phone)).to_be_visible()
    grid(phone).evaluate("element => element.scrollIntoView({block: 'end'})")
    still(grid(phone))
    click(phone, 9, 3, tap=True)
    expect(number(phone)).to_contain_text("“was” (9) → “didn't” (3)")
    expect(phone.locator(".enc-number .row-table tbody tr").first).to_be_visible()
    sheet = phone.locator(".enc-number")
    still(grid(phone))
    box, chosen = sheet.bounding_box(), grid(phone).get_by_role("gridcell").bounding_box()
    assert box and box["x"] == 0 and box["width"] == 390
    assert 844 * 0.4 < box["y"] < 844 and box["y"] + box["height"] <= 845
    assert chosen and chosen["y"] > 48 and chosen["y"] + chosen["height"] <= box["y"], "it stays in sight"
    phone.get_by_role("button", name="Close").tap()
    expect(sheet).to_be_hidden()


def test_a_number_that_is_closed_on_another_page_than_the_first_is_closed_for_good(page: Page, app_url: str) -> None:
    """On Attention an address goes on naming the cell of its picture; it does not go along to Start."""
    weight = "layers.4.attention.weights:1,8,2"
    open_page(page, f"{app_url}/attention?{NUMBERS}&cell={weight}&number={weight}")
    expect(number(page)).to_contain_text("=")
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("number="))
    expect(page).to_have_url(re.compile(re.escape(f"cell={weight}")))
    with rerun(page):
        follow_menu(page, "Start")
    expect(page).to_have_url(re.compile("/[?]"))
    expect(page).not_to_have_url(re.compile("cell=|number="))
    page.reload()
    expect(page.locator("[data-claim]")).not_to_be_empty()
    expect(number(page)).to_be_hidden()
    page.evaluate(OPEN, weight)
    expect(number(page)).to_contain_text("=")
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("cell="))


def test_a_long_sum_shows_its_largest_terms_and_then_more_and_keeps_nobody_out(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/feed_forward?{NUMBERS}&number=layers.4.feed_forward.output:8,2")
    rows = page.locator(".enc-number .row-table tbody tr")
    expect(rows).to_have_count(12)
    dark(page)
    assert barriers(page) == []
    page.get_by_role("button", name="Show the largest 500").click()
    expect(rows).to_have_count(500)
    values = [valued(text) for text in rows.locator("td:nth-last-child(2)").all_inner_texts()]
    assert np.all(np.diff(np.abs(values)) <= 1e-3)


def test_of_a_step_with_a_number_for_every_word_the_likeliest_open(page: Page, app_url: str, base: TextEncoder) -> None:
    open_page(page, f"{app_url}/output?{NUMBERS}&step=mlm.probabilities")
    shares = base.trace(EXAMPLE)["mlm.probabilities"]
    best = page.locator(".nu-words-table tr").nth(9).get_by_role("button").first
    word = base.tokenizer.id_to_token(int(shares[9].argmax()))
    expect(best).to_contain_text(str(word))
    best.press("Enter")
    expect(number(page)).to_contain_text(f"word “{word}”")
    opened_number(page, "", float(shares[9].max()))
    expect(best).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(best).to_be_focused()
