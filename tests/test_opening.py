"""What opening somebody else's folder costs: memory while it is read, beside what the opened model holds."""

import subprocess
import sys
from pathlib import Path

import pytest
from house import ROOT
from twins import saved

pytestmark = pytest.mark.slow

MOST = 1.3  # times what the opened model holds
PLAIN = {"hidden_size": 512, "num_attention_heads": 8, "num_hidden_layers": 6, "intermediate_size": 2048}
WATCHED = """
import sys, threading, time
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/tests"]
from fuzz_folders import resident, started_by
from encoder import TextEncoder
import os
me = os.getpid()
TextEncoder.from_pretrained("small").trace("a")
before, most, over = resident(me), [0.0], threading.Event()
def watch():
    while not over.wait(0.003):
        most[0] = max(most[0], resident(me) + sum(map(resident, started_by(me))))
thread = threading.Thread(target=watch)
thread.start()
try:
    encoder = TextEncoder.from_pretrained(sys.argv[2])
finally:
    over.set()
    thread.join()
print(most[0] - before, resident(me) - before)
"""


@pytest.mark.nightly
@pytest.mark.parametrize("pickled", [False, True])
def test_opening_takes_little_more_memory_than_the_model(pickled: bool, tmp_path: Path) -> None:
    """The tree of processes at its most, beside what is held: the weights as they are, and laid out once more."""
    twin = saved(tmp_path, ("BertForMaskedLM", "BertConfig", {**PLAIN, "vocab_size": 40_000}))
    if pickled:
        import torch

        torch.save(twin.state_dict(), tmp_path / "pytorch_model.bin")
        (tmp_path / "model.safetensors").unlink()
    command = [sys.executable, "-c", WATCHED, str(ROOT), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    most, held = map(float, done.stdout.split())
    assert held > 150 and most < MOST * held, (most, held)
