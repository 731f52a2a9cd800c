"""Several heads of a layer together; in a pair, from where to where."""

import streamlit as st

from encoder.metrics import parked
from encoder.pictures.figures.links import undrawn
from encoder.pictures.registry.sentence import (
    HOW,
    LINKS,
    MERGED,
    PART,
    PARTS,
    SOME_HEADS,
    SOME_TOKENS,
    SOME_WORDS,
    SUMMED,
    TOGETHER,
    TOGETHER_MATRIX,
    one_way,
    some_heads,
    some_words,
    title_several,
    words_of,
)
from encoder.support.formatting import percent, shown
from pages.ui.picture import answer_of, ask, show, tie
from pages.ui.step import words_only
from pages.ui.text import arrow, heading, plain

OF_MERGED = (
    "The pieces of a word are one: where it looks is the mean of its pieces' rows, how much it is looked at the "
    "sum of their columns. So each row still sums to 1."
)
GIVES = "“Gives in all” is how much of its own weight each token puts on the chosen ones together."


def draw() -> None:
    """The chosen heads of the layer as one."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="looks_drawn"):
        words_only.choose()
        st.toggle("Words, not pieces", **tie(MERGED, ask(LINKS)))
    scene = ask(LINKS)
    words = words_of(scene)
    if scene[MERGED]:
        st.caption(OF_MERGED)
    st.markdown("Lines lead from each token, on the left, to the tokens it looks at, on the right.")
    controls = st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="looks_controls")
    every = range(scene.encoder.config.n_heads)
    controls.pills(f"Heads of layer {scene.layer}", every, selection_mode="multi", **tie(SOME_HEADS, scene))
    controls.pills("Together", list(TOGETHER), required=True, **tie(HOW, scene))
    if scene.t.tokenization.pair:
        st.pills("From sentence to sentence", PARTS, required=True, format_func=arrow, **tie(PART, scene))
    st.pills(
        "Only where these tokens look, and who looks at them",
        range(len(words)),
        selection_mode="multi",
        format_func=lambda i: plain(f"{i} {shown(words[i])}"),
        **tie(SOME_WORDS if scene[MERGED] else SOME_TOKENS, scene),
    )
    scene = ask(LINKS)
    if scene[PART] != PARTS[0]:
        share = answer_of(LINKS).value(one_way(scene))[1]
        way = f"{arrow(scene[PART])} is {percent(share)} of where {scene[PART][0]} looks; the rest is not drawn below."
        st.markdown(plain(way))
    lines = show(LINKS)
    heads = some_heads(scene)
    if len(heads) == 1 and (line := parked(scene.t, scene.layer, heads[0]).sentence):
        st.caption(plain(line))
    st.caption(
        f"Lines for weights under 0.02 are left out: {percent(undrawn(lines.numbers.array))} of all weight drawn."
    )
    heading(f"The same as a matrix ({title_several(scene)})")
    show(TOGETHER_MATRIX, sentence=False)
    heading("The rows and columns added up")
    show(SUMMED, more=GIVES if some_words(scene) else "")
    if scene[HOW] == "Largest" and len(heads) > 1:
        st.caption("The largest of several heads' weights: these rows no longer sum to 1.")
