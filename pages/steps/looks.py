"""Who looks at whom: one layer's heads, alone or together, as lines and as a matrix; in a pair, from where to where."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.facts import main_fact
from encoder.figures.links import links, undrawn
from encoder.figures.matrix import matrix
from encoder.formatting import percent, shown
from encoder.metrics import WAYS, only_between, parked, together
from encoder.trace.words import merge
from pages.parts.looks.fact import fact as fact_of
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import arrow, plain, say, theme

TOGETHER = {"Mean": "mean", "Largest": "max"}

trace, view = session.now(), state.current()
tokens, segments, special = trace.tokens, list(trace.tokenization.segments), list(trace.tokenization.special)
weights = trace[f"layers.{view.layer}.attention.weights"]

st.markdown("Lines lead from each token, on the left, to the tokens it looks at, on the right.")
controls = st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="looks_controls")
every = range(trace.config.n_heads)
tie = state.choice("some_heads", every, [view.head], many=True)
heads = controls.pills(f"Heads of layer {view.layer}", every, selection_mode="multi", **tie)
how = controls.pills("Together", list(TOGETHER), required=True, **state.choice("together", TOGETHER, "Mean"))
merged = controls.toggle("Words, not pieces", **state.choice("merge_words", (False, True), False))
if merged:
    groups = trace.tokenization.words
    weights, tokens = merge(weights, groups), list(map(trace.tokenization.spelled, groups))
    segments, special = [segments[g[0]] for g in groups], [special[g[0]] for g in groups]
    st.caption(
        "The pieces of a word are one: where it looks is the mean of its pieces' rows, how much it is looked at the "
        "sum of their columns. So each row still sums to 1."
    )
part = "all"
if trace.tokenization.pair:
    parts = ["all", *WAYS]
    tie = state.choice("pair_part", parts, "all")
    part = st.pills("From sentence to sentence", parts, required=True, format_func=arrow, **tie)
chosen = st.pills(
    "Only where these tokens look, and who looks at them",
    range(len(tokens)),
    selection_mode="multi",
    format_func=lambda i: plain(f"{i} {shown(tokens[i])}"),
    **state.choice("some_words" if merged else "some_tokens", range(len(tokens)), [], many=True),
)
heads = heads or [view.head]
values = together(weights, sorted(heads), TOGETHER[how])
said = f"layer {view.layer}, head{'s' if len(heads) > 1 else ''} {', '.join(map(str, sorted(heads)))}"

fact = fact_of(values, tokens, chosen) if chosen else main_fact(values.numpy(), tokens, tokens, "share", special)
if part != "all":
    values, share = only_between(values, segments, part)
    way = f"{arrow(part)} is {percent(share)} of where {part[0]} looks; the rest is not drawn below."
    st.markdown(plain(way))
seen = values.numpy()
drawn = links(seen, tokens, list(chosen), theme())
one = heads[0] if len(heads) == 1 else None
about = About(trace, layer=view.layer, head=one, reads=("attention.weights",))
chart(drawn, "links", f"Lines between tokens, {said}. {fact}", about)
say(fact)
if one is not None and (line := parked(trace, view.layer, one).sentence):
    st.caption(plain(line))
st.caption(f"Lines for weights under 0.02 are left out: {percent(undrawn(seen))} of all weight.")

st.header(f"The same as a matrix ({said}{', ' + how.lower() if len(heads) > 1 else ''})")
whole = matrix(seen, tokens, tokens, kind="share", theme=theme(), row_title="query (looks)", column_title="key")
chart(whole, "together_matrix", fact, about)
if how == "Largest" and len(heads) > 1:
    st.caption("The largest of several heads' weights: these rows no longer sum to 1.")
