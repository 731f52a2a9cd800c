"""Time-lapse: the same sentence in the little model at nine moments of its training."""

import numpy as np
import pandas as pd
import streamlit as st

from encoder.experiments.timelapse import appears
from encoder.figures.charts import lines
from encoder.formatting import short, shown
from pages.ui import session
from pages.ui.components import maps
from pages.ui.components import timelapse as player
from pages.ui.components.chart import chart
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.text import NUMBER, plain, theme

ROLES = {"previous": "the token before", "next": "the token after", "self": "the token itself"}
SERIES = {"entropy_share": "spread", "self": "on itself", "previous": "previous", "next": "next"}

view, steps = state.current(), list(session.grown("small"))
axis = np.array(steps) + 1
read = st.session_state["read"]
text = read if isinstance(read, str) else " ".join(read)
run = session.run("small", text)  # its tokens are those of every moment
layer, head = min(view.layer, run.config.n_layers - 1), min(view.head, run.config.n_heads - 1)
pieces = run.pieces
tokens = list(pieces.tokens)


def sentence() -> None:
    """One head and the answers, moment by moment."""
    words = [i for i, special in enumerate(pieces.special) if not special or tokens[i] == "[MASK]"] or [0]
    usual = words.index(tokens.index("[MASK]")) if "[MASK]" in tokens else len(words) // 2
    names = {i: f"{i} {shown(tokens[i])}" for i in words}
    tie = state.choice("guess", words, words[usual])
    position = st.selectbox("Word to guess", words, format_func=names.__getitem__, width=260, **tie)
    seen = session.moments("small", text, layer, head, position)
    label = f"Layer {layer}, head {head}"
    every = player.draw("player", label, seen, tokens, theme(), st.session_state.get("moment", 0))
    st.caption(
        f"{label} of small. Rows look, columns are looked at; the colour scale is 0 to 1. The list is what the model "
        "answers with the chosen word masked." + (f" A pixel stands for {every} × {every} cells." if every > 1 else "")
    )
    st.header("All moments at once")
    small = [maps.Map(f"{one.step:,}", f"Step {one.step}", one.weights, "share", 1.0) for one in seen]
    maps.draw("moments", small, tokens, theme(), lambda m, i, j: st.session_state.update(moment=m), least=96, run=run)
    measured = {name: np.array([one.measures[m] for one in seen]) for m, name in SERIES.items()}
    drawn = lines(measured, axis, ("training steps + 1", "share"), logarithmic=(True, False), theme=theme())
    chart(drawn, "by_step", f"What layer {layer}, head {head} does in this sentence, by training step", run=run)
    table = pd.DataFrame({f"{i + 1}.": [f"{a[0]} {a[1]:.3f}" for one in seen for a in one.answers[i : i + 1]]
                          for i in range(len(seen[0].answers))}, index=pd.Index(steps, name="step"))  # fmt: skip
    st.dataframe(table, key="answers")


def careers() -> None:
    """When heads take up their work, over the bundled sentences."""
    found, scores = session.careers("small")
    for role, what in ROLES.items():
        when = appears(found[role])
        if when:
            before, first = when
            since = f"Not yet at step {before.step:,}. " if before else ""
            said = (
                f"{since}From step {first.step:,} on there is a head that looks at {what}: then layer {first.layer}, "
                f"head {first.head}, with {short(first.mass)} of its weight."
            )
        else:
            said = f"No head looks clearly at {what}."
        st.markdown(f"**{plain(said)}**")
    best = {role: np.array([one.mass for one in found[role]]) for role in ROLES}
    drawn = lines(best, axis, ("training steps + 1", "share"), logarithmic=(True, False), theme=theme())
    said = "The largest mass of any head on the token before, after and itself, by training step"
    chart(drawn, "careers", said, run=run)
    st.caption("The strongest head of each kind over the 100 bundled sentences; “clear” by the criterion of All heads.")
    learned = pd.DataFrame([vars(score) for score in scores], index=pd.Index(steps, name="step"))
    shares = {"guessed first": learned["top_1"].to_numpy(), "among five": learned["top_5"].to_numpy()}
    drawn = lines(shares, axis, ("training steps + 1", "share"), logarithmic=(True, False), theme=theme())
    chart(drawn, "learned", "Share of hidden words that the model guesses, by training step", run=run)
    st.dataframe(learned, key="learned_table", column_config=dict.fromkeys(("loss", "top_1", "top_5"), NUMBER))
    st.caption("Words hidden at random in the same 100 sentences. Scores on held-out text are in the model card.")


st.markdown(
    f"The model `small`, kept at {len(steps)} moments between step 0, when its weights were random, and step "
    f"{steps[-1]:,}. Layer and head are those of the sidebar, as far as `small` has them."
)
clear = models.MODELS["small"]
if (layer, head) != (clear.layer, clear.head):
    words = f"Layer {clear.layer}, head {clear.head} is worth a look"
    st.button(words, key="clear_head", on_click=state.change, kwargs={"layer": clear.layer, "head": clear.head})
if view.hidden or view.edits:
    st.caption("Hidden tokens and changes belong to the run of the other pages; here nothing is hidden or changed.")
if text != read:
    st.caption("The model `small` reads one text: both sentences stand in it one after the other.")
PARTS = {"This sentence": sentence, "When heads take up their work": careers}
tie = state.choice("training_part", PARTS, "This sentence")
for tab, draw in zip(st.tabs(list(PARTS), **tie), PARTS.values(), strict=True):
    if tab.open:
        with tab:
            draw()
