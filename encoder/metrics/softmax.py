"""The scores that a softmax reads; n counts [PAD] too."""

import math

from torch import Tensor

from encoder.trace.trace import Trace


def open_scores(trace: Trace, layer: int) -> Tensor:
    """The masked scores of a layer [H, n, n], minus infinity where its mask stands, whatever number the mask puts."""
    masked = trace[f"layers.{layer}.attention.masked"]
    return masked.masked_fill(masked == trace.config.mask_value, -math.inf)
