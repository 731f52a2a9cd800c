"""Between two runs no picture is missing: the last look of one stays until the next is drawn, and no longer."""

import numpy as np
import pytest
from browser_tools import BELOW, choose, drawn, open_page, rerun, widget
from playwright.sync_api import Page, expect

COUNT = """() => {
  window.lastLooks = 0;
  new MutationObserver(all => all.forEach(({ addedNodes }) => addedNodes.forEach(one => {
    window.lastLooks += one.className === 'last-look';
  }))).observe(document.body, { childList: true });
}"""


SEEN = """() => {
  window.lastSeen = [];
  window.covered = 0;  // frames in which a last look lies over the picture that follows
  const look = () => {
    window.covered += Boolean(document.querySelector('.last-look')
      && document.querySelector('.st-key-head_lengths .js-plotly-plot .main-svg'));
    requestAnimationFrame(look);
  };
  look();
  new MutationObserver(all => all.forEach(({ addedNodes }) => addedNodes.forEach(one => {
    if (one.className !== 'last-look') return;
    const inks = [...one.querySelectorAll('.xtick text')].map(text => getComputedStyle(text).fill);
    const named = part => /#([^"')]+)/.exec(part.getAttribute('clip-path'))[1];
    const clips = [...one.querySelectorAll('[clip-path]')].map(named);
    window.lastSeen.push([getComputedStyle(one).backgroundColor, inks.length, clips.length,
      clips.every(id => one.contains(document.getElementById(id)))]);
  }))).observe(document.body, { childList: true });
}"""


def test_a_last_look_is_as_the_picture_was_in_the_dark_too_and_goes(page: Page, app_url: str) -> None:
    """It was a white block, cut where the next picture ends, and that of layer 4 lay over the map of layer 2."""
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 1280, "height": 2000})
    open_page(page, f"{app_url}/attention?{BELOW}")
    widget(page, "head_lengths").scroll_into_view_if_needed()
    expect(widget(page, "head_lengths").locator(".main-svg").first).to_be_visible()
    before = drawn(page, "head_lengths")
    page.evaluate(SEEN)
    choose(page, "layer", 2)
    page.wait_for_function("window.lastSeen.length")
    dark = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    for background, ticks, clips, own in page.evaluate("window.lastSeen"):
        assert (background, own) == (dark, True) and ticks and clips
    assert not np.array_equal(drawn(page, "head_lengths"), before)
    expect(page.locator(".last-look")).to_have_count(0)
    assert page.evaluate("window.covered") <= 10


@pytest.mark.nightly
def test_what_stood_under_one_question_does_not_cover_the_next(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/lessons?lessons_part=Labs&lab=Softmax")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    page.evaluate(COUNT)
    with rerun(page):
        page.get_by_role("radio", name="What if the mask").click()
    expect(page.get_by_role("radio", name="What if the mask")).to_be_checked()
    page.wait_for_function("document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'")
    assert page.evaluate("window.lastLooks") == 0
