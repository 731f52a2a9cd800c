"""When heads take up their work, over the bundled sentences."""

import pandas as pd
import streamlit as st

from encoder.experiments.timelapse import appears, kept_steps
from encoder.pictures.registry.learning import CAREERS, LEARNED, ROLES, SCORED, STRONGEST
from encoder.support.formatting import percent
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.picture import ask, show
from pages.ui.text import NUMBER, say


def draw() -> None:
    """The strongest head of each kind at every moment, and the words that the model guesses."""
    steps = kept_steps(ask(CAREERS).encoder)
    heads, scores = session.role_history("small")
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
