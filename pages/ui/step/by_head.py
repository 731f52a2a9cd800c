"""Gradient x attention, head by head."""

import numpy as np
from torch import Tensor

from encoder.attributions.target import Target
from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import brief
from encoder.metrics import largest_cell
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.text import head_names, heading, layer_names, say, theme


def draw(found: Tensor, name: str, about: About, target: Target) -> None:
    """Each head's weights times the slope at them, added up: `found` [n_layers, H]."""
    assert about.run is not None
    heading("The same, head by head")
    values, config = found.numpy(), about.run.config
    rows, columns = layer_names(config), head_names(config)
    drawn = matrix(values, rows, columns, kind="signed", theme=theme())
    i, j = largest_cell(np.abs(values))
    fact = f"The looks of {rows[i]}, {columns[j]} do most: {brief(values[i, j])}."
    made = f"gradient_x_attention(enc, t, {target}).sum((-1, -2))"
    chart(drawn, "why_heads", f"Gradient × attention of every head, for {name}. {fact}", about, made=made)
    say(
        fact,
        "It is how fast the logit would change if all weights of that head were made a little larger.",
    )
    downloads.numbers("why_heads", "why_heads", lambda: downloads.frame(values, rows, columns), values.shape)
