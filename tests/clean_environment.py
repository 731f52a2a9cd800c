"""Leave out what a caller's variables would change, before anything reads them: conftest.py imports this first.

What pytest itself reads even before that (PYTEST_ADDOPTS), tests/run.sh leaves out, and all of these too.

Every process of the tests computes with one thread: two that wait for each other on a busy processor take ten times as
long. Its threads share two pools of memory, which otherwise are as many as threads and keep what each has let go. The
machine code of linear maps is kept of fewer shapes than on a server: tests try hundreds.
"""

import os

PREFIXES = ("ENCODER_", "HF_", "HUGGINGFACE_", "STREAMLIT_", "TRANSFORMERS_")
NAMES = ("LOCAL_RANK", "OMP_NUM_THREADS", "PYTEST_ADDOPTS", "RANK", "WORLD_SIZE")

for name in [name for name in os.environ if name.startswith(PREFIXES) or name in NAMES]:
    del os.environ[name]
os.environ |= {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
os.environ |= {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "16", "LRU_CACHE_CAPACITY": "16"}
