"""One head and the answers on this sentence, moment by moment."""

import pandas as pd
import streamlit as st

from encoder.pictures.registry.learning import BY_STEP, GUESSED, LAPSE, guessable, lapse
from encoder.trace.tokens import Tokens
from pages.ui import session
from pages.ui.components import maps
from pages.ui.components import timelapse as player
from pages.ui.downloads import table as downloads
from pages.ui.picture import answer_of, ask, show
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, theme
from pages.ui.widgets import pick_token


def draw() -> None:
    """The player, all moments at once, measures of the head and the answers."""
    pieces: Tokens = ask(BY_STEP).t.tokenization
    tokens = list(pieces.tokens)
    words, usual = guessable(pieces)
    page = st.container()
    pick_token(
        "Word to guess", [words.get(i, token) for i, token in enumerate(tokens)], GUESSED.key, usual, among=words
    )
    scene = ask(BY_STEP)
    seen = session.moments(session.trained(), str(scene.t.inputs), scene.layer, scene.head, scene[GUESSED])
    label = f"Layer {scene.layer}, head {scene.head}"
    with page:
        every = player.draw("player", label, seen, tokens, theme(), state.session().moment)
    st.caption(
        f"{label} of {plain(scene.t.source.name)}. Rows look, columns are looked at; the colour scale is 0 to 1. The "
        "list is what the model answers with the chosen word masked."
        + (f" A pixel stands for {every} × {every} cells." if every > 1 else "")
    )
    heading("All moments at once")
    known = {lapse(scene): seen}
    maps.draw(answer_of(LAPSE, scene=scene, known=known), take, least=96)
    show(BY_STEP, scene=scene, known=known)
    answers = {
        f"{i + 1}.": [f"{word} {share:.3f}" for one in seen for word, share in one.answers[i : i + 1]]
        for i in range(len(seen[0].answers))
    }
    table = pd.DataFrame(answers, index=pd.Index([one.step for one in seen], name="step"))
    downloads.shown_table(table, key="answers")


def take(moment: int, row: int, column: int) -> None:
    """Let the player begin with the moment that was picked."""
    state.session().moment = moment
