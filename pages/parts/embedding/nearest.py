"""What the vector of a word says before any context: which other words have the vectors most like it."""

import numpy as np
import streamlit as st

from encoder.export.caption import About
from encoder.figures.charts import token_bars
from encoder.formatting import brief, shown
from encoder.metrics import nearest_words
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import heading, say, theme
from pages.ui.widgets import pick_token

WORDS = 10


def draw() -> None:
    """The word to tap, and its neighbours as bars."""
    trace, encoder = session.now(), session.text_encoder(state.current().model)
    heading("Which words have a vector like it")
    st.markdown("Every token that the model knows has a vector of its own. What is alike in use points the same way.")
    token = pick_token("Word", trace.tokens, "near_word", longest(trace))
    found = nearest_words(encoder, trace.ids[token], WORDS)
    name, (word, cosine) = shown(trace.tokens[token]), found[0]
    fact = f"Of all {trace.config.vocab_size:,} tokens “{shown(word)}” is nearest to “{name}”: cosine {brief(cosine)}."
    cosines = {"cosine": np.array([value for _, value in found])}
    bars = token_bars(cosines, [one for one, _ in found], title=f"cosine with {name}", theme=theme())
    chart(
        bars,
        "nearest",
        fact,
        About(source=trace.source, scope="the table of embeddings, the same for every text"),
        numbers=True,
        made=f"[cosine for _, cosine in nearest_words(enc, {trace.ids[token]}, {WORDS})]",
    )
    say(fact)


def longest(trace: Trace) -> int:
    """The position of the longest token that was typed: it is seldom a word that stands for nothing alone."""
    typed = [i for i, special in enumerate(trace.tokenization.special) if not special] or [0]
    return max(typed, key=lambda i: len(trace.tokens[i]))
