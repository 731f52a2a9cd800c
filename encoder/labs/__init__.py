"""Experiments on the encoder: each runs the model or a part of it, and returns the numbers that tell."""

from encoder.labs.depth import DEPTHS, Curve, Residuals, residuals
from encoder.labs.formulas import D_MODELS, NormPair, norms
from encoder.labs.linear import Collapse, collapse, merged
from encoder.labs.order import WITHOUT_POSITIONS, WordOrder, word_order
from encoder.labs.padded import HiddenRow, Padding, hidden_row, padding
from encoder.labs.saturation import WIDTHS, Scaling, Width, dot_products, scaling

__all__ = [
    "DEPTHS",
    "D_MODELS",
    "WIDTHS",
    "WITHOUT_POSITIONS",
    "Collapse",
    "Curve",
    "HiddenRow",
    "NormPair",
    "Padding",
    "Residuals",
    "Scaling",
    "Width",
    "WordOrder",
    "collapse",
    "dot_products",
    "hidden_row",
    "merged",
    "norms",
    "padding",
    "residuals",
    "scaling",
    "word_order",
]
