"""What the model would say, layer by layer."""

import numpy as np
import pandas as pd
import streamlit as st

from encoder.export.caption import About
from encoder.figures.charts import likeliest
from encoder.formatting import percent
from encoder.metrics import final_answer, kl_to_last, lens_words, logit_lens, settled
from encoder.metrics.guess import guess_place
from pages.parts.lens import ranks
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, layer_names, plain, say, theme
from pages.ui.widgets import pick_token


def draw() -> None:
    """The likeliest words at one token after each layer."""
    trace, encoder = session.now(), session.text_encoder(state.current().model)
    tokens, layers = trace.tokens, layer_names(trace.config, with_input=True)
    heading("What the model would say, layer by layer")
    position = pick_token("Token", tokens, "lens_token", guess_place(trace, encoder.mask_token))
    if encoder.model.mlm_head is None:
        st.markdown(plain(f"{encoder.why_no_guesses} So it cannot be asked layer by layer."))
        return
    if encoder.mask_token not in (None, tokens[position]) and not trace.tokenization.special[position]:
        st.button("Mask this word and watch the guess form", key="mask_word", on_click=mask_word, args=(position,))
    lens = logit_lens(encoder, trace, [position])
    best = [row[0] for row in lens_words(encoder, lens, 5)]
    words, shares = [[w for w, _ in row] for row in best], np.array([[p for _, p in row] for row in best])
    drawn = likeliest(words, shares, layers, kind="share", theme=theme(), row_title="after")
    answer, probability, rank = final_answer(lens)
    word = encoder.tokenizer.id_to_token(int(answer[0]))
    first, final = layers[settled(rank[:, 0])], percent(float(probability[-1, 0]))
    fact = f"The final answer “{word}” has {final}; from “{first}” on it is the first choice."
    said = f"The likeliest words after each layer. {fact}"
    chart(
        drawn,
        "lens",
        said,
        About.of_stream(trace),
        wide=True,
        numbers=True,
        made=f"lens_words(enc, logit_lens(enc, t, [{position}]), 5)",
    )
    say(fact)
    ranks.draw(lens[:, 0], position)
    away = {
        "layer": layers,
        "probability of the final answer": probability[:, 0].numpy(),
        "its rank": rank[:, 0].numpy(),
        "KL to the last layer (nats)": kl_to_last(lens)[:, 0].numpy(),
    }
    downloads.shown_table(pd.DataFrame(away), hide_index=True, key="lens_table")
    st.caption("The head was trained on the last layer only: what it says of earlier ones is a reading, not a belief.")


def mask_word(position: int) -> None:
    """Put the mask in place of a word, all its pieces."""
    pieces, mask = session.now().tokenization, session.text_encoder(state.current().model).mask_token
    name = "second" if pieces.segments[position] else "sentence"
    state.change(**{name: pieces.replaced(pieces.word_of(position), str(mask))}, cell=None)
