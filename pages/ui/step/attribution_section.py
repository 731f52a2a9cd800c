"""Which words made the guess: shares by gradients beside what truly happens when a word is taken away."""

from functools import partial

import streamlit as st

from encoder.experiments.attributions.why import LOOKED, why
from encoder.pictures.registry.why import (
    BASELINE,
    BASELINES,
    METHOD,
    METHODS,
    WHY_DELETED,
    WHY_HEADS,
    WHY_WORDS,
    answered,
    baselines,
    target,
    target_name,
)
from encoder.support.errors import EncoderError
from pages.ui.picture import show, tie
from pages.ui.step import sweep
from pages.ui.step.completeness import completeness
from pages.ui.step.target import asked, pick
from pages.ui.text import heading, plain


def draw(at: int | None = None) -> None:
    """The question, the work on demand, and the answers; `at` is the place of the guess where it is not chosen here."""
    st.markdown(
        "Every word of the sentence gets a share of the guess. A share by gradients asks what small changes would do; "
        "the knock-out beside it really takes the word away."
    )
    scene = pick(at)
    if scene is None:
        return
    st.pills("In place of a word", baselines(scene), required=True, **tie(BASELINE, scene))
    scene = asked(at)
    explained, kind = target(scene), BASELINES[scene[BASELINE]]
    this = (scene.view.model, scene.t.inputs, scene.view.hidden, scene.view.edits, explained, kind)
    work = partial(why, scene.encoder, scene.t, explained, kind)
    try:
        done = sweep.follow("why", this, work, "Share out this guess", unit="steps")
    except EncoderError as error:
        st.warning(plain(f"{error}."))
        return
    if done is None:
        return
    answers, known = done.found, {answered(scene): done}
    method = st.pills("Method", METHODS, required=True, **tie(METHOD, scene))
    show(WHY_WORDS, scene=asked(at), known=known)
    agreed = ", ".join(f"{name} {answers.agreement(name):.2f}" for name in METHODS)
    st.caption(plain(f"Rank agreement with the knock-outs (Spearman, 1 is the same order): {agreed}."))
    completeness(answers.integrated, target_name(scene))
    if method == LOOKED:
        heading("The same, head by head")
        speed = "It is how fast the logit would change if all weights of that head were made a little larger."
        show(WHY_HEADS, scene=scene, known=known, more=speed)
    heading("The guess while words go")
    show(WHY_DELETED, scene=scene, known=known)
