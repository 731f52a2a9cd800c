"""What the caller has set changes nothing: neither how `tests/run.sh` starts nor what the tests find."""

import os
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
ODD = {
    "ENCODER_HUB": "off",
    "ENCODER_MODELS": "",
    "ENCODER_MOST_MB": "1",
    "HF_ENDPOINT": "http://127.0.0.1:9",
    "HF_HUB_OFFLINE": "1",
    "HF_HOME": "/nowhere",
    "LOCAL_RANK": "5",
    "OMP_NUM_THREADS": "3",
    "PYTEST_ADDOPTS": "-k nothing-at-all",
    "PYTHONPATH": "/nowhere",
    "PYTHONWARNINGS": "error",
    "RANK": "7",
    "RUFF_CONFIG": "/nowhere",
    "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "true",
    "STREAMLIT_CLIENT_SHOW_ERROR_DETAILS": "full",
    "STREAMLIT_SERVER_BASE_URL_PATH": "elsewhere",
    "TRANSFORMERS_OFFLINE": "1",
    "WORLD_SIZE": "9",
}
# Each of these fails where one of the variables is heard.


def test_the_script_leaves_out_what_the_caller_has_set() -> None:
    line = next(line for line in (ROOT / "tests" / "run.sh").read_text().splitlines() if line.startswith("unset "))
    kept = {"HOME": "/somewhere", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "CHROMIUM": "/a"}
    environment = {"PATH": os.environ["PATH"]} | kept | ODD
    done = subprocess.run(
        ["bash", "-euc", f"{line}; env"], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    left = dict(one.split("=", 1) for one in done.stdout.splitlines())
    assert kept.items() <= left.items()
    assert not left.keys() & ODD.keys()
