"""What a person does in a real browser: open, type, choose, walk."""

import re
from urllib.parse import quote_plus

import numpy as np
import pytest
from browser_tools import (
    BELOW,
    answering,
    cell_of_chart,
    chart,
    chosen_place,
    drawn,
    follow_menu,
    open_page,
    press,
    rerun,
    type_sentence,
    widget,
)
from playwright.sync_api import Page, expect

from encoder import TextEncoder
from encoder.pictures.view import EXAMPLE


def test_what_stands_below_the_first_page_is_usable_at_once(page: Page, app_url: str, base: TextEncoder) -> None:
    open_page(page, f"{app_url}/?{BELOW}")
    expect(page.locator(".tokens > div")).to_have_count(14)
    expect(widget(page, "living_map").locator("canvas").first).to_be_visible()
    open_page(page, f"{app_url}/?{BELOW}&several=1")
    weights = base.trace(EXAMPLE)["layers.4.attention.weights"][1]
    np.testing.assert_array_equal(drawn(page, "together_matrix"), weights.numpy())


def test_a_person_types_chooses_and_walks(page: Page, app_url: str, base: TextEncoder) -> None:
    text = "Keys on the table belong to Sara."
    trace = base.trace(text)
    open_page(page, f"{app_url}/figure")
    type_sentence(page, text)
    with rerun(page):
        follow_menu(page, "Add & norm")
    page.get_by_role("radio", name="layer 2", exact=True).click()
    page.get_by_role("radio", name="the sum", exact=True).click()
    page.locator(".enc-unfold").click()
    widget(page, "layer_step").locator(".main-svg").first.wait_for()
    np.testing.assert_array_equal(drawn(page, "layer_step"), trace["layers.2.add_norm_1.sum"].numpy())
    with rerun(page):
        page.get_by_role("radio", name="the norm", exact=True).click()
    expect(page).to_have_url(re.compile("layer=2.*step=add_norm_1.output"))
    np.testing.assert_array_equal(drawn(page, "layer_step"), trace["layers.2.add_norm_1.output"].numpy())
    page.get_by_role("link", name="Feed-forward →").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("of 2,048 units fire")


def click_cell(page: Page, row: int, column: int) -> None:
    """Click the middle of a cell of the main picture, where Plotly itself says that it is."""
    widget(page, "picture").evaluate("element => element.scrollIntoView({block: 'center'})")
    x, y = cell_of_chart(page, "picture", row, column)
    answering(page, "picture")
    page.mouse.move(x, y)
    press(page, x, y)


def test_a_clicked_cell_opens_and_leads_on_and_survives_a_reload(page: Page, app_url: str, base: TextEncoder) -> None:
    trace = base.trace(EXAMPLE)
    open_page(page, f"{app_url}/attention?{BELOW}")
    click_cell(page, 8, 2)
    heading = widget(page, "inspector").locator("h3")
    weight = float(trace["layers.4.attention.weights"][1, 8, 2])
    expect(heading).to_have_text(f"Attention weights, layer 4, head 1, “it” (8) → “animal” (2) = {weight:.4g}")
    with rerun(page):
        widget(page, "operand_0").get_by_role("button").click()
    masked = float(trace["layers.4.attention.masked"][1, 8, 2])
    expect(heading).to_have_text(f"Masked scores, layer 4, head 1, “it” (8) → “animal” (2) = {masked:.4g}")
    with rerun(page):
        widget(page, "trail_0").get_by_role("button").click()
    expect(heading).to_contain_text("Attention weights")
    open_page(page, page.url)
    expect(page.get_by_role("gridcell")).to_have_attribute("data-cell", "8,2")  # the picture itself says the number
    click_cell(page, 9, 7)
    expect(heading).to_contain_text("“was” (9) → “because” (7)")


def test_small_maps_are_read_and_opened_by_keyboard(page: Page, app_url: str, base: TextEncoder) -> None:
    open_page(page, f"{app_url}/attention?more=1&layer=4&head=1&sentence=I+understand+this")
    trace, heads = base.trace("I understand this"), widget(page, "heads")
    weights = heads.get_by_role("button", name="Attention weights, head 6")
    weights.press("ArrowDown")
    weights.press("ArrowDown")
    weights.press("ArrowRight")
    share = round(100 * float(trace["layers.4.attention.weights"][6, 2, 1]))
    expect(heads.locator("output").nth(6)).to_contain_text(re.compile(rf"understand → i: .*{share}"))
    with rerun(page):
        weights.press("Enter")
    assert chosen_place(page) == ["4", "6"]
    expect(widget(page, "inspector").locator("h3")).to_contain_text("“understand” (2) → “i” (1)")


def test_a_link_opened_in_a_new_tab_shows_the_same_and_a_click_in_the_maps_of_all_heads_that_head(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    open_page(
        page, f"{app_url}/attention?more=1&sentence=I+understand+this&layer=1&head=7&step=attention.scores&hidden=2"
    )
    recorded = base.trace("I understand this", hidden=(2,))["layers.1.attention.scores"][7]
    np.testing.assert_array_equal(drawn(page), recorded.numpy())
    expect(page.get_by_role("textbox", name="Sentence")).to_have_value("I understand this")
    with rerun(page):
        widget(page, "heads").get_by_role("button", name="Scores, head 6").click()
    recorded = base.trace("I understand this", hidden=(2,))["layers.1.attention.scores"][6]
    np.testing.assert_array_equal(drawn(page), recorded.numpy())


@pytest.mark.nightly
def test_a_paste_of_100_000_characters_is_cut_and_said(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/atlas")
    type_sentence(page, "word " * 20_000)
    expect(page.locator("[data-testid=stAlert]")).to_contain_text("512 tokens")


def test_a_head_is_knocked_out_and_the_link_shows_the_same_elsewhere(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/what_if?{BELOW}")
    page.locator("[aria-pressed=true][data-cell]").click()  # the head that is off by itself
    with rerun(page):
        page.locator("[data-cell='4,1']").click()
    expect(page.locator("[aria-pressed=true][data-cell]")).to_have_count(1)
    expect(page).to_have_url(re.compile("edits=layers.4.attention.heads(:|%3A)zero(:|%3A)h(=|%3D)1"))
    apart = np.array(chart(page, "apart_changed")[0]["z"])
    assert (apart[:, :5] == 0).all() and (apart[:, 5:] > 0).all()
    page.evaluate("localStorage.clear(); sessionStorage.clear()")  # as in another browser
    open_page(page, page.url)
    np.testing.assert_array_equal(np.array(chart(page, "apart_changed")[0]["z"]), apart)
    with rerun(page):
        page.locator("[data-cell='4,1']").click()
    expect(page).not_to_have_url(re.compile("edits"))


def test_a_head_that_was_chosen_among_all_is_seen_in_the_sentence(page: Page, app_url: str, base: TextEncoder) -> None:
    open_page(page, f"{app_url}/heads?sentence=I+understand+this")
    page.locator("[data-head-map='2,3']").click()
    page.get_by_role("link", name="See it in this sentence").click()
    expect(page).to_have_url(re.compile("/attention[?]"))
    assert chosen_place(page) == ["2", "3"]
    with rerun(page):
        page.locator(".enc-unfold").click()
    np.testing.assert_array_equal(drawn(page), base.trace("I understand this")["layers.2.attention.weights"][3].numpy())


def test_a_long_sweep_shows_its_progress_and_can_be_cancelled(page: Page, app_url: str) -> None:
    open_page(
        page,
        f"{app_url}/what_if?more=1&layer=4&head=1&sentence={quote_plus('The old man and the sea were friends. ' * 30)}",
    )
    widget(page, "loo_go").get_by_role("button").click()
    expect(page.get_by_test_id("stProgress")).to_contain_text("of 54 runs")
    with rerun(page, timeout=60):
        widget(page, "loo_cancel").get_by_role("button").click()
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    expect(widget(page, "loo_map")).to_have_count(0)
