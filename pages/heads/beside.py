"""Two models side by side, relation by relation: the best head of each, whatever it is called."""

import pandas as pd
import streamlit as st

from encoder.exam.examples import side_by_side
from encoder.exam.links import GAPS
from encoder.exam.sentences import text, title
from encoder.support.formatting import percent
from pages.heads.jobs import PERCENT
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.server import exams, models
from pages.ui.state import session_state as state
from pages.ui.text import plain, say

EXAMINED = ("base", "small")  # the bundled models whose examination is shipped


def draw() -> None:
    """Another model, and a table with a row for each relation that both were asked."""
    here = state.current().model
    others = [*EXAMINED, *state.session().own_models]
    tie = state.choice("heads_other", others, next(name for name in others if name != here))
    other = st.pills("Beside", others, required=True, format_func=lambda name: plain(models.offer(name).label), **tie)
    mine, theirs = session.exam(), exams.exam(other)
    names = [models.offer(name).label for name in (here, other)]
    for found, name in zip((mine, theirs), names, strict=True):
        if found is None:
            st.markdown(plain(f"The heads of {name} were not examined yet: open it on this page and examine them."))
    if mine is None or theirs is None:
        return
    pairs = sorted(side_by_side(mine, theirs), key=lambda pair: not pair.apart)
    first = pairs[0]
    say(
        f"Of those that surely differ, most at {title(first.relation)}: {percent(first.first.accuracy)} in {names[0]}, "
        f"{percent(first.second.accuracy)} in {names[1]}."
        if first.apart
        else "They surely differ at no relation."
    )
    table = pd.DataFrame(
        {
            "relation": title(pair.relation),
            "UD": "" if pair.relation in GAPS else pair.relation,
            "head": f"L{pair.first.layer}H{pair.first.head}",
            "right": 100 * pair.first.accuracy,
            "its head": f"L{pair.second.layer}H{pair.second.head}",
            "its right": 100 * pair.second.accuracy,
            "difference": 100 * pair.gain,
            "surely": "yes" if pair.apart else "no",
            "rule right": 100 * pair.first.distance_accuracy,
            "of": pair.first.n,
        }
        for pair in pairs
    )
    shares = dict.fromkeys(("right", "its right", "rule right"), PERCENT)
    points = {"difference": st.column_config.NumberColumn(format="%+.0f")}
    downloads.shown_table(table, key="side_by_side", hide_index=True, column_config=shares | points)
    st.caption(
        plain(
            f"“head” and “right” are of {names[0]}, “its” of {names[1]}, in {text(mine.treebanks[0].name)}; the "
            "difference is in points. Each model is shown with its own best head, so the places need not be the same. "
            "“surely”: their intervals of 95 % do not meet."
        )
    )
