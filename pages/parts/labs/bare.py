"""The sentence's own tokens alone, without those that the model adds."""

import streamlit as st

from encoder.errors import EncoderError
from encoder.experiments import Bare
from encoder.export.caption import UNCHANGED, About, quoted
from encoder.figures.charts import token_bars
from encoder.figures.drawn import numbers_of
from encoder.formatting import brief, listed, shown
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import plain, say, theme


def draw() -> None:
    """The output as one row for each word, and how far it is from the run with the added tokens."""
    trace, view = session.now(), state.current()
    st.markdown(
        "Tutorials often show one row for each word. Here the sentence is read as they do it, without the tokens that "
        "the tokenizer adds, and beside it as the model was trained."
    )
    if not isinstance(trace.inputs, str):
        st.markdown("This needs one sentence, and no pair.")
        return
    try:
        found: Bare = session.lab("bare", view.model, trace.inputs)
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    tokens = [shown(token) for token in found.tokens]
    n, d_model = found.alone.shape
    drawn = token_bars({"cosine": found.alike.numpy()}, list(found.tokens), title="cosine", theme=theme())
    fact = (
        f"Without {listed(list(found.added))} the output is ({n}, {d_model:,}), one row for each of {n} tokens; with "
        f"them it is ({n + len(found.added)}, {d_model:,}). The vectors of the same tokens have a mean cosine of "
        f"{brief(float(found.alike.mean()))}."
    )
    about = About(source=trace.source, scope=f"{quoted(trace.inputs)} with the added tokens and without, {UNCHANGED}")
    chart(drawn, "bare", fact, about, made=f"bare(enc, {trace.inputs!r}).alike")
    say(fact, "Every word also stands as many positions earlier as tokens were added before it.")
    downloads.of_figure("bare", numbers_of(drawn))
    table = downloads.frame(found.alone.numpy(), tokens, "dimension")
    downloads.numbers("bare_output", "output_without_added_tokens", lambda: table, tuple(found.alone.shape))
