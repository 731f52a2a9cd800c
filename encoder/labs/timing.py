"""Lab time: how long a run takes, and how many operations it needs, by the number of tokens."""

import statistics
from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

import torch

from encoder.cost import step_flops
from encoder.labs.parts import at_least, some
from encoder.steps import PAIRS, catalogue
from encoder.text_encoder import TextEncoder

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
    encoder: TextEncoder, lengths: Sequence[int] = LENGTHS, *, repetitions: int = 5, seed: int = 0
) -> tuple[Duration, ...]:
    """Run random token ids of every length on one thread; seconds are the median, after one run that is not counted.

    The head that guesses words is left out: its operations would hide those of the layers.

    Raises:
        ValueError: no length, one that the model does not take, or no repetition.
    """
    at_least(1, repetitions=repetitions)
    some("lengths", lengths, 1, encoder.max_tokens)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return tuple(of_length(encoder, n, repetitions, seed) for n in lengths)
    finally:
        torch.set_num_threads(threads)


def of_length(encoder: TextEncoder, n: int, repetitions: int, seed: int) -> Duration:
    """Time and count one length."""
    ids = torch.randint(encoder.config.vocab_size, (1, n), generator=torch.Generator().manual_seed(seed))
    encoder.model(ids)
    taken = []
    for _ in range(repetitions):
        start = perf_counter()
        encoder.model(ids)
        taken.append(perf_counter() - start)
    steps = [step for step in catalogue(encoder.config) if step.part != "mlm"]
    flops = {step: step_flops(step, encoder.config, n) for step in steps}
    pairs = sum(count for step, count in flops.items() if step.shape == PAIRS or step.local in PAIRWISE)
    return Duration(n, statistics.median(taken), sum(flops.values()), pairs)
