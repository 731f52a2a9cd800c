"""Start, below its picture: the whole run, which words made the guess, several heads together, and the tokens."""

import pandas as pd
import streamlit as st

from pages.sentence import guess, several
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.server import cold_start
from pages.ui.state import session_state as state
from pages.ui.step import living_map_section, token_strip
from pages.ui.text import heading
from pages.ui.widgets import fold

OF_SEVERAL = {"some_heads", "together", "some_tokens", "some_words", "pair_part", "merge_words", "words_only"}


def draw() -> None:
    """Draw the page."""
    trace, view = session.now(), state.current()
    heading("The whole run in one picture")
    st.caption(
        "Every row is a token on its way through the encoder, every box a layer. A band comes from where a word looks. "
        "Point at a word to follow it, click a layer to unfold it, click any number to open it."
    )
    living_map_section.draw()

    guess.draw()
    fold("Several heads together, as lines and as a matrix", "several", several.draw, holds=OF_SEVERAL)

    heading(f"The sentence as {len(trace.tokens)} tokens")
    special = trace.tokenization.special
    token_strip.draw(trace)
    st.caption(token_strip.explained(trace))
    rows = [
        {"position": i, "token": token, "id": trace.ids[i], "typed": trace.tokenization.typed(i), "added": special[i]}
        | ({"sentence": "AB"[trace.tokenization.segments[i]]} if trace.tokenization.pair else {})
        for i, token in enumerate(trace.tokens)
    ]
    encoder = session.text_encoder(view.model)
    guesses = encoder.predict(trace, 3) or []
    for i in [i for i, token in enumerate(trace.tokens) if token == encoder.mask_token and guesses]:
        said = ", ".join(f"“{word}” {probability:.3f}" for word, probability in guesses[i])
        st.text(f"At {encoder.mask_token} (position {i}) the model would say: {said}.")

    if trace.tokenization.pair and trace.config.n_segments < 2:
        st.caption("This model has no segment embeddings: only the separator tells it where sentence B begins.")
    fold(
        "The tokens as a table",
        "tokens_open",
        lambda: downloads.shown_table(pd.DataFrame(rows), hide_index=True, key="tokens"),
    )
    # The page itself has no chart before one is opened, the next have.
    cold_start.fetch_charts(st.container(), "next_charts")
