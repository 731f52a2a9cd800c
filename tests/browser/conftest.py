"""One server and one browser for all browser tests, one tab per module, and no test that leaves an error behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_tools import open_page, problems, serve, watch
from chromium import find_chromium
from playwright.sync_api import Browser, Page, sync_playwright

APP = Path(__file__).resolve().parents[2] / "app.py"
HERE = Path(__file__).parent
VIEWPORT = {"width": 1280, "height": 900}
SERVER_LOG = pytest.StashKey[Path]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the quick tests first."""
    items.sort(key=lambda item: HERE in item.path.parents)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show the end of the server's log with every failure."""
    report = yield
    log = item.config.stash.get(SERVER_LOG, None)
    if report.failed and log:
        report.sections.append(("streamlit log", log.read_text(errors="replace")[-4000:]))
    return report


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config, browser: Browser) -> Iterator[str]:
    """A server that has had its first visitor; what that one sees is a test of its own."""
    home = tmp_path_factory.mktemp("home")
    log = pytestconfig.stash[SERVER_LOG] = home / "streamlit.log"
    with serve(APP, log, home) as url:
        with browser.new_context() as context:
            first = context.new_page()
            watch(first)
            open_page(first, url)
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    """A watched browser tab that the tests of a module share: opening a page in it is four times as fast."""
    with browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        page.set_default_timeout(20_000)
        watch(page)
        yield page


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """The module's tab; the test fails if an error, or a request outside the app, happened in it."""
    tab.set_viewport_size(VIEWPORT)
    tab.emulate_media(color_scheme="light")
    problems(tab)  # of the test before
    yield tab
    if found := problems(tab):
        pytest.fail("the page had problems:\n" + "\n".join(found), pytrace=False)
