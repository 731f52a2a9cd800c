"""The first minutes of a server: a class that comes at once, while the libraries still load."""

import asyncio
import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import plotly.graph_objects as go
import pytest
from streamlit.delta_generator import DeltaGenerator

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE / "benchmarks"))

from bench_load import server  # noqa: E402
from visitors import visit  # noqa: E402

from pages.ui.server import cold_start  # noqa: E402

pytestmark = pytest.mark.slow

VISITORS = 12


@pytest.fixture
def just_started() -> Iterator[None]:
    """A process that has not loaded its libraries yet."""
    cold_start.loaded.clear()
    yield
    gc.unfreeze()
    cold_start.loaded.clear()


def test_a_class_that_comes_at_once_to_a_new_server_sees_no_error() -> None:
    async def comes(url: str, number: int) -> list[str]:
        async with visit(url, "attention", f"sentence=Number+{number}.") as visitor:
            assert visitor.path == "attention" and f"sentence=Number+{number}." in visitor.query
            return visitor.broken

    async def come(url: str) -> list[list[str]]:
        return await asyncio.gather(*(comes(url, i) for i in range(VISITORS)))

    with server() as running:
        assert asyncio.run(come(running.url)) == [[]] * VISITORS


def test_one_of_them_imports_and_the_others_wait(just_started: None, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, drawn, came = sys.getswitchinterval(), [], threading.Event()
    monkeypatch.setattr(DeltaGenerator, "plotly_chart", lambda *given, **more: drawn.append(threading.current_thread()))

    def second() -> None:
        with cold_start.loading():
            came.set()

    other = threading.Thread(target=second)
    with cold_start.loading():
        other.start()
        assert not came.wait(0.3)
        assert sys.getswitchinterval() == cold_start.SHORT and not gc.isenabled()
    other.join(10)
    assert came.is_set() and drawn == [threading.current_thread()]
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
