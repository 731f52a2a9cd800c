"""The sentence on top of the page, A, against another sentence or model, B."""

from functools import partial

import streamlit as st

from encoder.errors import EncoderError
from encoder.experiments.compare import aligned_tokens, first_difference, relative_difference
from encoder.export.caption import About
from encoder.figures.facts import main_fact
from encoder.figures.matrix import matrix
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace
from pages.parts.compare import followed, two_shapes
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.step import side_by_side, whole_run
from pages.ui.text import heading, layer_names, plain, say, theme
from pages.ui.widgets import fold


def draw() -> None:
    """Both sentences word by word, B minus A, how far their vectors are apart, and any step of both."""
    a, view = session.now(), state.current()
    try:
        encoder_b = model_b()
    except EncoderError as error:
        st.markdown(plain(f"Model B cannot be shown: {error}."))
        return
    text = encoder_b.tokenize(view.sentence_b).text
    b = session.run(view.other_model or view.model, text)
    pairs = aligned_tokens(a, b)
    spelled = [(followed.spell(a, p.a), followed.spell(b, p.b)) for p in pairs]
    st.text("Words side by side: " + " ".join(x if x == y else f"[{x} | {y}]" for x, y in spelled))
    unlike = (a.config.n_layers, a.config.d_model) != (b.config.n_layers, b.config.d_model)
    if unlike or all(p.a is None or p.b is None for p in pairs):
        why = "These models differ in layers or width" if unlike else "No word of A stands beside one of B"
        st.markdown(f"{why}, so their vectors are not subtracted; the weights of both can be looked at.")
        two_shapes.draw(a, b)
        return
    part = first_difference(a, b)
    say(f"The words that both share first part at {part}." if part else "No number differs.")
    if part:
        on_the_map(a, b)
    apart = relative_difference(a, b, pairs).T.numpy()
    layers = layer_names(a.config, with_input=True)
    words = side_by_side.labels(a, b, pairs)
    fact = f"How far the vectors of both runs are apart: {main_fact(apart, words, layers, 'positive')}"
    drawn = matrix(apart, words, layers, kind="positive", theme=theme())
    made = "relative_difference(a, b, aligned_tokens(a, b))"
    chart(drawn, "apart", fact, About.of_stream(a, other=b), numbers=True, made=made)
    st.markdown(plain(fact))
    followed.draw(a, b, pairs)
    beside = partial(side_by_side.draw, a, b, ("A", "B"), pairs)
    fold("Any step of both, side by side", "beside_open", beside, holds={"beside_step"})


def on_the_map(a: Trace, b: Trace) -> None:
    """The whole run of B as the difference to that of A, where each token of one has its place in the other."""
    heading("B minus A in one picture")
    if len(a.tokens) != len(b.tokens):
        st.caption(f"A has {len(a.tokens)} tokens and B {len(b.tokens)}; with as many, the whole runs are subtracted.")
    elif (a.config.n_heads, a.config.d_ff) == (b.config.n_heads, b.config.d_ff):
        view = state.current()
        whole_run.draw_change(a, b, view.other_model or view.model)


def model_b() -> TextEncoder:
    """The model of run B, as chosen; EncoderError if it cannot be had."""
    view = state.current()
    if view.other_model:
        models.remember(view.other_model)
    offered = ["", *(name for name in models.names() if name != view.model)]
    names = {"": "the same model"} | {name: models.offer(name).label for name in offered[1:]}
    st.selectbox("Model B", offered, format_func=lambda name: names[name], **state.widget("other_model"))
    return session.text_encoder(view.other_model or view.model)
