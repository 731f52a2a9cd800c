"""What stands around a page, in a real browser: history, the top of a page, the menu of a phone, the bar's place."""

import re
from urllib.parse import quote

import pytest
from browser_tools import choose, chosen_place, follow_menu, open_page, rerun, sentence_line, type_sentence, widget
from page_sizes import STEADY
from playwright.sync_api import Page, ViewportSize, expect
from tiers import mostly_nightly

from encoder.pictures.view import GAP
from pages.ui.state.site import PAGES

LAB = "lessons?lab=Padding"  # of the server's pages what has a layer and a head
TOP = "document.querySelector('[data-testid=stMain]').scrollTop"

PARTS_WITHIN = """width => [...document.querySelectorAll('.st-key-parts_training [role=radio]')].map(
  one => one.getBoundingClientRect()).every(
  box => box.left >= 0 && box.right <= width)"""


ON_TOP = """menu => {
  const { x, y, width } = menu.getBoundingClientRect(), root = menu.getRootNode()
  return [8, 16, 24].every(down => menu.contains(root.elementFromPoint(x + width / 2, y + down)))
}"""
SIZES: dict[str, ViewportSize] = {
    "desk": {"width": 1440, "height": 900},
    "notebook": {"width": 1366, "height": 768},
    "phone": {"width": 390, "height": 844},
}
PARTS = {"bar": ".enc-bar", "save": ".enc-keep", "title": ".enc-title", "spine": ".enc-spine", "head": "h1"}
PLACES = """parts => {
  const found = {}
  const look = root => [...root.querySelectorAll('*')].forEach(one => {
    for (const name in parts) if (one.matches(parts[name]) && one.checkVisibility()) found[name] = one
    if (one.shadowRoot) look(one.shadowRoot)
  })
  look(document)
  const { fontSize, fontWeight } = getComputedStyle(found.head)
  for (const name in found) {
    const { x, y, width, height } = found[name].getBoundingClientRect()
    found[name] = [x, y, width, height]
  }
  return { ...found, type: [fontSize, fontWeight] }
}"""


def walked(page: Page) -> str:
    return page.url.partition("?")[0].rpartition("/")[2]


def test_the_tab_key_leads_to_what_can_be_pressed_and_to_no_unnamed_frame(page: Page, app_url: str) -> None:
    for key in ("heads", "models"):  # one that the browser draws, and one that the server does
        open_page(page, f"{app_url}/{key}")
        page.locator("h1:visible").first.wait_for()
        for _ in range(3):
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.tagName") != "MAIN", key


def test_where_the_guess_changes_the_new_one_stands_first_in_the_bars(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/?sentence={quote('The old baker from the village sold fresh [MASK].')}&off=1")
    lines = page.locator(".enc-guess [data-guess]")
    lines.first.wait_for()
    shares = [float(one.get_attribute("data-share") or "") for one in lines.all()]
    assert shares == sorted(shares, reverse=True)
    word = lines.first.get_attribute("data-guess")
    expect(page.locator("h1")).to_have_text(f"Without this head the model says “{word}”.")
    expect(lines.first).to_have_class(re.compile("is-first"))


def test_a_page_is_announced_and_back_goes_one_page_back(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/training")
    seen, status = [walked(page)], widget(page, "arrival").get_by_role("status")
    expect(status).to_have_text("Training")
    for title in ("Models", "Lessons"):
        with rerun(page):
            follow_menu(page, title)
        seen.append(walked(page))
        expect(status).to_have_text(re.compile(title))
    assert seen == ["training", "models", "lessons"]
    for before in reversed(seen[:-1]):
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
        lambda: choose(page, "head", 3),
        lambda: type_sentence(page, "Dogs bark."),
    ):
        act()
        seen.append(view())
    for before in reversed(seen[:-1]):
        with rerun(page):
            page.go_back()
        assert view() == before
    assert seen[0][0] == f"{app_url}/{LAB}"


def test_back_to_an_address_without_parameters_leads_to_the_first_part(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/training")
    parts = widget(page, "parts_training").get_by_role("radio")
    with rerun(page):
        parts.nth(1).click()
    expect(parts.nth(1)).to_be_checked()
    with rerun(page):
        page.go_back()
    expect(page).to_have_url(f"{app_url}/training")
    expect(parts.nth(0)).to_be_checked()


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


def test_a_page_opens_at_its_top(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/training")
    for move in (
        lambda: follow_menu(page, "Lessons"),
        lambda: follow_menu(page, "Training"),
        lambda: follow_menu(page, "Models"),
    ):
        page.locator("h1").click()
        page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 700)")
        title = page.locator("h1").inner_text()
        with rerun(page):
            move()
        if page.locator("h1").inner_text() != title:
            page.wait_for_function(f"() => {TOP} === 0")


def test_all_parts_are_in_sight_and_so_is_the_chosen_one(page: Page, app_url: str) -> None:
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        if width == 390:
            open_page(page, f"{app_url}/training?training_part=Small+networks")
        chosen = widget(page, "parts_training").get_by_role("radio", checked=True)
        expect(chosen).to_have_text("Small networks")
        expect(chosen).to_be_in_viewport(ratio=1)
        page.wait_for_function(PARTS_WITHIN, arg=width)


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
    open_page(page, f"{app_url}/training")
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


@pytest.mark.parametrize("size", mostly_nightly(SIZES, ["phone"]))
def test_bar_headline_save_and_margins_are_at_one_place_on_all_pages(page: Page, app_url: str, size: str) -> None:
    """The bar, Save at its end, the left margin and the size of the headline, and how far below the bar it stands.

    They differ where there is a reason: Start asks in the middle of the page, in larger type; on the pages of a run the
    spine stands between the bar and the headline, on a phone at the foot; a headline of one line is in the middle of
    the line that holds two controls beside it; Attention, whose picture needs the height, is smaller on a low screen.
    """
    window = SIZES[size]
    page.set_viewport_size(window)
    phone = size == "phone"
    margin, below, type_ = (16, 12, "20px") if phone else ((window["width"] - 1300) / 2 + 28, 18, "27px")
    bars, saves = set(), set()
    for each in PAGES:
        if each.key in ("start",):
            continue
        open_page(page, f"{app_url}/{each.key}?sentence={quote(GAP)}")  # of one line, on a phone too
        page.locator("h1:visible").wait_for()
        page.wait_for_function(STEADY)
        places = page.evaluate(PLACES, PARTS)
        bars.add(tuple(map(round, places["bar"])))
        saves.add(tuple(map(round, places["save"])))
        x, y, *_ = places["head"]
        spine = 0 if phone else places.get("spine", [0, 0, 0, 0])[3]
        above = places["bar"][3] + spine
        low = each.key == "attention" and window["height"] == 768
        assert x == pytest.approx(margin, abs=1), each.key
        assert below - 1 <= y - above <= below + 4, each.key
        assert places["type"] == ["24px" if low else type_, "650"], each.key
        if not phone:
            assert places["title"][0] == pytest.approx(66, abs=1), each.key
    assert len(bars) == len(saves) == 1, (bars, saves)
