"""Several heads of a layer together; in a pair, from where to where."""

import streamlit as st
import torch

from encoder.figures.facts import drawn_fact, main_fact
from encoder.formatting import percent, shown
from encoder.metrics import WAYS, asked, only_between, together
from encoder.selection import Choice, selection
from pages.parts.sentence import summed, twice
from pages.parts.sentence.fact import fact as fact_of
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.text import arrow, plain

TOGETHER = {"Mean": "mean", "Largest": "max"}


def draw(choice: Choice, merged: bool) -> None:
    """The chosen heads of the layer as one; `merged` takes the pieces of a word as one."""
    trace, view = session.now(), state.current()
    run = asked(trace, choice, merged=merged)
    tokens, seen = list(run.names), selection(run.names, run.kinds, choice)
    st.markdown("Lines lead from each token, on the left, to the tokens it looks at, on the right.")
    controls = st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="looks_controls")
    every = range(run.heads)
    tie = state.choice("some_heads", every, [view.head], many=True)
    heads = controls.pills(f"Heads of layer {view.layer}", every, selection_mode="multi", **tie) or [view.head]
    how = controls.pills("Together", list(TOGETHER), required=True, **state.choice("together", TOGETHER, "Mean"))
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
    values = together(torch.from_numpy(run.weights[view.layer]), sorted(heads), TOGETHER[how])
    said = f"layer {view.layer}, head{'s' if len(heads) > 1 else ''} {', '.join(map(str, sorted(heads)))}"
    special = [trace.tokenization.special[group[0]] for group in run.groups]
    fact = fact_of(values, tokens, chosen) if chosen else main_fact(values.numpy(), tokens, tokens, "share", special)
    if not seen.whole and not chosen:
        fact = drawn_fact(seen, values.numpy(), "share")
    left_out = seen.sentence(values.numpy())
    made = f't["layers.{view.layer}.attention.weights"]' if not merged else ""
    made = made and f'together({made}, {sorted(heads)}, "{TOGETHER[how]}")'
    if part != "all":
        made = made and f'only_between({made}, segments(t), "{part}")[0]'
        values, share = only_between(values, run.segments, part)
        way = f"{arrow(part)} is {percent(share)} of where {part[0]} looks; the rest is not drawn below."
        st.markdown(plain(way))
    one = heads[0] if len(heads) == 1 else None
    twice.draw(values.numpy(), seen, chosen, fact, left_out, said, one, made)
    summed.draw(values.numpy(), seen, chosen, one, made)
    if how == "Largest" and len(heads) > 1:
        st.caption("The largest of several heads' weights: these rows no longer sum to 1.")
