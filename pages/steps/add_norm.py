"""Add & norm: what each sublayer adds to a token's vector, and how the sum is brought back to size."""

import numpy as np
import pandas as pd
import streamlit as st

from encoder.figures.charts import token_bars
from encoder.figures.matrix import matrix
from encoder.metrics import length
from pages.ui import downloads, session, state, step_panel

step = step_panel.draw("add_norm")
trace, view = session.now(), state.current()
config, model = trace.config, session.text_encoder(view.model).model
second = step.part == "add_norm_2"
at = f"layers.{view.layer}.add_norm_{2 if second else 1}."
sublayer = "feed_forward" if second else "attention"

st.subheader(f"The residual against what {sublayer.replace('_', '-')} adds")
added = trace[f"layers.{view.layer}.{sublayer}.output"]
lengths = {"residual": length(trace[at + "residual"]).numpy(), "added": length(added).numpy()}
bars = token_bars(lengths, trace.tokens, title="length of the vector", theme=step_panel.theme())
st.plotly_chart(
    bars, key="lengths", config=step_panel.CONFIG, alt="Length of the residual and of what is added, per token"
)

normed = trace[at + ("residual" if config.norm_first else "sum")]
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
table = downloads.frame(np.stack(list(ledger.values()), 1), trace.tokens, "")
st.dataframe(table.set_axis(list(ledger), axis=1), key="ledger", column_config=dict.fromkeys(ledger, step_panel.NUMBER))

st.subheader("Gamma and beta of this norm")
norm = model.get_submodule(f"layers.{view.layer}.norm{2 if second else 1}")
learned = np.stack([norm.weight.numpy(), norm.bias.numpy()])
st.plotly_chart(
    matrix(learned, ["gamma", "beta"], "dimension", kind="signed", theme=step_panel.theme()),
    key="gamma_beta",
    config=step_panel.CONFIG,
    alt="The learned gamma and beta of every dimension",
)
downloads.numbers(
    "gamma_beta",
    "gamma_beta",
    lambda: pd.DataFrame(learned, index=["gamma", "beta"]).T.rename_axis("dimension"),
    learned.shape,
)
