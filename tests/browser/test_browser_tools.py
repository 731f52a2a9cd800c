"""The tools of the browser tests see a fresh page, and notice every kind of fault."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_tools import chart, open_page, problems, rerun, watched_anew, widget
from playwright.sync_api import Page
from servers import serve

FAULTS = {
    "exception": "stException: ValueError: odd",
    "alert": "stAlertContentError: odd",
    "console": "console error: odd",
    "dialog": "a script asks: odd",
    "thrown": "page error: odd",
    "outside": "request outside the app: http://127.0.0.2:8/odd.png",
    "missing": "console error: Failed to load resource: the server responded with a status of 404",
}

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def faulty_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("home")
    with serve(Path(__file__).with_name("faulty_app.py"), home / "streamlit.log", home) as url:
        yield url


def test_a_rerun_is_waited_for_its_lack_is_an_error_and_a_chart_is_decoded(page: Page, faulty_url: str):
    open_page(page, faulty_url)
    for clicks in range(1, 4):
        with rerun(page):
            widget(page, "more.clicks").get_by_role("button").click()
        (heatmap,) = chart(page, "map")
        assert heatmap["type"] == "heatmap"
        assert heatmap["z"] == [[clicks] * 3] * 2
    with pytest.raises(TimeoutError, match=r"within 0.5 s"), rerun(page, 0.5):
        page.mouse.click(2, 2)


def test_each_fault_is_a_problem(page: Page, faulty_url: str):
    for fault, problem in FAULTS.items():
        open_page(page, f"{faulty_url}/?fault={fault}")
        page.wait_for_load_state("networkidle")
        assert any(one.startswith(problem) for one in problems(page)), fault
        page.goto("about:blank")  # leave the fault, or it is seen again
        watched_anew(page)
