"""Which words made the guess: shares by gradients beside what truly happens when a word is taken away."""

from dataclasses import replace
from functools import partial

import streamlit as st

from encoder.experiments.attributions.gradients import Attribution
from encoder.experiments.attributions.why import LOOKED, why
from encoder.pictures.ask import scene_of
from encoder.pictures.export.caption import begun
from encoder.pictures.registry.why_pictures import (
    BASELINE,
    BASELINES,
    GUESS,
    METHOD,
    METHODS,
    OTHER,
    WHY_DELETED,
    WHY_HEADS,
    WHY_WORDS,
    WORD,
    answered,
    baselines,
    target,
    target_name,
)
from encoder.pictures.scene import Scene
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, percent
from pages.ui import session_runs
from pages.ui.picture_view import show, tie
from pages.ui.state import session_state as state
from pages.ui.step import sweep
from pages.ui.text import heading, plain
from pages.ui.widgets import pick_token


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


def pick(at: int | None = None) -> Scene | None:
    """Let the person choose; returns what is asked, None where no word can be explained.

    `at` is the place of the guess, where that is not to be chosen.
    """
    scene = asked(at)
    if scene.encoder.model.mlm_head is None:
        st.markdown(plain(f"{scene.encoder.why_no_guesses} So there is no guess to explain."))
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if at is None:
            pick_token("The guess at", scene.t.tokens, GUESS.key, GUESS.usual(scene))
        st.text_input("Word", max_chars=40, width=180, **tie(WORD, asked(at)))
        st.text_input("Rather than (may be empty)", max_chars=40, width=220, **tie(OTHER, scene))
    scene = asked(at)
    try:
        target(scene)
    except EncoderError as error:
        st.markdown(plain(f"{begun(str(error))}; write another one."))
        return None
    return scene


def asked(at: int | None) -> Scene:
    """What is asked now, of the guess at a place where that is not to be chosen."""
    view = state.current()
    if at is not None:
        view = replace(view, choices=tuple(sorted((dict(view.choices) | {GUESS.key: str(at)}).items())))
    return scene_of(view, "run", session_runs.text_encoder, session_runs.run)


def completeness(shares: Attribution, name: str) -> None:
    """Whether the shares add up to what they are shares of."""
    assert shares.without is not None and shares.missing is not None
    wanted = shares.value - shares.without
    st.progress(min(1.0, max(0.0, shares.total / wanted)) if wanted else 0.0, "What the shares add up to")
    sentence = (
        f"The shares by integrated gradients add up to {brief(shares.total)}; from the baseline to this "
        f"sentence {name} goes from {brief(shares.without)} to {brief(shares.value)}, by {brief(wanted)}."
    )
    end = f" {percent(shares.missing)} is missing, with {shares.steps} steps."
    st.text(sentence + (end if shares.converged else f"{end} It did not converge, so these shares do not add up."))
