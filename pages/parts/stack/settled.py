"""What comes out at one token, and after which layer that was settled."""

import streamlit as st
from torch import Tensor

from encoder.formatting import percent
from encoder.metrics import final_answer, settled
from encoder.pictures.registry.output import LENS_TOKEN, RACE, UPTO, after_names, lens
from encoder.pictures.scene import Scene
from pages.parts.stack import words
from pages.ui import session
from pages.ui.components import guess_bars
from pages.ui.picture import ask, show, tie
from pages.ui.state import session_state as state
from pages.ui.step import guess
from pages.ui.text import heading, plain, say
from pages.ui.widgets import fold, pick_token


def draw() -> None:
    """The token to tap, its guess and the ranks of the guessed words after each layer, and more words in a fold."""
    heading("The guess, layer by layer")
    scene, guesses = ask(RACE), None
    pick_token("Token", scene.t.tokens, LENS_TOKEN.key, LENS_TOKEN.usual(scene))
    scene = ask(RACE)
    if scene.encoder.model.mlm_head is None:
        st.markdown(plain(f"{scene.encoder.why_no_guesses} So it cannot be asked layer by layer."))
    else:
        guesses = RACE.of(scene).value(lens(scene))
        formed(guesses, scene)
    fold("The words after each layer", "words_open", lambda: words.draw(guesses))


def formed(guesses: Tensor, scene: Scene) -> None:
    """What comes out at the chosen token, and from which layer on; guesses [n_layers + 1, 1, vocab]."""
    trace, encoder, position, layers = scene.t, scene.encoder, scene[LENS_TOKEN], after_names(scene)
    answer, probability, rank = final_answer(guesses)
    word, share = encoder.tokenizer.id_to_token(int(answer[0])), percent(float(probability[-1, 0]))
    say(f"The final answer “{word}” has {share}; from “{layers[settled(rank[:, 0])]}” on it is the first choice.")
    now, before = st.columns([2, 3])
    with now:
        if (last := guess.found(trace, position)) is not None:
            guess_bars.draw("guess_large", last, "large")
        if encoder.mask_token not in (None, trace.tokens[position]) and not trace.tokenization.special[position]:
            st.button("Mask this word and watch the guess form", key="mask_word", on_click=mask_word, args=(position,))
        st.select_slider("Ranks up to", layers, **tie(UPTO, scene))
    with before:
        show(RACE, known={lens(scene): guesses})
    st.caption("The head was trained on the last layer only: what it says of earlier ones is a reading, not a belief.")


def mask_word(position: int) -> None:
    """Put the mask in place of a word, all its pieces."""
    pieces, mask = session.now().tokenization, session.text_encoder(state.current().model).mask_token
    name = "second" if pieces.segments[position] else "sentence"
    state.change(**{name: pieces.replaced(pieces.word_of(position), str(mask))}, cell=None)
