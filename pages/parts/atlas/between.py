"""Which heads look from tokens of one kind to tokens of another, with what even weights, chance and others give."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from encoder.atlas.pairs import MEANINGS, told_apart
from encoder.atlas.reading import Atlas
from encoder.atlas.searching import PairHead, heads_from
from encoder.figures.matrix import matrix
from encoder.formatting import percent
from pages.parts.atlas.shelf import about, now, source
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import NUMBER, head_names, layer_names, plain, say, theme

COLUMNS = {"weight": "weight", "uniform": "even weights", "chance": "1 of 20 by chance",
           "anyone": "from any token", "queries": "tokens"}  # fmt: skip


def draw() -> None:
    """Choose two kinds, and see what every head gives from the one to the other."""
    atlas = now()
    starts, ends = told_apart(atlas.card.pairs)
    with st.container(horizontal=True):
        start = kind("From", starts, state.choice("atlas_start", starts, "article")) or "article"
        end = kind("To", ends, state.choice("atlas_end", ends, "next")) or "next"
    found = heads_from(atlas, start, end)
    if not found:
        st.markdown("No token of this corpus is of the one kind with another of the other.")
        return
    shape = atlas.card.sizes["layers"], atlas.card.sizes["heads"]
    values = np.zeros(shape)
    for one in found:
        values[one.layer, one.head] = one.weight
    config = session.now().config
    drawn = matrix(values, layer_names(config), head_names(config), kind="share", theme=theme())
    fact = said(found, start, end)
    chart(drawn, "atlas_pairs", fact, about(atlas), numbers=True,
          made=f"[one.weight for one in heads_from({source(atlas)}, {start!r}, {end!r})]")  # fmt: skip
    say(fact, plain(controls(atlas, found, start)))
    rows = [{"head": f"L{one.layer}H{one.head}", **{title: getattr(one, name) for name, title in COLUMNS.items()}}
            for one in found]  # fmt: skip
    columns = dict.fromkeys(list(COLUMNS.values())[:-1], NUMBER)
    downloads.shown_table(pd.DataFrame(rows), key="atlas_pairs_table", hide_index=True, column_config=columns)
    st.caption("Kinds are as far as tokens can say: short lists of English words, capital letters, figures and marks. "
               "No tagger reads the text, so an object is “the nearest later word” at best.")  # fmt: skip


def kind(label: str, kinds: tuple[str, ...], tie: dict[str, Any]) -> str | None:
    """One of the kinds."""
    found: str | None = st.selectbox(label, kinds, format_func=MEANINGS.__getitem__, width=300, **tie)
    return found


def said(found: list[PairHead], start: str, end: str) -> str:
    """What the first head does, in words."""
    first = found[0]
    return (
        f"From {MEANINGS[start]} to {MEANINGS[end]} layer {first.layer}, head {first.head} gives most of all heads: "
        f"{percent(first.weight)} of its weight, at {first.queries:,} tokens."
    )


def controls(atlas: Atlas, found: list[PairHead], start: str) -> str:
    """What else would give as much."""
    first, clear = found[0], sum(one.clear for one in found)
    other = f", and from tokens of any kind it gives {percent(first.anyone)}" if start != "any" else ""
    return (
        f"On {atlas.card.scope}: even weights would give {percent(first.uniform)}, chance exceeds "
        f"{percent(min(1.0, first.chance))} in 1 of 20 tries{other}. {clear} of {len(found)} heads give more than half "
        "of their weight and clearly more than chance."
    )
