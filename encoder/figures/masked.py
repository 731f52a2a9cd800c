"""Which cells of a picture hold the mask's own value: they stay blank, and the colour scale is that of the others."""

from typing import Any

import numpy as np

from encoder.model.config import EncoderConfig
from encoder.steps.step import Step

Array = np.ndarray[Any, Any]


def masked(values: Array, step: Step, config: EncoderConfig) -> Array:
    """Where a step's values hold what the mask puts there: minus infinity, or the low number that the model has."""
    return np.asarray((step.operation in ("mask", "window")) & (values == np.float32(config.mask_value)))


def unmasked(values: Array, step: Step, config: EncoderConfig) -> Array:
    """The values with minus infinity where they are masked, whatever number stands there."""
    hidden = masked(values, step, config)
    return np.where(hidden, np.float32(-np.inf), values) if hidden.any() else values
