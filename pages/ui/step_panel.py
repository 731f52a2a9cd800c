"""One step of the catalogue on the screen: what happens, the picture, its main fact, what to look for, the numbers."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from encoder.code import running_source, snippet
from encoder.figures.charts import likeliest, token_bars
from encoder.figures.facts import main_fact
from encoder.figures.matrix import matrix
from encoder.figures.theme import Kind
from encoder.steps import PAIRS, PER_HEAD, PER_TOKEN, Step
from encoder.trace import Trace
from pages.ui import downloads, inspector, session, state
from pages.ui.site import PAGES
from pages.ui.text import chart, plain, theme
from pages.ui.walk import current, stops_of

BEST_WORDS = 5


@dataclass(frozen=True)
class Picture:
    """What is drawn of a step: values [rows, columns] of one head or of all tokens."""

    values: np.ndarray
    rows: list[str]
    columns: list[str] | str
    kind: Kind
    largest: float | None = None


def draw(page_key: str) -> Step:
    """Let the person choose among the page's steps, and show the chosen one; returns it."""
    trace, view = session.now(), state.current()
    page = next(p for p in PAGES if p.key == page_key)
    offered = stops_of(page, trace.config, view.layer)
    titles = {local: trace.step(stop.name).title for local, stop in offered.items()}
    key = f"step_{page_key}"
    st.session_state[key] = view.step
    st.pills("Step", list(offered), key=key, required=True, format_func=titles.get, on_change=choose, args=(key,))
    step = trace.step(current(page, trace.config).name)
    show(trace, step, view.head)
    return step


def choose(key: str) -> None:
    """Take over the step that was picked."""
    state.change(step=st.session_state[key], cell="")


def show(trace: Trace, step: Step, head: int) -> None:
    """Everything about one step."""
    words, formula = st.columns([3, 2], vertical_alignment="center")
    words.subheader(title(step, head))
    words.markdown(step.note)
    sizes = step.sizes(trace.config, len(trace.tokens))
    words.caption(f"`{step.name}` · shape {' × '.join(step.shape)} = {' × '.join(map(str, sizes))}")
    formula.latex(step.formula if "=" in step.formula else f"{step.symbol} = {step.formula}")
    if step.shape[-1] == "vocab":
        best_words(trace, step)
        return
    lock = "H" in step.shape and step.values != "share" and st.toggle("One colour scale for all heads", key="lock")
    picture = of(trace, step, head, lock)
    fact = main_fact(picture.values, picture.rows, picture.columns, picture.kind, trace.pieces.special)
    chart(figure(picture, step), "picture", f"{title(step, head)}. {fact}")
    inspector.listen(step, head)
    st.markdown(f"**{plain(fact)}** {step.look}")
    columns = picture.columns if isinstance(picture.columns, list) else "dim"
    downloads.numbers(
        "step", step.name, lambda: downloads.frame(picture.values, picture.rows, columns), picture.values.shape
    )
    inspector.choose(trace, step, head)
    inspector.draw(trace)


def title(step: Step, head: int) -> str:
    """The step with the layer and head it is shown for."""
    where = [f"layer {step.layer}"] if step.layer is not None else []
    where += [f"head {head}"] if "H" in step.shape else []
    return f"{step.title} ({', '.join(where)})" if where else step.title


def of(trace: Trace, step: Step, head: int, lock: bool) -> Picture:
    """The part of a step that fits a picture: one head of several, a row for each token."""
    values = trace.array(step.name)
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max(initial=0.0)) if lock else None
    if step.shape in (PER_HEAD, PAIRS):
        values = values[head]
    if step.shape == PER_TOKEN:
        values = values[:, None]
    names = {"d_ff": "unit", "n": step.title.lower()}
    columns = trace.tokens if step.shape == PAIRS else names.get(step.shape[-1], "dimension")
    return Picture(values, trace.tokens, columns, step.values, largest)


def figure(picture: Picture, step: Step) -> go.Figure:
    """The picture of a step."""
    if step.shape == PER_TOKEN:
        return token_bars({step.title: picture.values[:, 0]}, picture.rows, title=step.title, theme=theme())
    pairs = step.shape == PAIRS
    return matrix(
        picture.values, picture.rows, picture.columns, kind=picture.kind, theme=theme(), largest=picture.largest,
        row_title="query (looks)" if pairs else "", column_title="key (is looked at)" if pairs else "",
    )  # fmt: skip


def best_words(trace: Trace, step: Step) -> None:
    """The likeliest words of a step over the vocabulary."""
    top = trace[step.name].topk(BEST_WORDS)
    tokenizer = session.text_encoder(state.current().model).tokenizer
    names = [[str(tokenizer.id_to_token(i)) for i in row] for row in top.indices.tolist()]
    values = top.values.numpy()
    drawn = likeliest(names, values, trace.tokens, kind=step.values, theme=theme())
    chart(drawn, "picture", f"{step.title}: the {BEST_WORDS} best words for each token")
    inspector.listen(step, 0, top.indices.tolist())
    st.markdown(f"The {BEST_WORDS} best of {trace.config.vocab_size:,} words at each position. {step.look}")
    rows = [
        {"position": i, "token": trace.tokens[i], "rank": r + 1, "word": names[i][r], step.title: float(values[i, r])}
        for i in range(len(names))
        for r in range(BEST_WORDS)
    ]
    downloads.numbers("words", step.name, lambda: pd.DataFrame(rows).set_index("position"), values.shape)
    inspector.draw(trace)


def proof(trace: Trace, step: Step) -> None:
    """How to check a step: against PyTorch's own modules, and by running its code."""
    st.subheader("How to check")
    found = session.proof(step.name)
    with st.grid("auto", min_column_width=210, key="proof"):
        for check in found:
            said = f"Largest difference, now, among numbers up to {check.size:.4g}."
            said = f"The effect of a change, no proof: {check.edited}." if check.edited else said
            name = f"{check.what} (changed)" if check.edited else check.what
            st.metric(plain(name), f"{check.difference:.1e}", help=plain(said))
    model = session.text_encoder(state.current().model).model
    st.caption(
        f"{trace[step.name].dtype} · dropout {'on' if model.training else 'off'} · model {plain(trace.source.name)} "
        f"({trace.source.fingerprint})" + ("" if found else " · PyTorch has no module of its own for this part")
    )
    fold = st.expander("Show me the code", key="code", on_change="rerun")
    if fold.open:
        ours, running = fold.columns(2)
        ours.markdown("Lines that run by themselves and print this tensor:")
        ours.code(snippet(trace, step, state.current().head), language="python")
        running.markdown("The source that computed it:")
        running.code(running_source(trace, step), language="python")
