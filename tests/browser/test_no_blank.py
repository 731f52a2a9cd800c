"""Between two steps no frame is without a picture: what a screen shows while ten steps are walked, frame by frame."""

import base64
import io
from typing import Any

import numpy as np
import pytest
from browser_tools import BELOW, answering, choose, drawn, open_page, rerun, widget
from PIL import Image
from playwright.sync_api import CDPSession, Page, expect

TOP, LEFT = 250, 0  # of what lies below the choice of steps
ROUNDS = 3
COLOURS = 20  # shades in a picture, more than buttons and words have


def shades(frame: bytes) -> int:
    """How many different shades of colour a frame has, each in fifty pixels or more."""
    part = np.array(Image.open(io.BytesIO(frame)).convert("RGB"))[TOP:, LEFT:].astype(int) // 8
    coloured = part[part.max(-1) - part.min(-1) > 1]
    return int((np.unique(coloured @ [4096, 64, 1], return_counts=True)[1] >= 50).sum())


def screencast(session: CDPSession) -> list[tuple[float, bytes]]:
    """Every frame from now on with its time, as they come; the list goes on growing."""
    frames: list[tuple[float, bytes]] = []

    def take(frame: dict[str, Any]) -> None:
        frames.append((frame["metadata"]["timestamp"], base64.b64decode(frame["data"])))
        session.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

    session.on("Page.screencastFrame", take)
    session.send("Page.startScreencast", {"format": "png", "everyNthFrame": 1})
    return frames


def walked(page: Page, url: str) -> list[int]:
    """The shades of every frame while ten steps are walked."""
    open_page(page, f"{url}/add_norm")
    expect(page.locator(".st-key-layer_step").first).to_be_visible()
    session = page.context.new_cdp_session(page)
    frames = screencast(session)
    try:
        for _ in range(10):
            with rerun(page):
                page.keyboard.press("ArrowRight")
            page.wait_for_timeout(250)  # as a person does: what comes after the run is to be seen as well
    finally:  # the tab is that of the next test
        session.send("Page.stopScreencast")
        session.detach()
    return [shades(frame) for _, frame in sorted(frames)]


@pytest.mark.nightly
def test_ten_steps_leave_no_frame_without_a_picture(page: Page, app_url: str) -> None:
    """The best of up to three walks counts: where other work holds a browser up for seconds, a last look goes."""
    page.set_viewport_size({"width": 1280, "height": 900})
    blank = []
    for _ in range(ROUNDS):
        found = walked(page, app_url)
        assert len(found) > 30 and max(found) > 2 * COLOURS
        blank.append([count for count in found if count < COLOURS])
        if not blank[-1]:
            return
    raise AssertionError(f"frames without a picture, by walk: {blank}")


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
      && document.querySelector('.st-key-picture .js-plotly-plot .main-svg'));
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
    widget(page, "picture").scroll_into_view_if_needed()
    answering(page, "picture")
    before = drawn(page)
    page.evaluate(SEEN)
    choose(page, "layer", 2)
    page.wait_for_function("window.lastSeen.length")
    dark = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    for background, ticks, clips, own in page.evaluate("window.lastSeen"):
        assert (background, own) == (dark, True) and ticks and clips
    assert not np.array_equal(drawn(page), before)
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
