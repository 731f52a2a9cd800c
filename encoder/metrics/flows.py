"""What really flows between tokens: attention weights times what they carry, and the way through all layers."""

from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn import functional

from encoder.metrics.layers import length
from encoder.model.block import Block
from encoder.support.errors import EncoderError, integer, of_kind
from encoder.trace.trace import Trace
from encoder.trace.unpadded import attention_weights, rows, tokens

Mixing = Literal["Attn-N", "AttnRes-N", "AttnResLn-N"]
EVERY_HEAD = slice(None)


def head_of(trace: Trace, head: int) -> int:
    """A head of a run's model; an EncoderError where there is none of that number."""
    return integer("head", head, 0, trace.config.n_heads - 1)


def block(trace: Trace, layer: int) -> Block:
    """The layer of the model that made the trace; EncoderError where the trace was put together without one."""
    if trace.model is None:
        raise EncoderError(f"{trace!r} does not hold the model that made it; get one from TextEncoder.trace")
    layer_block = trace.model.layers[layer]
    assert isinstance(layer_block, Block)
    return layer_block


@torch.inference_mode()
def transformed(trace: Trace, layer: int, heads: slice = EVERY_HEAD) -> Tensor:
    """What each token offers to those who look at it, head by head: f_h(x_j) = (x_j W_V^h + b_V^h) W_O^h.

    sum_h sum_j A^h_ij f_h(x_j) + b_O is attention.output (Kobayashi et al. 2020, section 2). [H, n, d_model], or only
    those of some heads.
    """
    of_kind("heads", heads, slice, "a slice, such as slice(0, 2) for the first two")
    v = trace[f"layers.{layer}.attention.v"][:, : len(tokens(trace))]  # [H, n, d_head]
    return v[heads] @ block(trace, layer).attention.w_o_by_head[heads]


@torch.inference_mode()
def head_outputs(trace: Trace, layer: int) -> Tensor:
    """What each head adds to each token once it has been through W_O: Z_h W_O^h, [H, n, d_model].

    Z_h is the recorded attention.heads, and W_O^h the d_head rows of W_O that meet it. All heads together, and b_O, are
    attention.output: sum_h Z_h W_O^h + b_O (paper, section 3.2.2).

    Raises:
        EncoderError: the trace does not hold its model.
    """
    z = trace[f"layers.{layer}.attention.heads"][:, : len(tokens(trace))]  # [H, n, d_head]
    return z @ block(trace, layer).attention.w_o_by_head


def head_shares(trace: Trace, layer: int) -> Tensor:
    """Each head's share of what all heads add to a token, along the direction of their sum: [H, n], columns sum to 1.

    The projection of Z_h W_O^h on the sum s of all heads, over its length: (Z_h W_O^h . s) / (s . s). Below 0 a head
    works against the others. b_O comes from no head and is left out.
    """
    parts = head_outputs(trace, layer)
    whole = parts.sum(0)
    return (parts * whole).sum(-1) / whole.square().sum(-1).clamp_min(torch.finfo(torch.float32).tiny)


def norm_weighted(trace: Trace, layer: int, heads: slice = EVERY_HEAD) -> Tensor:
    """How much really flows from key j to query i: ||A^h_ij f_h(x_j)|| (Kobayashi et al. 2020).

    Returns:
        [H, n, n], or only those of some heads, in the units of the stream, 0 or more; rows do not sum to 1. The bias
        b_O comes from no token and is left out. It is made from the recorded weights and v: an edit of
        attention.heads or later does not show.

    Raises:
        EncoderError: the trace does not hold its model.
    """
    lengths = length(transformed(trace, layer, heads))
    return attention_weights(trace, layer)[heads] * lengths[:, None]


def disagreement(trace: Trace, layer: int) -> Tensor:
    """Where weight and flow differ: each row of `norm_weighted` as shares of its sum, minus the weights.

    Returns:
        [H, n, n] from -1 (much weight, nothing flows) to 1; every row sums to 0 (or to -1 where nothing flows at all).
    """
    flowing = norm_weighted(trace, layer)
    return functional.normalize(flowing, p=1, dim=-1) - attention_weights(trace, layer)


def gained(unlike: Tensor) -> Tensor:
    """How much more of the flow than of the weight each token hands over, over all rows: [..., n, n] -> [..., n].

    `unlike` is what `disagreement` returns, of one head or of all.
    """
    return unlike.sum(-2)


@torch.inference_mode()
def mixing_parts(trace: Trace, layer: int, variant: Mixing = "AttnRes-N") -> tuple[Tensor, Tensor]:
    """Each token's new vector as what it kept of itself and what it took from others: two [n, d_model].

    kept is the diagonal of the attention, sum_h A^h_ii f_h(x_i), and mixed all that is off it. "Attn-N" is attention
    alone: kept + mixed + b_O = attention.output. "AttnRes-N" adds the residual to kept: kept + mixed + b_O =
    add_norm_1.sum. "AttnResLn-N" takes both through the norm that follows, each minus its own mean, divided by the
    recorded spread and times gamma: kept + mixed + normed b_O + beta = add_norm_1.output.

    Raises:
        EncoderError: another variant; AttnResLn-N of a pre-norm model, where no norm follows; no model in the trace.
    """
    if variant not in get_args(Mixing):
        raise EncoderError(f"variant is {variant!r}; it must be one of {', '.join(get_args(Mixing))}")
    if variant == "AttnResLn-N" and trace.config.norm_first:
        raise EncoderError("AttnResLn-N needs a norm after the residual sum, and this model is pre-norm; use AttnRes-N")
    weights, offered = attention_weights(trace, layer), transformed(trace, layer)
    own = torch.eye(weights.shape[-1])
    kept, mixed = ((weights * where @ offered).sum(0) for where in (own, 1 - own))
    if variant == "Attn-N":
        return kept, mixed
    kept = kept + rows(trace, f"layers.{layer}.add_norm_1.residual")
    if variant == "AttnRes-N":
        return kept, mixed
    norm = block(trace, layer).norm1

    def recorded(name: str) -> Tensor:
        return rows(trace, f"layers.{layer}.add_norm_1.{name}")

    return norm.of_part(kept, recorded), norm.of_part(mixed, recorded)


def mixing_ratio(trace: Trace, layer: int, variant: Mixing = "AttnRes-N") -> Tensor:
    """Share of each token's new vector that comes from others: ||mixed|| / (||mixed|| + ||kept||), [n] from 0 to 1.

    Kobayashi et al. 2021; the parts and the variants are those of `mixing_parts`. 0 where both parts are zero.
    """
    kept, mixed = (length(part) for part in mixing_parts(trace, layer, variant))
    return mixed / (mixed + kept).clamp_min(torch.finfo(torch.float32).tiny)


def residual_attention(trace: Trace) -> Tensor:
    """Attention with the residual as half of it: head mean plus identity, every row divided by its sum.

    [n_layers, n, n]. The half is assumed, not measured: `mixing_ratio` shows where it is wrong.
    """
    mean = attention_weights(trace).mean(1)
    return functional.normalize(mean + torch.eye(mean.shape[-1]), p=1, dim=-1)


def rollout(trace: Trace) -> Tensor:
    """How much of each input token is in each token after every layer: R_l = B_l R_(l-1) (Abnar & Zuidema 2020).

    B_l is `residual_attention`; R_0 = B_0.

    Returns:
        [n_layers, n, n], rows are tokens after the layer, columns input tokens; every row sums to 1.
    """
    through = [torch.eye(len(tokens(trace)))]
    for mixed in residual_attention(trace):
        through.append(mixed @ through[-1])
    return torch.stack(through[1:])
