"""Several processes of one machine, each with its own copy of the model."""

import multiprocessing
from collections.abc import Callable
from typing import Any

import torch

from encoder.atlas.corpus import AtlasError
from encoder.atlas.making import AtlasPlan, work
from encoder.text_encoder import TextEncoder

EVERY = 0.5  # seconds between two looks at how far the others are


def one_worker(plan: AtlasPlan, rank: int, counts: Any) -> None:
    """A process of its own: its share, with its own copy of the model; it ends where the one that started it has."""
    starter = multiprocessing.parent_process()
    assert starter is not None

    def told(done: int) -> None:
        counts[rank] = done
        if not starter.is_alive():  # it was killed: who goes on with --resume shall find nobody at work
            raise SystemExit(1)

    if plan.device == "cuda":
        torch.cuda.set_device(rank % torch.cuda.device_count())
    work(plan, TextEncoder.from_pretrained(plan.model), rank, len(counts), told)


def together(plan: AtlasPlan, workers: int, tell: Callable[[int], None]) -> None:
    """All parts, by several processes of this machine.

    Raises:
        AtlasError: one of them ended before its work was done.
    """
    context = multiprocessing.get_context("spawn")
    counts: Any = context.Array("q", workers)
    team = [context.Process(target=one_worker, args=(plan, rank, counts), daemon=True) for rank in range(workers)]
    for one in team:
        one.start()
    while any(one.is_alive() for one in team):
        team[0].join(EVERY)
        tell(sum(counts))
        if any(one.exitcode not in (None, 0) for one in team):
            break
    failed = [rank for rank, one in enumerate(team) if one.exitcode not in (None, 0)]
    if failed:
        for one in team:
            one.terminate()
        raise AtlasError(f"process {failed[0]} of {workers} ended early; what is done is kept, go on with --resume")
    for one in team:
        one.join()
