"""What each head and feed-forward block matters over many sentences, with error bars: asked for, in turn."""

import streamlit as st

from encoder.experiments.importance import OVER, Way, importance
from encoder.export.caption import UNCHANGED, About
from encoder.figures.matrix import matrix
from encoder.formatting import brief
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.server.measurements import importances
from pages.ui.state import session_state as state
from pages.ui.step import sweep
from pages.ui.text import head_names, heading, layer_names, say, theme

WAYS: dict[str, Way] = {
    "Its mean over sentences": "mean",
    "What it gave in another sentence": "resample",
    "Zero in its place": "zero",
}


def draw() -> None:
    """The board on demand."""
    model = state.current().model
    encoder = session.text_encoder(model)
    config, n = encoder.config, len(OVER)
    heading(f"Leave one out, over {n} sentences")
    st.markdown(
        "One sentence and zeros can mislead: a part may be idle here, and zero is a number that the layers behind it "
        f"never meet. So each part is left out in {n} sentences, without the changes made above. In each the longest "
        "word is hidden, and what counts is how much of ln p of that word is lost."
    )
    tie = state.choice("board_way", WAYS, next(iter(WAYS)))
    way = WAYS[st.pills("In the place of each part", list(WAYS), required=True, **tie)]
    found = sweep.follow(
        "board", (model, way), lambda: importance(encoder, way), "Measure every part",
        unit="sentences", shared=importances,
    )  # fmt: skip
    if found is None:
        return
    values, errors = (numbers.numpy() for numbers in found.told)
    rows, columns = layer_names(config), [*head_names(config), "feed-forward"]
    what = "Loss of ln p of the hidden word, in nats" if config.mlm_head else "Change of the output"
    drawn = matrix(values, rows, columns, kind="signed" if config.mlm_head else "positive", theme=theme())
    about = About(source=encoder.source, scope=f"{n} of the bundled sentences, {UNCHANGED}")
    i, j = found.strongest_head
    fact = (
        f"{what}: of the heads layer {i}, head {j} matters most, {brief(values[i, j])} ± {brief(errors[i, j])}; "
        f"{found.clear_heads} of {config.n_layers * config.n_heads} heads are more than two errors above 0."
    )
    chart(drawn, "board_map", fact, about, made=f'list(importance(enc, "{way}"))[-1].told[0]')
    say(
        fact,
        "The error is the standard error over the sentences.",
    )
    downloads.numbers("board", "importance", lambda: downloads.frame(values, rows, columns), values.shape)
    downloads.numbers(
        "board_error", "importance_error", lambda: downloads.frame(errors, rows, columns), errors.shape,
        title="Standard errors",
    )  # fmt: skip
