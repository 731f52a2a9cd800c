"""What many tests share: one torch thread, and the bundled models loaded once."""

import sys
from collections.abc import Iterator
from pathlib import Path

import clean_environment  # noqa: F401  (before all else that reads variables)
import pytest
import torch

from encoder import TextEncoder, Trace

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def base() -> TextEncoder:
    """The bundled model that the app opens with."""
    return TextEncoder.from_pretrained("base")


@pytest.fixture(scope="session")
def small() -> TextEncoder:
    """The bundled little sibling."""
    return TextEncoder.from_pretrained("small")


@pytest.fixture(scope="session")
def sara(base: TextEncoder) -> Trace:
    """One real sentence through `base`."""
    return base.trace("Keys on the table belong to Sara.")


@pytest.fixture(scope="module", autouse=True)
def _little_memory() -> Iterator[None]:
    """What a module of tests leaves in the app's caches is let go."""
    yield
    if "pages.ui.session" in sys.modules:
        engine = sys.modules["pages.ui.server.engine"]
        engine.run_cache.clear()
        engine.model_cache.clear()


@pytest.fixture
def model_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that the app opens and fetches models from, and an app that holds none yet."""
    from pages.ui.server import engine

    monkeypatch.setenv("ENCODER_MODELS", str(tmp_path))
    monkeypatch.setenv("ENCODER_HUB", "on")
    engine.model_cache.clear()
    engine.run_cache.clear()
    return tmp_path
