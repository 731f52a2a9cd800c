"""A lesson beside the real page, in a real browser: asked, answered in the picture, by keys, on a phone, and again."""

import json
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from browser_tools import arrived, barriers, late, open_page, rerun, sentence_line
from playwright.sync_api import Browser, Locator, Page, expect
from tiers import mostly_nightly

from encoder import TextEncoder
from encoder.teach.lessons.lesson import LessonStep
from pages.front.lesson_steps import shown_step
from pages.front.request_fields import LessonRequest
from pages.ui.lessons import library

KEYS = "The keys to the cabinet [MASK] on the table."
SIZES = {"projector": {"width": 1366, "height": 768}, "phone": {"width": 390, "height": 844}}
CASES = [*(f"{name} phone" for name in library.bundled()), "parameters projector"]
DAILY = ["the-story phone"]
# All that the page holds, in shadow roots too: texts, and elements with their attributes.
ALL_THERE = """() => {
  const all = []
  const walk = root => {
    all.push(root.textContent, root.innerHTML)
    root.querySelectorAll('*').forEach(each => each.shadowRoot && walk(each.shadowRoot))
  }
  walk(document.body)
  return all.join(' ')
}"""


def address(app_url: str, name: str, at: int) -> str:
    step = library.bundled()[name].steps[at - 1]
    page = "" if step.page == "start" else step.page
    return f"{app_url}/{page}?{urlencode({**step.view, 'lesson': name, 'at': at})}"


def strip(page: Page) -> Locator:
    return page.locator(".enc-lesson")


def at_step(page: Page, at: int) -> None:
    """Wait until a step is shown, asked or told."""
    expect(strip(page).locator("[aria-current=step]")).to_have_attribute("aria-label", re.compile(rf"^Step {at}:"))
    expect(strip(page).locator(".enc-lesson-body > *").first).to_be_visible()
    expect(strip(page).get_by_text("One moment …")).to_have_count(0)


def typed(page: Page, text: str) -> None:
    """Write a sentence into the line on top of a page that the browser draws."""
    sentence_line(page).fill(text)
    sentence_line(page).press("Enter")


def answer_of(name: str, at: int) -> list[str]:
    """What is told once the step was answered: the longest pieces of it, which nothing else says."""
    step = library.bundled()[name].steps[at - 1]
    query = {"layer": "0", "head": "0", "model": "base", **step.view}
    if "sentence" not in query:
        return []
    shown: dict[str, Any] = shown_step(LessonRequest(name, at, step.page, tuple(query.items()), True))
    answered = shown["told"]
    texts = ["".join(text for text, _ in parts) for parts in (answered["head"], *answered["lines"])]
    return [text for text in texts if len(text) > 12]


def guess(page: Page, kind: str) -> None:
    """Answer by keys: the first word or choice, or a number one to the right of the middle."""
    if kind == "word":
        page.locator(".enc-lesson-asked .enc-word").first.focus()
        page.keyboard.press("Enter")
    elif kind == "number":
        strip(page).get_by_role("slider").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
    else:
        strip(page).locator(".enc-lesson-choices button").first.focus()
        page.keyboard.press("Enter")


ELSEWHERE = """() => {
  const at = new URL(location)
  at.searchParams.set('head', '5')
  history.pushState(history.state, '', at)
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
}"""


def test_a_guess_counts_and_leads_on_though_the_page_moves_before_its_answer(page: Page, app_url: str) -> None:
    """The request of the guess is still on its way when the page shows another head, and this one again."""
    name = "many-meanings"
    open_page(page, address(app_url, name, 2))
    at_step(page, 2)
    with late(page, "lesson") as held:
        guess(page, library.bundled()[name].steps[1].question.kind)
        arrived(page, held, 1)
        page.evaluate(ELSEWHERE)
        expect(strip(page).get_by_role("button", name="Back to step 2")).to_be_visible()
        page.go_back()
        expect(strip(page).locator(".enc-lesson-next")).to_be_focused(timeout=60_000)
    kept = json.loads(page.evaluate("() => Object.values(localStorage).find(text => text.includes('many-meanings'))"))
    assert kept[name]["guesses"]["2"]["guess"] is not None


@pytest.mark.parametrize("case", mostly_nightly(CASES, DAILY))
def test_a_lesson_is_played_to_its_end_by_keys_and_nothing_says_the_answer_before(
    page: Page, app_url: str, case: str
) -> None:
    """Every other question is answered with a guess, the others with "Show me"."""
    name, _, size = case.partition(" ")
    page.set_viewport_size(SIZES[size])
    open_page(page, address(app_url, name, 1))
    steps = library.bundled()[name].steps
    for at, step in enumerate(steps, 1):
        at_step(page, at)
        if step.question:
            expect(strip(page).locator(".enc-lesson-next")).to_be_disabled()
            content = page.evaluate(ALL_THERE)
            for text in answer_of(name, at):
                assert text not in content, (name, at, text)
            if at % 2:
                guess(page, step.question.kind)
            else:
                page.keyboard.press("s")
            expect(strip(page).locator(".enc-lesson-next")).to_be_focused(timeout=60_000)
        elif not step.goal:
            expect(strip(page).locator(".enc-lesson-next")).to_be_enabled()
        if at < len(steps):
            page.keyboard.press("ArrowRight")
    strip(page).get_by_role("button", name="Finish").press("Enter")
    expect(page).to_have_url(re.compile(r"/lessons(\?|$)"))
    expect(strip(page)).to_be_hidden()


def test_a_word_is_pressed_and_the_page_opens_with_the_answer(page: Page, app_url: str, base: TextEncoder) -> None:
    page.set_viewport_size(SIZES["phone"])  # type: ignore[arg-type]
    open_page(page, address(app_url, "the-story", 5))
    at_step(page, 5)
    words = page.locator(".enc-lesson-asked .enc-word")
    expect(words.filter(has_text="cabinet")).to_be_in_viewport()
    assert page.locator(".enc-arcs path").count() == 0 and page.locator(".enc-spine").is_hidden()
    assert barriers(page) == []
    words.filter(has_text="cabinet").click()
    expect(strip(page).locator("h2")).to_contain_text("keys")
    row = base.trace(KEYS)["layers.5.attention.weights"][6, 6]
    expect(strip(page)).to_contain_text(f"{100 * float(row[2]):.0f}")
    expect(strip(page).locator(".is-yours").first).to_have_text("cabinet")
    expect(strip(page).locator(".enc-lesson-next")).to_be_focused()
    expect(page.locator(".enc-arcs path.enc-most")).to_be_visible()
    assert barriers(page) == []


def test_a_press_in_the_hidden_row_of_the_map_is_a_guess(page: Page, app_url: str) -> None:
    at = next(
        i
        for i, step in enumerate(library.bundled()["what-is-attention"].steps, 1)
        if step.page == "attention" and step.question and step.question.kind == "word"
    )
    page.set_viewport_size(SIZES["projector"])
    open_page(page, address(app_url, "what-is-attention", at))
    at_step(page, at)
    expect(page.locator(".is-asked .picture-canvas")).to_be_visible()
    assert page.locator(".at-numbers, [data-open], .rail-play:visible").count() == 0
    word = int(page.locator(".enc-lesson-asked .enc-asked").get_attribute("data-word") or 0)
    box = page.locator(".is-asked .picture-canvas").bounding_box()
    assert box is not None
    count = int(page.locator(".is-asked .picture-grid").get_attribute("aria-rowcount") or 1)
    # The rows stand at the foot of the canvas, below the names of the columns.
    height = page.locator(".is-asked .picture-cell").evaluate("cell => parseFloat(cell.style.height)")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] - (count - word - 0.5) * height)
    expect(strip(page).locator("h2")).to_be_visible()
    expect(strip(page).locator(".is-yours").first).to_be_visible()


def test_what_was_answered_is_there_after_a_reload_and_back_and_a_link_asks(
    page: Page, app_url: str, browser: Browser
) -> None:
    open_page(page, address(app_url, "the-story", 1))
    at_step(page, 1)
    strip(page).get_by_role("button", name="are", exact=False).first.click()
    expect(strip(page).locator("h2")).to_contain_text("You got it")
    strip(page).locator(".enc-lesson-next").click()
    at_step(page, 2)
    expect(strip(page).locator(".enc-lesson-dots .is-done")).to_have_count(1)
    page.reload()
    at_step(page, 2)
    page.go_back()
    at_step(page, 1)
    expect(strip(page).locator("h2")).to_contain_text("You got it")
    other = browser.new_context()
    fresh = other.new_page()
    fresh.goto(page.url)
    expect(fresh.locator(".enc-lesson-choices button").first).to_be_visible(timeout=60_000)
    other.close()


def test_an_own_sentence_is_asked_where_the_question_fits_and_else_there_is_a_way_back(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    open_page(page, address(app_url, "the-story", 3))
    at_step(page, 3)
    typed(page, "The keys of the piano are white.")
    expect(page.locator(".enc-lesson-asked .enc-word").filter(has_text="piano")).to_be_visible()
    page.locator(".enc-lesson-asked .enc-word").filter(has_text="piano").click()
    trace = base.trace("The keys of the piano are white.")
    x = trace["embedding.tokens"]
    alike = (x @ x[2]) / (x.norm(dim=-1) * x[2].norm())
    alike[[0, 2, -1]] = -1
    expect(strip(page).locator("h2")).to_contain_text(trace.tokens[int(alike.argmax())])
    typed(page, "I like tea.")
    expect(strip(page)).to_contain_text("This step is about another sentence.")
    expect(page.locator("main h1")).to_be_visible()  # the page works as ever
    strip(page).get_by_role("button", name="Back to the lesson").click()
    at_step(page, 3)
    expect(page.locator(".enc-lesson-asked .enc-word").filter(has_text="cabinet")).to_be_visible()


def test_who_looks_around_is_led_back_and_who_closes_it_keeps_the_page(page: Page, app_url: str) -> None:
    open_page(page, address(app_url, "the-story", 5))
    at_step(page, 5)
    page.goto(page.url.replace("head=6", "head=2"))
    expect(strip(page)).to_contain_text("You are looking around.", timeout=60_000)
    strip(page).get_by_role("button", name="Back to step 5").click()
    expect(page.locator(".enc-lesson-asked .enc-word").first).to_be_visible()
    strip(page).get_by_role("button", name="Close the lesson").click()
    expect(strip(page)).to_be_hidden()
    expect(page.locator("main h1")).to_be_visible()
    assert "lesson" not in page.url and "head=6" in page.url


def test_heads_that_are_off_are_counted_and_what_each_costs_is_hidden_until_the_goal_is_reached(
    page: Page, app_url: str
) -> None:
    last = len(library.bundled()["the-story"].steps)
    open_page(page, address(app_url, "the-story", last))
    at_step(page, last)
    board = page.locator(".wi .board")
    cells = board.locator("td button")
    expect(cells.first).to_be_visible()
    assert [text for text in cells.all_inner_texts() if text] == []
    assert board.locator("[data-value]").count() == 0 and not re.search(r"\d %", board.inner_html())
    expect(page.locator(".wi h1")).to_have_text(
        re.compile(r"^Everything is on: the guess at the gap is “are”, 85.%\.\s*$")
    )
    for count, head in enumerate(("head 6 of layer 5", "head 1 of layer 4"), 1):
        expect(strip(page)).to_contain_text("Now it says “are”.")
        page.get_by_role("button", name=re.compile(f"^{head}")).first.click()
        expect(strip(page)).to_contain_text(f"Heads off: {count}.", timeout=60_000)  # then all stands still again
    expect(strip(page)).to_contain_text("Done: it says “is”.", timeout=60_000)
    expect(strip(page)).to_contain_text(library.bundled()["the-story"].learned)
    expect(board.locator("[data-value]").first).to_be_visible()
    expect(cells.filter(has_text=re.compile(r"\d")).first).to_be_visible()


def test_the_heads_that_were_counted_are_framed(page: Page, app_url: str, base: TextEncoder) -> None:
    open_page(page, address(app_url, "the-story", 6))
    at_step(page, 6)
    page.keyboard.press("s")
    expect(strip(page).locator("h2")).to_contain_text("5 heads")
    trace = base.trace(KEYS)
    looks = [trace[f"layers.{i}.attention.weights"][:, 6, 1:-1].argmax(-1) for i in range(6)]
    heads = {f"{layer},{head}" for layer, row in enumerate(looks) for head in range(8) if int(row[head]) == 1}
    expect(page.locator(".hd-cell.is-counted")).to_have_count(len(heads))
    cells = page.locator(".hd-cell.is-counted").all()
    assert {cell.get_attribute("data-head-map") for cell in cells} == heads and len(heads) == 5
    expect(page.locator(".hd-frames")).to_contain_text("one of the 5 that were counted")


def test_a_calm_step_shows_its_main_picture_alone_until_all_controls_are_asked_for(page: Page, app_url: str) -> None:
    open_page(page, address(app_url, "the-story", 4))
    at_step(page, 4)
    page.keyboard.press("s")
    expect(page.locator(".vs-strips, .em-left canvas, .em-left svg").first).to_be_visible()
    for name in (".em-beside", ".em-lead", ".em-numbers", ".em h1"):
        expect(page.locator(name)).to_be_hidden()
    strip(page).get_by_role("button", name="All controls").click()
    for name in (".em-beside", ".em-lead", ".em-numbers", ".em h1"):
        expect(page.locator(name)).to_be_visible()


def test_the_number_that_is_told_stands_in_the_picture(page: Page, app_url: str) -> None:
    steps = library.bundled()["what-is-attention"].steps
    at = next(i for i, step in enumerate(steps, 1) if step.trial == "contexts")
    open_page(page, address(app_url, "what-is-attention", at))
    at_step(page, at)
    page.keyboard.press("s")
    expect(strip(page).locator("h2")).to_contain_text("0.467")
    expect(page.locator(".more-finding").first).to_contain_text("0.467", timeout=60_000)
    expect(page.locator(".more-finding").first).to_be_in_viewport()


def served() -> tuple[str, int, LessonStep]:
    """A step that asks about a page which the server draws."""
    return next(
        (name, at, step)
        for name, lesson in library.bundled().items()
        for at, step in enumerate(lesson.steps, 1)
        if step.page in ("models", "training") and step.question and step.question.kind != "word"
    )


def test_a_page_that_the_server_draws_waits_for_the_guess(page: Page, app_url: str) -> None:
    name, at, _ = served()
    open_page(page, address(app_url, name, at))
    at_step(page, at)
    expect(page.get_by_text("The picture opens with the answer.")).to_be_visible()
    with rerun(page):
        strip(page).locator(".enc-lesson-show").click()
    expect(page.get_by_text("The picture opens with the answer.")).to_have_count(0)
    expect(strip(page).locator("h2")).to_be_visible()
