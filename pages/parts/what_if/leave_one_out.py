"""Every head and feed-forward block knocked out in turn, as a map of what each does to the result."""

import numpy as np
import streamlit as st

from encoder.errors import EncoderError
from encoder.experiments.ablation import WatchedWord, ablate_each, grid
from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import brief
from encoder.metrics import largest_cell
from encoder.text_encoder import TextEncoder
from encoder.theme import Kind
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.step import sweep
from pages.ui.text import head_names, heading, layer_names, plain, say, theme

KINDS: dict[str, Kind] = {"cosine": "share", "relative_change": "positive", "log_probability": "signed"}
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
    measures = {"Change of the output": "relative_change", "Cosine of the output": "cosine"}
    if watch:
        measures["Change of the word's log-probability"] = "log_probability"
    usual = list(measures)[-1 if watch else 0]
    chosen = st.pills("Effect", list(measures), required=True, **state.choice("loo_measure", measures, usual))
    values = grid(found.effects, config, measures[chosen]).numpy()
    rows, columns = layer_names(config), [*head_names(config), "feed-forward"]
    kind = KINDS[measures[chosen]]
    about = About(trace, reads=("mlm.logits",) if measures[chosen] == "log_probability" else ("output",))
    drawn = matrix(values, rows, columns, kind=kind, theme=theme())
    i, j = largest_cell(-values if kind == "share" else np.abs(values))
    fact = f"{rows[i]}, {columns[j]} matters most: {brief(float(values[i, j]))}."
    made = f"grid([*ablate_each(enc, t, action={action!r}, watch={watch})][-1].effects, t.config, {measures[chosen]!r})"
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
