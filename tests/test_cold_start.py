"""A server that was just started: it loads its libraries when nobody waits, one thread does so, and all others wait."""

import asyncio
import gc
import math
import sys
import threading
from collections.abc import Iterator
from typing import Any, cast

import pytest
from starlette.types import Receive, Scope, Send

from pages.ui.frame import cold_start

pytestmark = pytest.mark.slow


@pytest.fixture
def just_started() -> Iterator[None]:
    """A process that has not loaded its libraries yet; afterwards it has, and no garbage stands aside."""
    cold_start.loaded.clear()
    yield
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    cold_start.loaded.set()


def test_a_server_loads_by_itself_only_while_nobody_waits_for_an_answer() -> None:
    now = [1_000.0]

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        pass

    def waited(paths: list[str], done: float = math.inf) -> float:
        """Seconds that it waits, while each look is followed by the next request, a tenth of a second later."""
        begun, coming = now[0], iter(paths)

        def sleep(seconds: float) -> None:
            now[0] += seconds
            if path := next(coming, ""):
                asyncio.run(cold_start.Requests(app)({"type": "http", "path": path}, *cast(Any, (None, None))))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cold_start.time, "monotonic", lambda: now[0])
            cold_start.wait_for_peace(lambda: now[0] - begun >= done, lambda: now[0], sleep)
        return now[0] - begun

    for paths, done, seconds in (
        ([], math.inf, cold_start.REST),
        (["/static/js/a.js"] * 30, math.inf, 3 + cold_start.REST),
        (["/enc/_stcore/health"] * 30, math.inf, cold_start.REST),  # of a balancer, not of a visitor
        (["/"] * 1_000, math.inf, cold_start.LONGEST),
        (["/"] * 1_000, 0.5, 0.5),  # a page needed the libraries meanwhile
    ):
        assert waited(paths, done) == pytest.approx(seconds, abs=0.11), (paths[:1], done)


@pytest.mark.usefixtures("just_started")
def test_one_imports_and_the_others_wait_and_who_leaves_leaves_no_hurry_behind() -> None:
    usual, came = sys.getswitchinterval(), threading.Event()
    with pytest.raises(KeyboardInterrupt), cold_start.loading():
        raise KeyboardInterrupt
    assert sys.getswitchinterval() == usual and gc.isenabled() and not cold_start.loaded.is_set()

    def second() -> None:
        with cold_start.loading():
            came.set()

    other = threading.Thread(target=second)
    with cold_start.loading():
        other.start()
        assert not came.wait(0.2)
        assert sys.getswitchinterval() == cold_start.SHORT and not gc.isenabled()
    other.join(10)
    assert came.is_set() and cold_start.loaded.is_set()
    assert sys.getswitchinterval() == usual and gc.isenabled() and gc.get_freeze_count() > 0
