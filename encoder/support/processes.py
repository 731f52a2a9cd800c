"""One process or many: PyTorch's own DistributedDataParallel, started by torchrun."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed.nn.functional  # before any group: its default arguments hold the one that is there, for ever
from torch import distributed

from encoder.support.progress import quiet


@dataclass(frozen=True)
class Processes:
    """Which of how many processes this is, and the device it works on."""

    rank: int
    count: int
    device: torch.device

    @property
    def first(self) -> bool:
        """Whether this is the process that writes and speaks."""
        return self.rank == 0

    @property
    def on_gpu(self) -> bool:
        """Whether there is a CUDA device to work on."""
        return self.device.type == "cuda"

    @property
    def compiles(self) -> bool:
        """Whether torch.compile makes kernels for this device: Triton needs compute capability 7.0."""
        return self.on_gpu and torch.cuda.get_device_capability(self.device) >= (7, 0)

    def autocast(self) -> Any:
        """Mixed precision: bf16 where the GPU computes in it, float32 elsewhere."""
        usable = self.on_gpu and torch.cuda.is_bf16_supported()
        return torch.autocast("cuda", torch.bfloat16) if usable else nullcontext()

    def wait(self) -> None:
        """Go on when all processes are here."""
        if self.count > 1:
            distributed.barrier()

    def shared(self, text: str) -> str:
        """Return the text of the first process in all of them."""
        if self.count == 1:
            return text
        texts = [text]
        distributed.broadcast_object_list(texts, device=self.device)
        return texts[0]

    def total(self, value: float) -> float:
        """Return the sum over all processes."""
        if self.count == 1:
            return value
        summed = torch.tensor(value, dtype=torch.float64, device=self.device)
        distributed.all_reduce(summed)
        return float(summed)


ALONE = Processes(0, 1, torch.device("cpu"))


@contextmanager
def processes(kind: str | None = None) -> Iterator[Processes]:
    """What torchrun says in the environment; a single process without it.

    `kind` of device is "cuda" or "cpu"; a GPU where there is one without it.
    """
    count, rank = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0))
    gpu = torch.cuda.is_available() if kind is None else kind == "cuda"
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0))) if gpu else torch.device("cpu")
    if gpu:
        torch.cuda.set_device(device)
    if count > 1:
        distributed.init_process_group("nccl" if gpu else "gloo")
    team = Processes(rank, count, device)
    if not team.first:
        quiet.set(True)
    try:
        yield team
        team.wait()  # a process that leaves while another still speaks to it makes that one fail
    finally:
        if count > 1:
            distributed.destroy_process_group()
