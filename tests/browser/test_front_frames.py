"""The front in a frame of another origin, with its server gone and back, and after an upgrade."""

import contextlib
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from chromium import find_chromium
from playwright.sync_api import Browser, FrameLocator, Page, expect
from servers import SERVER_MB, free_port, started

ROOT = Path(__file__).resolve().parents[2]
NEW = {"ENCODER_MEMORY_MB": SERVER_MB}
PATIENCE = 60_000  # milliseconds
CAT = "The cat chased the mouse."
OFFLINE = "The server cannot be reached"
CONNECTED = "() => document.querySelector('[data-testid=stApp]').dataset.testConnectionState === 'CONNECTED'"
AWAY = "() => document.querySelector('[data-testid=stApp]').dataset.testConnectionState === 'PINGING_SERVER'"
# Notes whether a dialog could be seen at any time.
WATCH = """() => new MutationObserver(() => {
  const dialog = document.querySelector('[role=dialog]')
  if (dialog && dialog.checkVisibility()) window.covered = true
}).observe(document, { childList: true, subtree: true })"""


@contextlib.contextmanager
def other_site(address: str) -> Iterator[str]:
    """A page of another site that shows an address in a frame; yields its own address."""
    body = f'<!DOCTYPE html><title>Course</title><iframe src="{address}" width="1200" height="860"></iframe>'.encode()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body if self.path == "/" else b"")

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://localhost:{server.server_port}"  # the app is at 127.0.0.1, which is another site
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def without_third_party_cookies(browser: Browser) -> Iterator[Browser]:
    """A browser as strict as they come: a frame of another site has no cookies."""
    arguments = ["--no-sandbox", "--disable-gpu", "--test-third-party-cookie-phaseout"]
    strict = browser.browser_type.launch(executable_path=find_chromium(), args=arguments)
    yield strict
    strict.close()


def test_a_page_of_another_origin_shows_the_app_only_where_it_may(
    without_third_party_cookies: Browser, tmp_path: Path
) -> None:
    port = free_port()
    app = f"http://127.0.0.1:{port}/"
    with contextlib.ExitStack() as running:
        allowed, other = running.enter_context(other_site(app)), running.enter_context(other_site(app))
        more = NEW | {"ENCODER_FRAMED_BY": allowed}
        running.enter_context(started(ROOT / "app.py", tmp_path / "log", tmp_path, port, 60, more))
        context = running.enter_context(without_third_party_cookies.new_context())
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.goto(allowed)
        frame = page.frame_locator("iframe")
        expect(frame.locator("[data-claim]")).to_contain_text("heads 4.1 and 5.6, pass on", timeout=PATIENCE)
        frame.locator("[data-head-row='2,3']").click()
        expect(frame.locator("[data-claim]")).to_contain_text("ead 3 of layer 2")
        own_sentence(frame, CAT)
        expect(frame.locator("h1")).to_contain_text("look at?", timeout=PATIENCE)
        frame.get_by_role("button", name="Menu").click()
        frame.get_by_role("navigation", name="Pages").get_by_role("link", name="Attention", exact=True).click()
        expect(frame.locator("h1")).to_contain_text("This head")
        assert errors == []
        page.goto(other)
        page.wait_for_function("() => performance.getEntriesByType('resource').length > 0")
        expect(page.frame_locator("iframe").locator("[data-claim]")).to_have_count(0)
        assert page.frames[1].url.startswith("chrome-error:")
        assert any("frame-ancestors" in one for one in errors)
        page.goto("about:blank")


def own_sentence(place: Page | FrameLocator, text: str) -> None:
    """Type a sentence on Start."""
    place.get_by_role("button", name="Type your own sentence").click()
    field = place.get_by_label("Your own sentence")
    field.fill(text)
    field.press("Enter")


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A tab of its own, in which no script fails."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        yield page
        assert errors == []


def opened(page: Page, url: str) -> None:
    """Open Start, and wait until the server is told of it."""
    page.goto(url)
    page.locator("[data-claim]:not(:empty)").wait_for()
    page.wait_for_function(CONNECTED)
    page.wait_for_load_state("networkidle")


def renewed(folder: Path) -> Path:
    """The app as it is after an upgrade: another script for the browser."""
    for name in ("pages", ".streamlit"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "app.py", folder)
    for part in (Path("encoder"), Path("encoder/browser")):
        (folder / part).mkdir()
        for one in (ROOT / part).iterdir():
            if one.name not in ("browser", "built", "__pycache__"):
                (folder / part / one.name).symlink_to(one)
    script = folder / "encoder" / "browser" / "built" / "front.js"
    script.parent.mkdir()
    script.write_text((ROOT / "encoder/browser/built/front.js").read_text(encoding="utf-8") + "window.renewed = true\n")
    for other in {*(ROOT / "encoder/browser/built").glob("*.js")} - {ROOT / "encoder/browser/built/front.js"}:
        script.with_name(other.name).symlink_to(other)
    return folder / "app.py"


@pytest.mark.nightly
def test_a_tab_goes_on_without_its_server_and_takes_the_script_of_a_renewed_one(tab: Page, tmp_path: Path) -> None:
    port = free_port()
    with started(ROOT / "app.py", tmp_path / "log", tmp_path, port, 60, NEW) as server:
        opened(tab, server.url)
        tab.evaluate(WATCH)
        tab.get_by_role("button", name="Type your own sentence").click()
    tab.wait_for_function(AWAY)
    tab.wait_for_event("console", lambda said: "not responding" in said.text)  # now Streamlit shows its dialog
    field = tab.get_by_label("Your own sentence")
    expect(field).to_be_focused()
    field.press("Escape")
    tab.locator("[data-head-row='2,3']").click()
    expect(tab.locator("[data-claim]")).to_contain_text("ead 3 of layer 2")
    tab.get_by_role("radio", name="key", exact=True).check()  # was fetched beforehand
    expect(tab.locator("h1")).to_contain_text("“is”?")
    alert = tab.get_by_role("alert")
    menu, pages = tab.get_by_role("button", name="Menu"), tab.get_by_role("navigation", name="Pages")
    menu.click()
    pages.get_by_role("link", name="Training", exact=True).click()
    expect(alert).to_contain_text(OFFLINE)
    own_sentence(tab, CAT)
    expect(alert).to_contain_text(OFFLINE)
    assert not tab.evaluate("window.covered")
    folder = tmp_path / "new"
    folder.mkdir()
    with started(renewed(folder), tmp_path / "log", tmp_path, port, 60, NEW):
        tab.get_by_role("button", name="Try again").click()
        tab.wait_for_function("() => window.renewed")
        expect(tab.locator("h1")).to_contain_text("look at?")
        expect(alert).to_have_count(0)
        expect(tab.locator(".enc-main")).to_have_count(1)
        tab.wait_for_function(CONNECTED)
        tab.locator("[data-head-row='4,1']").click()
        expect(tab.locator("[data-claim]")).to_contain_text("ead 1 of layer 4")
        tab.wait_for_url("**/*layer=4&head=1*")
        menu.click()
        pages.get_by_role("link", name="Training", exact=True).click()
        tab.wait_for_url("**/training*")
        assert not tab.evaluate("window.covered")
        tab.goto("about:blank")
