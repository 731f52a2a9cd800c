"""What stands beside the weights of a folder: its configuration and its tokenizer, read in another process.

See reading_process.py, which reads them: it is started for the first folder, serves all that follow, and ends after a
while without work. Only files that a configuration or a tokenizer is made of are handed to it, each of a bounded size.
"""

import atexit
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from encoder.checkpoint.reading_process import RESULT, TOO_MUCH
from encoder.checkpoint.tensor_files import CheckpointError, read_json

PROGRAM = Path(__file__).with_name("reading_process.py")
CONFIG, TOKENIZER, SETTINGS = "config.json", "tokenizer.json", "tokenizer_config.json"
MIB = 2**20
PIECES = {  # in which files a vocabulary stands, and the most bytes of each; of XLM-R 5 MB, of mmBERT 34 in JSON
    TOKENIZER: 40 * MIB,
    "vocab.txt": 16 * MIB,
    "vocab.json": 16 * MIB,
    "merges.txt": 8 * MIB,
    "spm.model": 16 * MIB,
    "spiece.model": 16 * MIB,
    "sentencepiece.bpe.model": 16 * MIB,
    "tokenizer.model": 16 * MIB,
}
BESIDE = {SETTINGS: MIB, "special_tokens_map.json": MIB, "added_tokens.json": 4 * MIB}
VERSIONED = re.compile(r"tokenizer\.\d[\d.]*\.json")  # of which transformers takes the one for its own version
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_VERBOSITY": "critical",
    "RUST_BACKTRACE": "0",
    "RAYON_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class FolderReading:
    """What stands beside the weights of a folder.

    `tokenizer` is a tokenizer.json; `config` the fields of config.json, those that it does not say among them;
    `special` the names of its special tokens, such as that of mask_token. The last two are empty for a folder in our
    own layout.
    """

    tokenizer: str
    config: Mapping[str, Any]
    special: Mapping[str, str]


def files_beside(folder: Path) -> dict[str, int]:
    """The files of a folder that its tokenizer is made of, with their sizes in bytes.

    Raises:
        CheckpointError: one that is larger than any known model's.
    """
    bounds = PIECES | BESIDE
    bounds |= {file.name: PIECES[TOKENIZER] for file in folder.iterdir() if VERSIONED.fullmatch(file.name)}
    sizes = {name: (folder / name).stat().st_size for name in bounds if (folder / name).is_file()}
    for name, size in sizes.items():
        if size > bounds[name]:
            raise CheckpointError(f"{folder / name} has {size:,} bytes; at most {bounds[name]:,} are read here")
    return sizes


def read_beside(folder: Path, config: Mapping[str, Any], theirs: bool, vocab_size: object) -> FolderReading:
    """Read the tokenizer of a folder and, in Hugging Face's layout, what its configuration means.

    Args:
        folder: where the files are.
        config: the fields of its config.json, as they are to be read.
        theirs: whether it is in Hugging Face's layout.
        vocab_size: how many pieces the model has a row for, where that is known.

    Raises:
        CheckpointError: files that are missing, too large or damaged, or none that can be used; the message says why.
    """
    names = files_beside(folder)
    if not any(name in PIECES for name in names):
        raise CheckpointError(
            f"{folder} has no tokenizer: none of {', '.join(PIECES)}; tokenizer.save_pretrained(...) puts it there"
        )
    if theirs is False and TOKENIZER not in names:
        raise CheckpointError(f"{folder} has no {TOKENIZER}")
    for name in names.keys() & BESIDE.keys():
        read_json(folder / name, BESIDE[name])  # refuses what is no JSON object
    with tempfile.TemporaryDirectory() as there:
        for name in names:
            shutil.copyfile(folder / name, Path(there) / name)
        (Path(there) / CONFIG).write_text(json.dumps(dict(config)), encoding="utf-8")
        rows = vocab_size if type(vocab_size) is int else None
        PROCESS.ask({"folder": there, "theirs": theirs, "vocab_size": rows})
        result = Path(there) / RESULT
        answer: dict[str, Any] = {"wrong": TOO_MUCH}
        if result.is_file():
            answer = json.loads(result.read_text(encoding="utf-8"))
    if wrong := answer.get("wrong"):
        raise CheckpointError(f"{folder}: {wrong.replace(there, str(folder))}")
    return FolderReading(answer["tokenizer"], answer.get("config", {}), answer.get("special", {}))


class Process:
    """The process that reads folders; one for all threads, which wait for each other."""

    def __init__(self) -> None:
        self.turn = threading.Lock()
        self.process: subprocess.Popen[str] | None = None

    def ask(self, request: Mapping[str, Any]) -> None:
        """Have a folder read; what is found stands in it afterwards, and nothing where the process fails."""
        with self.turn:
            for _ in range(2):  # one that has ended for lack of work takes no request
                if self.process is None or self.process.poll() is not None:
                    self.end()
                    self.process = subprocess.Popen(
                        [sys.executable, "-P", str(PROGRAM)],
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.DEVNULL,
                        text=True,
                        env=dict(os.environ) | OFFLINE,
                    )
                if self.asked(self.process, json.dumps(dict(request))):
                    return
                self.end()

    @staticmethod
    def asked(process: "subprocess.Popen[str]", line: str) -> bool:
        """Whether a process has answered."""
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
        except OSError:
            return False
        return process.stdout.readline() != ""

    def end(self) -> None:
        """End the process, where there is one."""
        if self.process is not None:
            with self.process as process:
                process.kill()
            self.process = None

    def forget(self) -> None:
        """Leave the process to the one that this is a copy of."""
        self.turn, self.process = threading.Lock(), None


PROCESS = Process()
atexit.register(PROCESS.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=PROCESS.forget)
