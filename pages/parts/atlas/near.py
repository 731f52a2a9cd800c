"""Where else a vector lives: the tokens of the corpus with the most alike vectors after a layer."""

import streamlit as st

from encoder.atlas.searching import nearest_tokens
from encoder.formatting import shown
from encoder.trace.unpadded import stream
from pages.parts.atlas import marked
from pages.parts.atlas.shelf import now
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.text import plain, say
from pages.ui.widgets import pick_token


def draw() -> None:
    """A token of this run, a layer, and its neighbours."""
    atlas, run = now(), session.now()
    if not atlas.card.vectors:
        st.markdown("This atlas keeps no vectors; make one with `--vectors`.")
        return
    kept = atlas.card.vectors
    layer = st.pills("After so many layers", kept, required=True, **state.choice("atlas_near", kept, kept[-1]))
    at = pick_token("Token", run.tokens, "atlas_token", min(1, len(run.tokens) - 1))
    found = nearest_tokens(atlas, layer, stream(run)[layer][min(at, len(run.tokens) - run.padding - 1)])
    texts = atlas.texts(sorted({one.sentence for one in found}))
    first = found[0]
    many = len(atlas.table("vectors.parquet", ["sentence"]))
    say(
        f"After {layer} layers the vector of “{shown(run.tokens[at])}” is nearest to that of “{first.token}” in "
        f"“{shown(texts[first.sentence], 80)}”: cosine {first.cosine:.4f}."
    )
    encoder = session.text_encoder(state.current().model)
    said = [
        f"{i + 1}. {marked.sentence(encoder.tokenize(texts[one.sentence]), one.position)} &ensp;:gray[{one.cosine:.4f}]"
        for i, one in enumerate(found)
    ]
    st.markdown("\n".join(said))
    st.caption(plain(f"Exact, among all {many:,} vectors that this atlas keeps of that layer, in the original space."))
