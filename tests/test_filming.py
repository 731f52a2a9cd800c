"""A film is made in a process of its own, which nobody has to wait for, and which stays with nobody."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import gettempdir
from time import monotonic, sleep

import numpy as np
import pytest
from processes import family

from encoder.pictures.paper.film import Film, Kind, film
from encoder.pictures.paper.panel import Panel, heat_map, of_maps
from pages.ui.server import child, memory, writing
from pages.ui.server.child import EndedError

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
LONG: Kind = "webm"


class GoneError(Exception):
    """The visitor is gone."""


def picture(seed: int) -> Panel:
    values = np.random.default_rng(seed).random((6, 6), dtype=np.float32)
    return of_maps(f"Picture {seed}", "Some numbers.", [heat_map(values, "abcdef", "abcdef", "share")])


@pytest.fixture(scope="module")
def short() -> Film:
    return Film((picture(0), picture(1)), 1.0, "360p")


@pytest.fixture(scope="module")
def long() -> Film:
    return Film(tuple(map(picture, range(16))), 60.0, "1080p")


def goes_on(process: int) -> bool:
    return process in family(process)


def until(true: Callable[[], object], seconds: float = 30.0) -> None:
    end = monotonic() + seconds
    while not true():
        assert monotonic() < end, "it never came"
        sleep(0.05)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list["subprocess.Popen[bytes]"]:
    """The processes that a test starts."""
    found: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start(*arguments: object, **options: object) -> "subprocess.Popen[bytes]":
        found.append(popen(*arguments, **options))  # type: ignore[call-overload]
        return found[-1]

    monkeypatch.setattr("pages.ui.server.child.subprocess.Popen", start)
    return found


def folders() -> set[Path]:
    return {one.parent for one in Path(gettempdir()).glob("*/film.pickle")}


def test_it_is_the_film_that_would_be_made_here(short: Film) -> None:
    seen: list[float] = []
    before = folders()
    assert writing.filmed(short, "gif", seen.append) == film(short, "gif")
    assert seen == sorted(seen) and seen[0] == 0 and folders() == before


@pytest.mark.nightly
def test_who_leaves_ends_it_and_all_it_has_started(long: Film, begun: list["subprocess.Popen[bytes]"]) -> None:
    before, found, nice = folders(), [], []

    def tell(done: float) -> None:
        if done > 0:
            found.extend(family(begun[-1].pid))
            nice.extend(os.getpriority(os.PRIO_PROCESS, one) for one in found)
            raise GoneError

    with pytest.raises(GoneError):
        writing.filmed(long, LONG, tell)
    assert len(found) > 1, "the video encoder is a process, too"
    assert min(nice) >= min(os.getpriority(os.PRIO_PROCESS, 0) + 10, 19), "the others go first"
    until(lambda: not any(map(goes_on, found)))
    assert folders() == before


def test_one_that_is_killed_is_said(long: Film, begun: list["subprocess.Popen[bytes]"]) -> None:
    def tell(done: float) -> None:
        os.kill(begun[-1].pid, signal.SIGKILL)

    with pytest.raises(EndedError, match="ended from outside"):
        writing.filmed(long, "gif", tell)


@pytest.mark.nightly
def test_it_ends_when_its_server_does(long: Film, begun: list["subprocess.Popen[bytes]"]) -> None:
    def tell(done: float) -> None:
        stdin = begun[-1].stdin
        if done > 0 and stdin is not None:
            stdin.close()

    with pytest.raises(EndedError, match="ended from outside"):
        writing.filmed(long, LONG, tell)
    until(lambda: not family(begun[-1].pid))


@pytest.mark.nightly
@pytest.mark.parametrize(("bound", "value", "why"), [("MOST_SECONDS", 0.2, "longer"), ("MOST_MB", 5.0, "memory")])
def test_time_and_memory_are_bounded(
    bound: str,
    value: float,
    why: str,
    long: Film,
    begun: list["subprocess.Popen[bytes]"],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, bound, value)
    with pytest.raises(EndedError, match=why):
        writing.filmed(long, "gif", lambda done: None)
    assert not family(begun[-1].pid)


def test_without_memory_none_is_begun(
    short: Film, begun: list["subprocess.Popen[bytes]"], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "left", lambda: 1e6)
    with pytest.raises(ValueError, match="to make a film; this server has 1 MB left"):
        writing.filmed(short, "gif", lambda done: None)
    assert not begun


def test_its_process_loads_no_model_and_no_page() -> None:
    script = "import sys, encoder.pictures.paper.filming; print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert "'matplotlib'" in done.stdout
    assert not [
        one for one in ("torch", "tokenizers", "streamlit", "pandas", "fontTools.subset") if f"'{one}'" in done.stdout
    ]
