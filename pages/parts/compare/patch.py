"""Numbers of A put into B, one layer and position at a time: how much of the difference comes back."""

import streamlit as st

from encoder.errors import EncoderError
from encoder.experiments.compare import patch_sweep
from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import percent, shown
from encoder.metrics import largest_cell
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.step import side_by_side, sweep
from pages.ui.text import layer_names, plain, say, theme

PATCHED = ["output", "attention.output", "feed_forward.output", "attention.heads"]


def draw() -> None:
    """What is patched, the way to run it, and what came back."""
    a, view = session.now(), state.current()
    encoder = session.text_encoder(view.model)
    b = session.run(view.model, encoder.tokenize(view.sentence_b).text)
    st.markdown(plain(f"A is “{shown(a.text, 80)}”, B is “{shown(b.text, 80)}” in the same model."))
    if len(a.tokens) != len(b.tokens):
        st.markdown(f"A has {len(a.tokens)} tokens and B has {len(b.tokens)}; a patch needs the same number.")
        return
    step, heads = patched(a)
    asked = (view.model, a.inputs, b.inputs, view.hidden, view.edits, step, heads)
    try:
        found = sweep.follow(
            "patch", asked, lambda: patch_sweep(encoder, a, b, step, heads=heads), "Patch every place in turn"
        )
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    if found is None:
        return
    share, layers = found.share.T.numpy(), layer_names(a.config)
    both = list(map(side_by_side.either, a.tokens, b.tokens))
    drawn = matrix(share, both, layers, kind="signed", theme=theme(), largest=1.0)
    i, j = largest_cell(share)
    fact = f"“{both[i]}” ({i}) in layer {j} brings back most: {percent(float(share[i, j]))} of the way from B to A."
    about = About(a, other=b, reads=("output",))
    made = f"[*patch_sweep(enc, a, b, {step!r}, heads={heads})][-1].share"
    chart(drawn, "patch_map", f"What each patch brings back. {fact}", about, made=made)
    say(fact)
    downloads.numbers("patch", "patch", lambda: downloads.frame(share, both, layers), share.shape)


def patched(a: Trace) -> tuple[str, tuple[int, ...] | None]:
    """The step that is patched, and which of its heads; None for all."""
    step = st.selectbox("Step", PATCHED, **state.choice("patch_step", PATCHED, PATCHED[0]))
    if step != "attention.heads":
        return step, None
    every = range(a.config.n_heads)
    some = st.pills("Heads", every, selection_mode="multi", **state.choice("patch_heads", every, [], many=True))
    return step, tuple(sorted(some)) or None
