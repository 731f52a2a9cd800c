"""One head and the answers on this sentence, moment by moment."""

import numpy as np
import pandas as pd
import streamlit as st

from encoder.experiments.timelapse import Moment
from encoder.figures.charts import lines
from encoder.pictures.maps import SmallMap
from encoder.trace.tokens import Tokens
from pages.parts.learn.moments import Scene, scene
from pages.ui import session
from pages.ui.components import maps
from pages.ui.components import timelapse as player
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.downloads.picture import card
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, theme
from pages.ui.widgets import pick_token

SERIES = {"normalized_entropy": "normalized entropy", "self": "on itself", "previous": "previous", "next": "next"}


def draw() -> None:
    """The player, all moments at once, measures of the head and the answers."""
    now = scene()
    tokens = list(now.run.tokenization.tokens)
    words, usual = guessable(now.run.tokenization)
    names = [words.get(i, token) for i, token in enumerate(tokens)]
    position = pick_token("Word to guess", names, "guess", usual, among=list(words))
    seen = session.moments(now.model, now.text, now.layer, now.head, position)
    label = f"Layer {now.layer}, head {now.head}"
    every = player.draw("player", label, seen, tokens, theme(), state.session().moment)
    st.caption(
        f"{label} of {plain(now.run.source.name)}. Rows look, columns are looked at; the colour scale is 0 to 1. The "
        "list is what the model answers with the chosen word masked."
        + (f" A pixel stands for {every} × {every} cells." if every > 1 else "")
    )
    heading("All moments at once")
    small = [SmallMap(f"{one.step:,}", f"Step {one.step}", one.weights, "share", 1.0) for one in seen]
    maps.paint("moments", small, tokens, show, least=96)
    said = f"{label} at {len(seen)} moments: {small[0].label} to {small[-1].label}"
    made = f"[found.weights for found in {moments(now, position)}]"
    card("moments", lambda: maps.rows_of(small, tokens), said, now.about, scale="0 to 1", made=made)
    measured(now, seen, position)
    table = pd.DataFrame({f"{i + 1}.": [f"{a[0]} {a[1]:.3f}" for one in seen for a in one.answers[i : i + 1]]
                          for i in range(len(seen[0].answers))}, index=pd.Index(now.steps, name="step"))  # fmt: skip
    downloads.shown_table(table, key="answers")


def guessable(pieces: Tokens) -> tuple[dict[int, str], int]:
    """Words that may be guessed by where they begin, and the one to begin with: the mask, else one in the middle."""
    typed = [word for word in pieces.words if not pieces.special[word[0]]]
    words = {word[0]: pieces.spelled(word) for word in typed} or {0: pieces.tokens[0]}
    mask = [i for i in words if pieces.tokens[i] == "[MASK]"]
    return words, mask[0] if mask else list(words)[len(words) // 2]


def show(moment: int, row: int, column: int) -> None:
    """Let the player begin with the moment that was picked."""
    state.session().moment = moment


def measured(now: Scene, seen: list[Moment], position: int) -> None:
    """What the head does in this sentence at every moment."""
    series = {name: np.array([one.measures[m] for one in seen]) for m, name in SERIES.items()}
    drawn = lines(series, now.axis, ("training steps + 1", "share"), logarithmic=(True, False), theme=theme())
    said = f"What layer {now.layer}, head {now.head} does in this sentence, by training step"
    made = f"[[found.measures[name] for name in {tuple(SERIES)}] for found in {moments(now, position)}]"
    chart(drawn, "by_step", said, now.about, numbers=True, made=made)


def moments(now: Scene, position: int) -> str:
    """The expression that runs the sentence at every moment."""
    asked = f"{now.text!r}, {now.layer}, {now.head}, {position}"
    return f"[moment(step, {now.kept}, {asked}) for step in {now.steps}]"
