"""Labs: claims that every tutorial makes, tried on the spot with the numbers that come out."""

from pages.parts.labs import (
    bare,
    collapse,
    depth,
    dropout,
    gates,
    know,
    learning,
    norm_order,
    norms,
    padding,
    positions,
    rotary,
    scaling,
    softmax,
    windows,
    word_order,
)
from pages.ui.widgets import tabs

PARTS = {
    "Word order": word_order.draw,
    "Positions": positions.draw,
    "Why √d_head": scaling.draw,
    "Softmax": softmax.draw,
    "Padding": padding.draw,
    "Without [CLS] and [SEP]": bare.draw,
    "Dropout": dropout.draw,
    "Residuals and depth": depth.draw,
    "Two LayerNorms": norms.draw,
    "Post-norm and pre-norm": norm_order.draw,
    "Trained without a part": learning.draw,
    "Layer collapse": collapse.draw,
    "Why rotary": rotary.draw,
    "Windows": windows.draw,
    "Gate signs": gates.draw,
    "What layers know": know.draw,
}
tabs(PARTS, "lab")
