"""Add & norm: what each sublayer adds to a token's vector, and how the sum is brought back to size."""

import numpy as np
import streamlit as st

from encoder.export.caption import About
from encoder.figures.charts import token_bars
from encoder.metrics import SUBLAYERS, norm_moments, sublayer_lengths
from pages.parts.add_norm import learned, spread
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.step import panel
from pages.ui.text import NUMBER, heading, theme

step, trace, view = panel.pick("add_norm"), session.now(), state.current()
part = "add_norm_1" if step.part == "add_norm_1" else "add_norm_2"  # the layer's output stands beside the second

heading(f"The residual against what {SUBLAYERS[part].replace('_', '-')} adds")
long = {name: values.numpy() for name, values in sublayer_lengths(trace, view.layer, part).items()}
bars = token_bars(long, trace.tokens, title="length of the vector", theme=theme())
reads = (f"{part}.residual", f"{SUBLAYERS[part]}.output")
chart(
    bars,
    "lengths",
    "Length of the residual and of what is added, per token",
    About(trace, layer=view.layer, reads=reads),
    numbers=True,
    made=f'sublayer_lengths(t, {view.layer}, "{part}")["residual"]',
)

panel.show(trace, step, view.head)

heading("Every token's lengths, means and variances")
ledger = {"length of residual": long["residual"], "length of what is added": long["added"]}
ledger |= {name: values.numpy() for name, values in norm_moments(trace, view.layer, part).items()}
st.markdown(learned.ledger(trace.config))
table = downloads.frame(np.stack(list(ledger.values()), 1), trace.tokens, "column").set_axis(list(ledger), axis=1)
downloads.shown_table(table, key="ledger", column_config=dict.fromkeys(ledger, NUMBER))

spread.draw(part)

model = session.text_encoder(view.model).model
place = f"layers.{view.layer}.{part.replace('add_norm_', 'norm')}"
norm = model.get_submodule(place)
learned.draw(norm, place)
panel.proof(trace, step)
