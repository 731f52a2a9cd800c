"""Which cells of a picture hold the mask's own value: they stay blank, and the colour scale is that of the others."""

import numpy as np

from encoder.model.config import EncoderConfig
from encoder.model.steps.step import Step


def unmasked(values: np.ndarray, step: Step, config: EncoderConfig) -> np.ndarray:
    """The values with minus infinity where a step's mask put its own, that or the low number that the model has."""
    hides = step.operation in ("mask", "window")
    return np.where(values == np.float32(config.mask_value), np.float32(-np.inf), values) if hides else values
