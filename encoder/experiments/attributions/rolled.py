"""Rollout held against what really happens: the share that it gives each word, and what the loss of the word costs."""

from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.gradients import Baseline, knock_out_tokens
from encoder.experiments.attributions.target import Target, spearman, whole_words, word_shares
from encoder.metrics.flows import rollout
from encoder.support.errors import EncoderError
from encoder.trace.trace import Trace


@dataclass(frozen=True)
class Rolled:
    """The words beside the place of a guess, without the tokens that the model adds.

    `words` are the positions of the pieces of each; `shares` [words] the share of rollout's row at the place of the
    guess that is theirs, adding up to 1; `lost` [words] by how much the target falls with the pieces replaced one at a
    time.
    """

    words: tuple[tuple[int, ...], ...]
    shares: Tensor
    lost: Tensor

    @property
    def agreement(self) -> float:
        """Rank agreement of both, from -1 to 1; nan where one of them is all equal."""
        return spearman(self.shares, self.lost)

    def beside(self) -> Tensor:
        """Return both on one scale, the sizes of each adding up to 1: [2, words]."""
        return torch.stack([each / each.abs().sum() for each in (self.shares, self.lost)])


def rolled(encoder: TextEncoder, trace: Trace, target: Target, baseline: Baseline = "mask") -> Rolled:
    """Return what rollout says of the words of a guess, and what the loss of each costs.

    Raises:
        EncoderError: fewer than two words stand beside the guess, or see `knock_out_tokens`.
    """
    lost = knock_out_tokens(encoder, trace, target, baseline).shares
    shares, falls = word_shares(trace, (rollout(trace)[-1, target.position], lost))
    words = whole_words(trace)
    special = trace.tokenization.special
    others = [i for i, word in enumerate(words) if target.position not in word and not any(special[at] for at in word)]
    if len(others) < 2:
        raise EncoderError("fewer than two words stand beside the guess, so there is nothing to rank")
    return Rolled(tuple(words[i] for i in others), shares[others] / shares[others].sum(), falls[others])
