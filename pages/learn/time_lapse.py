"""Time-lapse: the same sentence in a trained model at moments of its training."""

import pandas as pd
import streamlit as st

from encoder.pictures.registry.learning_pictures import (
    BY_STEP,
    CAREERS,
    EMBEDDING_ROW,
    GUESSED,
    LAPSE,
    LEARNED,
    ROLES,
    ROW_OF,
    SCORED,
    STRONGEST,
    guessable,
    lapse,
)
from encoder.support.formatting import percent
from encoder.tasks.timelapse import appears, kept_steps
from encoder.trace.tokens import Tokens
from pages.ui import session_runs
from pages.ui.components import maps
from pages.ui.components import timelapse_component as player
from pages.ui.downloads import table as downloads
from pages.ui.picture_view import answer_of, ask, show, tabs
from pages.ui.server import offered_models
from pages.ui.state import session_state as state
from pages.ui.text import NUMBER, heading, plain, say, theme
from pages.ui.widgets import pick_token


def draw() -> None:
    """Which model it is and why, and one look at its moments."""
    scene, model = ask(BY_STEP), session_runs.trained()
    view, steps, clear = scene.view, kept_steps(scene.encoder), offered_models.offer(model)
    called = "small" if model == "small" else f"“{clear.label}”"
    heading(plain(f"This is {called}, at {len(steps)} moments of its training"))
    careers = {"When heads take up their work": draw_careers} if model == "small" else {}
    tabs({"This sentence": draw_this_sentence, "An embedding row": draw_embedding_row} | careers, "training_part")
    if model != view.model:
        chosen = offered_models.offer(view.model).label
        say(f"The chosen model, {chosen}, was not kept while it learned: all numbers here are of {called}.")
    st.markdown(
        f"At step 0 its weights were random, at step {steps[-1]:,} they are those that it has now. Layer "
        f"{scene.layer} and head {scene.head} are the chosen ones, as far as it has them."
    )
    if (scene.layer, scene.head) != (clear.layer, clear.head):
        words = f"Layer {clear.layer}, head {clear.head} is worth a look"
        st.button(words, key="clear_head", on_click=state.change, kwargs={"layer": clear.layer, "head": clear.head})
    if view.hidden or view.edits:
        st.caption("Masked tokens and changes belong to the run of the other pages; here nothing is masked or changed.")
    if scene.t.inputs != state.session().read:
        st.caption("This model reads one text: both sentences stand in it one after the other.")


def draw_this_sentence() -> None:
    """The player, all moments at once, measures of the head and the answers."""
    pieces: Tokens = ask(BY_STEP).t.tokenization
    tokens = list(pieces.tokens)
    words, usual = guessable(pieces)
    page = st.container()
    pick_token(
        "Word to guess", [words.get(i, token) for i, token in enumerate(tokens)], GUESSED.key, usual, among=words
    )
    scene = ask(BY_STEP)
    moments = session_runs.moments(session_runs.trained(), str(scene.t.inputs), scene.layer, scene.head, scene[GUESSED])
    label = f"Layer {scene.layer}, head {scene.head}"
    with page:
        every = player.draw("player", label, moments, tokens, theme(), state.session().moment)
    st.caption(
        f"{label} of {plain(scene.t.source.name)}. Rows look, columns are looked at; the colour scale is 0 to 1. The "
        "list is what the model answers with the chosen word masked."
        + (f" A pixel stands for {every} × {every} cells." if every > 1 else "")
    )
    heading("All moments at once")
    known = {lapse(scene): moments}
    maps.draw(answer_of(LAPSE, scene=scene, known=known), take, least=96)
    show(BY_STEP, scene=scene, known=known)
    answers = {
        f"{i + 1}.": [f"{word} {share:.3f}" for moment in moments for word, share in moment.answers[i : i + 1]]
        for i in range(len(moments[0].answers))
    }
    table = pd.DataFrame(answers, index=pd.Index([moment.step for moment in moments], name="step"))
    downloads.shown_table(table, key="answers")


def take(moment: int, row: int, column: int) -> None:
    """Let the player begin with the moment that was picked."""
    state.session().moment = moment


def draw_embedding_row() -> None:
    """The row of a chosen token as a picture, a line for each moment, and the words nearest to it then and now."""
    scene = ask(EMBEDDING_ROW)
    pick_token("Token", scene.t.tokens, ROW_OF.key, ROW_OF.usual(scene))
    show(EMBEDDING_ROW, more="Nobody wrote these numbers: training moved them, a little at each step.")


def draw_careers() -> None:
    """The strongest head of each kind at every moment, and the words that the model guesses."""
    steps = kept_steps(ask(CAREERS).encoder)
    heads, scores = session_runs.role_history("small")
    for role, what in ROLES.items():
        when = appears(heads[role])
        if not when:
            say(f"No head looks clearly at {what}.")
            continue
        before, first = when
        since = f"Not yet at step {before.step:,}. " if before else ""
        say(
            f"{since}From step {first.step:,} on there is a head that looks at {what}: then layer {first.layer}, "
            f"head {first.head}, with {percent(first.mass)} of its weight."
        )
    known = {STRONGEST: heads, SCORED: scores}
    show(CAREERS, known=known)
    st.caption("The strongest head of each kind over the 100 bundled sentences; “clear” by the criterion of Heads.")
    show(LEARNED, known=known, numbers=False)
    learned = pd.DataFrame([vars(score) for score in scores], index=pd.Index(steps, name="step"))
    downloads.shown_table(learned, key="learned_table", column_config=dict.fromkeys(("loss", "top_1", "top_5"), NUMBER))
    st.caption("Words hidden at random in the same 100 sentences. Scores on held-out text are in the model card.")
