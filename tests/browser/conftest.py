"""One server for all browser tests; what else they share stands in `in_browser.py`."""

import contextlib
import tempfile
from pathlib import Path
from typing import Any

import pytest
from servers import APP, serve

HERE = Path(__file__).parent
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
    """Where several processes share the tests (xdist), they share a server: a second one would take 0.9 GB more."""
    config: pytest.Config = node.config
    if SHARED not in config.stash:
        running = contextlib.ExitStack()
        config.add_cleanup(running.close)
        home = Path(running.enter_context(tempfile.TemporaryDirectory()))
        log = home / "streamlit.log"
        config.stash[SHARED] = running.enter_context(serve(APP, log, home)), str(log)
    node.workerinput["app"] = config.stash[SHARED]
