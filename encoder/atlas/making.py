"""Making an atlas in one pass over the corpus, in one process or several: part after part, with running sums.

After each part a process writes what it has found so far, and goes on from there where it was ended.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import torch
from safetensors.torch import load_file
from safetensors.torch import save as as_bytes
from torch import Tensor

from encoder.atlas.card import CARD, PARTS, PLAN
from encoder.atlas.collecting import NO_VECTORS, KeptVectors, RunningCounts, collect
from encoder.atlas.corpus import AtlasCorpus, AtlasError
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.model.linear import unpacked
from encoder.support import whole_file

PART = 4096  # sentences
DAMAGED = "{} is damaged or not there; remove the folder that it is in and start again"
OnProgress = Callable[[int], None]


@dataclass(frozen=True)
class AtlasPlan:
    """What an atlas is made of and where.

    `kept` says which vectors are kept for search, `device` is "cpu" or "cuda": the bits of one are not the other's.
    """

    model: str
    corpus: AtlasCorpus
    out: Path
    kept: KeptVectors = NO_VECTORS
    part: int = PART
    licence: str = ""
    device: str = "cpu"

    @property
    def parts(self) -> Path:
        """The folder of what is not yet an atlas."""
        return self.out / PARTS

    def so_far(self, rank: int) -> Path:
        """Return the file of what a process has found so far."""
        return self.parts / f"sums-{rank:03}.safetensors"

    def vectors(self, index: int) -> Path:
        """Return the file of the vectors of one part."""
        return self.parts / f"vectors-{index:06}.safetensors"

    @property
    def command(self) -> str:
        """What makes these files, wherever they go and however many processes work."""
        given = [f"--model {self.model}", f"--corpus {' '.join(path.name for path in self.corpus.files)}"]
        given += [f"--every {self.corpus.every}"] if self.corpus.every > 1 else []
        given += ["--pairs"] if self.corpus.pairs else []
        given += ["--screen"] if self.corpus.screened else []
        for name, layers in (("--vectors", self.kept.stream), ("--head-vectors", self.kept.heads)):
            given += [f"{name} {' '.join(map(str, layers))}"] if layers else []
        given += [f"--vector-every {self.kept.every}"] if self.kept.every > 1 else []
        given += [f"--part {self.part}"] if self.part != PART else []
        given += [f'--licence "{self.licence}"'] if self.licence else []
        given += [f"--device {self.device}"] if self.device != "cpu" else []
        return " ".join(["python -m encoder.atlas", *given, "--out DIR"])


@dataclass(frozen=True)
class MeasuredCorpus:
    """The size of a plan's corpus, what pins it, and how many sentences it was screened of."""

    sentences: int
    sha256: str
    left_out: int


def begin(plan: AtlasPlan, encoder: TextEncoder, count: int = 1) -> MeasuredCorpus:
    """Look at the corpus and make the folder ready for so many processes; what an earlier run left is gone on with.

    Raises:
        AtlasError: the corpus cannot be read, a layer is not there, or the folder holds something else.
    """
    layers = encoder.config.n_layers
    if wrong := [layer for layer in plan.kept.stream if not 0 <= layer <= layers]:
        raise AtlasError(f"--vectors {wrong[0]} is not a layer: 0 is before the first, {layers} after the last")
    if wrong := [layer for layer in plan.kept.heads if not 0 <= layer < layers]:
        raise AtlasError(f"--head-vectors {wrong[0]} is not a layer: their heads go from layer 0 to layer {layers - 1}")
    counts = {"--every": plan.corpus.every, "--part": plan.part, "--vector-every": plan.kept.every}
    if low := [f"{name} {value}" for name, value in counts.items() if value < 1]:
        raise AtlasError(f"{low[0]} must be 1 or more")
    if plan.out.exists() and not plan.out.is_dir():
        raise AtlasError(f"{plan.out} is a file; --out must name a folder, which may be a new one")
    if (plan.out / CARD).exists():
        raise AtlasError(f"{plan.out} already holds an atlas; choose another folder, or empty this one")
    corpus = MeasuredCorpus(*plan.corpus.measured())
    settings = asdict(corpus) | {
        "model": encoder.source.sha256,
        "seed": encoder.source.seed,
        "part": plan.part,
        "processes": count,
        "kept": asdict(plan.kept),
        "device": plan.device,
        **plan.corpus.kind,
    }
    text, settings_file = json.dumps(settings, sort_keys=True), plan.parts / PLAN
    if settings_file.exists() and settings_file.read_text(encoding="utf-8") != text:
        raise AtlasError(
            f"{plan.out} holds an unfinished atlas of other settings, text, model or number of processes; choose "
            "another folder"
        )
    plan.parts.mkdir(parents=True, exist_ok=True)
    whole_file.write(settings_file, text.encode("utf-8"))
    return corpus


def work(
    plan: AtlasPlan, encoder: TextEncoder, rank: int = 0, count: int = 1, on_progress: OnProgress = lambda done: None
) -> RunningCounts:
    """Go through this process's parts from where it was ended; `on_progress` hears of the sentences done.

    Raises:
        AtlasError: what was written before is damaged.
    """
    behind = after = 0
    with unpacked(encoder.model), moved(encoder, plan.device):
        running = RunningCounts(encoder, plan.kept, plan.corpus.pairs)
        if (path := plan.so_far(rank)).exists():
            try:
                state = load_file(path)
                running.load(state, plan.device)
                after = int(state["after"])  # the first part that is not in it
            except Exception as error:  # the library has no common class of errors
                raise AtlasError(DAMAGED.format(path)) from error
        for index, (first, texts) in enumerate(plan.corpus.parts(plan.part)):
            if index % count != rank:
                continue
            if index >= after:
                collect(running, encoder, first, texts, partial(add_to, behind, on_progress))
                if plan.kept.stream or plan.kept.heads:
                    save(plan.vectors(index), running.of_part())
                save(plan.so_far(rank), running.state() | {"after": torch.tensor(index + 1)})
            behind += len(texts)
            on_progress(behind)
    return running


def add_to(behind: int, on_progress: OnProgress, done: int) -> None:
    """Tell of the sentences of a part with those before it."""
    on_progress(behind + done)


@contextmanager
def moved(encoder: TextEncoder, device: str) -> Iterator[None]:
    """The model on a device for a while."""
    encoder.model.to(device)
    try:
        yield
    finally:
        encoder.model.to("cpu")


def save(path: Path, state: dict[str, Tensor]) -> None:
    """Write tensors whole or not at all."""
    whole_file.write(path, as_bytes({name: value.cpu().contiguous() for name, value in state.items()}))


def vectors_of(plan: AtlasPlan, sentences: int) -> Iterator[dict[str, Tensor]]:
    """Yield the vectors of the parts in their order, one part at a time.

    Raises:
        AtlasError: those of a part are damaged.
    """
    for index in range(-(-sentences // plan.part)):
        try:
            yield load_file(plan.vectors(index))
        except Exception as error:  # the library has no common class of errors
            raise AtlasError(DAMAGED.format(plan.vectors(index))) from error


def sha256(path: Path) -> str:
    """Return what pins a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
