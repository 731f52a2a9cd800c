"""Lab one matrix: a map of [d_model, d_model] cut in H is H maps of [d_model, d_head] (paper, section 3.2.2)."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from encoder.metrics.flows import block
from encoder.support.errors import integer
from encoder.trace.trace import Trace


@dataclass(frozen=True)
class OneMatrix:
    """Queries, keys and values of one layer, made by one matrix and made head by head.

    `name` is "q", "k" or "v"; `apart` [H] is the largest absolute difference of each head's numbers between the two,
    and `size` the largest number among them. `whole` and `cut` are the shapes of the one matrix and of each of the H.
    """

    name: str
    whole: tuple[int, int]
    cut: tuple[int, int]
    apart: Tensor
    size: float


@torch.inference_mode()
def one_matrix(trace: Trace, layer: int) -> tuple[OneMatrix, ...]:
    """Make q, k and v of a layer anew with a matrix for each head, and hold them against those of the one matrix.

    Column c of the one matrix belongs to head c // d_head. The sums are the same numbers, added in whatever order suits
    the size: they agree up to rounding, and to the last bit where the order is the same.

    Raises:
        EncoderError: the trace does not hold its model.
    """
    layer = integer("layer", layer, 0, trace.config.n_layers - 1)
    attention, x = block(trace, layer).attention, trace[f"layers.{layer}.attention.input"]
    heads, width, found = trace.config.n_heads, trace.config.d_head, []
    for name, one in (("q", attention.w_q), ("k", attention.w_k), ("v", attention.w_v)):
        whole = attention.split(functional.linear(x, one.weight, one.bias)[None])[0]  # [H, n, d_head]
        each = one.weight.view(heads, width, -1), one.bias.view(heads, width)
        made = torch.stack([functional.linear(x, weight, bias) for weight, bias in zip(*each, strict=True)])
        shape = (trace.config.d_model, trace.config.d_model)
        apart = (made - whole).abs().amax((1, 2))
        found.append(OneMatrix(name, shape, (trace.config.d_model, width), apart, float(whole.abs().max())))
    return tuple(found)
