"""What browser tests share: a browser and a tab for each process; no test leaves an error behind.

Time limits are long, because two browsers and the server may share two busy processors; no test waits without need.
"""

import contextlib
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from browser_tools import let_go, open_page, problems, watch, watched_anew
from chromium import find_chromium
from mounted import KEY, KEYS, Bench, Mounted, address
from playwright.sync_api import Browser, Page, expect, sync_playwright
from servers import APP, serve

VIEWPORT = {"width": 1280, "height": 900}
LEAVE = "() => { if (location.origin !== 'null') sessionStorage.clear(); return location.origin }"
PATIENCE = 60_000  # milliseconds
# Look for garbage early: the driver's own process holds a fifth less.
DRIVER = {"NODE_OPTIONS": "--max-semi-space-size=1 --max-old-space-size=256"}
SERVER_LOG = pytest.StashKey[Path]()
expect.set_options(timeout=PATIENCE / 2)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the end of the server's log with every failure."""
    report = yield
    log = item.config.stash.get(SERVER_LOG, None)
    if report.failed and log:
        report.sections.append(("streamlit log", log.read_text(errors="replace")[-4000:]))
    return report


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config, tab: Page) -> Iterator[str]:
    """A server that has had its first visitor; what that one sees is a test of its own."""
    with contextlib.ExitStack() as own:
        url, log = getattr(pytestconfig, "workerinput", {}).get("app") or ("", "")
        if not url:
            home = tmp_path_factory.mktemp("home")
            log = str(home / "streamlit.log")
            url = own.enter_context(serve(APP, Path(log), home))
        pytestconfig.stash[SERVER_LOG] = Path(log)
        tab.set_default_timeout(3 * PATIENCE)
        open_page(tab, url, 3 * PATIENCE / 1000)
        tab.set_default_timeout(PATIENCE)
        forget(tab)
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find_chromium()
    os.environ |= DRIVER
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def tab(browser: Browser) -> Iterator[Page]:
    """A watched browser tab that tests share: Streamlit's scripts are compiled in it, which halves opening a page."""
    with browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        watch(page)
        yield page


def forget(tab: Page) -> None:
    """Leave the page of the test before, with all that it kept in the browser, was allowed and looked like."""
    origin = tab.evaluate(LEAVE)
    tab.goto("about:blank")
    session = tab.context.new_cdp_session(tab)
    if origin != "null":
        session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage"})
    session.detach()
    let_go(tab)
    tab.context.clear_cookies()
    tab.context.clear_permissions()
    tab.set_viewport_size(VIEWPORT)
    tab.emulate_media(media="null", color_scheme="light", reduced_motion="null", forced_colors="null")
    watched_anew(tab)


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """The shared tab; the test fails if an error, or a request outside the app, happened in it."""
    forget(tab)
    yield tab
    if found := problems(tab):
        pytest.fail("the page had problems:\n" + "\n".join(found), pytrace=False)


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """A phone with a touch screen; the test fails if an error, or a request outside the app, happened in it."""
    with browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True) as context:
        page = context.new_page()
        watch(page)
        yield page
        assert problems(page) == []


@pytest.fixture(scope="session")
def without_server(browser: Browser) -> Bench:
    return Bench(browser)


@pytest.fixture
def bench(without_server: Bench) -> Iterator[Bench]:
    """The shared tab without a server; the test fails if an error happened in it."""
    without_server.clean()
    yield without_server
    assert without_server.failures() == []


@pytest.fixture
def mounted(bench: Bench) -> Mounted:
    """What mounts a page in that tab."""
    return bench.mount


@pytest.fixture
def front(bench: Bench) -> Page:
    """The front in that tab, with its state in the address; the test answers its requests itself."""
    return bench.visit({sentence: address(sentence) for sentence in (KEYS, KEY)})


@pytest.fixture
def blank(bench: Bench) -> Page:
    """A page of one canvas that asks for nothing; the scripts are served to it as they lie in the repository."""
    return bench.blank()
