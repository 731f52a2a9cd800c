"""The stack: how each token's vector moves from layer to layer, and where it ends."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import brief
from encoder.metrics import cosine, length, longest_to_shortest, stream
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.step import guess, panel
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

step, trace = panel.pick("stack"), session.now()
if step.shape[-1] == "vocab":
    guess.large(trace)
    panel.show(trace, step, state.current().head)
vectors = stream(trace)  # [n_layers + 1, n, d_model]
moves = {BEFORE: cosine(vectors[1:], vectors[:-1]), INPUT: cosine(vectors, vectors[:1]), LENGTH: length(vectors)}

heading("How each vector moves")
chosen = st.pills("Shown", list(MEANING), required=True, **state.choice("move", MEANING, BEFORE))
values = moves[chosen].T.numpy()
columns = layer_names(trace.config, with_input=chosen != BEFORE)
scale = {"kind": "positive"} if chosen == LENGTH else {"kind": "signed", "largest": 1.0}
drawn = matrix(values, trace.tokens, columns, theme=theme(), **scale)
chart(
    drawn, "moves", f"{chosen}, for each token and layer. {MEANING[chosen]}", About.of_stream(trace), made=MADE[chosen]
)
st.markdown(MEANING[chosen])
if chosen == LENGTH:
    say(f"After the last layer the longest is {brief(longest_to_shortest(vectors[-1]))} times as long as the shortest.")
downloads.numbers("moves", chosen, lambda: downloads.frame(values, trace.tokens, columns), values.shape)
if step.shape[-1] != "vocab":
    panel.show(trace, step, state.current().head)
panel.proof(trace, step)
