"""Every head and feed-forward block knocked out in turn, as a map of what each does to the result."""

import streamlit as st

from encoder.errors import EncoderError
from encoder.experiments.ablation import WatchedWord, ablate_each, grid
from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace
from pages.parts.what_if.measures import offered, strongest, usual
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.step import sweep
from pages.ui.text import head_names, heading, layer_names, plain, say, theme

ACTIONS = {"Zero": "zero", "Its mean over tokens": "mean"}


def draw() -> None:
    """The sweep on demand, and one of its effects."""
    trace, view = session.now(), state.current()
    encoder, config = session.text_encoder(view.model), trace.config
    heading("Leave one out")
    st.markdown("Knock out every head and every feed-forward block in turn, each alone, and see which one matters.")
    watch = watched(encoder, trace, "watched")
    chosen = st.pills("Put in its place", list(ACTIONS), required=True, **state.choice("loo_way", ACTIONS, "Zero"))
    action = ACTIONS[chosen]
    asked = (view.model, trace.inputs, view.hidden, view.edits, watch, action)
    found = sweep.follow(
        "loo", asked, lambda: ablate_each(encoder, trace, action=action, watch=watch), "Knock out each in turn"
    )
    if found is None:
        return
    measures = offered(watch)
    chosen = st.pills("Effect", list(measures), required=True, **state.choice("loo_measure", measures, usual(watch)))
    measure = measures[chosen]
    values = grid(found.effects, config, measure.field).numpy()
    rows, columns = layer_names(config), [*head_names(config), "feed-forward"]
    about = About(trace, reads=measure.reads)
    drawn = matrix(values, rows, columns, kind=measure.kind, theme=theme())
    fact = strongest(values, measure, watch)
    made = f"grid([*ablate_each(enc, t, action={action!r}, watch={watch})][-1].effects, t.config, {measure.field!r})"
    chart(drawn, "loo_map", f"{chosen} when each part is knocked out. {fact}", about, made=made)
    say(fact)
    downloads.numbers("loo", "leave_one_out", lambda: downloads.frame(values, rows, columns), values.shape)


def watched(encoder: TextEncoder, trace: Trace, key: str) -> WatchedWord | None:
    """The masked word whose probability is watched, if the person wants one and there is one."""
    masks = [i for i, token in enumerate(trace.tokens) if token == encoder.mask_token]
    guesses = encoder.predict(trace, 1)
    if not masks or guesses is None:
        return None
    usual = str(guesses[masks[0]][0][0])
    tie = state.choice(key, None, usual)
    word = st.text_input(f"Word to watch at {encoder.mask_token}", max_chars=40, **tie)
    try:
        return WatchedWord(masks[0], encoder.word_id(trace, masks[0], word))
    except EncoderError as error:
        st.caption(plain(f"{error}, so no word is watched."))
        return None
