"""Without positions the outputs are the same vectors in another order."""

import streamlit as st

from encoder.errors import EncoderError
from encoder.experiments import WordOrder
from encoder.export.caption import UNCHANGED, About, quoted
from encoder.figures.charts import token_bars
from encoder.formatting import shown
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import plain, say, theme


def draw() -> None:
    """The sentence against its words in reverse, with positions and without."""
    trace = session.now()
    st.markdown(
        "Is word order lost without positional encoding? Your sentence is run with its words in reverse as well."
    )
    try:
        found: WordOrder = session.lab("word_order", state.current().model, trace.text)
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    st.text("Reversed: " + " ".join(map(shown, found.reordered)))
    off, on = f"{found.largest_off:.1e}", f"{found.largest_on:.3g}"
    say(f"Without positions each word has the same vector in both orders, up to {off}; with them it is {on} away.")
    by_token = {"positions off": found.off_by_token.numpy(), "positions on": found.on_by_token.numpy()}
    bars = token_bars(by_token, list(found.tokens), title="largest difference", theme=theme(), logarithmic=True)
    about = About(source=trace.source, scope=f"{quoted(trace.text)} and its words in reverse, {UNCHANGED}")
    chart(
        bars,
        "order",
        "Largest difference of each token's output between both orders",
        about,
        numbers=True,
        made=f"word_order(enc, {trace.text!r}).off_by_token",
    )
