"""The list of lessons in a real browser: what comes next, claims judged on their cards, the search, keys alone."""

import json
import re

from browser_tools import arrived, barriers, dark, follow_menu, open_page, problems, rerun, widget
from playwright.sync_api import Locator, Page, Route, expect

from encoder.pictures.labs import CLAIMS, LABS
from encoder.pictures.labs.trial import Finding, Verdict
from encoder.teach.lessons.stored import by_content
from pages.ui.lessons import library
from pages.ui.server.engine import text_encoder

COUNT = len(library.bundled())
KEPT = "progress => localStorage.setItem('encoder-lessons', JSON.stringify(progress))"
FOCUSED = """() => {
  let one = document.activeElement
  while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement
  return one.textContent
}"""
FIRST = next(iter(library.bundled().values()))


def opened(page: Page, app_url: str, progress: object = None, query: str = "") -> Locator:
    """The list, with what was done before."""
    open_page(page, f"{app_url}/lessons{query}")
    if progress is not None:
        page.evaluate(KEPT, progress)
        page.reload()
    expect(page.locator(".sh h1")).to_be_visible()
    return page.locator(".sh")


def done(name: str, steps: int) -> dict[str, object]:
    return {name: {"at": steps, "guesses": {str(at): {"guess": 0, "of": ""} for at in range(1, steps + 1)}}}


def stored(claim: int, model: str = "base") -> Finding:
    """What was found of a claim, as it was shipped."""
    shipped = by_content(text_encoder(model).source.fingerprint)
    finding = shipped and shipped.finding(CLAIMS[claim].trial, CLAIMS[claim].given)
    assert finding is not None
    return finding


def with_verdict(verdict: Verdict) -> int:
    """The first claim of the shelf as it opens, or behind it, whose verdict is this."""
    return next(i for i in range(len(CLAIMS)) if stored(i).verdict is verdict)


def card(page: Page, claim: int) -> Locator:
    """The card of a claim, on an open shelf."""
    more = page.locator("[data-shelf='True or false?'] .sh-more")
    if more.get_attribute("aria-expanded") == "false":
        more.click()
    return page.locator(".sh-claim").nth(claim)


def test_the_headline_and_the_button_say_what_comes_next(page: Page, app_url: str) -> None:
    shelves = opened(page, app_url)
    expect(shelves.locator("h1")).to_have_text(
        f"Start with the story: {len(FIRST.steps)} steps, {FIRST.minutes} minutes."
    )
    expect(shelves.locator(".sh-go")).to_have_text("Begin")
    expect(shelves.locator(".is-next b")).to_have_text([FIRST.title])
    opened(page, app_url, done("the-story", len(FIRST.steps)))
    expect(shelves.locator("h1")).to_have_text(re.compile(rf"^You have done 1 of {COUNT} lessons\. Next: "))
    next_title = shelves.locator(".is-next b")
    expect(next_title).to_have_count(1)
    expect(shelves.locator("h1")).to_contain_text(next_title.inner_text())
    expect(shelves.locator(".sh-learned")).to_have_text([FIRST.learned])


def test_a_card_leads_to_the_step_that_comes_next_and_the_menu_back_to_the_list(page: Page, app_url: str) -> None:
    shelves = opened(page, app_url, done("the-story", 2))
    expect(shelves.locator(".sh-go")).to_have_text("Go on with step 3")
    expect(shelves.locator(".is-next .is-done")).to_have_count(2)
    page.locator(".is-next").click()
    strip = page.locator(".enc-lesson")
    expect(strip).to_contain_text(f"3 of {len(FIRST.steps)}")
    expect(page).to_have_url(re.compile(r"lesson=the-story&at=3"))
    follow_menu(page, "Lessons")
    expect(page.locator(".sh h1")).to_contain_text("Go on: The story")
    expect(strip).to_be_hidden()
    expect(page).not_to_have_url(re.compile("lesson="))


def test_a_claim_is_judged_on_its_card_and_nothing_gives_the_verdict_away_before(page: Page, app_url: str) -> None:
    said: list[str] = []
    page.on("request", lambda request: said.append(request.url) if "/api/claim" in request.url else None)
    opened(page, app_url)
    holds, fails, condition = map(with_verdict, (Verdict.HOLDS, Verdict.FAILS, Verdict.CONDITION))
    card(page, fails)
    everything = page.evaluate("() => document.documentElement.innerHTML")
    for one in (holds, fails, condition):
        assert stored(one).measured not in everything and card(page, one).locator("[role=status]").inner_text() == ""
    assert not said
    for one, guess, told, colour in (
        (holds, "True", "right", "is-right"),
        (fails, "True", "it is false", "is-wrong"),
        (condition, "False", "it depends: ", "is-wrong"),
    ):
        answered = card(page, one)
        answered.get_by_role("button", name=guess, exact=True).click()
        expect(answered.locator("[role=status]")).to_contain_text(told)
        expect(answered.locator("[aria-pressed=true]")).to_have_class(re.compile(colour))
        answered.get_by_text("Why?").click()
        expect(answered.locator("details p")).to_have_text(stored(one).measured)
        other = answered.get_by_role("button", name="True" if guess == "False" else "False", exact=True)
        other.click(force=True)
        expect(answered.locator("[role=status]")).to_contain_text(told)  # a guess is a guess
    judgement = stored(condition).judgement
    assert judgement is not None
    expect(card(page, condition).locator("[role=status]")).to_have_text(f"it depends: {judgement.condition}")
    assert len(said) == 3
    another = next(i for i in range(len(CLAIMS)) if i != condition and stored(i).verdict is Verdict.CONDITION)
    card(page, another).get_by_role("button", name="It depends", exact=True).click()
    expect(card(page, another).locator("[role=status]")).to_contain_text("right: ")
    seen = card(page, fails).get_by_role("link", name=re.compile("^See it"))
    href = str(seen.get_attribute("href"))
    seen.click()
    expect(page).to_have_url(re.compile(re.escape(href.partition("?")[0])))


def test_another_model_is_measured_and_what_goes_wrong_is_said_on_the_card(page: Page, app_url: str) -> None:
    held: list[Route] = []
    page.route("**/api/claim", lambda route: held.append(route))
    opened(page, app_url, query="?model=paper")
    softmax = next(i for i, claim in enumerate(CLAIMS) if claim.key == "softmax")
    one = card(page, softmax)
    one.get_by_role("button", name="False", exact=True).click()
    expect(one.locator("[role=status]")).to_have_text("measuring …")
    asked = arrived(page, held, 1)
    assert json.loads(str(asked.request.post_data)) == {"claim": "softmax", "model": "paper"}
    asked.abort()
    expect(one.locator("[role=status]")).to_contain_text("The server cannot be reached")
    assert len(problems(page)) == 1  # the browser itself tells of the request
    page.unroute("**/api/claim")
    one.get_by_role("button", name="False", exact=True).click()
    expect(one.locator("[role=status]")).to_have_text("right")


def test_the_rest_of_a_shelf_opens_in_place_and_the_focus_goes_to_the_first_new_card(page: Page, app_url: str) -> None:
    opened(page, app_url)
    shelf = page.locator("[data-shelf='The arithmetic']")
    cards = shelf.locator(".sh-card")
    expect(cards).to_have_count(5)
    more = shelf.locator(".sh-more")
    count = int(more.inner_text().split()[0])
    more.focus()
    page.keyboard.press("Enter")
    expect(cards).to_have_count(5 + count)
    assert cards.nth(5).locator("b").inner_text() in page.evaluate(FOCUSED)
    boxes = [cards.nth(i).bounding_box() for i in (0, 5)]
    assert boxes[0] and boxes[1] and boxes[0]["x"] == boxes[1]["x"] and boxes[0]["y"] < boxes[1]["y"]
    more.click()
    expect(cards).to_have_count(5)
    # On a phone two stand side by side, and a claim that was judged is for everybody.
    page.set_viewport_size({"width": 390, "height": 844})
    first, second, third = (cards.nth(i).bounding_box() for i in range(3))
    assert first and second and third and first["y"] == second["y"] < third["y"] and first["x"] == third["x"]
    answered = page.locator(".sh-claim").first
    answered.get_by_role("button", name="True", exact=True).click()
    expect(answered.locator("[role=status]")).not_to_have_text("measuring …")
    assert barriers(page) == []
    dark(page)
    assert barriers(page) == [], "dark"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_search_finds_every_kind_as_one_types_and_a_term_is_explained_in_place(page: Page, app_url: str) -> None:
    opened(page, app_url)
    field = page.get_by_role("searchbox")
    field.press_sequentially("padding")
    for shelf in ("Lessons", "Labs", "Terms", "What tutorials say"):
        expect(page.locator(f"[data-shelf='{shelf}'] li").first).to_be_visible()
    expect(page.locator("[data-shelf='Labs'] b")).to_have_text([LABS["Padding"].question])
    field.fill("HIDDEN_size")
    expect(page.locator(".sh-texts li")).to_contain_text("How many numbers stand for one token")
    expect(page.locator(".sh-texts li")).to_contain_text("Hugging Face: hidden_size")
    field.fill("decoder")
    expect(page.locator(".sh-found")).to_contain_text("Not shown here, because no decoder is here")
    field.fill("<b>no such thing")
    expect(page.locator(".sh-nothing")).to_contain_text("Nothing here has “<b>no such thing” in it.")
    field.fill("layer")
    expect(page.locator("[data-shelf='What tutorials say'] header")).to_contain_text(
        re.compile(r"\d+ more: add a word")
    )
    field.fill("sines stand")
    page.get_by_role("link", name="See it: Embedding & position").click()
    expect(page).to_have_url(re.compile(r"/embedding\?.*step=embedding.positions"))
    # A lab stands alone, and leads back.
    open_page(page, f"{app_url}/lessons")
    field.fill("softmax make")
    page.locator("[data-shelf='Labs'] a").click()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    expect(page.locator(".sh-card")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_have_text(LABS["Softmax"].question)
    expect(page).to_have_url(re.compile(re.escape("lab=Softmax")))
    with rerun(page):
        widget(page, "all_lessons").get_by_role("button").click()
    expect(page.locator(".sh-card").first).to_be_visible()


def test_the_list_is_walked_by_keys_alone(page: Page, app_url: str) -> None:
    opened(page, app_url)
    page.get_by_role("searchbox").focus()
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "Begin"
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED) == "False":
            break
    page.keyboard.press("Space")
    expect(page.locator(".sh-claim").first.locator("[aria-pressed=true]")).to_have_text("False")
    expect(page.locator(".sh-claim").first.locator("[role=status]")).not_to_have_text("measuring …")
    assert page.evaluate(FOCUSED) == "False"
