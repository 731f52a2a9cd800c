"""The words at one token after each layer: those that the model would say, and the nearest ones of its table."""

import numpy as np
import pandas as pd
from torch import Tensor

from encoder.export.caption import About
from encoder.figures.charts import likeliest
from encoder.metrics import final_answer, kl_to_last, lens_words
from pages.parts.stack import nearest
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import layer_names, say, theme

WORDS = 5


def draw(lens: Tensor | None, position: int) -> None:
    """Both for the token at a position; no `lens` [n_layers + 1, 1, vocab] where the model guesses no words."""
    if lens is not None:
        guessed(lens, position)
    nearest.draw(position)


def guessed(lens: Tensor, position: int) -> None:
    """The likeliest words after each layer, and how far they are from the last."""
    trace, encoder = session.now(), session.text_encoder(state.current().model)
    layers = layer_names(trace.config, with_input=True)
    best = [row[0] for row in lens_words(encoder, lens, WORDS)]
    names, shares = [[word for word, _ in row] for row in best], np.array([[share for _, share in row] for row in best])
    _, probability, rank = final_answer(lens)
    fact = f"At the input “{names[0][0]}” is the first choice, after the last layer “{names[-1][0]}”."
    chart(
        likeliest(names, shares, layers, kind="share", theme=theme(), row_title="after"),
        "lens",
        f"The likeliest words after each layer. {fact}",
        About.of_stream(trace),
        wide=True,
        numbers=True,
        made=f"lens_words(enc, logit_lens(enc, t, [{position}]), {WORDS})",
    )
    say(fact)
    away = {
        "layer": layers,
        "probability of the final answer": probability[:, 0].numpy(),
        "its rank": rank[:, 0].numpy(),
        "KL to the last layer (nats)": kl_to_last(lens)[:, 0].numpy(),
    }
    downloads.shown_table(pd.DataFrame(away), hide_index=True, key="lens_table")
