"""One word of two runs, layer by layer."""

import streamlit as st

from encoder.experiments.compare import Pair, token_cosine, turned_most
from encoder.export.caption import About
from encoder.figures.charts import token_bars
from encoder.formatting import brief, shown
from encoder.theme import label
from encoder.trace.trace import Trace
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import layer_names, say, theme


def spell(run: Trace, position: int | None) -> str:
    """A token as text; a dash where the other sentence has one and this has none."""
    return "–" if position is None else shown(run.tokens[position])


def draw(a: Trace, b: Trace, pairs: list[Pair]) -> None:
    """One word that stands in both runs, layer by layer, and beside it the first that was changed."""
    same = [p for p in pairs if p.same]
    if not same:
        return
    tie = state.choice("follow", range(len(same)), turned_most(a, b, same))
    names = [f"{p.a} {spell(a, p.a)}" for p in same]
    at = same[st.selectbox("Follow the word", range(len(same)), format_func=names.__getitem__, **tie)]
    assert at.a is not None and at.b is not None  # a word that stands in both
    alike = token_cosine(a, at.a, b, at.b).numpy()
    series = {label(a.tokens[at.a]): alike}
    made = [f"token_cosine(a, {at.a}, b, {at.b})"]
    for p in pairs:
        if not p.same and p.a is not None and p.b is not None:
            series[f"{label(a.tokens[p.a])} → {label(b.tokens[p.b])}"] = token_cosine(a, p.a, b, p.b).numpy()
            made.append(f"token_cosine(a, {p.a}, b, {p.b})")
            break
    bars = token_bars(series, layer_names(a.config, with_input=True), title="cosine", theme=theme())
    chart(
        bars,
        "followed",
        "Cosine of the word's vectors in both runs, layer by layer",
        About.of_stream(a, other=b),
        numbers=True,
        made=f"[{', '.join(made)}]",
    )
    first, last = (brief(float(alike[i])) for i in (0, -1))
    say(f"The vectors of “{spell(a, at.a)}” have cosine {first} at the input and {last} at the end.")
