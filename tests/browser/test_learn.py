"""A task is learned in a real browser: a run plays, its maps change, it is paused and stepped, its model is walked."""

from browser_tools import open_page, rerun, runs, widget
from playwright.sync_api import Page, expect

STEP = "output => Number(output.textContent.split(' ')[1])"
PIXELS = "canvas => Array.from(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).join()"


def test_a_run_is_played_paused_and_stepped_and_its_model_is_walked(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/learn?learn_task=reverse")
    player = widget(page, "learning")
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    asked = runs(page)
    step, slider = player.locator("output.step"), player.get_by_role("slider")
    head = player.locator("figure.head canvas")
    player.get_by_role("button", name="Pause").click()
    seen = set()
    for key, count in (("Home", "step 0 of 800"), ("End", "step 800 of 800")):
        slider.focus()
        page.keyboard.press(key)
        expect(step).to_have_text(count)
        seen.add(head.evaluate(PIXELS))
    expect(player.locator("td.wrong")).to_have_count(0)
    expect(player.locator("p.said")).to_contain_text("100 % of the held-out inputs")
    page.keyboard.press("Home")
    player.get_by_role("button", name="Play").click()
    expect(step).not_to_have_text("step 0 of 800")
    player.get_by_role("button", name="Pause").click()
    paused = step.evaluate(STEP)
    player.get_by_role("button", name="One moment on").click()
    assert 0 < paused < step.evaluate(STEP)
    seen.add(head.evaluate(PIXELS))
    assert len(seen) == 3 and runs(page) == asked, "the browser plays alone"
    with rerun(page):
        page.get_by_role("button", name="Open this model").click()
    expect(page.locator(".at-finding")).not_to_be_empty()
    expect(page.get_by_label("Sentence", exact=True)).to_have_value("g c e e e f f c e g")
    assert "model=learned" in page.url
