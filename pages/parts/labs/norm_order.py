"""The same weights with the norm after each sum, and before each sublayer."""

import numpy as np
import streamlit as st

from encoder.errors import EncoderError
from encoder.experiments import norm_order
from encoder.export.caption import UNCHANGED, About, quoted
from encoder.figures.charts import lines
from encoder.figures.drawn import numbers_of
from encoder.figures.histogram import histogram
from encoder.formatting import brief
from encoder.metrics import norm_sides
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, say, theme

PARTS = {"after attention": "add_norm_1", "after feed-forward": "add_norm_2"}


def draw() -> None:
    """How long the vectors grow in both orders, how alike they stay, and what goes into a norm and comes out."""
    trace, view = session.now(), state.current()
    st.markdown(
        "Post-norm, as in the paper, norms every sum. Pre-norm norms what goes into a sublayer and leaves the sum as "
        "it is. Here both run with the same weights: what differs is the order alone."
    )
    try:
        found = norm_order(session.text_encoder(view.model), trace.inputs)
    except EncoderError as error:
        st.markdown(f"Not here: {plain(str(error))}.")
        return
    about = About(source=trace.source, scope=f"{quoted(trace.inputs)} in both orders of the norms, {UNCHANGED}")
    post, pre = found.post_length.mean(-1).numpy(), found.pre_length.mean(-1).numpy()
    drawn = lines({"post-norm": post, "pre-norm": pre}, np.arange(len(post)), ("layers", "mean length"), theme=theme())
    fact = (
        f"After all {len(post) - 1} layers a token's vector is {brief(float(post[-1]))} long on average with post-norm "
        f"and {brief(float(pre[-1]))} with pre-norm."
    )
    chart(drawn, "order_length", fact, about, made=f"norm_order(enc, {trace.inputs!r}).post_length.mean(-1)")
    say(fact, f"This model was made as {found.own}; in the other order its weights do what nobody trained them for.")
    downloads.of_figure("order_length", numbers_of(drawn))
    alike = found.alike.mean(-1).numpy()
    drawn = lines({"cosine": alike}, np.arange(len(alike)), ("layers", "mean cosine"), theme=theme())
    fact = f"The same token in both orders: a mean cosine of {brief(float(alike[1]))} after layer 0, "
    fact += f"{brief(float(alike[-1]))} after the last."
    chart(drawn, "order_alike", fact, about, made=f"norm_order(enc, {trace.inputs!r}).alike.mean(-1)")
    say(fact)
    downloads.of_figure("order_alike", numbers_of(drawn))
    heading(f"What goes into a norm of layer {view.layer}, and what comes out")
    part = st.pills("Norm", list(PARTS), required=True, **state.choice("which_norm", PARTS, "after attention"))
    runs = {"post-norm": found.post, "pre-norm": found.pre}
    for column, (name, run) in zip(st.columns(2), runs.items(), strict=True):
        sides = norm_sides(run, view.layer, PARTS[part])
        drawn = histogram({side: values.numpy() for side, values in sides.items()}, "number", theme())
        before, after = (brief(float(values.std())) for values in sides.values())
        fact = f"{name.capitalize()}: the standard deviation goes from {before} to {after}."
        key = f"sides_{name.partition('-')[0]}"
        with column:
            order = f"norm_order(enc, {trace.inputs!r}).{name.partition('-')[0]}"
            chart(
                drawn, key, fact, about, made=f'shares_in_bins(norm_sides({order}, {view.layer}, "{PARTS[part]}"))[1]'
            )
            say(fact)
            downloads.of_figure(key, numbers_of(drawn))
