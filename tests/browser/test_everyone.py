"""Every page for everybody: it draws, fits the screen, nothing that comes in runs, axe-core finds nothing serious.

What frames a page is at one place on all of them.
"""

import re
from urllib.parse import quote

import pytest
from browser_tools import (
    IN_DARK,
    NEXT_FRAMES,
    barriers,
    dark,
    open_page,
    own_sentence,
    places,
    problems,
    rerun,
    sentence_line,
    tab_stops,
    type_sentence,
)
from more_sections import reach
from nasty import CANARY, SCRIPTS
from page_sizes import CONTROLS, PICTURE, SCREENS, SIDEWAYS, SIZES, STEADY
from playwright.sync_api import ConsoleMessage, Page, ViewportSize, expect

from encoder.pictures.view import GAP
from pages.ui.state.site import DRAWN, PAGES, path

KEYS = [page.key for page in PAGES]
# The pictures that the browser draws itself
OF_BROWSER = (
    ".ou-scroll, .picture-canvas, .enc-words, .hd-here, .hd-grid, .bars, .cv-canvas, .board, .vs-canvas, .an-stack, "
    ".ws-words"
)
WITHOUT_PICTURE = ("lessons", "class")  # cards, a form first
SCREEN: ViewportSize = {"width": 1280, "height": 800}
WITH_MENU = ("start", "lessons")
TOP, TOP_OF_PHONE = 600, 300  # pixels from the top of the window within which the main picture begins
WIDE, PHONE = SIZES
MOST_CONTROLS, MOST_ON_START = 20, 12  # that can be used without scrolling
MOST_STOPS = 30  # of the tab key, on a page that the browser draws, with the sections below its picture
MOST_SCREENS = 2  # of a wide window
# Elements whose right edge lies beyond the screen, unless something around them scrolls or cuts by itself.
BEYOND = """() => {
  const wide = document.documentElement.clientWidth, found = []
  const main = document.querySelector('[data-testid=stMain]')
  if (document.documentElement.scrollWidth > wide) found.push('the document scrolls sideways')
  if (main.scrollWidth > main.clientWidth) found.push('the page scrolls sideways')
  const inside = element => {
    for (let one = element.parentElement; one && one !== main; one = one.parentElement)
      if (getComputedStyle(one).overflowX !== 'visible' && one.getBoundingClientRect().right <= wide + 1) return true
    return false
  }
  for (const element of main.querySelectorAll('*')) {
    const box = element.getBoundingClientRect()
    if (box.width && box.height && box.right > wide + 1 && element.checkVisibility() && !inside(element))
      found.push(`${element.tagName} ${element.className} ends at ${Math.round(box.right)}`)
  }
  return found.slice(0, 5)
}"""
FIRST_PICTURE = """() => Math.min(...[...document.querySelectorAll(
    '[data-testid=stMain] :is(.main-svg, [data-testid=stDataFrame], .tokens), ' +
    '[data-testid=stMain] :is(.st-key-arcs, .st-key-learning, .st-key-grammar, .st-key-model_parts), ' +
    '[data-testid=stMain] :is(.st-key-board, .st-key-atlas_contexts)')]
  .filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().top))"""


# Where the bar, Save and the headline of a page stand, and how large it is.
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
# What can be pressed and is smaller than 24 pixels from side to side, the least that WCAG 2.2 asks for beside text
PRESSED = ":is(button, .enc-link), select, [role=radio], [role=option], [data-head-row]"
SMALL = """pressed => {
  const found = []
  const walk = node => {
    for (const one of node.querySelectorAll('*')) {
      const { width, height } = one.getBoundingClientRect()
      if (one.matches(pressed) && one.checkVisibility() && width && Math.min(width, height) < 24)
        found.push(`${one.className} ${one.ariaLabel ?? one.textContent} ${width} ${height}`)
      if (one.shadowRoot) walk(one.shadowRoot)
    }
  }
  walk(document.querySelector('[data-testid=stMain]'))
  return found
}"""
HOSTILE = (
    "<b>bold</b><img src=x onerror=alert(1)> $x^2$ **a** [b](javascript:alert(1)) `c` 😀 مرحبا 你好 \u202eabc\u200b"
)
CANARY_SEEN = "() => window.canary"
MARKUP = ("script", "iframe", "img[onerror]", "img[src=x]", "svg[onload]", "a[href^=javascript]", "b[onclick]")
# Pages of words and forms have these instead of a picture.
WORDS = (
    "[data-testid=stTable], .tokens, .st-key-atlas_contexts, .true-size, .sh-card, .enc-class-cards, "
    ".st-key-grammar svg, .areas"
)


def address(app_url: str, key: str) -> str:
    page, _, query = key.partition("?")
    return f"{app_url}/{path(page)}{'?' + query if query else ''}"


def draws(page: Page, key: str) -> None:
    """The page has its title and something to look at; where it has a main picture, that holds numbers."""
    if key in DRAWN:
        expect(page.get_by_role("heading", level=1)).not_to_be_empty()
        expect(page.locator(OF_BROWSER).filter(visible=True).first).to_be_visible()
        return
    expect(page.locator("h1")).not_to_be_empty()
    main = page.locator("[data-testid=stMain]")
    expect(
        main.locator(f".main-svg, canvas, [data-testid=stDataFrame], .board, .ou-cell, {WORDS}")
        .locator("visible=true")
        .first
    ).to_be_visible()


def no_markup(page: Page) -> None:
    """Nothing that came in as text has become part of the page."""
    body = page.locator("[data-testid=stMain]")
    for markup in MARKUP:
        expect(body.locator(markup)).to_have_count(0)


def fits_a_phone(page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.evaluate(NEXT_FRAMES)
    page.wait_for_function(f"() => ({BEYOND})().length == 0")


def too_much(page: Page, key: str, size: ViewportSize) -> list[str]:
    """What is too much on the first screen of the page that is open, in a window of that size."""
    page.set_viewport_size(size)
    expect(page.get_by_text("Adding up the words …")).to_have_count(0)
    page.wait_for_function(STEADY)
    controls, screens, top, beyond = (page.evaluate(script) for script in (CONTROLS, SCREENS, PICTURE, SIDEWAYS))
    most = MOST_CONTROLS if path(key) else MOST_ON_START
    found = [f"{controls} controls"] if controls > most else []
    found += [f"{screens:.1f} screens"] if size is WIDE and screens > MOST_SCREENS else []
    found += [f"the picture begins at {top:.0f}"] if size is PHONE and top >= TOP_OF_PHONE else []
    return found + ([f"scrolls sideways by {beyond}"] if beyond > 0 else [])


def on_a_screen(page: Page, key: str) -> None:
    """Nothing is cut off on a usual screen, and the picture is in sight."""
    page.set_viewport_size(SCREEN)
    page.evaluate(NEXT_FRAMES)
    page.wait_for_function(f"() => ({BEYOND})().length == 0")
    draws(page, key)


def at_its_place(page: Page, key: str, window: ViewportSize) -> None:
    """The bar, Save at its end, the left margin and the size of the headline, and how far below the bar it stands.

    They differ where there is a reason: Start asks in the middle of the page, in larger type; on the pages of a run the
    spine stands between the bar and the headline, on a phone at the foot; a headline of one line is in the middle of
    the line that holds two controls beside it.
    """
    places = page.evaluate(PLACES, PARTS)
    phone, wide = window is PHONE, window["width"]
    margin, below, type_ = (16, 12, "20px") if phone else ((wide - 1300) / 2 + 28, 18, "27px")
    x, y, *_ = places["head"]
    above = places["bar"][3] + (0 if phone else places.get("spine", [0, 0, 0, 0])[3])
    assert [round(one) for one in places["bar"]] == [0, 0, wide, 71 if phone else 56]
    left, top, width, _ = places["save"]
    assert (left + width, top) == pytest.approx((wide - 16, 3) if phone else (wide - 28, 9.5), abs=1)
    assert x == pytest.approx(margin, abs=1)
    assert below - 1 <= y - above <= below + 4
    assert places["type"] == [type_, "650"]
    if not phone:
        assert places["title"][0] == pytest.approx(66, abs=1)


@pytest.mark.parametrize("key", KEYS)
def test_a_page_is_for_everybody(page: Page, app_url: str, key: str) -> None:
    """One visit for all that is looked at, because opening a page is what takes time.

    The first screen is one that is taken in: few controls, its picture in sight on a phone, and not long before it is
    unfolded.
    """
    said: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        said.append(message.text)

    page.on("console", hear)
    page.set_viewport_size(PHONE)
    view = "layer=4&head=1" if key in DRAWN else ""
    if key != "training":  # which opens with a sentence of its own
        view += f"&sentence={quote(GAP)}"  # of one line, on a phone too
    open_page(page, address(app_url, f"{key}?{view}"))
    draws(page, key)
    page.remove_listener("console", hear)
    assert said == []
    for _ in range(3):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.tagName") != "MAIN", "a frame without a name"
    assert too_much(page, key, PHONE) == []
    fits_a_phone(page)
    if key != "start":
        at_its_place(page, key, PHONE)
    assert too_much(page, key, WIDE) == []
    if key != "start":
        at_its_place(page, key, WIDE)
    on_a_screen(page, key)
    if key in DRAWN:
        box = page.locator(OF_BROWSER).filter(visible=True).first.bounding_box()
        assert box and box["y"] < TOP
        page.evaluate("delete window.seen")
        assert 3 <= tab_stops(page) <= MOST_STOPS
        assert barriers(page, "[data-testid=stMain]", every=True) == []
        about = next(each for each in PAGES if each.key == key)  # what stands below is for everybody by test_more.py
        reach(page, about.more[0][1]).click()
        expect(page.locator(".more-pieces > *").first).to_be_visible()
        fits_a_phone(page)
        assert page.evaluate(SMALL, PRESSED) == []
    elif key not in WITHOUT_PICTURE:
        page.wait_for_function(f"() => ({FIRST_PICTURE})() < {TOP}")
    page.set_viewport_size(SCREEN)
    part = "html" if key in WITH_MENU else "[data-testid=stMain]"  # the menu is the same on all pages
    if key not in DRAWN or key in WITH_MENU:
        assert barriers(page, part) == []
    dark(page)
    assert barriers(page, part) == [], "dark"


def test_training_is_for_everybody_in_all_its_parts_and_back_leads_to_the_first(page: Page, app_url: str) -> None:
    page.set_viewport_size(SCREEN)
    open_page(page, f"{app_url}/training")
    tabs = page.locator("[data-testid=stMain] [class*=st-key-parts_]").first.get_by_role("radio")
    assert tabs.count() > 1
    for i in range(1, tabs.count()):  # the first is the page as it opens
        page.set_viewport_size(SCREEN)
        with rerun(page, 60):
            tabs.nth(i).click()
        assert barriers(page) == [], tabs.nth(i).inner_text()
        fits_a_phone(page)
    for _ in range(1, tabs.count()):
        with rerun(page):
            page.go_back()
    expect(page).to_have_url(f"{app_url}/training")
    expect(tabs.nth(0)).to_be_checked()


@pytest.fixture(scope="module")
def hostile() -> str:
    """The query of a link in which every parameter would run a script."""
    every = " ".join(SCRIPTS)
    names = ("sentence", "other", "set", "set_word", "pad_short", "watched")
    wrong = ["model", "other_model", "layer", "step", "hidden", "cell", "edits", "lesson", "v", "some_heads", "<b>"]
    link = {name: every for name in names} | {name: SCRIPTS[i % len(SCRIPTS)] for i, name in enumerate(wrong)}
    link["second"] = HOSTILE  # every script is in the first sentence; each token more makes all maps larger
    return "&".join(f"{name}={quote(text)}" for name, text in link.items())


@pytest.mark.parametrize("key", ["compare", "training"])
def test_a_hostile_link_on_a_dark_phone_runs_no_script_and_fits(
    page: Page, app_url: str, key: str, hostile: str
) -> None:
    """Hostile text as sentence, as the other one, in the choices of pages and in every parameter of the link."""
    page.set_viewport_size({"width": 390, "height": 900})
    page.emulate_media(color_scheme="dark")
    open_page(page, f"{address(app_url, key)}?{hostile}")
    page.wait_for_function(IN_DARK)
    if key in DRAWN:  # its run is refused, in a sentence
        expect(page.get_by_role("alert").first).to_be_visible()
    else:
        draws(page, key)
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 0
    for picture in page.locator(".js-plotly-plot:visible").all()[:2]:
        picture.scroll_into_view_if_needed()
        picture.hover()
    assert page.evaluate(CANARY_SEEN) is None
    no_markup(page)
    if key in DRAWN:
        assert all("Failed to load resource" in one for one in problems(page))  # what was refused


def test_hostile_text_that_is_typed_becomes_no_markup(page: Page, app_url: str) -> None:
    """On one page of each kind: the line for the sentence is the same on all. A script that ran would be seen."""
    open_page(page, app_url)
    own_sentence(page, HOSTILE)
    expect(page.locator(".enc-words")).to_contain_text("bold")
    no_markup(page)
    open_page(page, f"{app_url}/models")
    type_sentence(page, HOSTILE)
    expect(sentence_line(page)).to_have_value(re.compile("bold"))
    no_markup(page)
    assert page.evaluate(CANARY_SEEN) is None
    page.evaluate(CANARY)
    assert page.evaluate(CANARY_SEEN) == 1
    page.evaluate("delete window.canary")


def test_so_is_a_page_with_a_number_open(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/models?cell=layers.4.feed_forward.output:8,2")
    assert barriers(page) == []


def test_the_page_stays_where_it_is_when_the_layer_changes(page: Page, app_url: str) -> None:
    """No jump: while a new run is drawn, the page keeps its place and its height."""
    page.set_viewport_size(SCREEN)
    open_page(page, f"{app_url}/lessons?lab=Padding&layer=1")
    main = page.locator("[data-testid=stMain]")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    page.wait_for_function(STEADY, polling=100)  # what is still to come of the first run is no jump of the second
    main.evaluate("element => element.scrollTo(0, 400)")
    main.evaluate("""element => {
      window.seen = []
      const look = () => { window.seen.push(element.scrollTop); window.looking = requestAnimationFrame(look) }
      look()
    }""")
    with rerun(page):
        places(page, "layer").get_by_role("radio", name="layer 3", exact=True).evaluate("one => one.click()")
    seen = page.evaluate("() => { cancelAnimationFrame(window.looking); return window.seen }")
    assert len(seen) > 3 and max(seen) - min(seen) <= 2, (min(seen), max(seen))
