"""Leave out what a caller's variables would change, before anything reads them: conftest.py imports this first.

What pytest itself reads even before that (PYTEST_ADDOPTS), tests/run.sh leaves out, and all of these too.
"""

import os

PREFIXES = ("ENCODER_", "HF_", "HUGGINGFACE_", "STREAMLIT_", "TRANSFORMERS_")
NAMES = ("LOCAL_RANK", "OMP_NUM_THREADS", "PYTEST_ADDOPTS", "RANK", "WORLD_SIZE")

for name in [name for name in os.environ if name.startswith(PREFIXES) or name in NAMES]:
    del os.environ[name]
