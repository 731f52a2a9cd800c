"""Measures of what a sublayer adds to the residual stream, and of the norm that follows (paper, section 3.1)."""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics.flows import block
from encoder.metrics.layers import length
from encoder.support.errors import EncoderError, integer
from encoder.trace.trace import Trace
from encoder.trace.unpadded import rows

SUBLAYERS = {"add_norm_1": "attention", "add_norm_2": "feed_forward"}  # what is added before each norm
BINS = 60
MIDDLE = (0.005, 0.995)


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
    return {"before": trace[at + ("residual" if trace.config.norm_first else "sum")], "after": trace[at + "output"]}


def shares_in_bins(sets: Mapping[str, ArrayLike]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The share of each set's finite numbers in bins of equal width over the middle 99 % of every set.

    The first bin holds all numbers below as well, and the last one all above: a few channels of a trained model are a
    hundred times as large as the others, and would leave one bin for all of those.

    Returns:
        the middle of each bin, and for each set its shares; both [BINS].
    """
    arrays = {name: np.asarray(values) for name, values in sets.items()}
    finite = {name: values[np.isfinite(values)].ravel() for name, values in arrays.items()}
    ends = np.array([np.quantile(share, MIDDLE) for share in finite.values() if share.size] or [(0.0, 1.0)])
    low, high = float(ends.min()), float(ends.max())
    edges = np.linspace(low, high if high > low else low + 1, BINS + 1)
    shares = {
        name: np.histogram(share.clip(edges[0], edges[-1]), edges)[0] / max(1, share.size)
        for name, share in finite.items()
    }
    return (edges[1:] + edges[:-1]) / 2, shares


def norm_parameters(encoder: TextEncoder, layer: int, part: str) -> dict[str, Tensor]:
    """The gamma of a norm, and its beta where it has one, each [d_model]; none where no norm stands.

    `part` is "add_norm_1", the norm of attention, or "add_norm_2", that of feed-forward.
    """
    check_part(part)
    layer = integer("layer", layer, 0, encoder.config.n_layers - 1)
    norm = encoder.model.get_submodule(f"layers.{layer}.{part.replace('add_norm_', 'norm')}")
    names = {"weight": "gamma", "bias": "beta"}
    return {names[name]: weights.detach() for name, weights in norm.named_parameters()}


def length_parts(encoder: TextEncoder, trace: Trace, layer: int, part: str, token: int) -> dict[str, np.ndarray]:
    """What the length of a token's sum is made of, and that of what the norm gives: of what was kept, added and beta.

    Each is as long as it reaches along the vector, (part . v) / |v|, so that the three add up to |v| unless a change
    lies between. A norm is linear where its spread is held: each part goes through it less its own mean. In a pre-norm
    layer the norm comes first and reads what came in alone. Two times [3], or one where no norm stands.
    """
    at, learned = f"layers.{layer}.{part}.", norm_parameters(encoder, layer, part)
    steps = (f"{at}residual", f"layers.{layer}.{SUBLAYERS[part]}.output", f"{at}sum")
    kept, added, whole = (trace[step][integer("token", token, 0, len(trace.tokens) - 1)].double() for step in steps)
    parts = {"the sum": reaches(whole, kept, added, torch.zeros_like(kept))}
    if not learned:
        return parts
    first, centred = trace.config.norm_first, f"{at}mean" in trace
    read, normalized = kept if first else whole, trace[f"{at}normalized"][token].double()
    mean = [values.mean() if centred else 0.0 for values in (read, kept, added)]
    scale = (length(normalized) / length(read - mean[0]).clamp_min(1e-30)) * learned["gamma"].double()
    through = (kept - mean[1]) * scale, torch.zeros_like(added) if first else (added - mean[2]) * scale
    beta = learned.get("beta", torch.zeros_like(scale)).double()
    after = {"after the norm": reaches(trace[f"{at}output"][token].double(), *through, beta)}
    return after | parts if first else parts | after


def reaches(whole: Tensor, *parts: Tensor) -> np.ndarray:
    """Return how far each part reaches along a vector; 0 along one that has no length."""
    return np.array([float(part @ whole / length(whole).clamp_min(1e-30)) for part in parts])


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
    shares = [shares_of(trace, layer) for layer in range(trace.config.n_layers)]
    return {name: torch.stack([of_layer[name] for of_layer in shares]) for name in shares[0]}


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
