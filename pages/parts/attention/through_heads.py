"""One token's vector through all heads and back, as one picture."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.fan_out import STRIPS, fan_out
from encoder.formatting import percent, shown
from encoder.metrics import head_shares
from encoder.pictures.registry.grids import ATTENTION_GRID, usual_pair
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.picture import ask
from pages.ui.state import session_state as state
from pages.ui.text import heading, say, theme
from pages.ui.widgets import pick_token

STEPS = ("attention.concat", "attention.output")  # where this is drawn


def draw() -> None:
    """The chosen token's vector, cut among the heads, joined and mixed."""
    trace, view = session.now(), state.current()
    config = trace.config
    heading("One vector through all heads and back")
    token = pick_token("Token", trace.tokens, "through", usual_pair(ask(ATTENTION_GRID))[0])
    shares = head_shares(trace, view.layer)[:, token]
    most = int(shares.nan_to_num().argmax())
    fact = (
        f"Each of the {config.n_heads} heads reads all {config.d_model} numbers of “{shown(trace.tokens[token])}” and "
        f"makes {config.d_head} of its own. Head {most} makes {percent(float(shares[most]))} of what all heads add."
    )
    about = About(trace, layer=view.layer, reads=tuple(f"attention.{name}" for name, *_ in STRIPS))
    steps = [f"layers.{view.layer}.attention.{name}" for name, *_ in STRIPS]
    chart(fan_out(trace, view.layer, token, theme()), "fan_out", fact, about, wide=True, numbers=True,
          made=f"[t[name][..., {token}, :] for name in {steps}]")  # fmt: skip
    say(
        fact,
        "Between the values and Z stands what each head looks at most. Joined, the heads' numbers stand side by side, "
        "each in its place; W_O makes every number that comes out from all of them. The wider a head's last curve, the "
        "larger its share; one that works against the sum has another colour.",
    )
    st.caption("Each strip has colours of its own, up to its largest number; point at one to read it.")
