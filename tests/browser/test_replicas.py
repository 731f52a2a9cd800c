"""Two replicas behind a real nginx with the configuration that is shipped: one dies under load, nothing is lost."""

import asyncio
import contextlib
import random
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import numpy as np
import pytest
import websockets
from browser_tools import chart, choose_head, open_page, problems, rerun, watch
from playwright.sync_api import Browser, Page, expect
from school import School, two_replicas

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "benchmarks"))

from visitors import Visitor, act, visit  # noqa: E402

from encoder import TextEncoder  # noqa: E402

pytestmark = pytest.mark.nightly

VISITORS = 6
VIEW = "more=1&sentence=Keys on the table belong to Sara.&layer=2&head=3&hidden=3"


@pytest.fixture
def school(tmp_path: Path) -> Iterator[School]:
    with two_replicas(tmp_path) as found:
        yield found


class Load:
    """Visitors that click all the time, and come back by their address when their server is gone."""

    def __init__(self, url: str) -> None:
        self.url, self.stopped = url, threading.Event()
        self.done, self.came_back, self.broken = 0, 0, list[str]()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.all()))

    def __enter__(self) -> "Load":
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stopped.set()
        self.thread.join(120)

    async def all(self) -> None:
        await asyncio.gather(*(self.one(i) for i in range(VISITORS)))

    async def one(self, number: int) -> None:
        draw, path, query = random.Random(number), "atlas", ""  # what the server draws
        while not self.stopped.is_set():
            with contextlib.suppress(OSError, websockets.WebSocketException):
                async with visit(self.url, path, query) as visitor:
                    if query:
                        self.came_back += 1
                        self.check(visitor, query)
                    while not self.stopped.is_set():
                        await act(visitor, draw)
                        path, query = visitor.path, visitor.query
                        self.done += 1
                        self.broken += visitor.broken
                        visitor.broken.clear()
            await asyncio.sleep(0.05)

    def check(self, visitor: Visitor, query: str) -> None:
        """The address still says the same after the run that restored it."""
        if sorted(visitor.query.split("&")) != sorted(query.split("&")):
            self.broken.append(f"{query} came back as {visitor.query}")


def wait_until(page: Page, what: str, true: object, seconds: float = 60.0) -> None:
    """Wait for something that happens elsewhere."""
    deadline = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < deadline, what
        page.wait_for_timeout(50)


def asked(url: str, cookie: str = "") -> str:
    """The cookie that names a replica and comes with an answer, if any."""
    with urlopen(Request(url, headers={"Cookie": cookie} if cookie else {}), timeout=60) as answer:
        given = [text.partition(";")[0] for text in answer.headers.get_all("Set-Cookie") or ()]
    return next((one for one in given if one.startswith("replica=")), "")


def test_new_visitors_are_shared_evenly_and_stay_where_they_are(school: School) -> None:
    given: Counter[str] = Counter()
    for _ in range(10):
        cookie = asked(f"{school.url}/health")
        first = school.last_server("GET /")
        given[first] += 1
        assert [asked(f"{school.url}/health", cookie) for _ in range(3)] == [""] * 3
        assert school.last_server("GET /") == first
    assert given == dict.fromkeys(school.replicas, 5)
    assert asked(f"{school.url}/health", "replica=http://elsewhere") in ("replica=first", "replica=second")


def test_a_replica_dies_under_load_and_every_session_comes_back(
    school: School, browser: Browser, base: TextEncoder
) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(60_000)
        watch(page)
        open_page(page, f"{school.url}/?several=1&{VIEW}")
        expected = base.trace("Keys on the table belong to Sara.", hidden=(3,))["layers.2.attention.weights"][3].numpy()
        np.testing.assert_array_equal(np.array(chart(page, "together_matrix")[0]["z"], np.float32), expected)
        assert problems(page) == []  # the policy of the proxy forbids nothing that the app needs
        assert {one["name"] for one in context.cookies()} >= {"replica", "_streamlit_xsrf"}
        address = page.url
        serving = school.last_server("GET /_stcore/host-config")
        assert school.last_server("GET /?several") == serving  # the cookie keeps to one

        with Load(school.url) as load:
            wait_until(page, "nobody clicked", lambda: load.done > 2 * VISITORS)
            with rerun(page, 60):  # the page asks for it by itself
                school.replicas[serving].process.kill()
            np.testing.assert_array_equal(np.array(chart(page, "together_matrix")[0]["z"], np.float32), expected)
            assert page.url == address
            before = load.done
            wait_until(page, "nobody came back", lambda: load.came_back > 0 and load.done > before + VISITORS)

            choose_head(page, 2, 5)
            expect(page).to_have_url(re.compile("layer=2.*head=5"))
            with rerun(page, 60):
                page.reload()
            expect(page).to_have_url(re.compile("layer=2.*head=5"))
    assert load.broken == [], school.said
