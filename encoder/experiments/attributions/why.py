"""All answers to "which words made this guess" side by side, with what truly happens as the measure of each."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.gradients import (
    Attribution,
    Baseline,
    Integrating,
    deletion,
    gradient_x_attention,
    gradient_x_input,
    importance,
    integrated_gradients,
    knock_out_tokens,
    relevance,
)
from encoder.experiments.attributions.target import Target, spearman
from encoder.metrics.answer import answers
from encoder.trace.trace import Trace

INTEGRATED, SLOPE, LOOKED, KNOCKED = ("integrated gradients", "gradient × input", "gradient × attention", "knock-out")


@dataclass(frozen=True)
class Why:
    """What each method gives every token, and what they are held against.

    `shares` maps a method's name to [n]: INTEGRATED, SLOPE, LOOKED, and KNOCKED, what truly happens. `integrated` knows
    whether its shares add up. `deleted` [k + 1] is the target while the k tokens of `order` go, the largest share
    first. `by_head` [n_layers, H] is gradient x attention, added up over each head's weights.
    """

    shares: dict[str, Tensor]
    integrated: Attribution
    order: tuple[int, ...]
    deleted: Tensor
    by_head: Tensor

    def agreement(self, method: str) -> float:
        """Rank agreement of a method with the knock-outs, from -1 to 1, over the tokens that can be knocked out."""
        places = list(self.order)
        return spearman(self.shares[method][places], self.shares[KNOCKED][places])


class Answering(NamedTuple):
    """How many parts of the work are done, of how many as far as is known, and the answer at the end."""

    done: int
    total: int
    found: Why | None = None


def why(
    encoder: TextEncoder, trace: Trace, target: Target, baseline: Baseline = "mask"
) -> Generator[Answering, None, None]:
    """Which words made a guess, by every method.

    Returns:
        a generator of `Answering`, whose last one holds the answer; leaving it cancels the rest.

    Raises:
        EncoderError: see `Target.check` and `encoder.experiments.attributions.gradients.baseline_rows`.
    """
    steps = integrated_gradients(encoder, trace, target, baseline)
    return answered(encoder, trace, target, baseline, steps)


def integrated_shares(encoder: TextEncoder, trace: Trace, target: Target, baseline: Baseline = "mask") -> Tensor:
    """The shares of integrated gradients at once, without progress: [n].

    Raises:
        EncoderError: see `Target.check` and `baseline_rows`.
    """
    *_, last = integrated_gradients(encoder, trace, target, baseline)
    assert last.found is not None
    return last.found.shares


def answered(
    encoder: TextEncoder, trace: Trace, target: Target, baseline: Baseline, steps: Generator[Integrating, None, None]
) -> Generator[Answering, None, None]:
    """The answer, method by method."""
    shares = {SLOPE: gradient_x_input(encoder, trace, target).shares}
    products = gradient_x_attention(encoder, trace, target)
    shares[LOOKED] = relevance(products, answers(trace.config).read(trace, target.position))
    shares[KNOCKED] = knock_out_tokens(encoder, trace, target, baseline).shares
    for step in steps:
        yield Answering(step.done, step.total)
    integrated = step.found
    assert integrated is not None
    shares[INTEGRATED] = integrated.shares
    places = [i for i, share in enumerate(integrated.shares.tolist()) if share or not trace.tokenization.special[i]]
    order = tuple(sorted(places, key=lambda i: -float(integrated.shares[i])))
    yield Answering(
        step.done,
        step.total,
        Why(shares, integrated, order, deletion(encoder, trace, target, order, baseline), importance(products)),
    )
