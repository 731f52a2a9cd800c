"""Two words of the sentence change places: what becomes of every token's vector."""

import streamlit as st

from encoder.pictures.registry.labs import ONE_WORD, OTHER_WORD, SWAPPED, exchanged, words
from encoder.pictures.scene import Option
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from pages.ui import session
from pages.ui.picture import answer_of, ask, show, tie
from pages.ui.text import heading, plain


def draw() -> None:
    """Two words of the sentence change places: what becomes of every token's vector."""
    heading("Two words change places")
    scene = ask(SWAPPED)
    if not isinstance(scene.t.inputs, str) or len(words(scene)) < 2:
        st.markdown("This needs one sentence of two words or more.")
        return
    left, right = st.columns(2)
    with left:
        pick_word("One word", ONE_WORD)
    with right:
        pick_word("The other", OTHER_WORD)
    try:
        order = answer_of(SWAPPED).value(exchanged(ask(SWAPPED)))
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    st.text("Exchanged: " + " ".join(map(shown, order.reordered)))
    show(SWAPPED)


def pick_word(label: str, option: Option) -> None:
    """One word of the sentence, by its number among all words."""
    pieces, scene = session.now().tokenization, ask(SWAPPED)
    st.selectbox(
        label,
        words(scene),
        format_func=lambda k: f"{k} {shown(pieces.spelled(pieces.words[k]))}",
        **tie(option, scene),
    )
