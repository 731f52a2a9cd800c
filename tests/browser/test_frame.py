"""What stands around a page, in a real browser: history, the top of a page, the menu of a phone, the bar's place."""

import re

from browser_tools import choose, chosen_place, follow_menu, open_page, rerun, sentence_line, type_sentence, widget
from playwright.sync_api import Page, expect

from pages.ui.state.site import PAGES

LAB = "lessons?lab=Padding"  # of the server's pages what has a layer and a head
TOP = "document.querySelector('[data-testid=stMain]').scrollTop"

ON_TOP = """menu => {
  const { x, y, width } = menu.getBoundingClientRect(), root = menu.getRootNode()
  return [8, 16, 24].every(down => menu.contains(root.elementFromPoint(x + width / 2, y + down)))
}"""


def walked(page: Page) -> str:
    return page.url.partition("?")[0].rpartition("/")[2]


def test_the_menu_leads_on_by_keys_to_the_top_of_a_page_that_is_announced_and_back_goes_one_page_back(
    page: Page, app_url: str
) -> None:
    open_page(page, f"{app_url}/training?layer=2&sentence=I+understood+this")
    status = widget(page, "arrival").get_by_role("status")
    expect(status).to_have_text("Training")
    page.locator("h1").click()
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 700)")
    page.get_by_role("button", name="Menu", exact=True).press("Enter")
    menu = page.get_by_role("navigation", name="Pages")
    expect(menu.get_by_role("link", name="Training")).to_be_focused()
    expect(menu.locator("[aria-current=page]")).to_have_text("Training")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    with rerun(page):
        page.keyboard.press("Enter")
    expect(page.locator(".enc-title")).to_have_text("Models")
    expect(menu).to_be_hidden()
    expect(status).to_have_text("Models")
    page.wait_for_function(f"() => {TOP} === 0")
    assert "layer=2" in page.url and "understood" in page.url
    with rerun(page):
        follow_menu(page, "Lessons")
    expect(status).to_have_text(re.compile("Lessons"))
    for before in ("models", "training"):
        with rerun(page):
            page.go_back()
        assert walked(page) == before


def test_a_lab_opened_far_down_the_list_begins_at_its_top_and_back_leads_to_the_list(page: Page, app_url: str) -> None:
    """It stands on the same page, which stayed scrolled as far as the card that was pressed."""
    open_page(page, f"{app_url}/lessons")
    card = page.locator("[data-shelf=Training] .sh-card").last
    card.scroll_into_view_if_needed()
    assert page.evaluate(TOP) > 0
    with rerun(page):
        card.click()
    expect(widget(page, "all_lessons")).to_be_visible()
    page.wait_for_function(f"{TOP} === 0")
    with rerun(page):
        page.go_back()
    expect(page).to_have_url(f"{app_url}/lessons")
    expect(card).to_be_visible()


def test_back_leads_to_how_a_page_opened_one_press_for_each_choice(page: Page, app_url: str) -> None:
    """At the first state one press did nothing, and the next left the site."""

    def view() -> tuple[str, str, list[str]]:
        chosen = chosen_place(page)
        return page.url, sentence_line(page).input_value(), chosen

    open_page(page, f"{app_url}/{LAB}")
    seen = [view()]
    for act in (
        lambda: choose(page, "layer", 2),
        lambda: type_sentence(page, "Dogs bark."),
    ):
        act()
        seen.append(view())
    for before in reversed(seen[:-1]):
        with rerun(page):
            page.go_back()
        assert view() == before
    assert seen[0][0] == f"{app_url}/{LAB}"


def test_enter_runs_the_sentence_and_the_link_has_no_line_break(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/models")
    field = sentence_line(page)
    field.fill("Dogs bark.")
    with rerun(page):
        field.press("Enter")
    expect(page.get_by_test_id("stMain")).to_contain_text("this sentence, 5 tokens long")
    assert "sentence=Dogs+bark." in page.url and "%0A" not in page.url
    field.fill("  ")
    field.press("Enter")
    expect(page.get_by_text("Type a sentence first.")).to_be_visible()
    field.press("Tab")
    expect(field).to_have_value("Dogs bark.")  # an empty line is none


def test_the_menu_of_a_phone_names_all_pages_and_closes_on_a_choice(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, f"{app_url}/{LAB}")
    with rerun(page):
        page.get_by_role("combobox", name="layer", exact=True).select_option("2")
    expect(page).to_have_url(re.compile(re.escape("layer=2")))
    page.get_by_role("button", name="Menu", exact=True).click()
    menu = page.get_by_role("navigation", name="Pages")
    expect(menu.get_by_role("link")).to_have_text([one.title for one in PAGES])
    assert menu.evaluate(ON_TOP)  # the sentence stands below the bar
    with rerun(page):
        menu.get_by_role("link", name="Training").click()
    expect(page.locator(".enc-title")).to_have_text("Training")
    expect(menu).to_be_hidden()


def test_other_sentences_are_behind_the_line_by_keys_too(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/models")
    type_sentence(page, "Dogs bark.")
    others = page.get_by_role("button", name="Other sentences")
    offered = page.get_by_role("group", name="Other sentences")
    others.press("Enter")
    expect(offered.get_by_role("button").first).to_be_focused()
    page.keyboard.press("End")
    with rerun(page):
        page.keyboard.press("Enter")
    expect(offered).to_be_hidden()
    expect(sentence_line(page)).not_to_have_value("Dogs bark.")
    others.click()
    with rerun(page):
        offered.get_by_role("button", name="Dogs bark.").click()  # one's own stays at hand
    expect(sentence_line(page)).to_have_value("Dogs bark.")
