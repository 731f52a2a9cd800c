"""Measures of what a sublayer adds to the residual stream, and of the norm that follows (paper, section 3.1)."""

from torch import Tensor

from encoder.metrics.layers import length
from encoder.trace.trace import Trace

SUBLAYERS = {"add_norm_1": "attention", "add_norm_2": "feed_forward"}  # what is added before each norm


def sublayer_lengths(trace: Trace, layer: int, part: str) -> dict[str, Tensor]:
    """Length of the residual and of what the sublayer adds to it, per token: two times [n].

    `part` is "add_norm_1", after attention, or "add_norm_2", after feed-forward.
    """
    at = f"layers.{layer}"
    return {
        "residual": length(trace[f"{at}.{part}.residual"]),
        "added": length(trace[f"{at}.{SUBLAYERS[part]}.output"]),
    }


def norm_moments(trace: Trace, layer: int, part: str) -> dict[str, Tensor]:
    """Mean and variance of each token's vector before the norm, normalized, and after gamma and beta: six times [n].

    The variance is the one that the model's norm divides by: over d_model, or over d_model - 1 for "std_norm".
    """
    at = f"layers.{layer}.{part}."
    correction = 1 if trace.config.norm == "std_norm" else 0
    normalized, output = trace[at + "normalized"], trace[at + "output"]
    return {
        "mean before": trace[at + "mean"],
        "variance before": trace[at + "variance"],
        "mean normalized": normalized.mean(-1),
        "variance normalized": normalized.var(-1, correction=correction),
        "mean after": output.mean(-1),
        "variance after": output.var(-1, correction=correction),
    }
