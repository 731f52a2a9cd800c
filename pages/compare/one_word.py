"""One word in up to ten sentences: how alike its vectors are, layer by layer."""

import streamlit as st

from encoder.pictures.expression import ENC
from encoder.pictures.registry.compare_sentences import AFTER, MOST, SET, WORD, WORD_MAP, WORD_MEANS, with_word
from encoder.support.errors import EncoderError
from pages.ui import session
from pages.ui.picture import ask, show, tie
from pages.ui.text import plain


def draw() -> None:
    """The sentences, the word, and its cosines between them."""
    scene = ask(WORD_MAP)
    st.text_area(f"Up to {MOST} sentences, one in a line", max_chars=4000, height=130, **tie(SET, scene))
    st.text_input("Word", max_chars=40, **tie(WORD, scene))
    try:
        held = with_word(scene)
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    if any(len(pieces) > 1 for _, pieces in held):
        st.caption("The model reads this word in pieces; the vectors are those of the first.")
    known = {ENC.trace(text.text): session.run(scene.view.model, text.text) for text, _ in held}
    assert AFTER.offered is not None
    st.select_slider("After", AFTER.offered(scene), **tie(AFTER, scene))
    show(WORD_MAP, known=known)
    show(WORD_MEANS, known=known, more="At the input only the position tells its vectors apart.")
