"""Lab dropout: what training does at random, done to a run whose model is trained (paper, section 5.4)."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.common import at_least
from encoder.metrics import cosine
from encoder.model.steps.catalogue import by_name
from encoder.model.tap import NO_TAP, Replacer
from encoder.support.errors import EncoderError, seeded
from encoder.trace.tokens import Text

PLACES: dict[str, tuple[str, ...]] = {  # where training drops out, and the steps that are meant
    "positions": ("embedding.output",),
    "weights": ("attention.weights",),
    "sublayers": ("attention.output", "feed_forward.output"),
    "activation": ("feed_forward.activation",),  # not in the paper, and in much code
}
PAPER = ("positions", "weights", "sublayers")
LARGEST_P, MOST_RUNS = 0.9, 64


@dataclass(frozen=True)
class Dropout:
    """One sentence without dropout, and several times with it.

    `plain` [n, d_model] are the output vectors without, `runs` [runs, n, d_model] those with it, each with draws of its
    own. `dropped` is the share of all numbers at the chosen places that was set to 0.
    """

    tokens: tuple[str, ...]
    plain: Tensor
    runs: Tensor
    dropped: float

    @property
    def alike(self) -> Tensor:
        """Cosine of each token's vector with the one without dropout: [runs, n]."""
        return cosine(self.runs, self.plain)

    @property
    def alike_of_one(self) -> Tensor:
        """The mean of `alike` over all runs: [n]."""
        return self.alike.mean(0)

    @property
    def mean_alike(self) -> Tensor:
        """The same for the mean vector of all runs: [n]. Draws that cancel out make it larger than `alike`."""
        return cosine(self.runs.mean(0), self.plain)


@torch.inference_mode()
def dropout(
    encoder: TextEncoder, text: Text, p: float = 0.1, places: Collection[str] = PAPER, *, runs: int = 8, seed: int = 0
) -> Dropout:
    """Run a sentence `runs` times with dropout: each number becomes 0 with probability p, else x / (1 - p).

    So its mean is what it was. "positions" stands for the embedding with its positions, "weights" for the attention
    weights, "sublayers" for what attention and feed-forward hand over to the sum; these are the paper's. "activation"
    stands for what the feed-forward network computes inside. All of them in every layer.

    Raises:
        EncoderError: p outside 0 to 0.9, a place that is none, or a number of runs outside 1 to 64.
    """
    at_least(1, runs=runs)
    if not 0 <= p <= LARGEST_P:
        raise EncoderError(f"p is {p!r}; it must be a number from 0 to {LARGEST_P}")
    if runs > MOST_RUNS:
        raise EncoderError(f"runs is {runs}; it must be {MOST_RUNS} or less")
    if unknown := [place for place in places if place not in PLACES]:
        raise EncoderError(f"places holds {unknown[0]!r}; it must hold some of {', '.join(PLACES)}")
    pieces = encoder.tokenize(text)
    steps = tuple(step for place in places for step in PLACES[place])
    drop, counts = dropping(p, seeded(seed))
    tap = Replacer({name: drop for name in by_name(encoder.config) if name.endswith(steps)} if steps else {}, NO_TAP)
    ids, segments = torch.tensor([pieces.ids]), encoder.segments([pieces])
    many = None if segments is None else segments.repeat(runs, 1)
    dropped = encoder.model(ids.repeat(runs, 1), segments=many, tap=tap)
    return Dropout(pieces.tokens, encoder.model(ids, segments=segments)[0], dropped, counts[0] / max(1, counts[1]))


def dropping(p: float, generator: torch.Generator) -> tuple[Callable[[Tensor], Tensor], list[int]]:
    """What drops numbers out, and how many it has dropped and seen."""
    counts = [0, 0]

    def drop(x: Tensor) -> Tensor:
        kept = torch.rand(x.shape, generator=generator) >= p
        counts[0] += int((~kept).sum())
        counts[1] += x.numel()
        return x * kept / (1 - p)

    return drop, counts
