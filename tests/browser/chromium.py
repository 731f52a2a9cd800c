"""Find a Chromium that starts: $CHROMIUM, one on PATH, or the one Playwright downloaded."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

from playwright.sync_api import sync_playwright

# The one without windows first: it holds half of the memory, and is what Playwright itself starts.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = (
    "No Chromium that starts was found: run `apt-get install chromium` or `python -m playwright install chromium`, "
    "or set CHROMIUM to the path of one."
)


def _candidates() -> Iterator[str | None]:
    yield os.environ.get("CHROMIUM")
    yield from map(shutil.which, NAMES)
    with sync_playwright() as playwright:
        yield playwright.chromium.executable_path


def _starts(path: str) -> bool:
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def find_chromium() -> str:
    """Return the path of the first Chromium that starts; raises RuntimeError when there is none."""
    for path in _candidates():
        if path and _starts(path):
            return path
    raise RuntimeError(MISSING)


if __name__ == "__main__":
    try:
        print(find_chromium())
    except RuntimeError as missing:
        sys.exit(str(missing))
