"""What is set before any test: the environment, how many generated cases are tried, and what the tests share."""

import clean_environment  # noqa: F401  (before all else that reads variables)
import pytest
import tiers

DAILY = 0.15  # of the generated cases


def pytest_configure(config: pytest.Config) -> None:
    """What guards every change tries a part of the generated cases; a run of all tests tries all of them.

    A process that only hands out the tests to others (xdist) loads none of the product: that would hold 230 MB.
    """
    if "not nightly" in str(config.getoption("markexpr")):
        tiers.SHARE = DAILY
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        import held_in_common

        config.pluginmanager.register(held_in_common)
