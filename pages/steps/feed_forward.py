"""Feed-forward: every token by itself is widened, bent and narrowed."""

import pandas as pd

from encoder.export.caption import About
from encoder.figures.charts import token_bars
from encoder.formatting import brief, percent, shown
from encoder.metrics import most_active, never_active_share, silent_share
from encoder.model.activations import ACTIVATIONS
from pages.parts.feed_forward import curve
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.step import panel
from pages.ui.text import heading, say, theme

MOST = 5

step, trace, view = panel.pick("feed_forward"), session.now(), state.current()
curve.draw()
panel.show(trace, step, view.head)
kind = ACTIVATIONS[trace.config.activation]
activation = trace[f"layers.{view.layer}.feed_forward.activation"]

heading("How many units are silent")
silent = silent_share(activation)
bars = token_bars({"share of zeros": silent.numpy()}, trace.tokens, title="share of zeros", theme=theme())
about = About(trace, layer=view.layer, reads=("feed_forward.activation",))
chart(
    bars,
    "silent",
    "Share of units that are zero, for each token",
    about,
    numbers=True,
    made=f'silent_share(t["layers.{view.layer}.feed_forward.activation"])',
)
say(
    f"On average {percent(float(silent.mean()))} of the {trace.config.d_ff} units are exactly zero at a token; "
    f"{percent(never_active_share(activation))} of them are zero at every token of this sentence.",
    "" if kind.cuts else f"{kind.title} damps, it does not cut.",
)

heading(f"The {MOST} most active units of each token")
values, units = most_active(activation, MOST)
rows = [
    {"token": f"{i} {shown(token)}"}
    | {f"{r + 1}.": f"unit {unit}: {brief(value)}" for r, (unit, value) in enumerate(zip(us, vs, strict=True))}
    for i, (token, us, vs) in enumerate(zip(trace.tokens, units.tolist(), values.tolist(), strict=True))
]
downloads.shown_table(pd.DataFrame(rows), hide_index=True, key="most_active")
curve.dead()
panel.proof(trace, step)
