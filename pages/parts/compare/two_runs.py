"""The sentence of the sidebar, A, against another sentence or model, B."""

import streamlit as st

from encoder.experiments.compare import Pair, aligned_tokens, first_difference, relative_difference, token_cosine
from encoder.export.caption import About
from encoder.figures.charts import token_bars
from encoder.figures.matrix import matrix
from encoder.formatting import brief, shown
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.state.view import OTHER
from pages.ui.step import side_by_side
from pages.ui.text import layer_names, plain, say, theme


def draw() -> None:
    """Both sentences word by word, how far their vectors are apart, and any step of both."""
    a, view = session.now(), state.current()
    try:
        encoder_b = model_b()
    except ValueError as error:
        st.markdown(plain(f"Model B cannot be shown: {error}."))
        return
    text = encoder_b.tokenize(view.other if view.other.strip() else OTHER).text
    b = session.run(view.other_model or view.model, text)
    pairs = aligned_tokens(a, b)
    spelled = [(spell(a, p.a), spell(b, p.b)) for p in pairs]
    st.text("Words side by side: " + " ".join(x if x == y else f"[{x} | {y}]" for x, y in spelled))
    if (a.config.n_layers, a.config.d_model) != (b.config.n_layers, b.config.d_model):
        st.markdown(
            "These models differ in layers or width, so their vectors cannot be subtracted; weights can be looked at."
        )
        return
    part = first_difference(a, b)
    say(f"The words that both share first part at {part}." if part else "No number differs.")
    apart = relative_difference(a, b, pairs).T.numpy()
    layers = layer_names(a.config, with_input=True)
    drawn = matrix(apart, side_by_side.labels(a, b, pairs), layers, kind="positive", theme=theme())
    chart(
        drawn, "apart", "How far the vectors of both runs are apart, per token and layer", About.of_stream(a, other=b)
    )
    follow(a, b, [p for p in pairs if p.same])
    side_by_side.draw(a, b, ("A", "B"), pairs)


def model_b() -> TextEncoder:
    """The model of run B, as chosen; ValueError if it cannot be had."""
    view = state.current()
    if view.other_model:
        models.remember(view.other_model)
    offered = ["", *(name for name in models.names() if name != view.model)]
    names = {"": "the same model"} | {name: models.offer(name).label for name in offered[1:]}
    st.selectbox("Model B", offered, format_func=lambda name: names[name], **state.widget("other_model"))
    return session.text_encoder(view.other_model or view.model)


def spell(run: Trace, position: int | None) -> str:
    """A token as text; a dash where the other sentence has one and this has none."""
    return "–" if position is None else shown(run.tokens[position])


def follow(a: Trace, b: Trace, same: list[Pair]) -> None:
    """One word that stands in both runs, layer by layer."""
    if not same:
        return
    tie = state.choice("follow", range(len(same)), min(1, len(same) - 1))
    names = [f"{p.a} {spell(a, p.a)}" for p in same]
    at = same[st.selectbox("Follow the word", range(len(same)), format_func=names.__getitem__, **tie)]
    assert at.a is not None and at.b is not None  # a word that stands in both
    alike = token_cosine(a, at.a, b, at.b).numpy()
    bars = token_bars({"cosine": alike}, layer_names(a.config, with_input=True), title="cosine", theme=theme())
    chart(bars, "followed", "Cosine of the word's vectors in both runs, layer by layer", About.of_stream(a, other=b))
    say(f"Its vectors have cosine {brief(float(alike[0]))} at the input and {brief(float(alike[-1]))} at the end.")
