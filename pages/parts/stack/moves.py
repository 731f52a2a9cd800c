"""How far each token's vector moves from layer to layer."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import brief
from encoder.metrics import cosine, length, longest_to_shortest, stream
from encoder.theme import Kind
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, layer_names, say, theme

BEFORE, INPUT, LENGTH = "Cosine to the layer before", "Cosine to the input", "Length"
MEANING = {
    BEFORE: "How little a layer turns each vector: 1 means not at all.",
    INPUT: "How much of the first vector's direction is left after each layer.",
    LENGTH: "The length of each vector, before the first layer and after each one.",
}
MADE = {
    BEFORE: "cosine(stream(t)[1:], stream(t)[:-1]).T",
    INPUT: "cosine(stream(t), stream(t)[:1]).T",
    LENGTH: "length(stream(t)).T",
}


def draw() -> None:
    """How far each token's vector moves in each layer."""
    trace = session.now()
    vectors = stream(trace)  # [n_layers + 1, n, d_model]
    heading("How each vector moves")
    chosen = st.pills("Shown", list(MEANING), required=True, **state.choice("move", MEANING, BEFORE))
    if chosen == LENGTH:
        values = length(vectors).T.numpy()
    else:
        values = (cosine(vectors[1:], vectors[:-1]) if chosen == BEFORE else cosine(vectors, vectors[:1])).T.numpy()
    columns = layer_names(trace.config, with_input=chosen != BEFORE)
    kind: Kind = "positive" if chosen == LENGTH else "signed"
    drawn = matrix(values, trace.tokens, columns, kind=kind, theme=theme(), fit=True)
    said = f"{chosen}, for each token and layer. {MEANING[chosen]}"
    chart(drawn, "moves", said, About.of_stream(trace), made=MADE[chosen])
    st.markdown(MEANING[chosen])
    if chosen == LENGTH:
        times = brief(longest_to_shortest(vectors[-1]))
        say(f"After the last layer the longest is {times} times as long as the shortest.")
    downloads.numbers("moves", chosen, lambda: downloads.frame(values, trace.tokens, columns), values.shape)
