"""Making an atlas: shards of the corpus in any number of processes, each kept as a part, and the parts put together.

A part depends on its shard alone and parts are put together in their order, so the files are the same, byte for byte,
for any number of processes and for a run that was ended and taken up again.
"""

import hashlib
import json
import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from safetensors.torch import save as as_bytes
from torch import Tensor
from torch.multiprocessing.spawn import ProcessException, spawn

from encoder.atlas.card import CARD, PARTS, PLAN
from encoder.atlas.collecting import NO_VECTORS, KeptVectors, Shard, collect
from encoder.atlas.corpus import AtlasCorpus, AtlasError
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.model.linear import unpacked
from encoder.support import whole_file

SHARD = 4096  # sentences
EVERY = 0.5  # seconds between two looks at how far the processes are
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
    shard: int = SHARD
    licence: str = ""
    device: str = "cpu"

    @property
    def parts(self) -> Path:
        """The folder of what is not yet put together."""
        return self.out / PARTS

    def part(self, index: int) -> Path:
        """Return the file of one shard."""
        return self.parts / f"part-{index:06}.safetensors"

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
        given += [f"--shard {self.shard}"] if self.shard != SHARD else []
        given += [f'--licence "{self.licence}"'] if self.licence else []
        given += [f"--device {self.device}"] if self.device != "cpu" else []
        return " ".join(["python -m encoder.atlas", *given, "--out DIR"])


@dataclass(frozen=True)
class MeasuredCorpus:
    """The size of a plan's corpus, what pins it, and how many sentences it was screened of."""

    sentences: int
    sha256: str
    left_out: int


def begin(plan: AtlasPlan, encoder: TextEncoder, resume: bool) -> MeasuredCorpus:
    """Look at the corpus and make the folder ready; what an earlier run left is taken up only with `resume`.

    Raises:
        AtlasError: the corpus cannot be read, a layer is not there, or the folder holds something else.
    """
    layers = encoder.config.n_layers
    if wrong := [layer for layer in plan.kept.stream if not 0 <= layer <= layers]:
        raise AtlasError(f"--vectors {wrong[0]} is no layer: 0 is before the first, {layers} after the last")
    if wrong := [layer for layer in plan.kept.heads if not 0 <= layer < layers]:
        raise AtlasError(f"--head-vectors {wrong[0]} is no layer: their heads go from layer 0 to layer {layers - 1}")
    counts = {"--every": plan.corpus.every, "--shard": plan.shard, "--vector-every": plan.kept.every}
    if low := [f"{name} {value}" for name, value in counts.items() if value < 1]:
        raise AtlasError(f"{low[0]} must be 1 or more")
    if plan.out.exists() and not plan.out.is_dir():
        raise AtlasError(f"{plan.out} is a file; --out must name a folder, which may be a new one")
    if (plan.out / CARD).exists():
        raise AtlasError(f"{plan.out} already holds an atlas; choose another folder, or empty this one")
    if plan.parts.exists() and not resume:
        raise AtlasError(f"{plan.out} holds an unfinished atlas; go on with --resume, or choose another folder")
    if resume and not plan.parts.exists():
        raise AtlasError(f"{plan.out} has no unfinished atlas to resume; start without --resume")
    corpus = MeasuredCorpus(*plan.corpus.measured())
    settings = asdict(corpus) | {
        "model": encoder.source.sha256,
        "seed": encoder.source.seed,
        "shard": plan.shard,
        "kept": asdict(plan.kept),
        "device": plan.device,
        **plan.corpus.kind,
    }
    text, settings_file = json.dumps(settings, sort_keys=True), plan.parts / PLAN
    if resume and (not settings_file.exists() or settings_file.read_text(encoding="utf-8") != text):
        raise AtlasError(
            f"{plan.out} holds an unfinished atlas of other settings, text or model; choose another folder"
        )
    plan.parts.mkdir(parents=True, exist_ok=True)
    whole_file.write(settings_file, text.encode("utf-8"))
    return corpus


def work(
    plan: AtlasPlan, encoder: TextEncoder, rank: int = 0, count: int = 1, on_progress: OnProgress = lambda done: None
) -> None:
    """Make this process's share of the missing parts; `on_progress` hears of the sentences done."""
    torch.set_num_threads(1)
    behind = 0
    with unpacked(encoder.model), moved(encoder, plan.device):
        for index, (first, texts) in enumerate(plan.corpus.shards(plan.shard)):
            if index % count == rank:
                if not plan.part(index).exists():
                    shard = collect(encoder, first, texts, plan.kept, after(behind, on_progress))
                    save(plan.part(index), shard.state())
                behind += len(texts)
                on_progress(behind)


def work_together(plan: AtlasPlan, workers: int, on_progress: OnProgress) -> None:
    """Make all parts by several processes of this machine; `on_progress` hears of the sentences done by all.

    Raises:
        AtlasError: one of them ended before its work was done.
    """
    counts: Any = multiprocessing.get_context("spawn").Array("q", workers)
    team: Any = spawn(work_for_another, (plan, counts), workers, join=False, daemon=True)  # type: ignore[no-untyped-call]
    try:
        while not team.join(EVERY):
            on_progress(sum(counts))
    except ProcessException as error:
        early = f"process {error.error_index} of {workers} ended early"
        raise AtlasError(f"{early}; what is done is kept, go on with --resume") from error
    on_progress(sum(counts))


def work_for_another(rank: int, plan: AtlasPlan, counts: Any) -> None:
    """Do one share in a process of its own, with its own copy of the model; end where the starter has ended."""
    starter = multiprocessing.parent_process()
    assert starter is not None

    def on_progress(done: int) -> None:
        counts[rank] = done
        if not starter.is_alive():  # it was killed: who goes on with --resume shall find nobody at work
            raise SystemExit(1)

    if plan.device == "cuda":
        torch.cuda.set_device(rank % torch.cuda.device_count())
    work(plan, TextEncoder.from_pretrained(plan.model), rank, len(counts), on_progress)


def after(behind: int, on_progress: OnProgress) -> OnProgress:
    """Return what hears of the sentences done in one shard, and tells of those before it as well."""
    return lambda done: on_progress(behind + done)


@contextmanager
def moved(encoder: TextEncoder, device: str) -> Iterator[None]:
    """The model on a device for a while."""
    encoder.model.to(device)
    try:
        yield
    finally:
        encoder.model.to("cpu")


def save(path: Path, state: dict[str, Tensor]) -> None:
    """Write a part whole or not at all."""
    whole_file.write(path, as_bytes({name: value.contiguous() for name, value in state.items()}))


def states(plan: AtlasPlan, sentences: int) -> Iterator[dict[str, Tensor]]:
    """Yield the parts in their order, one at a time.

    Raises:
        AtlasError: one is not there, or is damaged.
    """
    for index in range(-(-sentences // plan.shard)):
        path = plan.part(index)
        try:
            yield load_file(path)
        except Exception as error:  # the library has no common class of errors
            raise AtlasError(f"{path} is damaged or not there; remove it and go on with --resume") from error


def put_together(plan: AtlasPlan, encoder: TextEncoder, sentences: int) -> Shard:
    """Return all parts as one, without the vectors."""
    whole: Shard | None = None
    for state in states(plan, sentences):
        part = Shard(encoder)
        part.load(state)
        if whole is None:
            whole = part
        else:
            whole.add(part)
    assert whole is not None
    return whole


def sha256(path: Path) -> str:
    """Return what pins a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
