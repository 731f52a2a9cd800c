"""A head's softmax computed again from its scores, or otherwise (paper, section 3.2.1); n counts [PAD] too."""

import math
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from encoder.edits.edit import Edit
from encoder.trace.trace import Trace


@dataclass(frozen=True)
class Setting:
    """How the softmax is computed: divided by `heat`, after the scores were `scaled` by the square root of d_head."""

    heat: float = 1.0
    scaled: bool = True

    @property
    def recorded(self) -> bool:
        """Whether it is that of the run itself."""
        return self == Setting()

    def edits(self, layer: int, head: int) -> tuple[Edit, ...]:
        """The changes to a run that have the encoder itself compute so."""
        name = f"layers.{layer}.attention.scaled"
        bypass = () if self.scaled else (Edit(name, "bypass", heads=(head,)),)
        return bypass if self.heat == 1 else (*bypass, Edit(name, "scale", heads=(head,), value=1 / self.heat))


def hidden_cells(trace: Trace, layer: int, head: int) -> np.ndarray:
    """Which keys a query may not look at, as the run recorded it: true where the mask's own value stands; [n, n]."""
    at = f"layers.{layer}.attention."
    scaled, masked = (trace[f"{at}{name}"][head].numpy() for name in ("scaled", "masked"))
    return np.asarray((masked == np.float32(trace.config.mask_value)) & (masked != scaled))


def open_scores(trace: Trace, layer: int) -> Tensor:
    """The masked scores of a layer [H, n, n], minus infinity where its mask stands, whatever number the mask puts."""
    masked = trace[f"layers.{layer}.attention.masked"]
    return masked.masked_fill(masked == trace.config.mask_value, -math.inf)


def recomputed(trace: Trace, layer: int, head: int, setting: Setting) -> dict[str, np.ndarray]:
    """Scaled scores, masked scores and weights [n, n], computed in float64 from the recorded scores.

    softmax(Q K^T / sqrt(d_head)), or as the setting has it; each row of weights sums to 1.
    """
    at = f"layers.{layer}.attention."
    summed = next(name for name in ("total", "scores") if at + name in trace)
    scores = trace[at + summed][head].numpy().astype(np.float64)
    with np.errstate(invalid="ignore"):
        scaled = scores / (math.sqrt(trace.config.score_size) if setting.scaled else 1.0) / setting.heat
        added = f"{at}position_bias"
        bias = trace[added][head].numpy().astype(np.float64) if added in trace else 0.0
        masked = np.where(hidden_cells(trace, layer, head), trace.config.mask_value, scaled + bias)
        powers = np.exp(masked - masked.max(-1, keepdims=True))
        return {"scaled": scaled, "masked": masked, "weights": powers / powers.sum(-1, keepdims=True)}
