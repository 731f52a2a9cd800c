"""A sentence classifier and a word tagger, trained on the spot on frozen vectors, and what they say of the sentence."""

import pandas as pd
import streamlit as st

from encoder.experiments.probes.labelled import MOODS, TAGS, labelled
from encoder.experiments.probes.layers import read_sentence, read_words, words_of
from encoder.pictures.names import layer_names
from encoder.support.formatting import percent, shown
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import NUMBER, heading, plain, say


def draw() -> None:
    """The mood of the sentence and the part of speech of each word, read off the vectors after a chosen layer."""
    trace = session.now()
    heading("Used to sort sentences and to tag words")
    names = layer_names(trace.config, with_input=True)
    layer = st.select_slider("Read after", names, **state.choice("read_after", names, names[-1]))
    words = words_of(trace)
    if not words:
        st.markdown("This sentence has no word to tag.")
        return
    at = names.index(layer)
    trained = session.readers(at)
    mood = read_sentence(trace, trained["good or bad"], at)
    shares = read_words(trace, trained["parts of speech"], at)
    best = int(mood.argmax())
    say(
        f"To a classifier trained just now, this sentence tells of something {[*MOODS.values()][best]}, with "
        f"{percent(float(mood[best]))}.",
        f"It and the tagger below saw {len(labelled())} other sentences; the encoder was not changed.",
    )
    kinds, sure = [*TAGS.values()], shares.max(-1)
    rows = {
        "word": [shown(trace.tokenization.spelled(word), 30) for word in words],
        "part of speech": [kinds[i] for i in sure.indices.tolist()],
        "probability": sure.values.numpy(),
    }
    downloads.shown_table(pd.DataFrame(rows), key="tagged", hide_index=True, column_config={"probability": NUMBER})
    st.caption(plain("Other words than those it was taught may be told wrong, and so may a sentence without feeling."))
