"""Opens made-up checkpoint folders: `python tests/fuzz_folders.py --tokenizers 2000 --models 1000 --seed 7`.

Each opens and reads some texts, or says in a sentence which file is wrong; fails where one does anything else. With
`--dear` those that are dear to read are opened before, each in a process of its own, and the time and memory that it
takes, with the processes it starts, is measured.
"""

import json
import logging
import os
import shutil
import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter
from functools import cache
from pathlib import Path
from time import perf_counter, sleep
from typing import NamedTuple

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import torch
from folder_faults import DEAR
from folder_grammar import FAMILIES, OWN, TENSORS, Told, contradictions, tokenizer_files
from hypothesis import HealthCheck, Phase, given, note, seed, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from tiny import TINY, tiny_model, tiny_tokenizer
from twins import MODELS, saved

from encoder import CheckpointError, TextEncoder, checkpoint
from encoder.checkpoint.folder_reader import PROCESS
from encoder.support.errors import EncoderError

MOST_SECONDS, MOST_MB = 5.0, 500.0  # that a strange folder may take
SECONDS = 45.0  # until a folder is refused, on a machine that does something else too
TEXTS = ("", "the a b", "w1 w2 [MASK]", "\u4f60\u597d \U0001f642\u0301", "ab" * 300, ("a b", "w3 the"))


def reads(folder: Path) -> str:
    """What comes of a folder; an AssertionError where it is neither opened nor refused in a sentence."""
    start = perf_counter()
    try:
        encoder = TextEncoder.from_pretrained(folder)
    except CheckpointError as error:
        assert str(folder) in str(error) and len(str(error)) < 900, str(error)
        return "refused"
    finally:
        assert perf_counter() - start < SECONDS
    read = 0
    for text in TEXTS:
        try:
            trace = encoder.trace(text)
        except EncoderError as error:
            assert 20 < len(str(error)) < 400, str(error)
            continue
        read += 1
        assert trace["output"].shape == (len(trace.tokens), encoder.config.d_model)
    return "read" if read else "opened, and no text fits"


class Measured(NamedTuple):
    """What came of a folder, in how many seconds of a processor, and the most megabytes that it took meanwhile.

    By the clock it takes longer where the machine does something else too.
    """

    outcome: str
    seconds: float
    megabytes: float


def resident(pid: int, field: str = "VmRSS") -> float:
    """The megabytes of a process; 0 where it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def started_by(pid: int) -> list[int]:
    """The processes that a process has started and that run, and those that they have started."""
    try:
        own = [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return own + [below for one in own for below in started_by(one)]


def measured(folder: Path) -> Measured:
    """Open a folder in a copy of this process, and watch how much that and its own processes grow."""
    output, inlet = os.pipe()
    pid = os.fork()
    if pid == 0:
        said = ""
        try:
            said = reads(folder)
        except BaseException as error:
            said = f"failed: {type(error).__name__}: {str(error)[:300]}"
        finally:
            PROCESS.end()  # and counts the time that it took
            os.write(inlet, f"{sum(os.times()[:4])}\n{said}".encode())
            os._exit(0)
    os.close(inlet)
    before, most = resident(pid), 0.0
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        grown = resident(pid) - before
        most = max(most, grown + sum(resident(one) for one in started_by(pid)))
        sleep(0.005)
    with os.fdopen(output) as file:
        seconds, _, outcome = file.read().partition("\n")
    return Measured(outcome, float(seconds), most)


def dear_folders(root: Path) -> list[tuple[str, Measured]]:
    """Make the folders that are dear to read one after the other, and measure each."""
    measures = []
    for name, change in DEAR.items():
        folder = root / f"bert-{name}"
        shutil.copytree(family("bert", root)[0], folder)
        change(folder)
        measures.append((folder.name, measured(folder)))
        shutil.rmtree(folder)
    return measures


def beyond(found: list[tuple[str, Measured]]) -> list[str]:
    """What is wrong with each folder that failed, or took more time or memory than it may, in a line."""
    return [
        f"{name}: {one.outcome}, {one.seconds:.1f} s, {one.megabytes:.0f} MB"
        for name, one in found
        if one.outcome.startswith("failed") or one.seconds > MOST_SECONDS or one.megabytes > MOST_MB
    ]


def options(count: int) -> settings:
    """So many cases; the smallest that fails is reported."""
    return settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )


def fuzz_tokenizers(count: int, start: int, root: Path) -> Counter[str]:
    """Open so many made-up tokenizers beside a model in good order; how many ended in which way."""
    found: Counter[str] = Counter()
    folder = root / "tokenizer"
    checkpoint.save(tiny_model(TINY), tiny_tokenizer(), folder)

    @seed(start)
    @options(count)
    @given(tokenizer_files())
    def tried(text: str) -> None:
        note(f"seed {start}")
        (folder / "tokenizer.json").write_text(text)
        found[reads(folder)] += 1

    tried()
    return found


@cache
def family(name: str, root: Path) -> tuple[Path, Told, dict[str, torch.Tensor]]:
    """A model in good order: its folder, its configuration and its tensors."""
    folder = root / name
    if name in MODELS:
        saved(folder, MODELS[name])
    else:
        checkpoint.save(tiny_model(OWN[name]), tiny_tokenizer(), folder)
    return folder, json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")


def fuzz_models(count: int, start: int, root: Path) -> Counter[str]:
    """Open so many folders whose configuration and tensors contradict each other; how many ended in which way."""
    found: Counter[str] = Counter()
    names = st.sampled_from(FAMILIES)

    @seed(start)
    @options(count)
    @given(st.data())
    def tried(data: st.DataObject) -> None:
        note(f"seed {start}")
        good, config, tensors = family(data.draw(names), root)
        said, damage, renamed = data.draw(contradictions(config, sorted(tensors)))
        folder = root / "changed"
        shutil.copytree(good, folder, dirs_exist_ok=True)
        (folder / "config.json").write_text(json.dumps(said))
        made = {
            renamed.get(name, name): TENSORS[damage[name]](one) if damage.get(name) else one
            for name, one in tensors.items()
            if damage.get(name) != "out"
        }
        try:
            save_file({name: one.clone().contiguous() for name, one in made.items()}, folder / "model.safetensors")
        except Exception:  # a name that cannot be written is in no file
            return
        found[reads(folder)] += 1

    tried()
    return found


def main(given: list[str] | None = None) -> int:
    """Do what the command line says."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--dear", action="store_true", help="measure those that are dear to read")
    parser.add_argument("--tokenizers", type=int, default=2000, help="how many tokenizer.json are opened")
    parser.add_argument("--models", type=int, default=1000, help="how many models that contradict themselves")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3)), help="without it, another each time")
    asked = parser.parse_args(given)
    print(f"{asked.tokenizers} tokenizers and {asked.models} models, seed {asked.seed}", flush=True)
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)  # a copy of a process has none of its threads
    with tempfile.TemporaryDirectory() as root:
        if asked.dear:
            found = dear_folders(Path(root))
            slow, large = max(found, key=lambda one: one[1].seconds), max(found, key=lambda one: one[1].megabytes)
            print(f"{len(found)} dear folders: {dict(Counter(one.outcome for _, one in found))}", flush=True)
            print(f"longest {slow[1].seconds:.2f} s ({slow[0]}), most {large[1].megabytes:.0f} MB ({large[0]})")
            if wrong := beyond(found):
                sys.exit("\n".join(wrong))
        if asked.models:
            print(dict(fuzz_models(asked.models, asked.seed, Path(root))), flush=True)
        if asked.tokenizers:
            print(dict(fuzz_tokenizers(asked.tokenizers, asked.seed, Path(root))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
