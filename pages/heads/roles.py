"""What each head does, where that is more than chance."""

from dataclasses import asdict

import pandas as pd
import streamlit as st

from encoder.metrics import HEAD_MEASURES, MARGIN, MOST, ROLES
from encoder.metrics.roles import NO_ROLE
from encoder.support.formatting import percent, points
from pages.heads import a_list, beside, jobs, own_trees
from pages.heads.common import measured, names, places
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.text import NUMBER, heading, plain
from pages.ui.widgets import fold


def draw() -> None:
    """The jobs that were examined, the heads with a place to look, and all heads with all measures as a table."""
    jobs.draw()
    fold("Beside another model, relation by relation", "heads_beside", beside.draw, holds={"heads_other"})
    fold("Examine heads on trees of your own", "heads_trees", own_trees.draw)
    fold("Measure a list of sentences", "heads_list", a_list.draw)
    heading("Where each head looks")
    config = session.now().config
    over, heads = measured(), names(config)
    found = over.heads
    roles = [found.roles[i][h] for i, h in places(config)]
    told = [
        f"{head} {role.label} ({percent(role.mass)})"
        for head, role in zip(heads, roles, strict=True)
        if role.label in ROLES[:3]
    ]
    those = ", ".join(told) if told else "none that chance does not explain"
    st.markdown(plain(f"Heads with a place to look: {those}. {over.over}"))
    numbers = {one.title: found.measures[name].flatten().numpy() for name, one in HEAD_MEASURES.items()}
    table = pd.DataFrame([asdict(role) for role in roles], index=heads).assign(**numbers).rename_axis("head")
    table = table.rename(columns={"label": "looks at"}).replace({"looks at": {NO_ROLE: "no one place"}})
    downloads.shown_table(table, key="roles", column_config=dict.fromkeys(table.columns[2:], NUMBER))
    st.caption(
        f"A head is labelled where it puts more than {percent(MOST)} of its weight on a role, and at least "
        f"{points(MARGIN)} more than uniform attention would and than it does with the tokens in a shuffled order; n "
        "counts the queries. A place to look is no job. “special” is [CLS] and [SEP] together, where neither has the "
        "role alone. Weights alone do not explain what a model answers."
    )
