"""The chosen head over the corpus, and below it all heads by any two measures."""

import streamlit as st

from encoder.pictures.registry.atlas import ATLAS_HEADS, KNOWN, TITLES, TO_THE_RIGHT, UP, measures
from pages.atlas import head
from pages.atlas.shelf import now
from pages.ui.downloads import table as downloads
from pages.ui.picture import ask, show, tie
from pages.ui.text import plain
from pages.ui.widgets import fold

NAMES = {
    "nearest": "comes nearest to",
    "nearest_mass": "share of its weight there",
    "firings": "share of the tokens where it fires",
}


def draw() -> None:
    """What is known of the chosen head; every head as a point and as a row of a table."""
    atlas, scene = now(), ask(ATLAS_HEADS)
    head.draw(atlas, scene.layer, scene.head)
    fold("All heads by two measures", "atlas_map", every, holds=(TO_THE_RIGHT.key, UP.key))


def every() -> None:
    """All heads as points, the chosen one ringed."""
    atlas, scene = now(), ask(ATLAS_HEADS)
    offered = measures(scene)
    with st.container(horizontal=True):
        st.selectbox("Across", offered, format_func=TITLES.__getitem__, width=260, **tie(TO_THE_RIGHT, scene))
        st.selectbox("Up", offered, format_func=TITLES.__getitem__, width=260, **tie(UP, scene))
    scene = ask(ATLAS_HEADS)
    known = KNOWN.get(scene[TO_THE_RIGHT])
    meaning = known.meaning if known else ""
    more = plain(f"{meaning} On {atlas.card.scope}. The ringed head is the chosen one.")
    answer = show(ATLAS_HEADS, scene=scene, more=more, numbers=False)
    table = atlas.heads.select(["label", "nearest", "nearest_mass", "firings", *offered]).to_pandas()
    table["firings"] /= max(1, atlas.card.tokens)
    table = table.rename(columns=TITLES | NAMES)
    table.insert(0, "head", answer.numbers.along("any head"))
    downloads.numbers("atlas_table", "atlas_heads", lambda: table.set_index("head"), table.shape)
