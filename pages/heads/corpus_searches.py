"""What is searched for in a corpus: heads from kind to kind, a word, and vectors nearby."""

from dataclasses import asdict

import pandas as pd
import streamlit as st

from encoder.atlas.atlas_reader import Atlas
from encoder.atlas.pairs import MEANINGS, told_apart
from encoder.atlas.searching import PLACE, NearToken, PairHead, heads_between, heads_from, units_on
from encoder.pictures.registry.atlas import ATLAS_PAIRS, END, START
from encoder.support.formatting import percent, shown
from encoder.trace.trace import Trace
from encoder.trace.unpadded import stream, tokens
from pages.ui import session_runs
from pages.ui.downloads import table as downloads
from pages.ui.picture_view import answer_of, ask, show, tie
from pages.ui.server.measurements import near_output, near_vector
from pages.ui.state import session_state as state
from pages.ui.step import contexts
from pages.ui.step.contexts import open_atlas, share_of
from pages.ui.text import NUMBER, heading, plain, say
from pages.ui.widgets import pick_token

COLUMNS = {
    "weight": "weight",
    "uniform": "even weights",
    "chance": "1 of 20 by chance",
    "anyone": "from any token",
    "queries": "tokens",
}


def draw_between() -> None:
    """Choose two kinds, and see what every head gives from the one to the other."""
    atlas, scene = open_atlas(), ask(ATLAS_PAIRS)
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
    """Return what else would give as much."""
    first, clear = heads[0], sum(head.clear for head in heads)
    other = f", and from tokens of any kind it gives {percent(first.anyone)}" if start != "any" else ""
    return (
        f"On {atlas.card.scope}: even weights would give {percent(first.uniform)}, chance exceeds "
        f"{percent(min(1.0, first.chance))} in 1 of 20 tries{other}. {clear} of {len(heads)} heads give more than half "
        "of their weight and clearly more than chance."
    )


COLUMNS_OF_WORDS = {
    "sampled": "drawn evenly, on it",
    "of_sampled": "drawn",
    "top": "largest, on it",
    "of_top": "largest",
}


def draw_words() -> None:
    """Ask for a word, or for two."""
    with st.container(horizontal=True):
        word = token("Word", st.text_input("Word", max_chars=60, width=260, **state.choice("atlas_word", None, "")))
        other = token(
            "Looks at",
            st.text_input("Looks at (may stay empty)", max_chars=60, width=260, **state.choice("atlas_key", None, "")),
        )
    if not word and not other:
        st.markdown(
            "Type a word, or a token such as [SEP], and see which units and heads have it among their contexts."
        )
        return
    atlas = open_atlas()
    if word:
        units = units_on(atlas, word)
        heading("Units that fire on it")
        if units:
            first = units[0]
            share = share_of(first.sampled, first.of_sampled)
            say(f"Layer {first.layer}, unit {first.unit} comes first: on {atlas.card.scope}, “{word}” has {share}.")
        listed("atlas_word_units", [asdict(unit) for unit in units], ["layer", "unit"])
    heading("Heads that look that way")
    heads = heads_between(atlas, word, other)
    listed("atlas_word_heads", [asdict(head) for head in heads], ["layer", "head"])
    st.caption(
        plain(
            f"From {word or 'any token'} to {other or 'any token'}, in the kept contexts of each head "
            f"by weight, on {atlas.card.scope}."
        )
    )


def token(label: str, typed: str | None) -> str:
    """Return the token that a word is, or its first piece; which is said."""
    encoder = session_runs.text_encoder(state.current().model)
    text = (typed or "").strip()
    if not text or encoder.tokenizer.token_to_id(text) is not None:
        return text
    pieces = encoder.tokenize(text)
    pieces_typed = [piece for piece, special in zip(pieces.tokens, pieces.special, strict=True) if not special]
    if len(pieces_typed) > 1:
        st.caption(plain(f"{label}: this model reads “{text}” as {', '.join(pieces_typed[:8])}; the first one counts."))
    return pieces_typed[0] if pieces_typed else ""


def listed(key: str, rows: list[dict[str, int]], first: list[str]) -> None:
    """What was found as a table."""
    if not rows:
        st.markdown("None has it among the contexts that are kept.")
        return
    table = pd.DataFrame(rows)[[*first, *COLUMNS_OF_WORDS]].rename(columns=COLUMNS_OF_WORDS)
    downloads.shown_table(table, key=key, hide_index=True)


def draw_nearest() -> None:
    """A token of this run, what of it, and its neighbours."""
    atlas, run, head = open_atlas(), session_runs.now(), state.current().head
    heads = {f"heads-{layer}": layer for layer in atlas.card.head_vectors}
    offered = (*atlas.card.vectors, *heads)
    if not offered:
        st.markdown("This atlas keeps no vectors; make one with `--vectors` or `--head-vectors`.")
        return
    names: dict[int | str, str] = {layer: f"vector after {layer} layers" for layer in atlas.card.vectors}
    names |= {key: f"output of head {head} in layer {layer}" for key, layer in heads.items()}
    usual = (*heads, *atlas.card.vectors)[-1]
    page = st.container()
    what = st.pills(
        "Of a token",
        offered,
        required=True,
        format_func=names.__getitem__,
        **state.choice("atlas_near", offered, usual),
    )
    at = min(pick_token("Token", run.tokens, "atlas_token", min(1, len(run.tokens) - 1)), len(tokens(run)) - 1)
    neighbours = (
        near_head_output(atlas, run, heads[what], head, at)
        if what in heads
        else near_layer_vector(atlas, run, what, at)
    )
    of = f"What layer {heads[what]}, head {head} writes to" if what in heads else f"After {what} layers the vector of"
    texts = atlas.texts(sorted({neighbour.sentence for neighbour in neighbours}))
    first = neighbours[0]
    many = len(atlas.tokens("vectors.parquet", *PLACE))
    encoder = session_runs.text_encoder(state.current().model)
    sentences = [
        contexts.marked_sentence(encoder.tokenize(texts[token.sentence]), token.position) for token in neighbours
    ]
    numbered = enumerate(zip(sentences, neighbours, strict=True), 1)
    lines = [f"{i}. {sentence} &ensp;:gray[{token.cosine:.4f}]" for i, (sentence, token) in numbered]
    with page:
        heading(
            plain(
                f"{of} “{shown(run.tokens[at])}” is nearest to that of “{first.token}” in "
                f"“{shown(contexts.one_line(texts[first.sentence]), 80)}”: cosine {first.cosine:.4f}."
            )
        )
        st.markdown("\n".join(lines))
        st.caption(
            plain(
                f"Behind each its cosine. Exact, among the vectors of the {many:,} tokens that this atlas "
                f"keeps of {atlas.card.scope}, in the original space."
            )
        )


def near_layer_vector(atlas: Atlas, run: Trace, layer: int, at: int) -> list[NearToken]:
    """Return the neighbours of a token's vector after a layer."""
    return near_vector(atlas, layer, tuple(stream(run)[layer][at].tolist()))


def near_head_output(atlas: Atlas, run: Trace, layer: int, head: int, at: int) -> list[NearToken]:
    """Return the neighbours of what a head of a layer writes to a token."""
    z = run[f"layers.{layer}.attention.heads"][head, at]
    return near_output(atlas, state.current().model, layer, head, tuple(z.tolist()))
