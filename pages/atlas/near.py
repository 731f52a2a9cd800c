"""Where else a vector lives: the tokens of the corpus with the most alike vectors, or to which a head writes alike."""

import streamlit as st

from encoder.atlas.reading import Atlas
from encoder.atlas.searching import PLACE, NearToken
from encoder.support.formatting import shown
from encoder.trace.trace import Trace
from encoder.trace.unpadded import stream, tokens
from pages.atlas import marked
from pages.atlas.shelf import now
from pages.ui import session
from pages.ui.server.atlases import near_output, near_vector
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain
from pages.ui.widgets import pick_token


def draw() -> None:
    """A token of this run, what of it, and its neighbours."""
    atlas, run, head = now(), session.now(), state.current().head
    heads = {f"heads-{layer}": layer for layer in atlas.card.head_vectors}
    kept = (*atlas.card.vectors, *heads)
    if not kept:
        st.markdown("This atlas keeps no vectors; make one with `--vectors` or `--head-vectors`.")
        return
    names: dict[int | str, str] = {layer: f"vector after {layer} layers" for layer in atlas.card.vectors}
    names |= {key: f"output of head {head} in layer {layer}" for key, layer in heads.items()}
    usual = (*heads, *atlas.card.vectors)[-1]
    page = st.container()
    what = st.pills(
        "Of a token", kept, required=True, format_func=names.__getitem__, **state.choice("atlas_near", kept, usual)
    )
    at = min(pick_token("Token", run.tokens, "atlas_token", min(1, len(run.tokens) - 1)), len(tokens(run)) - 1)
    found = output(atlas, run, heads[what], head, at) if what in heads else whole(atlas, run, what, at)
    of = f"What layer {heads[what]}, head {head} writes to" if what in heads else f"After {what} layers the vector of"
    texts = atlas.texts(sorted({one.sentence for one in found}))
    first = found[0]
    many = len(atlas.tokens("vectors.parquet", *PLACE))
    encoder = session.text_encoder(state.current().model)
    said = [
        f"{i + 1}. {marked.sentence(encoder.tokenize(texts[one.sentence]), one.position)} &ensp;:gray[{one.cosine:.4f}]"
        for i, one in enumerate(found)
    ]
    with page:
        heading(
            plain(
                f"{of} “{shown(run.tokens[at])}” is nearest to that of “{first.token}” in "
                f"“{shown(marked.one_line(texts[first.sentence]), 80)}”: cosine {first.cosine:.4f}."
            )
        )
        st.markdown("\n".join(said))
        st.caption(
            plain(
                f"Behind each its cosine. Exact, among the vectors of the {many:,} tokens that this atlas "
                f"keeps of {atlas.card.scope}, in the original space."
            )
        )


def whole(atlas: Atlas, run: Trace, layer: int, at: int) -> list[NearToken]:
    """The neighbours of a token's vector after a layer."""
    return near_vector(atlas, layer, tuple(stream(run)[layer][at].tolist()))


def output(atlas: Atlas, run: Trace, layer: int, head: int, at: int) -> list[NearToken]:
    """The neighbours of what a head of a layer writes to a token."""
    z = run[f"layers.{layer}.attention.heads"][head, at]
    return near_output(atlas, state.current().model, layer, head, tuple(z.tolist()))
