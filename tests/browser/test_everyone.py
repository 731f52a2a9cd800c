"""Every page for everybody: no serious finding of axe-core, nothing wider than the screen, pictures near the top."""

from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from browser_tools import NEXT_FRAMES, READY, open_page, rerun, widget
from playwright.sync_api import Page, expect

from pages.ui.state.site import PAGES

KEYS = [page.key for page in PAGES]
WITHOUT_PICTURE = ("your_model", "lessons", "claims", "glossary")  # text or a form comes first
WITH_TABS = ("compare", "heads", "labs", "lessons", "training", "your_model")
TOP = 600  # pixels from the top of the window within which the main picture begins
SERIOUS = ("serious", "critical")
# Findings in Streamlit's own elements that we cannot change: rule -> (part of the selector, why)
ALLOWED: dict[str, tuple[str, str]] = {}
IN_DARK = f"""() => ({READY})()
  && getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === 'dark'"""
AXE = "() => axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)"
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
    '[data-testid=stMain] :is(.st-key-board, .st-key-four, .st-key-all_heads, .st-key-flows, .st-key-player)')]
  .filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().top))"""


def serious(found: list[dict[str, Any]]) -> list[str]:
    """The findings that count, one line for each element."""
    lines = []
    for rule in found:
        part, _ = ALLOWED.get(rule["id"], ("", ""))
        for node in rule["nodes"]:
            if rule["impact"] in SERIOUS and not (part and part in str(node["target"])):
                lines.append(f"{rule['id']}: {node['target']} {node['failureSummary']}")
    return lines


@pytest.mark.parametrize("key", KEYS)
def test_a_page_is_for_everybody(page: Page, app_url: str, key: str) -> None:
    """One visit for all that is looked at, because opening a page is what takes time."""
    page.set_viewport_size({"width": 1280, "height": 800})
    open_page(page, f"{app_url}/{'' if key == PAGES[0].key else key}")
    page.evaluate(AXE_SCRIPT)
    assert page.evaluate(BEYOND) == [], "1280 pixels"
    if key not in WITHOUT_PICTURE:
        page.wait_for_function(f"() => ({FIRST_PICTURE})() < {TOP}")
    assert serious(page.evaluate(AXE)) == [], "light"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(IN_DARK)
    assert serious(page.evaluate(AXE)) == [], "dark"
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate(NEXT_FRAMES)
    page.wait_for_function(f"() => ({BEYOND})().length == 0")


@pytest.mark.parametrize("key", WITH_TABS)
def test_every_tab_is_for_everybody(page: Page, app_url: str, key: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    open_page(page, f"{app_url}/{key}")
    tabs = page.get_by_test_id("stMain").get_by_role("tab")
    assert tabs.count() > 1
    page.evaluate(AXE_SCRIPT)
    for i in range(1, tabs.count()):  # the first is the page as it opens
        with rerun(page, 60):
            tabs.nth(i).click()
        name = tabs.nth(i).inner_text()
        assert serious(page.evaluate(AXE)) == [], name
        page.set_viewport_size({"width": 390, "height": 844})
        page.evaluate(NEXT_FRAMES)
        page.wait_for_function(f"() => ({BEYOND})().length == 0")
        page.set_viewport_size({"width": 1280, "height": 800})


@pytest.mark.parametrize(
    "link", ["attention?present=1", "attention?cell=layers.4.attention.weights:1,8,2", "attention?embed=true"]
)
def test_so_is_a_page_before_a_class_with_a_number_open_or_in_a_frame(page: Page, app_url: str, link: str) -> None:
    open_page(page, f"{app_url}/{link}")
    page.evaluate(AXE_SCRIPT)
    assert serious(page.evaluate(AXE)) == []


def test_the_map_says_where_we_are_and_leads_on_by_keyboard(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/attention?layer=2&sentence=I+understand+this")
    plan = widget(page, "encoder_map")
    expect(plan.locator("[aria-current=step]")).to_have_text("Attention")
    expect(plan).to_contain_text("layer 2 of 0–5")
    with rerun(page):
        plan.get_by_role("button", name="Feed-forward").press("Enter")
    expect(page.locator("h1")).to_have_text("Feed-forward")
    expect(plan.locator("[aria-current=step]")).to_have_text("Feed-forward")
    assert "layer=2" in page.url and "understand" in page.url


def test_the_page_stays_where_it_is_when_the_layer_changes(page: Page, app_url: str) -> None:
    """No jump: while a new run is drawn, the page keeps its place and its height."""
    page.set_viewport_size({"width": 1280, "height": 800})
    open_page(page, f"{app_url}/attention?layer=1")
    main = page.locator("[data-testid=stMain]")
    page.locator(".st-key-heads canvas").first.wait_for()
    main.evaluate("element => element.scrollTo(0, 900)")
    main.evaluate("""element => {
      window.seen = []
      const look = () => { window.seen.push(element.scrollTop); window.looking = requestAnimationFrame(look) }
      look()
    }""")
    with rerun(page):
        widget(page, "layer").get_by_role("radio", name="3", exact=True).click()
    seen = page.evaluate("() => { cancelAnimationFrame(window.looking); return window.seen }")
    assert len(seen) > 3 and max(seen) - min(seen) <= 2, (min(seen), max(seen))
