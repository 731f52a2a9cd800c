"""What a head's weights alone say of words: what it looks for at one, and what it writes of another."""

import pandas as pd
import streamlit as st

from encoder.support.formatting import listed, shown
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import NUMBER, heading, plain, say


def draw(trace: Trace, layer: int, head: int, query: int, key: int) -> None:
    """What the head would look for, and what it would write, if it met the words alone."""
    heading(f"Layer {layer}, head {head}: what its weights alone say")
    model = state.current().model
    looks, _ = session.words_of_head(model, layer, head, trace.ids[query])
    _, writes = session.words_of_head(model, layer, head, trace.ids[key])
    first, second = (f"“{shown(trace.tokens[at])}”" for at in (query, key))
    say(
        f"At {first} it looks for {listed([f'“{shown(word)}”' for word, _ in looks[:3]])}.",
        plain(f"From {second} it writes towards {listed([f'“{shown(word)}”' for word, _ in writes[:3]])}."),
    )
    table = pd.DataFrame(
        {
            f"at {first} it looks for": [shown(word) for word, _ in looks],
            "score": [value for _, value in looks],
            f"from {second} it writes towards": [shown(word) for word, _ in writes],
            "cosine": [value for _, value in writes],
        }
    )
    columns = dict.fromkeys(("score", "cosine"), NUMBER)
    downloads.shown_table(table, hide_index=True, key="inside_words", column_config=columns)
    deeper = "" if layer == 0 else f" In layer {layer} what arrives is no longer the word, so take it as a hint."
    st.caption(
        "Of the weights alone: words as the embedding table has them, without a place and without company, through "
        "this head's W_Q and W_K, or W_V and W_O. Scores with all words of the vocabulary, and the words of the "
        f"embedding table nearest to what is written; no run is read.{deeper}"
    )
