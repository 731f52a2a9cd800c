"""Two runs side by side at any step."""

from dataclasses import replace

import streamlit as st

from encoder.experiments.compare import Pair, beside, subtract
from encoder.export.caption import About
from encoder.figures.facts import main_fact
from encoder.figures.matrix import matrix
from encoder.figures.steps import kind_of
from encoder.figures.theme import Kind
from encoder.formatting import shown
from encoder.steps.step import PER_TOKEN
from encoder.trace.trace import Trace
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import plain, theme


def draw(a: Trace, b: Trace, names: tuple[str, str], pairs: list[Pair] | None = None) -> None:
    """One step of both runs and their difference, on scales that fit both."""
    st.header("Any step, side by side")
    view = state.current()
    steps = {
        s.name: s for s in map(a.step, a) if s.name in b and s.layer in (None, view.layer) and s.shape[-1] != "vocab"
    }
    usual = f"layers.{view.layer}.attention.weights"
    name = st.selectbox("Step", list(steps), **state.choice("beside_step", steps, usual))
    step = steps[name]
    try:
        ours, theirs = beside(a, b, name, pairs)
    except ValueError as error:
        st.markdown(plain(f"{error}."))
        return
    if "H" in step.shape:
        ours, theirs = ours[min(view.head, len(ours) - 1)], theirs[min(view.head, len(theirs) - 1)]
    if step.shape == PER_TOKEN:
        ours, theirs = ours[:, None], theirs[:, None]
    tokens = a.tokens if pairs is None else labels(a, b, pairs)
    columns = step.columns(tokens)
    finite = [v.abs()[v.isfinite()] for v in (ours, theirs)]
    largest = max((float(v.max()) for v in finite if v.numel()), default=0.0)
    change = subtract(ours, theirs).numpy()
    signed: Kind = "signed"
    about_a, about_b = (About.of(run, name, min(view.head, run.config.n_heads - 1)) for run in (a, b))
    for title, values, kind, top, about in (
        (names[0], ours.numpy(), kind_of(step), largest, about_a),
        (names[1], theirs.numpy(), kind_of(step), largest, about_b),
        (f"{names[1]} minus {names[0]}", change, signed, None, replace(about_a, other=b)),
    ):
        st.markdown(f"**{plain(title)}**")
        fact = main_fact(change, tokens, columns, "signed") if kind == "signed" and top is None else title
        drawn = matrix(values, tokens, columns, kind=kind, theme=theme(), largest=top)
        chart(drawn, f"beside_{'change' if top is None else names.index(title)}", fact, about)
    st.markdown(plain(main_fact(change, tokens, columns, "signed")))
    downloads.numbers("beside", f"{name}.difference", lambda: downloads.frame(change, tokens, columns), change.shape)


def labels(a: Trace, b: Trace, pairs: list[Pair]) -> list[str]:
    """Names for tokens that stand in both runs; of different words, both."""
    both = [(a.tokens[p.a], b.tokens[p.b]) for p in pairs if p.a is not None and p.b is not None]
    return [either(x, y) for x, y in both]


def either(x: str, y: str) -> str:
    """One name for a place: the word that stands there in both runs, or both words."""
    return x if x == y else f"{shown(x, 6)}/{shown(y, 6)}"
