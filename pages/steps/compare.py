"""Compare: two sentences or models side by side, one word in many sentences, patches from one run to the other."""

import numpy as np
import streamlit as st

from encoder.experiments.compare import (
    aligned_tokens,
    first_difference,
    patch_sweep,
    relative_difference,
    token_cosine,
    word_cosines,
)
from encoder.figures.charts import token_bars
from encoder.figures.matrix import matrix
from encoder.formatting import short, shown
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.state.view import OTHER
from pages.ui.step import side_by_side
from pages.ui.text import plain, theme

MOST = 10
PATCHED = ["output", "attention.output", "feed_forward.output", "attention.heads"]
SET = "Turn on the light.\nThis bag is light.\nI prefer light blue.\nThe light of the sun is bright."
a, view = session.now(), state.current()
layers = ["input", *(f"layer {i}" for i in range(a.config.n_layers))]


def spell(run: Trace, position: int | None) -> str:
    """A token as text; a dash where the other sentence has one and this has none."""
    return "–" if position is None else shown(run.tokens[position])


def two() -> None:
    """The sentence of the sidebar, A, against another sentence or model, B."""
    if view.other_model:
        models.remember(view.other_model)
    offered = ["", *(name for name in models.names() if name != view.model)]
    names = {"": "the same model"} | {name: models.offer(name).label for name in offered[1:]}
    st.selectbox("Model B", offered, format_func=names.get, **state.widget("other_model"))
    model_b = view.other_model or view.model
    try:
        encoder_b = session.text_encoder(model_b)
    except ValueError as error:
        st.markdown(plain(f"Model B cannot be shown: {error}."))
        return
    text = encoder_b.tokenize(view.other if view.other.strip() else OTHER).text
    b = session.run(model_b, text)
    pairs = aligned_tokens(a, b)
    spelled = [
        ("–" if p.a is None else shown(a.tokens[p.a]), "–" if p.b is None else shown(b.tokens[p.b])) for p in pairs
    ]
    st.text("Words side by side: " + " ".join(x if x == y else f"[{x} | {y}]" for x, y in spelled))
    if (a.config.n_layers, a.config.d_model) != (b.config.n_layers, b.config.d_model):
        st.markdown(
            "These models differ in layers or width, so their vectors cannot be subtracted; weights can be looked at."
        )
        return
    same = [p for p in pairs if p.same]
    part = first_difference(a, b)
    apart = relative_difference(a, b, pairs)
    st.markdown(f"**{plain(f'The words that both share first part at {part}.' if part else 'No number differs.')}**")
    tokens = side_by_side.labels(a, b, pairs)
    drawn = matrix(apart.T.numpy(), tokens, layers, kind="positive", theme=theme())
    chart(drawn, "apart", "How far the vectors of both runs are apart, per token and layer")
    if same:
        tie = state.choice("follow", range(len(same)), min(1, len(same) - 1))
        at = st.selectbox("Follow the word", range(len(same)),
                          format_func=lambda i: f"{same[i].a} {shown(a.tokens[same[i].a])}", **tie)  # fmt: skip
        alike = token_cosine(a, same[at].a, b, same[at].b).numpy()
        bars = token_bars({"cosine": alike}, layers, title="cosine", theme=theme())
        chart(bars, "followed", "Cosine of the word's vectors in both runs, layer by layer")
        said = (
            f"Its vectors have cosine {short(float(alike[0]))} at the input and {short(float(alike[-1]))} at the end."
        )
        st.markdown(f"**{plain(said)}**")
    side_by_side.draw(a, b, ("A", "B"), pairs)


def word_in_many() -> None:
    """One word in up to ten sentences: how alike its vectors are, layer by layer."""
    tie = state.choice("set", None, SET)
    typed = st.text_area(f"Up to {MOST} sentences, one in a line", max_chars=4000, height=130, **tie)
    word = st.text_input("Word", max_chars=40, **state.choice("set_word", None, "light")).strip().lower()
    lines = [line.strip() for line in typed.splitlines() if line.strip()][:MOST]
    runs = [session.run(view.model, session.text_encoder(view.model).tokenize(line).text) for line in lines]
    found = [(run, run.tokens.index(word)) for run in runs if word in run.tokens]
    if len(found) < 2:
        st.markdown(plain(f"“{word}” is one token in {len(found)} of these sentences; at least 2 are needed."))
        return
    alike = word_cosines([run for run, _ in found], [i for _, i in found])
    at = st.select_slider("After", layers, **state.choice("set_layer", layers, layers[-1]))
    values = alike[layers.index(at)].numpy()
    names = [run.text for run, _ in found]
    chart(
        matrix(values, names, names, kind="signed", theme=theme(), largest=1.0), "set_map", f"Cosine of “{word}” {at}"
    )
    off = ~np.eye(len(found), dtype=bool)
    means = alike[:, off].mean(1).numpy()
    bars = token_bars({"mean cosine": means}, layers, title="mean cosine", theme=theme())
    chart(bars, "set_means", "Mean cosine of the word between sentences, layer by layer")
    said = f"“{word}” starts with mean cosine {short(float(means[0]))} and ends with {short(float(means[-1]))}."
    st.markdown(f"**{plain(said)}** At the input only the position tells its vectors apart.")
    downloads.numbers("set", "cosine", lambda: downloads.frame(values, names, names), values.shape)


def patch() -> None:
    """Numbers of A put into B, one layer and position at a time: how much of the difference comes back."""
    b = session.run(view.model, session.text_encoder(view.model).tokenize(view.other or OTHER).text)
    st.markdown(plain(f"A is “{shown(a.text, 80)}”, B is “{shown(b.text, 80)}” in the same model."))
    if len(a.tokens) != len(b.tokens):
        st.markdown(f"A has {len(a.tokens)} tokens and B has {len(b.tokens)}; a patch needs the same number.")
        return
    step = st.selectbox("Step", PATCHED, **state.choice("patch_step", PATCHED, PATCHED[0]))
    heads = None
    if step == "attention.heads":
        every = range(a.config.n_heads)
        some = st.pills("Heads", every, selection_mode="multi", **state.choice("patch_heads", every, [], many=True))
        heads = tuple(sorted(some)) or None
    encoder = session.text_encoder(view.model)
    asked = (view.model, a.asked, b.asked, view.hidden, view.edits, step, heads)
    try:
        found = side_by_side.follow(
            "patch", asked, lambda: patch_sweep(encoder, a, b, step, heads=heads), "Patch every place in turn"
        )
    except ValueError as error:
        st.markdown(plain(f"{error}."))
        return
    if found is not None:
        share = found.share.T.numpy()
        both = list(map(side_by_side.either, a.tokens, b.tokens))
        drawn = matrix(share, both, layers[1:], kind="signed", theme=theme(), largest=1.0)
        chart(drawn, "patch_map", "Share of the difference that each patch brings back")
        i, j = np.unravel_index(share.argmax(), share.shape)
        said = f"“{both[i]}” ({i}) in layer {j} brings back most: {short(float(share[i, j]))} of the way from B to A."
        st.markdown(f"**{plain(said)}**")
        downloads.numbers("patch", "patch", lambda: downloads.frame(share, both, layers[1:]), share.shape)


st.text_input("Sentence B (A is the one in the sidebar)", max_chars=2000, **state.widget("other"))
PARTS = {"Two runs": two, "One word in many sentences": word_in_many, "Patch": patch}
for tab, draw in zip(
    st.tabs(list(PARTS), **state.choice("compare_part", PARTS, "Two runs")), PARTS.values(), strict=True
):
    if tab.open:
        with tab:
            draw()
