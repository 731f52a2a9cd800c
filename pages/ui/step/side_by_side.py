"""Two runs side by side at any step, and sweeps over all parts of a run with progress and a way out."""

from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import streamlit as st

from encoder.experiments.ablation import Watch, grid
from encoder.experiments.ablation import leave_one_out as sweep_heads
from encoder.experiments.compare import Pair, beside, subtract
from encoder.figures.facts import main_fact
from encoder.figures.matrix import matrix
from encoder.formatting import shown
from encoder.steps.step import PAIRS, PER_HEAD, PER_TOKEN
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.server import job_queue
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
    if step.shape in (PER_HEAD, PAIRS):
        ours, theirs = ours[min(view.head, len(ours) - 1)], theirs[min(view.head, len(theirs) - 1)]
    if step.shape == PER_TOKEN:
        ours, theirs = ours[:, None], theirs[:, None]
    tokens = a.tokens if pairs is None else labels(a, b, pairs)
    columns = tokens if step.shape == PAIRS else {"d_ff": "unit", "n": "value"}.get(step.shape[-1], "dimension")
    finite = [v.abs()[v.isfinite()] for v in (ours, theirs)]
    largest = max((float(v.max()) for v in finite if v.numel()), default=0.0)
    change = subtract(ours, theirs).numpy()
    for title, values, kind, top in (
        (names[0], ours.numpy(), step.values, largest),
        (names[1], theirs.numpy(), step.values, largest),
        (f"{names[1]} minus {names[0]}", change, "signed", None),
    ):
        st.markdown(f"**{plain(title)}**")
        fact = main_fact(change, tokens, columns, "signed") if kind == "signed" and top is None else title
        drawn = matrix(values, tokens, columns, kind=kind, theme=theme(), largest=top)
        chart(drawn, f"beside_{'change' if top is None else names.index(title)}", fact)
    st.markdown(plain(main_fact(change, tokens, columns, "signed")))
    table_columns = columns if isinstance(columns, list) else "dim"
    downloads.numbers(
        "beside", f"{name}.difference", lambda: downloads.frame(change, tokens, table_columns), change.shape
    )


def labels(a: Trace, b: Trace, pairs: list[Pair]) -> list[str]:
    """Names for tokens that stand in both runs; of different words, both."""
    both = [(a.tokens[p.a], b.tokens[p.b]) for p in pairs if p.a is not None and p.b is not None]
    return [either(x, y) for x, y in both]


def either(x: str, y: str) -> str:
    """One name for a place: the word that stands there in both runs, or both words."""
    return x if x == y else f"{shown(x, 6)}/{shown(y, 6)}"


def watched(encoder: Any, trace: Trace, key: str) -> Watch | None:
    """The masked word whose probability is watched, if the person wants one and there is one."""
    masks = [i for i, token in enumerate(trace.tokens) if token == encoder.mask_token]
    if not masks or encoder.model.mlm_head is None:
        return None
    usual = str(encoder.predict(trace, 1)[masks[0]][0][0])
    tie = state.choice(key, None, usual)
    word = st.text_input(f"Word to watch at {encoder.mask_token}", max_chars=40, **tie)
    token = encoder.tokenizer.token_to_id(word.strip().lower())
    if token is None:
        st.caption(plain(f"“{word}” is not one word of the vocabulary, so no word is watched."))
        return None
    return Watch(masks[0], token)


def follow(key: str, asked: tuple[Any, ...], start: Callable[[], Generator[Any, None, None]], label: str) -> Any:
    """Run a sweep on demand, in turn, with a progress bar; any other click stops it. Returns what was found."""
    done = st.session_state.setdefault(key, {})
    if st.button(label, key=f"{key}_go"):
        bar = st.progress(0.0, "Starting …")
        way_out = st.empty()
        way_out.button("Cancel", key=f"{key}_cancel")
        with job_queue.turn():
            for found in start():
                bar.progress(found.done / found.total, f"{found.done} of {found.total} runs")
        bar.empty()
        way_out.empty()
        done.clear()
        done[asked] = found
    return done.get(asked)


def leave_one_out(trace: Trace, ids: np.ndarray) -> None:
    """Every head and feed-forward block knocked out in turn, as a map of what each does to the result."""
    view = state.current()
    encoder, config = session.text_encoder(view.model), trace.config
    st.header("Leave one out")
    st.markdown("Knock out every head and every feed-forward block in turn, each alone, and see which one matters.")
    watch = watched(encoder, trace, "watched")
    asked = (view.model, trace.asked, view.hidden, view.edits, watch)
    found = follow("loo", asked, lambda: sweep_heads(encoder, trace, watch=watch), "Knock out each in turn")
    if found is None:
        return
    measures = {"Change of the output": "relative_change", "Cosine of the output": "cosine"}
    if watch:
        measures["Change of the word's log-probability"] = "log_probability"
    usual = list(measures)[-1 if watch else 0]
    chosen = st.pills("Effect", list(measures), required=True, **state.choice("loo_measure", measures, usual))
    values = grid(found.effects, config, measures[chosen]).numpy()
    rows = [f"layer {i}" for i in range(config.n_layers)]
    columns = [*(f"head {h}" for h in range(config.n_heads)), "feed-forward"]
    kind = {"cosine": "share", "relative_change": "positive"}.get(measures[chosen], "signed")
    chart(matrix(values, rows, columns, kind=kind, theme=theme()), "loo_map", f"{chosen} when each part is knocked out")
    worst = np.unravel_index((-values if kind == "share" else np.abs(values)).argmax(), values.shape)
    st.markdown(f"**{plain(f'{rows[worst[0]]}, {columns[worst[1]]} matters most: {values[worst]:.4g}.')}**")
    downloads.numbers("loo", "leave_one_out", lambda: downloads.frame(values, rows, columns), values.shape)
