"""Experiments on the encoder: each runs the model or a part of it, and returns the numbers that tell."""

from encoder.labs.depth import DEPTHS, SHAPE, Curve, Residuals, gradients, residuals
from encoder.labs.formulas import D_MODELS, NormPair, norms
from encoder.labs.linear import Collapse, Halved, collapse, halved, merged
from encoder.labs.order import WITHOUT_POSITIONS, WordOrder, exchanged, word_order
from encoder.labs.padded import HiddenRow, Padding, hidden_row, padding
from encoder.labs.saturation import WIDTHS, Scaling, Width, dot_products, scaling, softmax_of
from encoder.labs.timing import LENGTHS, Duration, timing
from encoder.labs.waves import Profile, Turn, profile, turn

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
