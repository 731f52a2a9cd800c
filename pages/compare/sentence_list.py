"""A list of sentences: how alike every two of them are, and which pair is odd."""

import streamlit as st

from encoder.experiments.attributions.sentence_list import LONGEST, MOST, alike, lines
from encoder.explain.cost import run_flops
from encoder.pictures.registry.compare_sentences import (
    ALL_ALIKE,
    SENTENCE_LIST,
    TWO,
    alike_of_list,
    pair_name,
    texts_of_list,
)
from encoder.support.errors import EncoderError
from pages.ui import session
from pages.ui.picture import ask, show, tie
from pages.ui.server import cost_gate
from pages.ui.state import session_state as state
from pages.ui.text import plain


def draw() -> None:
    """The list, its matrix, and the way to one pair of it."""
    scene = ask(ALL_ALIKE)
    label = f"Sentences, one in each line (2 to {MOST}, each of {LONGEST} characters or less)"
    st.text_area(label, height=150, max_chars=8000, **tie(SENTENCE_LIST, scene))
    try:
        sentences = lines(scene[SENTENCE_LIST])
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    encoder, texts = scene.encoder, texts_of_list(scene)
    flops = sum(run_flops(encoder.config, len(encoder.tokenize(text).ids)) for text in texts)
    cost_gate.ask("alike_list", flops / cost_gate.SPEED, "Run all of them")
    listed = alike([session.run(scene.view.model, text) for text in texts])

    def open_pair(row: int, column: int) -> None:
        if max(row, column) < len(sentences):
            state.change(sentence=sentences[row], other=sentences[column], second="", hidden=(), cell=None)
            state.remember("alike_part", TWO, None)

    i, j = listed.odd
    more = "more" if listed.cosines[i, j] > listed.expected[i, j] else "less"
    odd = (
        f"The odd pair is {pair_name(listed, (i, j))}: {more} alike than the two are to the others, which would make "
        f"{float(listed.expected[i, j]):.3f}."
    )
    show(ALL_ALIKE, known={alike_of_list(scene): listed}, more=plain(odd), take=open_pair, mark=(i, j))
    st.button(f"Open the odd pair, {i + 1} and {j + 1}", key="open_odd", on_click=open_pair, args=(i, j))
