"""What the caller has set changes nothing: neither how `tests/run.sh` starts nor what the tests find."""

import os
import subprocess
import sys
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
HEARING = [
    "tests/test_hub.py",
    "tests/test_train.py::test_a_run_that_cannot_start_says_why",
    "tests/test_model_pages.py::test_a_built_model_runs_and_its_link_builds_it_again",
    "tests/test_model_pages.py::test_a_model_from_the_hub_is_fetched_shown_and_kept",
]


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


@pytest.mark.nightly
def test_the_tests_find_the_same_whatever_is_set() -> None:
    odd = {name: value for name, value in ODD.items() if not name.startswith("PY")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *HEARING]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | odd, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:]
