"""What a window cannot see, in a text of 200 tokens."""

import numpy as np
import streamlit as st

from encoder.experiments import sight
from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import listed, percent
from pages.parts.labs import modern
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import say, theme

TOKENS = 200


def draw() -> None:
    """Whom one token sees in each layer, and what reaches it by way of others."""
    model = state.current().model
    encoder = session.text_encoder(model)
    config = encoder.config
    st.markdown(
        f"A long text has many pairs of words. With windows most layers look at near ones only. Here are {TOKENS} "
        "places: choose one, and see whom it may look at."
    )
    local = [i for i in range(config.n_layers) if config.window_of(i) is not None]
    if not local:
        modern.offer("This model has no windows: every layer sees all.")
    place = st.slider("Place", 0, TOKENS - 1, **state.choice("sight_place", range(TOKENS), TOKENS // 2))
    found = sight(encoder, TOKENS, place)
    layers = [f"layer {i}" for i in range(config.n_layers)]
    about = About(source=session.now().source, scope=f"a text of {TOKENS} tokens, whatever the words are")
    for key, kind, values in (("seen", "may look at", found.seen), ("reached", "has something of", found.reached)):
        drawn = matrix(values.numpy().astype(np.float32), layers, "place", kind="share",
                       theme=theme(), row_title="", column_title="place")  # fmt: skip
        shares = values.double().mean(-1)
        low, high = percent(float(shares.min())), percent(float(shares.max()))
        least, most = int(shares.argmin()), int(shares.argmax())
        fact = f"In every layer place {place} {kind} {low} of the text."
        if low != high:
            fact = f"In layer {least} place {place} {kind} {low} of the text, in layer {most} {high}."
        chart(drawn, f"sight_{key}", fact, about, numbers=True, made=f"sight(enc, {TOKENS}, {place}).{key}.float()")
        say(fact)
    if local:
        named = listed(list(map(str, local)))
        st.markdown(f"This model has a window of {config.window} tokens on either side in layers {named}.")
