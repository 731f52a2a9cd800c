"""Lab time: how long a run takes, and how many operations it needs, by the number of tokens."""

from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.common import at_least, some
from encoder.explain.cost import step_flops
from encoder.model.steps.catalogue import catalogue
from encoder.model.steps.step import PAIRS
from encoder.support.errors import seeded
from encoder.support.progress import pulse

LENGTHS = (8, 16, 32, 64, 128, 256)
PAIRWISE = ("attention.heads",)  # has no n x n result, but adds up over n keys for each of n queries


class Duration(NamedTuple):
    """One length: seconds of a run, its floating-point operations, and those for pairs of tokens, n² of them."""

    n: int
    seconds: float
    flops: int
    pair_flops: int


@torch.inference_mode()
def timing(
    encoder: TextEncoder, lengths: Sequence[int] = LENGTHS, *, repetitions: int = 3, seed: int = 0
) -> tuple[Duration, ...]:
    """Run random token ids of every length on one thread, in turns; seconds are those of the quickest run of each.

    What else the machine does can only make a run slower, so the quickest is nearest to what the run itself takes. The
    head that guesses words is left out: its operations would hide those of the layers.

    Raises:
        EncoderError: no length, one that the model does not take, or no repetition.
    """
    at_least(1, repetitions=repetitions)
    some("lengths", lengths, 1, encoder.config.max_positions)
    generator = seeded(seed)
    ids = [torch.randint(encoder.config.vocab_size, (1, n), generator=generator) for n in lengths]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for tokens in ids:
            pulse()
            encoder.model(tokens)  # the first run of a length lays out its memory and is not counted
        taken = [[seconds(encoder, tokens) for tokens in ids] for _ in range(repetitions)]
    finally:
        torch.set_num_threads(threads)
    quickest = map(min, zip(*taken, strict=True))
    return tuple(Duration(n, time, *flops(encoder, n)) for n, time in zip(lengths, quickest, strict=True))


def seconds(encoder: TextEncoder, ids: Tensor) -> float:
    """How long one run takes."""
    pulse()
    start = perf_counter()
    encoder.model(ids)
    return perf_counter() - start


def flops(encoder: TextEncoder, n: int) -> tuple[int, int]:
    """Operations of a run of n tokens, and those among them for pairs of tokens."""
    steps = [step for step in catalogue(encoder.config) if step.part != "mlm"]
    of = {step: step_flops(step, encoder.config, n) for step in steps}
    return sum(of.values()), sum(f for step, f in of.items() if step.shape == PAIRS or step.local in PAIRWISE)
