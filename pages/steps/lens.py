"""Layer by layer: what the model would say after each layer, and where the tokens' vectors go."""

import numpy as np
import pandas as pd
import streamlit as st

from encoder.figures.charts import likeliest
from encoder.figures.matrix import matrix
from encoder.figures.scatter import paths
from encoder.formatting import short, shown
from encoder.metrics import cosine_matrix, final_answer, kl_to_last, lens_words, logit_lens, stream, token_paths
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import plain, theme

trace, view = session.now(), state.current()
tokens, encoder = trace.tokens, session.text_encoder(view.model)
layers = ["input", *(f"layer {i}" for i in range(trace.config.n_layers))]
masks = [i for i, token in enumerate(tokens) if token == encoder.mask_token]


def mask_word(position: int) -> None:
    """Put the mask in place of the typed stretch behind a token."""
    start, end = trace.pieces.spans[position]
    name, text = ("second", trace.pieces.pair) if trace.pieces.segments[position] else ("sentence", trace.text)
    state.change(**{name: f"{text[:start]}{encoder.mask_token}{text[end:]}"}, cell="")


st.header("What the model would say, layer by layer")
position = st.selectbox(
    "Token",
    range(len(tokens)),
    format_func=lambda i: f"{i} {shown(tokens[i])}",
    **state.choice("lens_token", range(len(tokens)), masks[0] if masks else min(1, len(tokens) - 1)),
)
if encoder.model.mlm_head is None:
    st.markdown("This model has no head that guesses words (masked-language-model head), so it cannot be asked.")
else:
    if encoder.mask_token not in (None, tokens[position]) and not trace.pieces.special[position]:
        st.button("Mask this word and watch the guess form", key="mask_word", on_click=mask_word, args=(position,))
    lens = logit_lens(encoder, trace, [position])
    words = [row[0] for row in lens_words(encoder, lens, 5)]
    chart(
        likeliest([[w for w, _ in row] for row in words], np.array([[p for _, p in row] for row in words]), layers,
                  kind="share", theme=theme()),
        "lens", "The likeliest words after each layer", wide=True,
    )  # fmt: skip
    answer, probability, rank = final_answer(lens)
    word = encoder.tokenizer.id_to_token(int(answer[0]))
    first = next(i for i in range(len(layers)) if (rank[i:, 0] == 1).all())
    final = short(float(probability[-1, 0]))
    said = f"The final answer “{word}” has {final}; from “{layers[first]}” on it is the first choice."
    st.markdown(f"**{plain(said)}**")
    away = {
        "layer": layers,
        "probability of the final answer": probability[:, 0].numpy(),
        "its rank": rank[:, 0].numpy(),
        "KL to the last layer (nats)": kl_to_last(lens)[:, 0].numpy(),
    }
    st.dataframe(pd.DataFrame(away), hide_index=True, key="lens_table")
    st.caption("The head was trained on the last layer only: what it says of earlier ones is a reading, not a belief.")

st.header("The paths of the tokens")
if not bool(stream(trace).isfinite().all()):
    st.markdown("Some vectors of this run are not numbers, so there are no paths to draw.")
else:
    way = token_paths(trace)
    titles = tuple(
        f"direction {i + 1} ({short(100 * float(share))} % of the variance)" for i, share in enumerate(way.shares)
    )
    chart(
        paths(way.points.numpy(), tokens, titles, theme()), "paths", "Every token's way through the layers in one plane"
    )
    shown_share = short(100 * float(way.shares.sum()))
    st.markdown(
        "All tokens after all layers in the two directions in which they differ most (principal components of all of "
        f"them together, {shown_share} % of the variance). The large dot is the input; the name stands at the end."
    )

st.header("How alike the tokens are")
at = st.select_slider("After", layers, **state.choice("alike_layer", layers, layers[-1]))
alike = cosine_matrix(stream(trace)[layers.index(at)]).numpy()
chart(
    matrix(alike, tokens, tokens, kind="signed", theme=theme(), largest=1.0),
    "alike_tokens",
    "Cosine between all tokens",
)
downloads.numbers("alike", "cosine", lambda: downloads.frame(alike, tokens, tokens), alike.shape)
