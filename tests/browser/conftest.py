"""One server for all browser tests; what else they share stands in `in_browser.py`."""

import contextlib
import tempfile
from pathlib import Path
from typing import Any

import pytest
from servers import APP, serve

HERE = Path(__file__).resolve().parent
SHARED = pytest.StashKey[tuple[str, str]]()


def pytest_configure(config: pytest.Config) -> None:
    """A process that only hands out the tests to others (xdist) loads nothing of what they use."""
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        import in_browser

        config.pluginmanager.register(in_browser)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the quick tests first."""
    items.sort(key=lambda item: HERE in item.path.parents)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Where several processes share the tests (xdist), they share a server, if any of the tests asks for one."""
    config: pytest.Config = node.config
    if SHARED not in config.stash and asks_for_app(config.args):
        running = contextlib.ExitStack()
        config.add_cleanup(running.close)
        home = Path(running.enter_context(tempfile.TemporaryDirectory()))
        log = home / "streamlit.log"
        config.stash[SHARED] = running.enter_context(serve(APP, log, home)), str(log)
    node.workerinput["app"] = config.stash.get(SHARED, None)


def asks_for_app(arguments: list[str]) -> bool:
    """Whether one of the files of tests that pytest was called with, or is in a folder, opens the app."""
    paths = [Path(one.partition("::")[0]).resolve() for one in arguments]
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("test_*.py"))]
    return any("app_url" in file.read_text(encoding="utf-8") for file in files if file.parent == HERE)


@pytest.fixture(scope="session", autouse=True)
def _one_is_laid_out(pytestconfig: pytest.Config) -> None:
    """Beside other processes, only what most tests run is laid out for the processor, and nothing beside a server.

    All that tests compare with would take 0.2 GB in each process.
    """
    given = getattr(pytestconfig, "workerinput", None)
    if given is not None:
        from encoder.model.encoder import Encoder

        whole, width = Encoder.prepack, None if given["app"] else 512  # that of base
        Encoder.prepack = lambda self: whole(self) if self.config.d_model == width else None  # type: ignore[method-assign]
