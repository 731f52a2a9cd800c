"""What many tests share, in a process that runs some: the bundled models loaded once, and little memory."""

import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import plotly.graph_objects as go
import pytest
import scanned_once  # noqa: F401  (before any page is opened)
from shared_models import BUNDLED, lent, opened, pretrained, treebanks

from encoder import TextEncoder, Trace
from encoder.pictures.ask import model_called
from encoder.pictures.figures.drawn import Drawn
from pages.ui.frame import cold_start
from pages.ui.server import memory, offered_models
from pages.ui.server.memory import give_back_freed_memory

# Bytes that a process grows by until it looks for garbage; until it lets go of all; until so does a file at its end
GARBAGE, MORE, LEFT = 0.1e9, 0.2e9, 0.04e9
_held = {"last": 0.0, "least": 0.0}  # bytes when garbage was last looked for, and when all was let go of
memory.KEPT_MB, memory.RUNS_MB = 300.0, 100.0  # of models, runs and results that the pages under test keep
_made: Callable[[str], TextEncoder] = offered_models.make
_unchecked: Callable[..., None] = Drawn.__init__
_taken: set[str] = set()


def _like(value: object) -> object:
    """What tells figures apart that Plotly may take or not: of arrays the kind, of sentences that they are some."""
    if isinstance(value, dict):
        return {key: _like(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return sorted({repr(_like(one)) for one in value})
    if isinstance(value, np.ndarray):
        return (value.dtype.kind, value.ndim)
    return "text" if isinstance(value, str) and " " in value else value


def _checked(figure: Drawn, spec: object = None, *given: object, **options: object) -> None:
    """Every figure that any test has drawn is one that Plotly itself takes; of those that are alike one is checked."""
    if (alike := repr(_like(spec))) not in _taken:
        go.Figure(spec)
        _taken.add(alike)
    _unchecked(figure, spec, *given, **options)


Drawn.__init__ = _checked  # type: ignore[method-assign]
# The pages under test compute with the weights that the tests themselves hold.
offered_models.make = lambda name: lent(name) if name in BUNDLED else _made(name)


def pytest_collection_finish() -> None:
    """Set aside what the tests were collected from, as a server does with libraries: garbage is not looked for there.

    The first page that is opened would do so otherwise, and hold for ever what is garbage at that moment.
    """
    gc.collect()
    gc.freeze()
    cold_start.loaded.set()
    _held["last"] = _held["least"] = memory.used()


@pytest.fixture(scope="session")
def base() -> TextEncoder:
    """The bundled model that the app opens with."""
    return pretrained("base")


@pytest.fixture(scope="session")
def small() -> TextEncoder:
    """The bundled little sibling."""
    return pretrained("small")


@pytest.fixture(scope="session")
def sara(base: TextEncoder) -> Trace:
    """One real sentence through `base`."""
    return base.trace("Keys on the table belong to Sara.")


def _named(module: ModuleType) -> Iterator[object]:
    """What a file of tests has a name for, and what stands in its tables."""
    for value in vars(module).values():
        yield from value.values() if isinstance(value, dict) else [value]


def _let_go() -> None:
    """Let go of what pages and pictures keep of models, runs and moments, and hand back what is free."""
    model_called.cache_clear()
    opened.cache_clear()
    if "pages.ui.server.measurements" in sys.modules:
        engine, measurements = (sys.modules[f"pages.ui.server.{name}"] for name in ("engine", "measurements"))
        for kept in (engine.run_cache, engine.model_cache, measurements.snapshots):
            kept.clear()
    gc.collect()
    give_back_freed_memory()
    _held["last"] = _held["least"] = memory.used()


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a file of tests, or what it shares with others, computed once goes with its last test, where it is much."""
    yield
    if memory.used() > _held["least"] + LEFT:
        for value in _named(request.module):
            if hasattr(value, "cache_clear") and value is not treebanks:
                value.cache_clear()
        _let_go()


@pytest.fixture(autouse=True)
def _little_memory() -> Iterator[None]:
    """Garbage goes back to the system once a process has grown; once it has grown much, so does what the app keeps."""
    yield
    if memory.used() > _held["least"] + MORE:
        _let_go()
    elif memory.used() > _held["last"] + GARBAGE:
        gc.collect()
        give_back_freed_memory()
        _held["last"] = memory.used()


@pytest.fixture
def model_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that the app opens and fetches models from, and an app that holds none yet."""
    from pages.ui.server import engine

    monkeypatch.setenv("ENCODER_MODELS", str(tmp_path))
    monkeypatch.setenv("ENCODER_HUB", "on")
    engine.model_cache.clear()
    engine.run_cache.clear()
    return tmp_path
