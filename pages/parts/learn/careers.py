"""When heads take up their work, over the bundled sentences."""

import numpy as np
import pandas as pd
import streamlit as st

from encoder.experiments.timelapse import appears
from encoder.export.caption import About
from encoder.figures.charts import lines
from encoder.formatting import percent
from encoder.metrics import BUNDLED
from pages.parts.learn.moments import scene
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.text import NUMBER, say, theme

ROLES = {"previous": "the token before", "next": "the token after", "self": "the token itself"}


def draw() -> None:
    """The strongest head of each kind at every moment, and the words that the model guesses."""
    now = scene()
    found, scores = session.role_history("small")
    for role, what in ROLES.items():
        when = appears(found[role])
        if not when:
            say(f"No head looks clearly at {what}.")
            continue
        before, first = when
        since = f"Not yet at step {before.step:,}. " if before else ""
        say(
            f"{since}From step {first.step:,} on there is a head that looks at {what}: then layer {first.layer}, "
            f"head {first.head}, with {percent(first.mass)} of its weight."
        )
    best = {role: np.array([one.mass for one in found[role]]) for role in ROLES}
    drawn = lines(best, now.axis, ("training steps + 1", "share"), logarithmic=(True, False), theme=theme())
    said = "The largest mass of any head on the token before, after and itself, by training step"
    about = About(source=now.run.source, scope=f"{BUNDLED}, {now.when}")
    kept = 'at("small", step)'
    scored = f"evaluate_text({kept}, SENTENCES)"
    surveys = f"((step, survey({kept})) for step in {now.steps})"
    made = f"[[strongest(step, found, role).mass for role in {tuple(ROLES)}] for step, found in {surveys}]"
    chart(drawn, "careers", said, about, numbers=True, made=made)
    st.caption("The strongest head of each kind over the 100 bundled sentences; “clear” by the criterion of All heads.")
    learned = pd.DataFrame([vars(score) for score in scores], index=pd.Index(now.steps, name="step"))
    shares = {"guessed first": learned["top_1"].to_numpy(), "among five": learned["top_5"].to_numpy()}
    drawn = lines(shares, now.axis, ("training steps + 1", "share"), logarithmic=(True, False), theme=theme())
    chart(drawn, "learned", "Share of hidden words that the model guesses, by training step", about,
          made=f"[[score.top_1, score.top_5] for score in [{scored} for step in {now.steps}]]")  # fmt: skip
    downloads.shown_table(learned, key="learned_table", column_config=dict.fromkeys(("loss", "top_1", "top_5"), NUMBER))
    st.caption("Words hidden at random in the same 100 sentences. Scores on held-out text are in the model card.")
