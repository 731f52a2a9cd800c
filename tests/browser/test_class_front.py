"""A class on the pages that the browser draws, in two real browsers: a teacher's screen and a pupil's phone."""

import re

from browser_tools import follow_menu, open_page, problems, rerun, watch, widget
from playwright.sync_api import Browser, Locator, Page, expect


def tab(browser: Browser, **looks: object) -> Page:
    """A screen of its own: no cookie and no storage is shared."""
    page = browser.new_context(reduced_motion="reduce", **looks).new_page()  # type: ignore[arg-type]
    watch(page)
    return page


def press(page: Page, key: str) -> None:
    widget(page, key).get_by_role("button").first.click()


def open_from_menu(page: Page, title: str) -> None:
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=title, exact=True).click()


def is_at(page: Page, path: str, **query: str) -> None:
    """The address of the page says that it shows this."""
    said = "".join(rf"(?=.*[?&]{name}={value}(&|$))" for name, value in query.items())
    expect(page).to_have_url(re.compile(rf"^http://[^/]+/{path}(?=[?]){said}"))


def head(page: Page, name: int) -> Locator:
    """The button of a head on the page of attention."""
    return page.get_by_role("radiogroup", name="head").get_by_role("radio", name=f"{name}")


def test_a_phone_follows_a_teacher_over_the_pages_that_browsers_draw(browser: Browser, app_url: str) -> None:
    """Head, page and stop; alone and back; asked, veiled, answered and shown; the teacher's tab is loaded anew."""
    teacher = tab(browser, viewport={"width": 1440, "height": 900})
    phone = tab(browser, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    open_page(teacher, f"{app_url}/class")
    press(teacher, "class_open_new")
    code = teacher.locator(".class-code")
    expect(code).to_have_text(re.compile(r"^[A-Z]{6}$"))
    open_page(phone, f"{app_url}/?code={code.inner_text()}")
    with rerun(teacher):
        follow_menu(teacher, "Start")
    line, claim = widget(phone, "class_line"), phone.locator("[data-claim]")
    teacher.locator('[data-head-row="2,3"]').click()
    expect(claim).to_contain_text("Head 3 of layer 2")
    expect(claim).to_have_text(teacher.locator("[data-claim]").inner_text())
    expect(line).to_contain_text("You see what the class sees")
    is_at(phone, "", layer="2", head="3")
    assert "code" not in phone.url and phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    entries = phone.evaluate("history.length")
    for chosen in ("5,6", "4,1"):
        teacher.locator(f'[data-head-row="{chosen}"]').click()
        is_at(phone, "", layer=chosen[0], head=chosen[2])
    assert phone.evaluate("history.length") == entries

    open_from_menu(teacher, "Attention")
    is_at(phone, "attention", layer="4", head="1")
    teacher.locator(".rail-stops [role=radio]").nth(5).click()
    is_at(phone, "attention", step="attention.scaled")
    expect(phone.get_by_role("heading", level=1)).to_have_text(teacher.get_by_role("heading", level=1).inner_text())

    head(phone, 5).tap()
    expect(line).to_contain_text("You are on your own")
    head(teacher, 2).click()
    expect(widget(teacher, "class_line")).to_contain_text("1 here, 0 follow")
    is_at(phone, "attention", head="5")
    press(phone, "class_back")
    expect(line).to_contain_text("You see what the class sees")
    is_at(phone, "attention", layer="4", head="2")

    press(teacher, "class_ask")
    press(teacher, "class_ask_now")
    question = widget(phone, "class_question")
    expect(question).to_contain_text("look most in layer 4, head 2")
    for page in (teacher, phone):
        expect(page.locator(".veil")).to_be_visible()
        expect(page.locator(".front")).to_have_count(0)
    question.locator("[data-testid=stButtonGroup] button").nth(2).tap()
    expect(question).to_contain_text("Your answer: 2")
    expect(widget(teacher, "class_line")).to_contain_text("1 answered")
    press(teacher, "class_reveal")
    for page in (teacher, phone):
        expect(widget(page, "class_question")).to_contain_text("of 1 (")
        expect(page.locator(".veil")).to_have_count(0)
        expect(head(page, 2)).to_have_attribute("aria-checked", "true")
    press(teacher, "class_put_away")
    expect(question).to_have_count(0)

    teacher.reload()
    expect(widget(teacher, "class_line")).to_contain_text("1 here, 1 follow")
    head(teacher, 6).click()
    is_at(phone, "attention", layer="4", head="6")
    open_from_menu(teacher, "Atlas")
    is_at(phone, "atlas", head="6")
    expect(line).to_contain_text("You see what the class sees")
    for page in (teacher, phone):
        assert problems(page) == []
        page.context.close()
