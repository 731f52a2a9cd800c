"""Experiments on the encoder: each runs the model or a part of it, and returns the numbers that tell."""

from encoder.experiments.added_tokens import bare, hidden_row, padding
from encoder.experiments.depth import (
    DEPTHS,
    SHAPE,
    Curve,
    Residuals,
    gradients,
    missed_by_random_sums,
    missed_by_sums,
    residuals,
)
from encoder.experiments.dropout import PAPER, PLACES, dropout
from encoder.experiments.linearity import Halved, boundary, collapse, halved, merged, one_matrix
from encoder.experiments.norms import D_MODELS, norm_order, norms
from encoder.experiments.positions import (
    WITHOUT_POSITIONS,
    exchanged,
    profile,
    swapped,
    turn,
    wavelengths,
    without_positions,
    word_order,
)
from encoder.experiments.scaling import WIDTHS, dot_products, scaling, softmax_gradient, softmax_of, softmax_slopes
from encoder.experiments.since_2017 import REGIMES, bias_table, biases, gate_signs, mean_share, placed_scores, sight
from encoder.experiments.timing import LENGTHS, Duration, timing

__all__ = [
    "DEPTHS",
    "D_MODELS",
    "LENGTHS",
    "PAPER",
    "PLACES",
    "REGIMES",
    "SHAPE",
    "WIDTHS",
    "WITHOUT_POSITIONS",
    "Curve",
    "Duration",
    "Halved",
    "Residuals",
    "bare",
    "bias_table",
    "biases",
    "boundary",
    "collapse",
    "dot_products",
    "dropout",
    "exchanged",
    "gate_signs",
    "gradients",
    "halved",
    "hidden_row",
    "mean_share",
    "merged",
    "missed_by_random_sums",
    "missed_by_sums",
    "norm_order",
    "norms",
    "one_matrix",
    "padding",
    "placed_scores",
    "profile",
    "residuals",
    "scaling",
    "sight",
    "softmax_gradient",
    "softmax_of",
    "softmax_slopes",
    "swapped",
    "timing",
    "turn",
    "wavelengths",
    "without_positions",
    "word_order",
]
