"""Feed-forward: every token by itself is widened, bent and narrowed."""

import pandas as pd

from encoder.formatting import brief, shown
from encoder.metrics import most_active
from encoder.model.activations import ACTIVATIONS
from encoder.pictures.registry.feed_forward import ACTIVATION, SILENT
from pages.parts.feed_forward import curve
from pages.ui.downloads import table as downloads
from pages.ui.picture import ask, show
from pages.ui.step import panel
from pages.ui.text import heading

MOST = 5

step, scene = panel.pick("feed_forward"), ask(SILENT)
trace = scene.t
curve.draw()
panel.show(trace, step, scene.head)

heading("How many units are silent")
kind = ACTIVATIONS[trace.config.activation]
show(SILENT, more="" if kind.cuts else f"{kind.title} damps, it does not cut.")

heading(f"The {MOST} most active units of each token")
values, units = most_active(trace[f"layers.{scene.layer}.{ACTIVATION}"], MOST)
rows = [
    {"token": f"{i} {shown(token)}"}
    | {f"{r + 1}.": f"unit {unit}: {brief(value)}" for r, (unit, value) in enumerate(zip(us, vs, strict=True))}
    for i, (token, us, vs) in enumerate(zip(trace.tokens, units.tolist(), values.tolist(), strict=True))
]
downloads.shown_table(pd.DataFrame(rows), hide_index=True, key="most_active")
curve.never_awake()
panel.proof(trace, step)
