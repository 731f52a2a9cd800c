"""What stands below the browser's pages: charts of the run's numbers, no word to the session, the same elsewhere."""

import json
import re
import time
from typing import Any

import numpy as np
import pytest
from browser_tools import barriers, dark, open_page, places, problems, watch
from more_sections import numbers, reach, section, settle, unfold
from playwright.sync_api import Browser, Locator, Page, Route, expect
from tiers import mostly_nightly

from encoder import TextEncoder
from pages.ui.state.site import PAGES, page_of, path

GAP = "The keys to the cabinet [MASK] on the table."
MORE = [page.key for page in PAGES if page.more]
BEYOND = """(all, wide) => all.filter(one => one.getBoundingClientRect().right > wide + 1
  && !one.closest('.chart, .more-table, .more-code')).map(one => one.className)"""


def test_a_chart_follows_the_choice_above_it_and_the_session_hears_of_nothing(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    sent, trace = list[object](), base.trace(GAP)
    page.on("websocket", lambda line: line.on("framesent", lambda frame: sent.append(frame)))
    open_page(page, f"{app_url}/attention?layer=5&head=6")
    expect(page.get_by_role("button", name="As a chart")).to_have_attribute("aria-expanded", "false")
    page.wait_for_timeout(500)
    sent.clear()
    begun = time.monotonic()
    chart = unfold(page, "As a chart")
    expect(chart.locator(".main-svg").first).to_be_visible()
    assert time.monotonic() - begun < 5, "soon, with Plotly's bundle; generous, as other tests run beside it"
    np.testing.assert_allclose(numbers(chart), trace["layers.5.attention.weights"][6].numpy(), atol=1e-6)
    expect(page).to_have_url(re.compile("more=chart"))
    for layer, head in ((5, 3), (2, 3)):
        for name, value in (("layer", layer), ("head", head)):
            places(page, name).get_by_role("radio", name=f"{name} {value}", exact=True).click()
        begun = time.monotonic()
        expect(chart).to_contain_text(f"head {head} of layer {layer}")
        assert time.monotonic() - begun < 2
        np.testing.assert_allclose(numbers(chart), trace[f"layers.{layer}.attention.weights"][head].numpy(), atol=1e-6)
    adds = unfold(page, "What each head adds, after W_O")
    expect(adds.locator(".js-plotly-plot")).to_have_count(2)
    assert np.allclose(numbers(adds, at=1).sum(0), 1, atol=1e-5)
    chart.get_by_role("button", name="As a chart").click()
    expect(chart.locator(".more-body")).to_be_hidden()
    expect(page).to_have_url(re.compile("more=heads"))
    assert sent == [] and problems(page) == []


def test_a_chart_says_a_cell_under_the_pointer_and_is_kept_as_a_picture(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/attention?layer=5&head=6&more=chart")
    chart = section(page, "As a chart")
    settle(chart)
    plot = chart.locator(".js-plotly-plot")
    plot.scroll_into_view_if_needed()
    box = plot.locator(".nsewdrag").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * 2.5 / 12, box["y"] + box["height"] * 6.5 / 12, steps=4)
    expect(plot.locator(".hoverlayer")).to_contain_text("keys")
    expect(plot.locator(".modebar-btn")).not_to_have_count(0)
    assert not [title for title in titles(plot) if "share" in title.lower()], "nothing leaves the page"
    with page.expect_download() as kept:
        plot.get_by_role("button", name="Save as PNG").click()
    assert kept.value.suggested_filename.endswith(".png")
    assert problems(page) == []


def titles(plot: Locator) -> list[str]:
    found: list[str] = plot.locator(".modebar-btn").evaluate_all("all => all.map(one => one.dataset.title)")
    return found


def test_what_is_chosen_below_stands_in_the_address_and_is_the_same_elsewhere(
    page: Page, app_url: str, browser: Browser
) -> None:
    open_page(page, f"{app_url}/output?word=2")
    ways = unfold(page, "How the vectors change from layer to layer")
    ways.get_by_role("radio", name="Length", exact=True).click()
    expect(ways).to_contain_text("times as long as the shortest")
    ways.get_by_role("radio", name="layer 1", exact=True).click()
    expect(ways).to_contain_text("After layer 1 two tokens have a cosine")
    near = unfold(page, "The nearest words of the table")
    expect(near).to_contain_text("Nearest to “keys” (2)")
    said = page.locator(".more").inner_text()
    page.go_back()
    page.go_forward()
    expect(page).to_have_url(re.compile("move=Length"))
    with browser.new_context() as context:
        other = context.new_page()
        other.set_default_timeout(60_000)
        watch(other)
        open_page(other, page.url)
        for title in ("How the vectors change from layer to layer", "The nearest words of the table"):
            settle(section(other, title))
        expect(other.locator(".more")).to_have_text(page.locator(".more").text_content() or "")
        assert other.locator(".more").inner_text() == said and problems(other) == []


def test_a_switch_below_changes_the_run_above_and_what_is_typed_is_taken(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/what_if?more=whole,parts")
    whole = section(page, "Switches for the whole model")
    settle(whole)
    title = page.get_by_role("heading", level=1)
    said = title.text_content() or ""
    whole.get_by_role("button", name="Causal mask").click()
    expect(page).to_have_url(re.compile("edits=.*causal"))
    expect(title).not_to_have_text(said)
    expect(whole.get_by_role("button", name="Causal mask")).to_have_attribute("aria-pressed", "true")
    whole.get_by_role("button", name="Causal mask").click()
    expect(title).to_have_text(said)
    # What is typed is taken after a rest, and an error stands in its place.
    parts = section(page, "Which parts made the guess")
    settle(parts)
    field = parts.get_by_role("textbox", name="Word", exact=True)
    field.fill("qqqqzzzz")
    expect(parts.locator(".more-error")).to_contain_text("is not one word of the vocabulary")
    expect(field).to_be_focused()
    field.fill("is")
    expect(parts.locator(".more-error")).to_have_count(0)
    expect(parts).to_contain_text("the logit of “is”")


def test_long_work_is_offered_said_to_go_on_and_stopped(page: Page, app_url: str) -> None:
    asked = list[dict[str, Any]]()

    def answer(route: Route) -> None:
        asked.append(json.loads(route.request.post_data or ""))
        if asked[-1]["agreed"]:
            return  # it never comes
        route.fulfill(json=[{"kind": "wait", "words": "Measure (about 40 seconds)"}])

    page.route("**/api/more", answer)
    open_page(page, f"{app_url}/output?more=layers")
    layers = section(page, "How alike the layers are, over many sentences")
    layers.get_by_role("button", name="Measure (about 40 seconds)").click()
    expect(layers.get_by_role("status")).to_contain_text("Working …")
    layers.get_by_role("button", name="Stop").click()
    expect(layers.get_by_role("status")).to_contain_text("Stopped.")
    assert [one["agreed"] for one in asked] == [False, True]
    layers.get_by_role("button", name="Go on").click()
    expect(layers.get_by_role("status")).to_contain_text("Working …")
    assert [one["agreed"] for one in asked] == [False, True, True]
    page.unroute("**/api/more")


@pytest.mark.parametrize("key", mostly_nightly(MORE, ["attention"]))
def test_all_sections_are_for_everybody(page: Page, phone: Page, app_url: str, key: str) -> None:
    """Nothing is cut on a phone, nor unreadable in the dark; all is reached by keys."""
    about = page_of(key)
    names = ",".join(name for name, _ in about.more)
    for tab in (page, phone):
        open_page(tab, f"{app_url}/{path(about.key)}?model=small&sentence=The+cat+[MASK].&more={names}")
        for _, title in about.more:
            settle(section(tab, title))
        wide = tab.evaluate("() => document.documentElement.clientWidth")
        assert tab.locator(".more *").evaluate_all(BEYOND, wide) == []
        assert barriers(tab) == [] and problems(tab) == []
    dark(page)
    for _, title in about.more:
        settle(section(page, title))
    assert barriers(page) == []
    first = page.get_by_role("button", name=about.more[0][1], exact=True)
    first.focus()
    page.keyboard.press("Enter")
    expect(first).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Enter")
    expect(first).to_have_attribute("aria-expanded", "true")


PAIRS = """a,b,answer_a,answer_b
The keys near the garden ___ old.,The key near the garden ___ old.,are,is
The dogs behind the house ___ very big.,The dog behind the house ___ very big.,are,is
"""


def test_the_board_of_ones_own_pairs_has_one_tab_stop_and_is_walked_by_arrows(
    page: Page, app_url: str, small: TextEncoder
) -> None:
    open_page(page, f"{app_url}/heads?model=small&layer=1&head=2&more=pairs")
    own = section(page, "What carries the change in pairs of your own")
    own.get_by_role("textbox").fill(PAIRS)
    stop, cells = own.locator(".more-board [tabindex='0']"), own.get_by_role("gridcell")
    expect(cells).to_have_count(small.config.n_layers * small.config.n_heads)
    expect(stop).to_have_count(1)
    expect(stop).to_have_attribute("data-head-row", "1,2")
    expect(stop).to_have_attribute("aria-selected", "true")
    stop.focus()
    for key, place in (("ArrowDown", "2,2"), ("ArrowRight", "2,3"), ("ArrowRight", "2,3"), ("Home", "0,0")):
        page.keyboard.press(key)
        expect(stop).to_have_count(1)
        expect(stop).to_be_focused()
        expect(stop).to_have_attribute("data-head-row", place)
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("layer=3&head=3"))
    settle(own)
    expect(own.locator("[aria-selected=true]")).to_have_attribute("data-head-row", "3,3")
    expect(stop).to_be_focused()
    assert barriers(page) == [] and problems(page) == []


def test_many_sections_stand_under_a_handful_of_headings(page: Page, app_url: str) -> None:
    for about in (page_of("heads"), page_of("compare")):
        assert sorted(name for _, names in about.under for name in names) == sorted(name for name, _ in about.more)
    open_page(page, f"{app_url}/compare?model=small&sentence=The+cat+[MASK].")
    titles = page.locator(".more-title").filter(visible=True)
    expect(titles).to_have_text([title for title, _ in about.under])
    assert 2 <= titles.count() <= 4
    # By keys: the heading unfolds to its sections, and one of these to what it has.
    heading, names = about.under[-1]
    page.locator("summary").filter(has_text=heading).focus()
    page.keyboard.press("Enter")
    last = dict(about.more)[names[-1]]
    expect(titles).to_have_count(len(about.under) + len(names))
    reach(page, last).focus()
    page.keyboard.press("Enter")
    settle(section(page, last))
    # The address brings the section back, under its open heading.
    expect(page).to_have_url(re.compile(f"more={names[-1]}"))
    page.reload()
    expect(section(page, last).locator(".more-pieces > *").first).to_be_visible()
    assert barriers(page) == [] and problems(page) == []
