"""The first minutes of a server: a class that comes at once, while the libraries still load."""

import asyncio
import gc
import math
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import plotly.graph_objects as go
import pytest
from starlette.types import Receive, Scope, Send
from streamlit.delta_generator import DeltaGenerator

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path += [str(HERE / "benchmarks"), str(HERE / "browser")]

from browser_tools import Server, free_port, started  # noqa: E402
from visitors import visit  # noqa: E402

from pages.ui.server import cold_start, quiet  # noqa: E402

pytestmark = pytest.mark.slow

VISITORS = 12


@pytest.fixture
def just_started() -> Iterator[None]:
    """A process that has not loaded its libraries yet; afterwards it has, and no garbage stands aside."""
    cold_start.loaded.clear()
    yield
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    cold_start.loaded.set()


@contextmanager
def new_server(home: Path) -> Iterator[Server]:
    """A server that has just begun to answer, and that nobody has visited."""
    with started(ROOT / "app.py", home / "log", home, free_port()) as running:
        yield running


@pytest.mark.nightly
def test_a_class_that_comes_at_once_to_a_new_server_sees_no_error(tmp_path: Path) -> None:
    async def comes(url: str, number: int) -> list[str]:
        async with visit(url, "atlas", f"sentence=Number+{number}.") as visitor:
            assert visitor.path == "atlas" and f"sentence=Number+{number}." in visitor.query
            return visitor.broken

    async def come(url: str) -> list[list[str]]:
        return await asyncio.gather(*(comes(url, i) for i in range(VISITORS)))

    with new_server(tmp_path) as running:
        assert asyncio.run(come(running.url)) == [[]] * VISITORS


@pytest.mark.nightly
def test_a_server_loads_its_libraries_before_anybody_comes(tmp_path: Path) -> None:
    with new_server(tmp_path) as running:
        files = Path(f"/proc/{running.process.pid}/maps")
        end = time.monotonic() + 60
        while "libtorch" not in files.read_text():
            assert time.monotonic() < end
            time.sleep(0.1)
        asyncio.run(looks(running.url))


async def looks(url: str) -> None:
    async with visit(url, "atlas") as visitor:
        assert visitor.broken == [] and "around" in visitor.widgets


def test_a_server_loads_by_itself_only_while_nobody_waits_for_an_answer() -> None:
    now, answered = [1_000.0], list[str]()

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        answered.append(scope["path"])

    def waited(asked: list[str], done: float = math.inf) -> float:
        """Seconds that it waits, while each look is followed by the next request, a tenth of a second later."""
        begun, coming = now[0], iter(asked)

        def sleep(seconds: float) -> None:
            now[0] += seconds
            if path := next(coming, ""):
                asyncio.run(quiet.Asked(app)({"type": "http", "path": path}, *cast(Any, (None, None))))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(quiet.time, "monotonic", lambda: now[0])
            quiet.wait(lambda: now[0] - begun >= done, lambda: now[0], sleep)
        return now[0] - begun

    assert waited([]) == pytest.approx(quiet.REST, abs=0.11)
    assert waited(["/static/js/a.js"] * 30) == pytest.approx(3 + quiet.REST, abs=0.11)
    assert waited(["/enc/_stcore/health"] * 30) == pytest.approx(
        quiet.REST, abs=0.11
    )  # of a balancer, not of a visitor
    assert waited(["/"] * 1_000) == pytest.approx(quiet.LONGEST, abs=0.11)
    assert waited(["/"] * 1_000, done=0.5) == pytest.approx(0.5, abs=0.11)  # a page needed the libraries meanwhile
    assert answered.count("/static/js/a.js") == 30


@pytest.mark.nightly
def test_a_server_that_is_stopped_while_it_loads_stops_quietly(tmp_path: Path) -> None:
    for moment in (0.0, 0.5, 1.0, 1.5):
        with new_server(tmp_path) as running:
            time.sleep(moment)
            running.process.terminate()
            running.process.wait(10)
        log = (tmp_path / "log").read_text(errors="replace")
        assert running.process.returncode in (0, -signal.SIGTERM) and "Traceback" not in log and "Fatal" not in log, log


@pytest.mark.usefixtures("just_started")
def test_one_imports_and_the_others_wait() -> None:
    usual, came = sys.getswitchinterval(), threading.Event()

    def second() -> None:
        with cold_start.loading():
            came.set()

    other = threading.Thread(target=second)
    with cold_start.loading():
        other.start()
        assert not came.wait(0.3)
        assert sys.getswitchinterval() == cold_start.SHORT and not gc.isenabled()
    other.join(10)
    assert came.is_set()
    assert sys.getswitchinterval() == usual and gc.isenabled() and gc.get_freeze_count() > 0


@pytest.mark.usefixtures("just_started")
def test_who_leaves_while_the_libraries_load_leaves_no_hurry_behind() -> None:
    usual = sys.getswitchinterval()
    with pytest.raises(KeyboardInterrupt), cold_start.loading():
        raise KeyboardInterrupt
    assert sys.getswitchinterval() == usual and gc.isenabled() and not cold_start.loaded.is_set()
    with cold_start.loading():
        assert not gc.isenabled()
    assert gc.isenabled() and cold_start.loaded.is_set()


def test_many_visitors_draw_the_first_chart_at_once() -> None:
    """Plotly takes the type out of what it is given while it reads it: two that draw the same one break each other."""
    broken: list[BaseException] = []

    class Place:
        def plotly_chart(self, figure: object, **how: object) -> None:
            assert go.Figure(figure).data[0].type == "heatmap"

    def visitor() -> None:
        try:
            for _ in range(20):
                cold_start.fetch_charts(cast(DeltaGenerator, Place()), "any")
        except BaseException as error:
            broken.append(error)

    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # the threads alternate all the time
    try:
        threads = [threading.Thread(target=visitor) for _ in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    finally:
        sys.setswitchinterval(usual)
    assert broken == []
