"""The front mounted on a blank page without Streamlit: what is asked, what goes wrong, the menu, the address."""

import re
from typing import Any

import pytest
from browser_tools import NEXT_FRAMES, barriers
from mounted import CAT, FRANCE, KEY, KEYS, address
from playwright.sync_api import Page, expect


def write(page: Page, sentence: str) -> None:
    """Type a sentence in place of the one that is shown."""
    page.get_by_role("button", name="Type your own sentence").click()
    page.get_by_label("Your own sentence").fill(sentence)
    page.keyboard.press("Enter")


def answer(page: Page, number: int, sentence: str) -> None:
    page.evaluate("([i, address]) => asked[i].answer(address)", [number, address(sentence)])


def test_what_is_shipped_asks_for_no_run_and_a_sentence_of_ones_own_for_one(front: Page) -> None:
    front.get_by_role("radio", name="key", exact=True).check()
    expect(front.locator("h1")).to_contain_text("“is”?")
    assert front.evaluate("asked.length") == 0
    assert "sentence=The+key+to" in front.url
    write(front, CAT)
    front.wait_for_function("asked.length === 1")
    request = {"level": 1, "sentence": CAT, "second": "", "model": "base", "hidden": [], "edits": "", "off": True}
    assert front.evaluate("asked[0].request") == request
    expect(front.get_by_label("Your own sentence")).to_be_visible()  # until the answer is here
    expect(front.locator("main")).to_have_attribute("aria-busy", "true")
    answer(front, 0, CAT)
    expect(front.locator("h1")).to_have_text(re.compile(r"What does “(cat|chased|mouse)” look at\?"))
    expect(front.locator("main")).not_to_have_attribute("aria-busy", "true")
    assert front.locator("[data-word]").count() == 6
    front.go_back()
    expect(front.locator("h1")).to_contain_text("“is”?")


def test_the_last_request_wins(front: Page) -> None:
    write(front, CAT)
    write_again = front.get_by_label("Your own sentence")
    write_again.fill(FRANCE)
    front.keyboard.press("Enter")
    front.wait_for_function("asked.length === 2")
    assert front.evaluate("asked[0].gone")
    answer(front, 1, FRANCE)
    expect(front.locator("h1")).to_contain_text("Why does the model say")
    answer(front, 0, CAT)
    assert front.locator("[data-word]").last.inner_text().startswith(".")
    assert front.locator("[data-word]").count() == 7


@pytest.mark.parametrize(
    ("goes_wrong", "said"),
    [
        ("asked[0].refuse(new Error('The server has much to do.'))", "The server has much to do."),
        ("asked[0].refuse(new TypeError('Failed to fetch'))", "The server cannot be reached"),
        ("asked[0].answer('/other')", "What came is not a run of the model"),
    ],
)
def test_what_goes_wrong_is_one_sentence_and_can_be_tried_again(front: Page, goes_wrong: str, said: str) -> None:
    write(front, CAT)
    front.wait_for_function("asked.length === 1")
    front.evaluate(f"() => {{ {goes_wrong} }}")
    expect(front.get_by_role("alert")).to_contain_text(said)
    front.get_by_role("button", name="Try again").click()
    front.wait_for_function("asked.length === 2")
    answer(front, 1, CAT)
    expect(front.get_by_role("alert")).to_have_count(0)
    expect(front.locator("h1")).to_contain_text("look at?")


def test_the_menu_is_walked_by_keys_and_leads_with_what_is_chosen(front: Page) -> None:
    front.locator("[data-head-row='4,1']").click()
    menu = front.get_by_role("button", name="Menu")
    menu.focus()
    front.keyboard.press("Enter")
    expect(front.get_by_role("link", name="Start")).to_be_focused()
    front.keyboard.press("ArrowUp")
    expect(front.get_by_role("button", name="In front of a class (P)")).to_be_focused()
    front.keyboard.press("Escape")
    expect(menu).to_be_focused()
    front.keyboard.press("Enter")
    front.keyboard.press("End")
    for _ in range(2):
        front.keyboard.press("ArrowUp")
    expect(front.get_by_role("link", name="Lessons")).to_be_focused()
    front.keyboard.press("Enter")
    [[key, query]] = front.evaluate("led")
    assert key == "lessons"
    assert {name: query[name] for name in ("sentence", "layer", "head")} == {
        "sentence": KEYS,
        "layer": "4",
        "head": "1",
    }


def test_mounting_again_keeps_what_is_drawn_and_changes_the_page(front: Page) -> None:
    front.locator("[data-head-row='4,1']").click()
    kept = front.locator("[data-word='2']").element_handle()
    front.evaluate("() => { again({}) }")
    assert kept.evaluate("one => one.isConnected")
    front.evaluate("() => { again({ page: 'attention' }) }")
    expect(front.locator("h1")).to_be_focused()
    front.evaluate("() => { again({ page: 'start' }) }")
    expect(front.locator("[data-rest]")).to_contain_text("head 1 of layer 4")
    front.evaluate("() => again({})()")
    assert front.locator("#root > *").count() == 0


def test_pages_and_fields_are_for_everybody(front: Page) -> None:
    front.get_by_role("button", name="Menu").click()
    assert barriers(front, every=True) == []
    front.keyboard.press("Escape")
    front.get_by_role("button", name="Type your own sentence").click()
    assert barriers(front, every=True) == []
    clickable: Any = front.locator(
        ":is(a[href], button, select, input, summary):visible:not([data-word], [data-part])"
    ).count()
    assert clickable <= 20


def test_an_empty_line_says_what_helps_and_goes_once_something_is_typed(front: Page) -> None:
    front.get_by_role("button", name="Type your own sentence").click()
    field = front.get_by_label("Your own sentence")
    field.fill("")
    field.press("Enter")
    expect(front.get_by_role("alert")).to_have_text(re.compile("^Type a sentence first"))
    assert front.evaluate("asked.length") == 0 and barriers(front) == []
    field.press("a")
    expect(front.get_by_role("alert")).to_be_hidden()
    front.evaluate("() => { again({ page: 'attention' }) }")
    expect(front.locator("h1")).to_be_focused()  # as of any page that one goes to
    line = front.get_by_label("Sentence", exact=True)
    line.fill("")
    line.press("Enter")
    expect(front.get_by_role("alert").filter(visible=True)).to_have_text(re.compile("^Type a sentence first"))
    front.locator("h1").click()
    expect(line).to_have_value(KEYS)


def test_what_had_the_keys_and_is_gone_leaves_them_to_the_headline(front: Page) -> None:
    write(front, CAT)
    front.wait_for_function("asked.length === 1")
    answer(front, 0, CAT)
    front.locator("[data-hide]").nth(1).focus()
    front.keyboard.press("Enter")
    front.wait_for_function("asked.length === 2")
    answer(front, 1, FRANCE)  # any sentence with a gap
    expect(front.locator("[data-hide]")).to_have_count(0)
    expect(front.locator("h1")).to_be_focused()
    model = front.get_by_role("combobox", name="Model")
    model.focus()
    model.select_option("small")
    front.wait_for_function("asked.length === 3")
    answer(front, 2, KEY)
    expect(front.locator("h1")).to_contain_text("“is”?")
    expect(model).to_be_focused()


def test_in_front_of_a_class_all_is_larger_and_arcs_end_at_their_words(front: Page) -> None:
    front.set_viewport_size({"width": 1366, "height": 768})
    high = "one => one.getBoundingClientRect().height"
    texts = [front.locator(one).first for one in (".enc-word small", ".enc-game", ".bar-name", ".enc-question")]
    usual = [text.evaluate(high) for text in texts]
    front.keyboard.press("p")
    front.evaluate(NEXT_FRAMES)
    assert all(text.evaluate(high) > 1.2 * before for text, before in zip(texts, usual, strict=True))
    for name in ("Step by step", "All 48 heads"):
        expect(front.locator(".enc-links").get_by_text(name)).to_be_in_viewport(ratio=1)
    ends = front.locator(".enc-arcs path.enc-most").evaluate(
        "one => [0, one.getTotalLength()].map(at => one.getPointAtLength(at).matrixTransform(one.getScreenCTM()).x)"
    )
    for end, word in zip(ends, (6, 2), strict=True):
        box = front.locator(f"[data-word='{word}']").bounding_box()
        assert box and end == pytest.approx(box["x"] + box["width"] / 2, abs=2)
    assert front.evaluate("document.documentElement.scrollWidth <= innerWidth")
    front.keyboard.press("Escape")
    assert [text.evaluate(high) for text in texts] == usual


def test_a_button_leaves_the_large_view_and_the_legend_stays(front: Page) -> None:
    leave = front.get_by_role("button", name="Leave the large view (P)")
    for width in (1280, 1366, 390):
        front.set_viewport_size({"width": width, "height": 768})
        expect(leave).to_be_hidden()
        front.keyboard.press("p")
        expect(leave).to_be_in_viewport(ratio=1)
        for legend in (".enc-spine-names", ".enc-spine-key"):
            expect(front.locator(legend)).to_be_visible(visible=width > 1100)
        right = "one => one.getBoundingClientRect().right"
        left = "one => one.getBoundingClientRect().left"
        if width > 1100:
            last = front.locator(".enc-spine-parts button").last
            assert last.evaluate(right) <= front.locator(".enc-spine-key").evaluate(left)
        leave.focus()
        front.keyboard.press("Enter")
        expect(front.locator(".enc-present")).to_have_count(0)


def test_what_carries_the_guess_is_asked_of_the_sentence_and_its_pair(front: Page) -> None:
    front.locator("[data-go=compare]").click()
    key, query = front.evaluate("led[0]")
    assert key == "compare" and (query["other"], query["view"]) == (KEY, "carried")
