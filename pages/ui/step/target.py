"""The guess that is explained: a token, a word, and perhaps another word that it is held against."""

import streamlit as st

from encoder.attributions.target import Target
from encoder.errors import EncoderError
from encoder.formatting import shown
from encoder.metrics.guess import guess_place
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.text import plain
from pages.ui.widgets import pick_token


def pick(at: int | None = None) -> tuple[Target, str] | None:
    """Let the person choose; returns the target and its name in a sentence, None where no word can be explained.

    `at` is the place of the guess, where that is not to be chosen.
    """
    trace, encoder = session.now(), session.text_encoder(state.current().model)
    if encoder.model.mlm_head is None:
        st.markdown(plain(f"{encoder.why_no_guesses} So there is no guess to explain."))
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = guess_place(trace, encoder.mask_token)
        position = pick_token("The guess at", trace.tokens, "why_token", first) if at is None else at
        best = encoder.predict(trace, 2, [position])
        assert best is not None
        usual = [word for word, _ in best[0]]
        words = [
            st.text_input("Word", max_chars=40, width=180, **state.choice("why_word", None, usual[0])),
            st.text_input("Rather than (may be empty)", max_chars=40, width=220, **state.choice("why_other", None, "")),
        ]
    try:
        ids = [word_id(encoder, trace, position, word, usual) for word in words if word.strip()]
    except EncoderError as error:
        st.markdown(plain(f"{error}; write another one."))
        return None
    if not ids:
        st.markdown("Write a word to explain.")
        return None
    if len(ids) == 2 and ids[0] == ids[1]:
        st.markdown("Both words are the same; their difference is 0. Write another one.")
        return None
    named = [f"“{shown(encoder.tokenizer.id_to_token(i) or str(i))}”" for i in ids]
    return Target(position, *ids), f"the logit of {named[0]}" + (f" minus that of {named[1]}" if len(ids) == 2 else "")


def word_id(encoder: TextEncoder, trace: Trace, position: int, word: str, usual: list[str]) -> int:
    """The id of a typed word; the usual one is an entry of the vocabulary as it stands there."""
    entry = encoder.tokenizer.token_to_id(word) if word in usual else None
    return encoder.word_id(trace, position, word) if entry is None else int(entry)
