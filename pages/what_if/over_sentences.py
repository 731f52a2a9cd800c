"""What each head and feed-forward block matters over many sentences, with error bars: asked for, in turn."""

import streamlit as st

from encoder.experiments.importance import OVER, importance
from encoder.pictures.names import head_names, layer_names
from encoder.pictures.registry.what_if import IMPORTANCE, WAY, WAYS, measured
from pages.ui.downloads import table as downloads
from pages.ui.picture import ask, show, tie
from pages.ui.server.measurements import importances
from pages.ui.step import sweep
from pages.ui.text import heading


def draw() -> None:
    """The board on demand."""
    n = len(OVER)
    heading(f"Leave one out, over {n} sentences")
    st.markdown(
        "One sentence and zeros can mislead: a part may be idle here, and zero is a number that the layers behind it "
        f"never meet. So each part is left out in {n} sentences, without the changes made above. In each the longest "
        "word is hidden, and what counts is how much of ln p of that word is lost."
    )
    st.pills("In the place of each part", list(WAYS), required=True, **tie(WAY, ask(IMPORTANCE)))
    scene = ask(IMPORTANCE)
    way, encoder = WAYS[scene[WAY]], scene.encoder
    found = sweep.follow(
        "board",
        (scene.view.model, way),
        lambda: importance(encoder, way),
        "Measure every part",
        unit="sentences",
        shared=importances,
    )
    if found is None:
        return
    show(IMPORTANCE, known={measured(scene): found}, more="The error is the standard error over the sentences.")
    errors = found.told[1].numpy()
    rows, columns = layer_names(encoder.config), [*head_names(encoder.config), "feed-forward"]
    downloads.numbers(
        "board_error",
        "importance_error",
        lambda: downloads.frame(errors, rows, columns),
        errors.shape,
        title="Standard errors",
    )
