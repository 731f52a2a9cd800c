"""Add & norm: what each sublayer adds to a token's vector, and how the sum is brought back to size."""

import numpy as np
import streamlit as st

from encoder.metrics import SUBLAYERS, norm_moments, sublayer_lengths
from encoder.pictures.registry.add_norm import LENGTHS, part
from pages.parts.add_norm import learned, spread
from pages.ui.downloads import table as downloads
from pages.ui.picture import ask, show
from pages.ui.step import panel
from pages.ui.text import NUMBER, heading

step, scene = panel.pick("add_norm"), ask(LENGTHS)
trace, layer, norm = scene.t, scene.layer, part(scene)

heading(f"The residual against what {SUBLAYERS[norm].replace('_', '-')} adds")
show(LENGTHS)

panel.show(trace, step, scene.head)

heading("Every token's lengths, means and variances")
long = sublayer_lengths(trace, layer, norm)
ledger = {"length of residual": long["residual"], "length of what is added": long["added"]}
ledger |= norm_moments(trace, layer, norm)
st.markdown(learned.ledger(trace.config))
columns = [values.numpy() for values in ledger.values()]
table = downloads.frame(np.stack(columns, 1), trace.tokens, "column").set_axis(list(ledger), axis=1)
downloads.shown_table(table, key="ledger", column_config=dict.fromkeys(ledger, NUMBER))

spread.draw()
learned.draw()
panel.proof(trace, step)
