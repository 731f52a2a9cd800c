"""The sentence's own tokens alone, without those that the model adds."""

import streamlit as st

from encoder.pictures.registry.labs import BARE, without_added
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from pages.ui.downloads import table as downloads
from pages.ui.picture import answer_of, ask, show
from pages.ui.text import plain


def draw() -> None:
    """The output as one row for each word, and how far it is from the run with the added tokens."""
    st.markdown(
        "Tutorials often show one row for each word. Here the sentence is read as they do it, without the tokens that "
        "the tokenizer adds, and beside it as the model was trained."
    )
    scene = ask(BARE)
    if not isinstance(scene.t.inputs, str):
        st.markdown("This needs one sentence, and no pair.")
        return
    try:
        bare = answer_of(BARE).value(without_added(scene))
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    show(BARE, more="Every word also stands as many positions earlier as tokens were added before it.")
    table = downloads.frame(bare.alone.numpy(), [shown(token) for token in bare.tokens], "dimension")
    title = "The output without the added tokens"
    downloads.numbers("bare_output", "output_without_added_tokens", lambda: table, tuple(bare.alone.shape), title)
