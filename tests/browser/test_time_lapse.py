"""The time-lapse in a real browser: play moves the picture, the slider too, and the server is not asked."""

from browser_tools import open_page, rerun, runs, widget
from playwright.sync_api import Page, expect

PIXELS = "canvas => Array.from(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).join()"


def test_play_moves_the_picture_in_the_browser_alone_and_a_picked_moment_is_shown_large(
    page: Page, app_url: str
) -> None:
    open_page(page, f"{app_url}/learn?learn_part=Time-lapse&layer=0&head=2")
    asked = runs(page)
    player = widget(page, "player")
    canvas, step = player.locator("canvas"), player.locator("output.step")
    expect(step).to_have_text("step 0")
    first = canvas.evaluate(PIXELS)
    player.get_by_role("button", name="Play").click()
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    expect(step).to_have_text("step 100")
    played = canvas.evaluate(PIXELS)
    assert played != first
    player.get_by_role("button", name="Pause").click()
    slider = player.get_by_role("slider")
    slider.focus()
    page.keyboard.press("End")
    expect(step).to_have_text("step 20,000")
    assert canvas.evaluate(PIXELS) not in (first, played)
    expect(player.locator("li").first).to_contain_text("because")
    page.keyboard.press("ArrowLeft")
    expect(step).to_have_text("step 10,000")
    expect(page.locator("h1")).to_have_text("Learning")
    assert runs(page) == asked

    with rerun(page):
        widget(page, "moments").get_by_role("button", name="Step 3000").click()
    expect(step).to_have_text("step 3,000")
    canvas.focus()
    page.keyboard.press("ArrowDown")
    expect(player.locator("output.cell")).to_contain_text("the → [CLS]: ≈ 0.9")
