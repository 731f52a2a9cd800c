"""Made-up checkpoint folders: each opens and reads, or is refused with a sentence that names its file.

A longer form is `python tests/fuzz_folders.py`, with another seed each time.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from fuzz_folders import fuzz_models, fuzz_tokenizers

pytestmark = pytest.mark.nightly

TOKENIZERS, MODELS, SEED = 100, 200, 20


def test_made_up_tokenizers_are_read_or_refused(tmp_path: Path) -> None:
    assert fuzz_tokenizers(TOKENIZERS, SEED, tmp_path).total() >= TOKENIZERS


def test_models_that_contradict_themselves_are_read_or_refused(tmp_path: Path) -> None:
    found = fuzz_models(MODELS, SEED, tmp_path)
    assert found["refused"] > found["read"] > 0


def test_what_is_dear_to_read_takes_little_time_and_memory() -> None:
    """Each folder in a process of its own; the program names those that fail or take more than they may."""
    program = Path(__file__).with_name("fuzz_folders.py")
    command = [sys.executable, str(program), "--dear", "--models", "0", "--tokenizers", "0"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, "dear folders" in done.stdout) == (0, True), done.stderr
