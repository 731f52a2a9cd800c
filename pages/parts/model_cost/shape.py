"""The hyperparameters of the model, and what other depths of it would hold."""

import pandas as pd

from encoder.explain.shape import depths, hyperparameters
from encoder.formatting import short
from encoder.model.config import EncoderConfig
from pages.ui.downloads import table as downloads
from pages.ui.text import WHOLE, heading, say


def draw(config: EncoderConfig) -> None:
    """Two tables: this model, and 6, 12 and 24 layers of its width."""
    heading("The shape of this model")
    shape = pd.DataFrame(hyperparameters(config))
    columns = {"what": "", "name": "name", "value": "here"}
    downloads.shown_table(shape, hide_index=True, key="shape", column_config=columns)
    found = depths(config)
    table = pd.DataFrame(found).set_index("layers")
    downloads.shown_table(table, key="depths", column_config=dict.fromkeys(table.columns, WHOLE))
    said = ", ".join(f"{one.layers} layers {short(one.parameters / 1e6)} M" for one in found)
    say(
        f"With d_ff = 4 d_model and all else as here: {said}.",
        "A block holds the same number of parameters in each; the rest is the embedding and the heads on top.",
    )
