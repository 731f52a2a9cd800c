"""Which words made the guess: shares by gradients beside what truly happens when a word is taken away."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from encoder.attributions.gradients import Baseline
from encoder.attributions.target import Target, by_word
from encoder.attributions.why import INTEGRATED, KNOCKED, LOOKED, SLOPE, why
from encoder.errors import EncoderError
from encoder.export.caption import About
from encoder.figures.charts import token_bars
from encoder.formatting import brief
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.step import by_head, deletion, sweep
from pages.ui.step.completeness import completeness
from pages.ui.step.target import pick
from pages.ui.text import plain, say, theme

BASELINES: dict[str, Baseline] = {
    "The mask token": "mask",
    "The padding token": "pad",
    "Zeros": "zero",
    "The mean of all words": "mean",
}
# Each method, and the expression that gives its shares
METHODS: dict[str, Callable[[Target, Baseline], str]] = {
    INTEGRATED: lambda target, kind: f"integrated_shares(enc, t, {target}, {kind!r})",
    SLOPE: lambda target, _: f"gradient_x_input(enc, t, {target}).shares",
    LOOKED: lambda target, _: f"relevance(gradient_x_attention(enc, t, {target}), {target.position})",
}


def draw(at: int | None = None) -> None:
    """The question, the work on demand, and the answers; `at` is the place of the guess where it is not chosen here."""
    st.markdown(
        "Every word of the sentence gets a share of the guess. A share by gradients asks what small changes would do; "
        "the knock-out beside it really takes the word away."
    )
    picked = pick(at)
    if picked is None:
        return
    target, name = picked
    trace, view = session.now(), state.current()
    encoder = session.text_encoder(view.model)
    offered = {said: kind for said, kind in BASELINES.items() if kind != "mask" or encoder.mask_token}
    tie = state.choice("why_baseline", offered, next(iter(offered)))
    kind = offered[st.pills("In place of a word", list(offered), required=True, **tie)]
    asked = (view.model, trace.inputs, view.hidden, view.edits, target, kind)
    work = partial(why, encoder, trace, target, kind)
    try:
        done = sweep.follow("why", asked, work, "Share out this guess", unit="steps")
    except EncoderError as error:
        st.warning(plain(f"{error}."))
        return
    if done is None:
        return
    found, about = done.found, About(trace, reads=("mlm.logits",))
    words = by_word(trace, found.shares[KNOCKED])
    names = [trace.tokenization.spelled(word) for word, _ in words]
    method = st.pills("Method", METHODS, required=True, **state.choice("why_method", METHODS, INTEGRATED))
    by_all = {one: np.array([share for _, share in by_word(trace, of)]) for one, of in found.shares.items()}
    shares = {one: by_all[one] for one in (method, KNOCKED)}
    made = f"[[share for _, share in by_word(t, shares)] for shares in ({METHODS[method](target, kind)}, "
    made += f"knock_out_tokens(enc, t, {target}, {kind!r}).shares)]"
    drawn = token_bars(shares, names, title="share of the logit", theme=theme())
    chart(drawn, "why_words", f"Shares of {name}", about, made=made)
    table = partial(pd.DataFrame, {"word": names} | {one: by_all[one] for one in by_all})
    downloads.numbers("why_words", "why_words", lambda: table().set_index("word"), (len(names), len(by_all)))
    most, truly = int(shares[method].argmax()), int(shares[KNOCKED].argmax())
    say(
        f"By {method}, “{names[most]}” speaks most for it: {brief(shares[method][most])}.",
        f"Taking “{names[truly]}” away alone costs most: {brief(shares[KNOCKED][truly])}.",
    )
    agreed = ", ".join(f"{one} {found.agreement(one):.2f}" for one in METHODS)
    st.caption(plain(f"Rank agreement with the knock-outs (Spearman, 1 is the same order): {agreed}."))
    completeness(found.integrated, name)
    if method == LOOKED:
        by_head.draw(found.by_head, name, about, target)
    deletion.draw(found, name, about, target, kind)
