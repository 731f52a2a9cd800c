"""Made-up checkpoint folders, a few of them: each opens and reads, or is refused with a sentence that names its file.

The nightly form is `python tests/fuzz_folders.py`, with another seed each time.
"""

from pathlib import Path

import pytest
from fuzz_folders import fuzz_models, fuzz_tokenizers

pytestmark = pytest.mark.slow

TOKENIZERS, MODELS, SEED = 12, 40, 20


def test_made_up_tokenizers_are_read_or_refused(tmp_path: Path) -> None:
    assert fuzz_tokenizers(TOKENIZERS, SEED, tmp_path).total() >= TOKENIZERS


def test_models_that_contradict_themselves_are_read_or_refused(tmp_path: Path) -> None:
    found = fuzz_models(MODELS, SEED, tmp_path)
    assert found["refused"] > found["read"] > 0
