"""Add & norm: what each sublayer adds to a token's vector, and how the sum is brought back to size."""

import numpy as np
import pandas as pd
import streamlit as st

from encoder.figures.charts import token_bars
from encoder.figures.matrix import matrix
from encoder.metrics import length
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.step import panel
from pages.ui.text import NUMBER, theme

step = panel.draw("add_norm")
trace, view = session.now(), state.current()
config, model = trace.config, session.text_encoder(view.model).model
number = "1" if step.part == "add_norm_1" else "2"
at = f"layers.{view.layer}.add_norm_{number}."
sublayer = {"1": "attention", "2": "feed_forward"}[number]

st.header(f"The residual against what {sublayer.replace('_', '-')} adds")
added = trace[f"layers.{view.layer}.{sublayer}.output"]
lengths = {"residual": length(trace[at + "residual"]).numpy(), "added": length(added).numpy()}
bars = token_bars(lengths, trace.tokens, title="length of the vector", theme=theme())
chart(bars, "lengths", "Length of the residual and of what is added, per token")

output, correction = trace[at + "output"], 1 if config.norm == "std_norm" else 0
ledger = {
    "length of residual": lengths["residual"],
    "length of what is added": lengths["added"],
    "mean before": trace[at + "mean"].numpy(),
    "variance before": trace[at + "variance"].numpy(),
    "mean normalized": trace[at + "normalized"].mean(-1).numpy(),
    "variance normalized": trace[at + "normalized"].var(-1, correction=correction).numpy(),
    "mean after": output.mean(-1).numpy(),
    "variance after": output.var(-1, correction=correction).numpy(),
}
st.markdown(
    "Before the norm every token has its own mean and variance. Normalized, the mean is 0 and the variance 1; after "
    "gamma and beta they move again, in the same way for every token."
)
table = downloads.frame(np.stack(list(ledger.values()), 1), trace.tokens, "column").set_axis(list(ledger), axis=1)
st.dataframe(table, key="ledger", column_config=dict.fromkeys(ledger, NUMBER))

st.header("Gamma and beta of this norm")
norm = model.get_submodule(f"layers.{view.layer}.norm{number}")
learned = np.stack([norm.weight.numpy(), norm.bias.numpy()])
drawn = matrix(learned, ["gamma", "beta"], "dimension", kind="signed", theme=theme())
chart(drawn, "gamma_beta", "The learned gamma and beta of every dimension")
both = pd.DataFrame(learned.T, columns=["gamma", "beta"]).rename_axis("dimension")
downloads.numbers("gamma_beta", "gamma_beta", lambda: both, learned.shape)
panel.proof(trace, step)
