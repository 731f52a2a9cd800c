"""What comes out at one token, and after which layer that was settled."""

import streamlit as st
from torch import Tensor

from encoder.export.caption import About
from encoder.figures import charts
from encoder.formatting import percent
from encoder.metrics import final_answer, logit_lens, race, settled
from pages.parts.stack import words
from pages.ui import session
from pages.ui.components import guess_bars
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.step import guess
from pages.ui.text import heading, layer_names, plain, say, theme
from pages.ui.widgets import fold, pick_token

MOST_IN_RACE = 4  # words


def draw() -> None:
    """The token to tap, its guess and the ranks of the guessed words after each layer, and more words in a fold."""
    trace, encoder = session.now(), session.text_encoder(state.current().model)
    heading("The guess, layer by layer")
    position, lens = pick_token("Token", trace.tokens, "lens_token", guess.place(trace)), None
    if encoder.model.mlm_head is None:
        st.markdown(plain(f"{encoder.why_no_guesses} So it cannot be asked layer by layer."))
    else:
        lens = logit_lens(encoder, trace, [position])
        formed(lens, position)
    fold("The words after each layer", "words_open", lambda: words.draw(lens, position))


def formed(lens: Tensor, position: int) -> None:
    """What comes out at a position, and from which layer on; lens [n_layers + 1, 1, vocab]."""
    trace, encoder = session.now(), session.text_encoder(state.current().model)
    answer, probability, rank = final_answer(lens)
    word, share = encoder.tokenizer.id_to_token(int(answer[0])), percent(float(probability[-1, 0]))
    layers = layer_names(trace.config, with_input=True)
    say(f"The final answer “{word}” has {share}; from “{layers[settled(rank[:, 0])]}” on it is the first choice.")
    now, before = st.columns([2, 3])
    with now:
        if (last := guess.found(trace, position)) is not None:
            guess_bars.draw("guess_large", last, "large")
        if encoder.mask_token not in (None, trace.tokens[position]) and not trace.tokenization.special[position]:
            st.button("Mask this word and watch the guess form", key="mask_word", on_click=mask_word, args=(position,))
        at = st.select_slider("Ranks up to", layers, **state.choice("race_upto", layers, layers[-1]))
    with before:
        ranks(lens[:, 0], position, layers.index(at), at)
    st.caption("The head was trained on the last layer only: what it says of earlier ones is a reading, not a belief.")


def ranks(lens: Tensor, position: int, upto: int, layer: str) -> None:
    """Where the last layer's likeliest words stand at a position, up to a named layer; lens [n_layers + 1, vocab]."""
    trace, encoder = session.now(), session.text_encoder(state.current().model)
    ids, found = race(lens, MOST_IN_RACE)
    names = [str(encoder.tokenizer.id_to_token(i)) for i in ids.tolist()]
    where = f"After {layer}" if upto else f"At the {layer}"
    fact = f"{where} “{names[0]}” is at rank {int(found[upto, 0]):,} of {lens.shape[1]:,} words."
    chart(
        charts.race(found.numpy(), names, theme(), upto=upto),
        "race",
        fact,
        About.of_stream(trace),
        numbers=True,
        made=f"race(logit_lens(enc, t, [{position}])[:, 0], {MOST_IN_RACE})[1][:{upto + 1}]",
    )
    st.markdown(plain(fact))


def mask_word(position: int) -> None:
    """Put the mask in place of a word, all its pieces."""
    pieces, mask = session.now().tokenization, session.text_encoder(state.current().model).mask_token
    name = "second" if pieces.segments[position] else "sentence"
    state.change(**{name: pieces.replaced(pieces.word_of(position), str(mask))}, cell=None)
