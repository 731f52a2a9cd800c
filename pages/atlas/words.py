"""Which units fire on a word, and which heads look from one word to another, as far as tokens can say."""

from dataclasses import asdict

import pandas as pd
import streamlit as st

from encoder.atlas.searching import heads_between, units_on
from pages.atlas.shelf import now, share_of
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, say

COLUMNS = {"sampled": "drawn evenly, on it", "of_sampled": "drawn", "top": "largest, on it", "of_top": "largest"}


def draw() -> None:
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
    atlas = now()
    if word:
        units = units_on(atlas, word)
        heading("Units that fire on it")
        if units:
            first = units[0]
            share = share_of(first.sampled, first.of_sampled)
            say(f"Layer {first.layer}, unit {first.unit} comes first: on {atlas.card.scope}, “{word}” has {share}.")
        listed("atlas_word_units", [asdict(one) for one in units], ["layer", "unit"])
    heading("Heads that look that way")
    heads = heads_between(atlas, word, other)
    listed("atlas_word_heads", [asdict(one) for one in heads], ["layer", "head"])
    st.caption(
        plain(
            f"From {word or 'any token'} to {other or 'any token'}, in the kept contexts of each head "
            f"by weight, on {atlas.card.scope}."
        )
    )


def token(label: str, typed: str | None) -> str:
    """The token that a word is, or its first piece; which is said."""
    encoder = session.text_encoder(state.current().model)
    text = (typed or "").strip()
    if not text or encoder.tokenizer.token_to_id(text) is not None:
        return text
    pieces = encoder.tokenize(text)
    found = [piece for piece, special in zip(pieces.tokens, pieces.special, strict=True) if not special]
    if len(found) > 1:
        st.caption(plain(f"{label}: this model reads “{text}” as {', '.join(found[:8])}; the first one counts."))
    return found[0] if found else ""


def listed(key: str, rows: list[dict[str, int]], first: list[str]) -> None:
    """What was found as a table."""
    if not rows:
        st.markdown("None has it among the contexts that are kept.")
        return
    table = pd.DataFrame(rows)[[*first, *COLUMNS]].rename(columns=COLUMNS)
    downloads.shown_table(table, key=key, hide_index=True)
