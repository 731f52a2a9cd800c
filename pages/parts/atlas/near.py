"""Where else a vector lives: the tokens of the corpus with the most alike vectors, or to which a head writes alike."""

import streamlit as st

from encoder.atlas.reading import Atlas
from encoder.atlas.searching import NearToken, nearest_outputs, nearest_tokens
from encoder.formatting import shown
from encoder.trace.trace import Trace
from encoder.trace.unpadded import stream, tokens
from pages.parts.atlas import marked
from pages.parts.atlas.shelf import now
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.text import plain, say
from pages.ui.widgets import pick_token

WHAT = ("whole vector", "one head's output")


def draw() -> None:
    """A token of this run, what of it, and its neighbours."""
    atlas, run = now(), session.now()
    kept = dict(zip(WHAT, (atlas.card.vectors, atlas.card.head_vectors), strict=True))
    if not any(kept.values()):
        st.markdown("This atlas keeps no vectors; make one with `--vectors` or `--head-vectors`.")
        return
    what = st.pills("Of a token", WHAT, required=True, **state.choice("atlas_what", WHAT, WHAT[0]))
    if not kept[what]:
        st.markdown("This atlas keeps none of these.")
        return
    at = min(pick_token("Token", run.tokens, "atlas_token", min(1, len(run.tokens) - 1)), len(tokens(run)) - 1)
    found, of = whole(atlas, run, at) if what == WHAT[0] else output(atlas, run, at)
    texts = atlas.texts(sorted({one.sentence for one in found}))
    first = found[0]
    many = len(atlas.table("vectors.parquet", ["sentence"]))
    say(
        f"{of} “{shown(run.tokens[at])}” is nearest to that of “{first.token}” in "
        f"“{shown(texts[first.sentence], 80)}”: cosine {first.cosine:.4f}."
    )
    encoder = session.text_encoder(state.current().model)
    said = [
        f"{i + 1}. {marked.sentence(encoder.tokenize(texts[one.sentence]), one.position)} &ensp;:gray[{one.cosine:.4f}]"
        for i, one in enumerate(found)
    ]
    st.markdown("\n".join(said))
    st.caption(plain(f"Exact, among the vectors of the {many:,} tokens that this atlas keeps of {atlas.card.scope}, in "
                     "the original space."))  # fmt: skip


def whole(atlas: Atlas, run: Trace, at: int) -> tuple[list[NearToken], str]:
    """The neighbours of a token's vector after a layer, and what it is called."""
    kept = atlas.card.vectors
    layer = st.pills("After so many layers", kept, required=True, **state.choice("atlas_near", kept, kept[-1]))
    return nearest_tokens(atlas, layer, stream(run)[layer][at]), f"After {layer} layers the vector of"


def output(atlas: Atlas, run: Trace, at: int) -> tuple[list[NearToken], str]:
    """The neighbours of what the sidebar's head writes to a token in a layer, and what it is called."""
    kept, head = atlas.card.head_vectors, state.current().head
    tie = state.choice("atlas_near_layer", kept, kept[0])
    layer = st.pills(f"Head {head} (of the sidebar) of layer", kept, required=True, **tie)
    z = run[f"layers.{layer}.attention.heads"][head, at]
    encoder = session.text_encoder(state.current().model)
    return nearest_outputs(atlas, encoder, layer, head, z), f"What layer {layer}, head {head} writes to"
