"""Two runs side by side at any step."""

from contextlib import suppress
from dataclasses import replace

import streamlit as st
from torch import Tensor

from encoder.errors import EncoderError
from encoder.experiments.compare import Pair, aligned_tokens, beside, both, differs
from encoder.export.caption import About
from encoder.figures.facts import main_fact
from encoder.figures.matrix import matrix
from encoder.figures.steps import kind_of
from encoder.formatting import shown
from encoder.metrics import subtract
from encoder.pictures.view import Cell
from encoder.steps.step import PAIRS, Step
from encoder.theme import Kind
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.step import opened
from pages.ui.text import plain, theme

NARROWEST = 400  # pixels of a map that stands beside others


def draw(a: Trace, b: Trace, names: tuple[str, str], pairs: list[Pair] | None = None) -> None:
    """One step of both runs and their difference, on scales that fit both."""
    view = state.current()
    apart = {"vocab", "distances"}  # rows of no token, and columns too many to draw
    steps = {
        s.name: s for s in map(a.step, a) if s.name in b and s.layer in (None, view.layer) and apart.isdisjoint(s.shape)
    }
    usual = opens_on(a, b, steps, f"layers.{view.layer}.attention.weights", pairs)
    name = st.selectbox("Step", list(steps), **state.choice("beside_step", steps, usual))
    step = steps[name]
    try:
        ours, theirs = of_head(a, b, step, pairs)
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    if step.single:
        ours, theirs = ours[:, None], theirs[:, None]
    tokens = step.rows(a.tokens if pairs is None else labels(a, b, pairs))
    columns = step.columns(tokens)
    finite = [v.abs()[v.isfinite()] for v in (ours, theirs)]
    largest = max((float(v.max()) for v in finite if v.numel()), default=0.0)
    change = subtract(ours, theirs).numpy()
    signed: Kind = "signed"
    heads = [min(view.head, run.config.n_heads - 1) for run in (a, b)]
    about_a, about_b = (About.of(run, name, head) for run, head in zip((a, b), heads, strict=True))
    every = both(aligned_tokens(a, b) if pairs is None else pairs)
    code_a, code_b = (source(step, head, places) for head, places in zip(heads, every, strict=True))
    apart_code = f"subtract(a{code_a}, b{code_b})"
    row = st.grid("auto", min_column_width=NARROWEST)
    for title, values, kind, top, about, made in (
        (names[0], ours.numpy(), kind_of(step), largest, about_a, f"t{code_a}"),
        (names[1], theirs.numpy(), kind_of(step), largest, about_b, f"t{code_b}"),
        (f"{names[1]} minus {names[0]}", change, signed, None, replace(about_a, other=b), apart_code),
    ):
        with row.container():
            st.markdown(f"**{plain(title)}**")
            fact = f"{title}: {main_fact(values, tokens, columns, kind)}"
            drawn = matrix(values, tokens, columns, kind=kind, theme=theme(), largest=top)
            key = f"beside_{'change' if top is None else names.index(title)}"
            if title in names and (a, b)[names.index(title)] is session.now() and not step.single:
                openable(key, step, heads[0], every[names.index(title)])
            chart(drawn, key, fact, about, numbers=top is not None, made=made)
    st.markdown(plain(main_fact(change, tokens, columns, "signed")))
    downloads.numbers("beside", f"{name}.difference", lambda: downloads.frame(change, tokens, columns), change.shape)


def of_head(a: Trace, b: Trace, step: Step, pairs: list[Pair] | None) -> tuple[Tensor, Tensor]:
    """A step of both runs; of steps with heads, the chosen head, or the last one of a run that has fewer.

    Raises:
        EncoderError: a step that is not in both, or has another width there.
    """
    ours, theirs = beside(a, b, step.name, pairs)
    if "H" in step.shape:
        head = state.current().head
        return ours[min(head, len(ours) - 1)], theirs[min(head, len(theirs) - 1)]
    return ours, theirs


def opens_on(a: Trace, b: Trace, steps: dict[str, Step], usual: str, pairs: list[Pair] | None) -> str:
    """The step to show first: the usual one, or else the first of these where the runs differ, if any does."""
    for name in (usual, *steps):
        with suppress(EncoderError):
            if differs(*of_head(a, b, steps[name], pairs)):
                return name
    return usual


def source(step: Step, head: int, places: list[int]) -> str:
    """What is taken of a run: the step, of steps with heads one head, and the tokens at these positions."""
    of_head = f"[{head}]" if "H" in step.shape else ""
    axes = [dimension for dimension in step.shape if dimension != "H"]
    return f'["{step.name}"]{of_head}' + "".join(
        f"[{':, ' * axis}{places}]" for axis, dimension in enumerate(axes) if dimension == "n"
    )


def openable(key: str, step: Step, head: int, places: list[int]) -> None:
    """Have a click in a picture of this session's run open the number; `places` are the positions of its rows."""
    trace = session.now()
    across = places if step.shape == PAIRS else list(range(step.sizes(trace.config, len(trace.tokens))[-1]))
    place, mark = opened.place_in(trace, step, head), None
    if place is not None and place[0] in places and place[1] in across:
        mark = places.index(place[0]), across.index(place[1])

    def take(row: int, column: int) -> None:
        if row < len(places) and column < len(across):
            cell = Cell(step.name, opened.index_of(step, head, places[row], across[column]))
            opened.open_number(cell, fresh=True)

    opened.listen(key, take, mark)


def labels(a: Trace, b: Trace, pairs: list[Pair]) -> list[str]:
    """Names for tokens that stand in both runs; of different words, both."""
    both = [(a.tokens[p.a], b.tokens[p.b]) for p in pairs if p.a is not None and p.b is not None]
    return [either(x, y) for x, y in both]


def either(x: str, y: str) -> str:
    """One name for a place: the word that stands there in both runs, or both words."""
    return x if x == y else f"{shown(x, 6)}/{shown(y, 6)}"
