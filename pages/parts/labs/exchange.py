"""Two words of the sentence change places: what becomes of every token's vector."""

from typing import Any

import streamlit as st

from encoder.errors import EncoderError
from encoder.experiments import WordOrder
from encoder.export.caption import UNCHANGED, About, quoted
from encoder.figures.charts import token_bars
from encoder.figures.drawn import numbers_of
from encoder.formatting import shown
from encoder.trace.words import punctuation
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, say, theme


def draw() -> None:
    """Two words of the sentence change places: what becomes of every token's vector."""
    trace = session.now()
    heading("Two words change places")
    text = trace.inputs
    pieces = trace.tokenization
    words = [
        k
        for k, word in enumerate(pieces.words)
        if not pieces.special[word[0]] and not punctuation(pieces.tokens[word[0]])
    ]
    if not isinstance(text, str) or len(words) < 2:
        st.markdown("This needs one sentence of two words or more.")
        return
    left, right = st.columns(2)
    with left:
        first = pick("One word", words, state.choice("swap_one", words, words[0]))
    with right:
        second = pick("The other", words, state.choice("swap_other", words, words[-1]))
    try:
        found: WordOrder = session.lab("swapped", state.current().model, text, first, second)
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    st.text("Exchanged: " + " ".join(map(shown, found.reordered)))
    by_token = {"positions off": found.off_by_token.numpy(), "positions on": found.on_by_token.numpy()}
    drawn = token_bars(by_token, list(found.tokens), title="largest difference", theme=theme())
    fact = (
        f"Without positions no vector changes by more than {found.largest_off:.1e}; with them the vectors are up to "
        f"{found.largest_on:.3g} away."
    )
    about = About(source=trace.source, scope=f"{quoted(text)} with two words exchanged, {UNCHANGED}")
    chart(drawn, "swapped", fact, about, made=f"swapped(enc, {text!r}, {first}, {second}).off_by_token")
    say(fact)
    downloads.of_figure("swapped", numbers_of(drawn))


def pick(label: str, words: list[int], tie: dict[str, Any]) -> int:
    """One word of the sentence, by its number among all words."""
    pieces = session.now().tokenization
    chosen: int = st.selectbox(
        label, words, format_func=lambda k: f"{k} {shown(pieces.spelled(pieces.words[k]))}", **tie
    )
    return chosen
