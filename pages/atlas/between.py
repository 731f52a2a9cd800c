"""Which heads look from tokens of one kind to tokens of another, with what even weights, chance and others give."""

import pandas as pd
import streamlit as st

from encoder.atlas.pairs import MEANINGS, told_apart
from encoder.atlas.reading import Atlas
from encoder.atlas.searching import PairHead, heads_from
from encoder.pictures.registry.atlas import ATLAS_PAIRS, END, START
from encoder.support.formatting import percent
from pages.atlas.shelf import now
from pages.ui.downloads import table as downloads
from pages.ui.picture import answer_of, ask, show, tie
from pages.ui.text import NUMBER, heading, plain

COLUMNS = {
    "weight": "weight",
    "uniform": "even weights",
    "chance": "1 of 20 by chance",
    "anyone": "from any token",
    "queries": "tokens",
}


def draw() -> None:
    """Choose two kinds, and see what every head gives from the one to the other."""
    atlas, scene = now(), ask(ATLAS_PAIRS)
    starts, ends = told_apart(atlas.card.pairs)
    page = st.container()
    with st.container(horizontal=True):
        st.selectbox("From", starts, format_func=MEANINGS.__getitem__, width=300, **tie(START, scene))
        st.selectbox("To", ends, format_func=MEANINGS.__getitem__, width=300, **tie(END, scene))
    heads = heads_from(atlas, scene[START], scene[END])
    if not heads:
        st.markdown("No token of this corpus is of the one kind with another of the other.")
        return
    with page:
        heading(plain(answer_of(ATLAS_PAIRS, scene=scene).sentence))
        show(ATLAS_PAIRS, scene=scene, sentence=False, numbers=False)
        st.markdown(plain(controls(atlas, heads, scene[START])))
    rows = [
        {"head": f"L{head.layer}H{head.head}", **{title: getattr(head, name) for name, title in COLUMNS.items()}}
        for head in heads
    ]
    columns = dict.fromkeys(list(COLUMNS.values())[:-1], NUMBER)
    downloads.shown_table(pd.DataFrame(rows), key="atlas_pairs_table", hide_index=True, column_config=columns)
    st.caption(
        "Kinds are as far as tokens can say: short lists of English words, capital letters, figures and marks. "
        "No tagger reads the text, so an object is “the nearest later word” at best."
    )


def controls(atlas: Atlas, heads: list[PairHead], start: str) -> str:
    """What else would give as much."""
    first, clear = heads[0], sum(head.clear for head in heads)
    other = f", and from tokens of any kind it gives {percent(first.anyone)}" if start != "any" else ""
    return (
        f"On {atlas.card.scope}: even weights would give {percent(first.uniform)}, chance exceeds "
        f"{percent(min(1.0, first.chance))} in 1 of 20 tries{other}. {clear} of {len(heads)} heads give more than half "
        "of their weight and clearly more than chance."
    )
