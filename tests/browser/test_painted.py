"""The benchmark of the picture of all heads finds its way through the pages, and that the picture is painted."""

import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))

import bench_heads


@pytest.mark.nightly
def test_all_heads_are_painted_once_their_numbers_have_arrived(browser: Browser, app_url: str) -> None:
    assert 0 < bench_heads.painted(browser, app_url, 1) < 20_000
