"""Measures of what a sublayer adds to the residual stream, and of the norm that follows (paper, section 3.1)."""

import torch
from torch import Tensor

from encoder.errors import EncoderError
from encoder.metrics.flows import block
from encoder.metrics.layers import length
from encoder.trace.trace import Trace
from encoder.trace.unpadded import rows

SUBLAYERS = {"add_norm_1": "attention", "add_norm_2": "feed_forward"}  # what is added before each norm


def sublayer_lengths(trace: Trace, layer: int, part: str) -> dict[str, Tensor]:
    """Length of the residual and of what the sublayer adds to it, per token: two times [n].

    `part` is "add_norm_1", after attention, or "add_norm_2", after feed-forward.
    """
    at = f"layers.{layer}"
    check_part(part)
    return {
        "residual": length(trace[f"{at}.{part}.residual"]),
        "added": length(trace[f"{at}.{SUBLAYERS[part]}.output"]),
    }


def check_part(part: str) -> None:
    """Refuse what is no sum of a layer."""
    if not isinstance(part, str) or part not in SUBLAYERS:
        raise EncoderError(f"part is {part!r:.80}; it must be one of {', '.join(SUBLAYERS)}")


def norm_sides(trace: Trace, layer: int, part: str) -> dict[str, Tensor]:
    """Every number that goes into a norm, and every number that comes out: "before" and "after", each [n, d_model].

    In a post-norm layer the sum goes in; in a pre-norm layer the residual does, and the sum comes later.
    """
    at = f"layers.{layer}.{part}."
    return {
        "before": trace[at + ("residual" if trace.config.norm_first else "sum")],
        "after": trace[at + "output"],
    }


def norm_moments(trace: Trace, layer: int, part: str) -> dict[str, Tensor]:
    """Mean and variance of each token's vector before the norm, normalized, and after gamma and beta: six times [n].

    The variance is the one that the model's norm divides by: over d_model, or over d_model - 1 for "std_norm". Where
    the norm takes neither, or is not there, they are taken here.
    """
    at = f"layers.{layer}.{part}."
    correction = 1 if trace.config.norm == "std_norm" else 0
    before, output = norm_sides(trace, layer, part)["before"], trace[at + "output"]
    normalized = trace.get(at + "normalized", output)
    recorded = at + "variance" in trace
    return {
        "mean before": trace[at + "mean"] if recorded else before.mean(-1),
        "variance before": trace[at + "variance"] if recorded else before.var(-1, correction=correction),
        "mean normalized": normalized.mean(-1),
        "variance normalized": normalized.var(-1, correction=correction),
        "mean after": output.mean(-1),
        "variance after": output.var(-1, correction=correction),
    }


@torch.inference_mode()
def layer_shares(trace: Trace) -> dict[str, Tensor]:
    """How much of what each layer adds up comes from where, as shares that sum to 1: name -> [n_layers, n].

    The last sum s of a layer, add_norm_2.sum, is a sum of vectors: of the residual, of what attention and feed-forward
    added, and of "rest". A part's share is its projection on s over the length of s, (part . s) / (s . s): below 0 it
    points against the sum. In a post-norm layer the first norm stands between: residual and attention go through it
    each minus its own mean, divided by the recorded spread and times gamma (as `mixing_parts` does), and the rest is
    beta. In a pre-norm layer nothing is left over. What an edit changed between the steps is part of the rest.

    Raises:
        EncoderError: the trace does not hold its model.
    """
    found = [shares_of(trace, layer) for layer in range(trace.config.n_layers)]
    return {name: torch.stack([one[name] for one in found]) for name in found[0]}


def shares_of(trace: Trace, layer: int) -> dict[str, Tensor]:
    """The shares of one layer: name -> [n]."""
    at = f"layers.{layer}."
    residual, attention, added, whole = (
        rows(trace, at + name)
        for name in ("add_norm_1.residual", "attention.output", "feed_forward.output", "add_norm_2.sum")
    )
    if not trace.config.norm_first:
        norm = block(trace, layer).norm1
        residual, attention = (
            norm.of_part(part, lambda name: rows(trace, f"{at}add_norm_1.{name}")) for part in (residual, attention)
        )
    parts = {"residual": residual, "attention": attention, "feed-forward": added}
    parts["rest"] = whole - residual - attention - added
    size = whole.square().sum(-1).clamp_min(torch.finfo(torch.float32).tiny)
    return {name: (part * whole).sum(-1) / size for name, part in parts.items()}
