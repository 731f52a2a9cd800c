"""Start, below its picture: the whole run, which words made the guess, several heads together, and the tokens."""

import pandas as pd
import streamlit as st

from encoder.metrics import parked
from encoder.metrics.guess import guess_place
from encoder.pictures.figures.scatter import undrawn
from encoder.pictures.link import is_count
from encoder.pictures.registry.sentence_pictures import (
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
from pages.ui import session_runs
from pages.ui.downloads import table as downloads
from pages.ui.frame import cold_start
from pages.ui.picture_view import answer_of, ask, show, tie
from pages.ui.state import session_state as state
from pages.ui.step import attribution_section, sections
from pages.ui.step.sections import pick_drawn
from pages.ui.text import arrow, heading, plain
from pages.ui.widgets import fold

OF_SEVERAL = {"some_heads", "together", "some_tokens", "some_words", "pair_part", "merge_words", "words_only"}


def draw() -> None:
    """Draw the page."""
    trace, view = session_runs.now(), state.current()
    heading("The whole run in one picture")
    st.caption(
        "Every row is a token on its way through the encoder, every box a layer. A band comes from where a word looks. "
        "Point at a word to follow it, click a layer to unfold it, click any number to open it."
    )
    sections.draw_living_map()

    draw_guess()
    fold("Several heads together, as lines and as a matrix", "several", draw_several_heads, holds=OF_SEVERAL)

    heading(f"The sentence as {len(trace.tokens)} tokens")
    special = trace.tokenization.special
    sections.draw_tokens(trace)
    st.caption(sections.explain_tokens(trace))
    rows = [
        {"position": i, "token": token, "id": trace.ids[i], "typed": trace.tokenization.typed(i), "added": special[i]}
        | ({"sentence": "AB"[trace.tokenization.segments[i]]} if trace.tokenization.pair else {})
        for i, token in enumerate(trace.tokens)
    ]
    encoder = session_runs.text_encoder(view.model)
    guesses = encoder.predict(trace, 3) or []
    for i in [i for i, token in enumerate(trace.tokens) if token == encoder.mask_token and guesses]:
        words = ", ".join(f"“{word}” {probability:.3f}" for word, probability in guesses[i])
        st.text(f"At {encoder.mask_token} (position {i}) the model would say: {words}.")

    if trace.tokenization.pair and trace.config.n_segments < 2:
        st.caption("This model has no segment embeddings: only the separator tells it where sentence B begins.")
    fold(
        "The tokens as a table",
        "tokens_open",
        lambda: downloads.shown_table(pd.DataFrame(rows), hide_index=True, key="tokens"),
    )
    # The page itself has no chart before one is opened, the next have.
    cold_start.fetch_charts(st.container(), "next_charts")


def draw_guess() -> None:
    """A fold, worked out when it is opened; without a chosen word the guess at the mask, or at the first word."""
    trace, encoder = session_runs.now(), session_runs.text_encoder(state.current().model)
    at = guess_place(trace, encoder.mask_token)
    word = dict(state.current().choices).get("word", "")
    if is_count(word) and int(word) < len(trace.tokens):
        at = int(word)
    label = plain(f"Which words made the guess at “{shown(trace.tokens[at])}” ({at})")
    fold(label, "ask_why", lambda: attribution_section.draw(at))


OF_MERGED = (
    "The pieces of a word are one: where it looks is the mean of its pieces' rows, how much it is looked at the "
    "sum of their columns. So each row still sums to 1."
)
GIVES = "“Gives in all” is how much of its own weight each token puts on the chosen ones together."


def draw_several_heads() -> None:
    """The chosen heads of the layer as one."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="looks_drawn"):
        pick_drawn()
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
