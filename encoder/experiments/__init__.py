"""Experiments on the encoder: each runs the model or a part of it, and returns the numbers that tell."""

from encoder.experiments.bare import Bare, bare
from encoder.experiments.boundary import Boundary, boundary
from encoder.experiments.depth import DEPTHS, SHAPE, Curve, Residuals, gradients, residuals
from encoder.experiments.dropout import PAPER, PLACES, Dropout, dropout
from encoder.experiments.learning import KINDS, LearningCurve, LearningCurves, learning_curve, learning_curves
from encoder.experiments.linearity import Collapse, Halved, collapse, halved, merged
from encoder.experiments.norm_order import NormOrder, norm_order
from encoder.experiments.norms import D_MODELS, NormPair, norms
from encoder.experiments.one_matrix import OneMatrix, one_matrix
from encoder.experiments.padding import HiddenRow, Padding, hidden_row, padding
from encoder.experiments.positions import Profile, Turn, profile, turn, wavelengths
from encoder.experiments.scaling import WIDTHS, Scaling, Width, dot_products, scaling, softmax_of
from encoder.experiments.since_2017 import (
    REGIMES,
    Biases,
    BiasTable,
    GateSigns,
    PlacedScores,
    Sight,
    bias_table,
    biases,
    gate_signs,
    mean_share,
    placed_scores,
    sight,
)
from encoder.experiments.softmax_gradient import Slope, softmax_gradient, softmax_slopes
from encoder.experiments.timing import LENGTHS, Duration, timing
from encoder.experiments.word_order import (
    WITHOUT_POSITIONS,
    WordOrder,
    exchanged,
    swapped,
    without_positions,
    word_order,
)

__all__ = [
    "DEPTHS",
    "D_MODELS",
    "KINDS",
    "LENGTHS",
    "PAPER",
    "PLACES",
    "REGIMES",
    "SHAPE",
    "WIDTHS",
    "WITHOUT_POSITIONS",
    "Bare",
    "BiasTable",
    "Biases",
    "Boundary",
    "Collapse",
    "Curve",
    "Dropout",
    "Duration",
    "GateSigns",
    "Halved",
    "HiddenRow",
    "LearningCurve",
    "LearningCurves",
    "NormOrder",
    "NormPair",
    "OneMatrix",
    "Padding",
    "PlacedScores",
    "Profile",
    "Residuals",
    "Scaling",
    "Sight",
    "Slope",
    "Turn",
    "Width",
    "WordOrder",
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
    "learning_curve",
    "learning_curves",
    "mean_share",
    "merged",
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
