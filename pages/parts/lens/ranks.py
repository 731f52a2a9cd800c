"""At which rank the words stand after each layer that the last layer thinks likeliest."""

import streamlit as st
from torch import Tensor

from encoder.export.caption import About
from encoder.figures import charts
from encoder.metrics import race
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import layer_names, say, theme

MOST_IN_RACE = 4  # words


def draw(lens: Tensor, position: int) -> None:
    """The ranks at one position, up to a layer that is chosen; lens [n_layers + 1, vocab]."""
    trace, encoder = session.now(), session.text_encoder(state.current().model)
    layers = layer_names(trace.config, with_input=True)
    ids, found = race(lens, MOST_IN_RACE)
    words = [str(encoder.tokenizer.id_to_token(i)) for i in ids.tolist()]
    at = st.select_slider("Ranks up to", layers, **state.choice("race_upto", layers, layers[-1]))
    upto = layers.index(at)
    where = f"After {at}" if upto else "At the input"
    fact = f"{where} “{words[0]}” is at rank {int(found[upto, 0]):,} of {lens.shape[1]:,} words."
    chart(
        charts.race(found.numpy(), words, theme(), upto=upto),
        "race",
        fact,
        About.of_stream(trace),
        numbers=True,
        made=f"race(logit_lens(enc, t, [{position}])[:, 0], {MOST_IN_RACE})[1][:{upto + 1}]",
    )
    say(fact)
