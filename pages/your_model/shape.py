"""The hyperparameters of the model, and what other depths of it would hold."""

from collections.abc import Sequence

import pandas as pd

from encoder.explain.cost import Depth, depths, hyperparameters
from encoder.model.config import EncoderConfig
from encoder.support.formatting import short
from pages.ui.downloads import table as downloads
from pages.ui.text import WHOLE, heading, say
from pages.ui.widgets import fold


def draw(config: EncoderConfig) -> None:
    """What 6, 12 and 24 layers of its width would hold, in a sentence, and two folded tables."""
    heading("The shape of this model")
    found = depths(config)
    said = ", ".join(f"{one.layers} layers {short(one.parameters / 1e6)} M" for one in found)
    say(
        f"With d_ff = 4 d_model and all else as here: {said}.",
        "A block holds the same number of parameters in each; the rest is the embedding and the heads on top.",
    )
    fold("Its shape and three depths as tables", "cost_shape", lambda: tables(config, found))


def tables(config: EncoderConfig, found: Sequence[Depth]) -> None:
    """Its hyperparameters, and what each depth would hold."""
    shape = pd.DataFrame(hyperparameters(config))
    columns = {"what": "", "name": "name", "value": "here"}
    downloads.shown_table(shape, hide_index=True, key="shape", column_config=columns)
    table = pd.DataFrame(found).set_index("layers")
    downloads.shown_table(table, key="depths", column_config=dict.fromkeys(table.columns, WHOLE))
