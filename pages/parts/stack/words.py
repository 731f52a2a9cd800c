"""The words at one token after each layer: those that the model would say, and the nearest ones of its table."""

import pandas as pd
from torch import Tensor

from encoder.metrics import final_answer, kl_to_last
from encoder.pictures.registry.output import LENS, after_names, lens
from pages.parts.stack import nearest
from pages.ui.downloads import table as downloads
from pages.ui.picture import ask, show


def draw(guesses: Tensor | None) -> None:
    """Both for the chosen token; no `guesses` [n_layers + 1, 1, vocab] where the model guesses no words."""
    if guesses is not None:
        guessed(guesses)
    nearest.draw()


def guessed(guesses: Tensor) -> None:
    """The likeliest words after each layer, and how far they are from the last."""
    scene = ask(LENS)
    show(LENS, scene=scene, known={lens(scene): guesses})
    _, probability, rank = final_answer(guesses)
    away = {
        "layer": after_names(scene),
        "probability of the final answer": probability[:, 0].numpy(),
        "its rank": rank[:, 0].numpy(),
        "KL to the last layer (nats)": kl_to_last(guesses)[:, 0].numpy(),
    }
    downloads.shown_table(pd.DataFrame(away), hide_index=True, key="lens_table")
