"""The stack: how each token's vector moves from layer to layer, and where it ends."""

import streamlit as st

from encoder.figures.matrix import matrix
from encoder.metrics import cosine, length, stream
from pages.ui import downloads, session, step_panel

VIEWS = {
    "Cosine to the layer before": ("signed", "How little a layer turns each vector: 1 means not at all."),
    "Cosine to the input": ("signed", "How much of the first vector's direction is left after each layer."),
    "Length": ("positive", "The length of each vector. A norm at the end of a layer makes all lengths alike."),
}

step_panel.draw("stack")
trace = session.now()
vectors = stream(trace)  # [n_layers + 1, n, d_model]
moves = {
    "Cosine to the layer before": cosine(vectors[1:], vectors[:-1]),
    "Cosine to the input": cosine(vectors, vectors[:1]),
    "Length": length(vectors),
}
st.subheader("How each vector moves")
chosen = st.pills("Shown", list(VIEWS), key="move", default="Cosine to the layer before", required=True)
kind, meaning = VIEWS[chosen]
values = moves[chosen].T.numpy()
start = 1 if chosen == "Cosine to the layer before" else 0
columns = ["input", *(f"layer {i}" for i in range(trace.config.n_layers))][start:]
st.plotly_chart(
    matrix(
        values, trace.tokens, columns, kind=kind, theme=step_panel.theme(), largest=1.0 if kind == "signed" else None
    ),
    key="moves",
    config=step_panel.CONFIG,
    alt=f"{chosen}, for each token and layer. {meaning}",
)
st.markdown(meaning)
downloads.numbers("moves", chosen, lambda: downloads.frame(values, trace.tokens, columns), values.shape)
