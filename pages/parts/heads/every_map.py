"""Every head of every layer as a small map."""

import numpy as np
import streamlit as st

from encoder.exam.sentences import head_titles
from encoder.figures.steps import cut_kind
from encoder.metrics import tokens_drawn
from encoder.theme import Kind
from pages.parts.heads.common import chosen, every_weight, names, places
from pages.ui import session
from pages.ui.components import maps
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of
from pages.ui.step import words_only
from pages.ui.text import plain, theme

BELOW = "Where there is room, the surest job for which a head has a licence stands below its map."


def draw() -> None:
    """A row of maps for each layer; a click opens one."""
    trace = session.now()
    config = trace.config
    st.markdown(
        "Every head of every layer on this sentence, a row for each layer. In each map rows look and columns are "
        "looked at. Click one to open it."
    )
    seen = tokens_drawn(trace, words_only.choose())
    weights = np.stack([trace.array(f"layers.{i}.attention.weights") for i in range(config.n_layers)])
    left_out, drawn = seen.sentence(weights), seen.cut(weights)
    kind: Kind = "share" if seen.whole else cut_kind("share")
    largest = 1.0 if seen.whole else float(np.nan_to_num(drawn).max())
    exam = session.exam()
    jobs = head_titles(exam) if exam is not None else {}
    small = [
        maps.Map(
            name,
            f"Layer {i}, head {h}",
            maps.of_head(trace, f"layers.{i}.attention.weights", h, seen),
            kind,
            largest,
            note=jobs.get((i, h), ""),
        )
        for name, (i, h) in zip(names(config), places(config), strict=True)
    ]
    maps.draw(
        "all_heads",
        small,
        seen.drawn,
        theme(),
        visit,
        every_weight(trace),
        chosen=chosen(config),
        columns=config.n_heads,
        at=seen.at,
        left_out=left_out,
        made=words_only.cut(f'torch.stack([t[f"layers.{{i}}.attention.weights"] for i in range({config.n_layers})])'),
    )
    st.caption(plain(f"{maps.scales(small)} {left_out} {BELOW if jobs else ''}"))


def visit(number: int, row: int, column: int) -> None:
    """Show the head that was picked on the attention page."""
    layer, head = places(session.now().config)[number]
    state.change(layer=layer, head=head, step="attention.weights", cell=None)
    state.session().go_to = page_of("attention").script
