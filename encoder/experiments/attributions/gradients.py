"""How much each token speaks for a guess, by gradients, beside what truly happens when it is taken away.

All of it goes through the model's own forward pass, with the run's edits and hidden tokens. A gradient says what a
small change would do; only integrated gradients promise to add up, and say by how much they miss.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.target import Forward, Logits, Target, differentiable, gradients
from encoder.support.errors import EncoderError
from encoder.trace.trace import Trace
from encoder.trace.unpadded import tokens

Baseline = Literal["mask", "pad", "zero", "mean"]
TOLERANCE = 0.01  # of the difference that is to be shared out
FIRST_STEPS, MOST_STEPS = 50, 400


@dataclass(frozen=True)
class Attribution:
    """One share [n] for every token. `value` is the target in this run, `without` at the baseline, where there is one.

    `steps` counts the places on the way whose gradients were added, 0 where none were.
    """

    shares: Tensor
    value: float
    without: float | None = None
    steps: int = 0

    @property
    def total(self) -> float:
        """What the shares add up to."""
        return float(self.shares.double().sum())

    @property
    def missing(self) -> float | None:
        """How far the sum is from what was to be shared out, as a share of it; None where nothing was promised."""
        if self.without is None:
            return None
        wanted = self.value - self.without
        return abs(self.total - wanted) / max(abs(wanted), torch.finfo(torch.float32).tiny)

    @property
    def converged(self) -> bool:
        """Whether what is missing is at most one percent."""
        return self.missing is not None and self.missing <= TOLERANCE


class Integrating(NamedTuple):
    """How many steps are done, of how many as far as is known, and the attribution at the end."""

    done: int
    total: int
    found: Attribution | None = None


def baseline_rows(encoder: TextEncoder, trace: Trace, kind: Baseline = "mask") -> Tensor:
    """What the token rows [n, d_embedding] are compared with; positions and the special tokens stay as they are.

    Args:
        encoder: the model.
        trace: the run.
        kind: every other token becomes the mask token, the padding token, a row of zeros, or the table's mean row.

    Raises:
        EncoderError: an unknown kind, a mask token where the model has none, or a trace of another model.
    """
    encoder.check_own(trace)
    if kind not in get_args(Baseline):
        raise EncoderError(f"the baseline is {kind!r}; it must be one of {', '.join(get_args(Baseline))}")
    table, rows = encoder.model.embedding.tokens.weight.detach(), Forward(encoder, trace).rows.clone()
    if kind in ("mask", "pad"):
        entry = encoder.tokenizer.token_to_id(encoder.mask_token or "") if kind == "mask" else encoder.pad_id
        if entry is None:
            raise EncoderError("this model has no mask token; take another baseline")
        row = table[entry]
    else:
        row = torch.zeros_like(table[0]) if kind == "zero" else table.mean(0)
    words = [i for i in range(len(rows)) if not trace.tokenization.special[i] or trace.ids[i] == mask_id(encoder)]
    rows[words] = row
    return rows


def mask_id(encoder: TextEncoder) -> int | None:
    """The id of the mask token, which a person typed, though the tokenizer counts it as special."""
    return None if encoder.mask_token is None else encoder.tokenizer.token_to_id(encoder.mask_token)


def gradient_x_input(encoder: TextEncoder, trace: Trace, target: Target) -> Attribution:
    """The gradient at each token's row times that row (Shrikumar et al. 2016); [n], with no promise about its sum.

    Raises:
        EncoderError: see `Target.check`.
    """
    target.check(encoder, trace)
    forward = Forward(encoder, trace)
    values, slopes = gradients(forward, forward.rows[None], target)
    return Attribution((slopes[0] * forward.rows).sum(-1), float(values[0]))


def integrated_gradients(
    encoder: TextEncoder,
    trace: Trace,
    target: Target,
    baseline: Baseline = "mask",
    steps: int = FIRST_STEPS,
    most_steps: int = MOST_STEPS,
) -> Generator[Integrating, None, None]:
    """The mean gradient on the straight way from the baseline, times the way (Sundararajan et al. 2017).

    The mean is that of Gauss and Legendre. The number of steps is doubled until the shares add up to the target minus
    the target at the baseline within one percent, or `most_steps` are reached: `Attribution.converged` says which.

    Returns:
        a generator of `Integrating`, whose last one holds the attribution; leaving it cancels the rest.

    Raises:
        EncoderError: see `Target.check` and `baseline_rows`; steps below 1.
    """
    target.check(encoder, trace)
    if not 1 <= steps <= most_steps:
        raise EncoderError(f"steps is {steps}; it must be from 1 to {most_steps}")
    forward, start = Forward(encoder, trace), baseline_rows(encoder, trace, baseline)
    return integrated(forward, target, start, steps, most_steps)


def integrated(
    forward: Forward, target: Target, start: Tensor, steps: int, most: int
) -> Generator[Integrating, None, None]:
    """The attributions of a start, with more and more steps."""
    way, rows = forward.rows - start, forward.together
    with torch.inference_mode():
        value, without = forward(torch.stack([forward.rows, start]), target).tolist()
    done = 0
    while True:
        places, weights = np.polynomial.legendre.leggauss(steps)  # on -1 .. 1, weights that add up to 2
        total = torch.zeros_like(way)
        for first in range(0, steps, rows):
            at = torch.tensor((places[first : first + rows] + 1) / 2, dtype=way.dtype)[:, None, None]
            share = torch.tensor(weights[first : first + rows] / 2, dtype=way.dtype)[:, None, None]
            total += (gradients(forward, start + at * way, target)[1] * share).sum(0)
            yield Integrating(done + min(first + rows, steps), done + steps)
        result = Attribution((total * way).sum(-1), value, without, steps)
        done += steps
        if result.converged or 2 * steps > most:
            yield Integrating(done, done, result)
            return
        steps *= 2


def gradient_x_attention(encoder: TextEncoder, trace: Trace, target: Target) -> Tensor:
    """Each attention weight times the target's gradient there: [n_layers, H, n, n] (Chefer et al. 2021, plain weights).

    Raises:
        EncoderError: see `Target.check`.
    """
    target.check(encoder, trace)
    forward = Forward(encoder, trace)
    seen: dict[str, Tensor] = {}
    with differentiable():
        value = forward(forward.rows[None].clone().requires_grad_(), target, seen)
        weights = [seen[f"layers.{i}.attention.weights"] for i in range(encoder.config.n_layers)]
        slopes = torch.autograd.grad(value.sum(), weights)
    return torch.stack([(weight * slope)[0].detach() for weight, slope in zip(weights, slopes, strict=True)])


def importance(products: Tensor) -> Tensor:
    """How much a head's looks do for the target: its gradient x attention [..., n, n], added up; [...].

    It is the slope at a gate that scales all of a head's weights, with its sign (Michel et al. 2019).
    """
    return products.sum((-1, -2))


def relevance(products: Tensor, positions: Sequence[int]) -> Tensor:
    """From gradient x attention [n_layers, H, n, n] to one share per token, a mean over positions: [n], 0 or more.

    In each layer the mean over heads of what is positive, added to the identity, multiplied from the first layer to the
    last (Chefer et al. 2021, equations 5, 6 and 13); each position's own start of 1 is taken off.
    """
    identity = torch.eye(products.shape[-1])
    through = identity
    for layer in products.clamp_min(0).mean(1):
        through = through + layer @ through
    return (through - identity)[list(positions)].mean(0)


def knock_out_tokens(encoder: TextEncoder, trace: Trace, target: Target, baseline: Baseline = "mask") -> Attribution:
    """By how much the target falls when one token alone is replaced by the baseline; [n], what truly happens.

    Raises:
        EncoderError: see `Target.check` and `baseline_rows`.
    """
    target.check(encoder, trace)
    value, after = without_each_token(encoder, trace, target, baseline)
    return Attribution(value - after, float(value))


def without_each_token(
    encoder: TextEncoder, trace: Trace, target: Target | Logits, baseline: Baseline = "mask"
) -> tuple[Tensor, Tensor]:
    """A target as it is [...], and with one token alone replaced by the baseline [n, ...].

    Raises:
        EncoderError: see `baseline_rows`.
    """
    forward, start = Forward(encoder, trace), baseline_rows(encoder, trace, baseline)
    n = len(start)
    instead = forward.rows.repeat(n, 1, 1)
    instead[range(n), range(n)] = start
    with torch.inference_mode():
        value = forward(forward.rows[None], target)[0]
        after = torch.cat([forward(chunk, target) for chunk in torch.split(instead, forward.together)])
    return value, after


def deletion(
    encoder: TextEncoder, trace: Trace, target: Target, order: Sequence[int], baseline: Baseline = "mask"
) -> Tensor:
    """The target while the tokens of `order` go to the baseline one after the other: [len(order) + 1].

    Raises:
        EncoderError: see `Target.check` and `baseline_rows`; a position that is not there or stands twice.
    """
    target.check(encoder, trace)
    n = len(tokens(trace))
    if len(set(order)) != len(order) or not all(type(i) is int and 0 <= i < n for i in order):
        raise EncoderError(f"order is {list(order)}; it must name positions from 0 to {n - 1}, each once")
    forward, start = Forward(encoder, trace), baseline_rows(encoder, trace, baseline)
    stages = forward.rows.repeat(len(order) + 1, 1, 1)
    for stage, position in enumerate(order, 1):
        stages[stage:, position] = start[position]
    with torch.inference_mode():
        return torch.cat([forward(chunk, target) for chunk in torch.split(stages, forward.together)])
