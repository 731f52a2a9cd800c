"""Labs: claims that every tutorial makes, tried on the spot with the numbers that come out."""

from pages.parts.labs import collapse, depth, norms, padding, scaling, word_order
from pages.ui.widgets import tabs

PARTS = {
    "Word order": word_order.draw,
    "Why √d_head": scaling.draw,
    "Padding": padding.draw,
    "Residuals and depth": depth.draw,
    "Two LayerNorms": norms.draw,
    "Layer collapse": collapse.draw,
}
tabs(PARTS, "lab")
