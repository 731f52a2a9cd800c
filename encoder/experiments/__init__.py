"""Experiments on the encoder: each runs the model or a part of it, and returns the numbers that tell."""

from encoder.experiments.depth import DEPTHS, SHAPE, Curve, Residuals, gradients, residuals
from encoder.experiments.linearity import Collapse, Halved, collapse, halved, merged
from encoder.experiments.norms import D_MODELS, NormPair, norms
from encoder.experiments.padding import HiddenRow, Padding, hidden_row, padding
from encoder.experiments.positions import Profile, Turn, profile, turn
from encoder.experiments.scaling import WIDTHS, Scaling, Width, dot_products, scaling, softmax_of
from encoder.experiments.timing import LENGTHS, Duration, timing
from encoder.experiments.word_order import WITHOUT_POSITIONS, WordOrder, exchanged, word_order

__all__ = [
    "DEPTHS",
    "D_MODELS",
    "LENGTHS",
    "SHAPE",
    "WIDTHS",
    "WITHOUT_POSITIONS",
    "Collapse",
    "Curve",
    "Duration",
    "Halved",
    "HiddenRow",
    "NormPair",
    "Padding",
    "Profile",
    "Residuals",
    "Scaling",
    "Turn",
    "Width",
    "WordOrder",
    "collapse",
    "dot_products",
    "exchanged",
    "gradients",
    "halved",
    "hidden_row",
    "merged",
    "norms",
    "padding",
    "profile",
    "residuals",
    "scaling",
    "softmax_of",
    "timing",
    "turn",
    "word_order",
]
