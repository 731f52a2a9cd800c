"""What really flows: weights against what they carry, what a token keeps of itself, and the way through all layers."""

import numpy as np
import streamlit as st
import torch

from encoder.figures.charts import token_bars
from encoder.figures.facts import main_fact
from encoder.figures.matrix import matrix
from encoder.formatting import short, shown
from encoder.metrics import FLOW_TOKENS, disagreement, flow, mixing_ratio, norm_weighted, rollout
from pages.ui import session
from pages.ui.components import maps
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.server import job_queue
from pages.ui.state import session_state as state
from pages.ui.step import inspector
from pages.ui.text import plain, theme

trace, view = session.now(), state.current()
tokens, config = trace.tokens, trace.config
layers = [f"layer {i}" for i in range(config.n_layers)]


def open_weight(number: int, row: int, column: int) -> None:
    """Open the weight of the pair that was picked."""
    name = f"layers.{view.layer}.attention.weights"
    inspector.open_number(name, (view.head, row, column), fresh=True)


st.header(f"Weight and flow (layer {view.layer}, head {view.head})")
st.markdown(
    "A large weight on a token that offers a short vector moves little. The flow is the length of what is really "
    "handed over: weight times transformed value, ‖A f(x)‖ (Kobayashi et al. 2020)."
)
flowing = norm_weighted(trace, view.layer)
unlike = disagreement(trace, view.layer)[view.head].numpy()
weights = trace.array(f"layers.{view.layer}.attention.weights")[view.head]
three = [
    maps.Map("Weight", "Attention weight", weights, "share", 1.0),
    maps.Map("Flow", "Flow", flowing[view.head].numpy(), "positive", float(flowing.max())),
    maps.Map("Flow as shares minus weight", "Disagreement", unlike, "signed", 1.0),
]
maps.draw("flows", three, tokens, theme(), open_weight, exact=True, least=176)
st.caption(f"{maps.scales(three)} The scale of the flow is that of all heads. Click a pair to open its weight.")
gained = unlike.sum(0)
most, least = int(gained.argmax()), int(gained.argmin())
said = (
    f"Against its weight, “{shown(tokens[most])}” ({most}) hands over most, and “{shown(tokens[least])}” ({least}) "
    f"least: over all rows its share of the flow is {short(float(-gained[least]))} below its share of the weight."
)
st.markdown(f"**{plain(said)}**")
downloads.numbers(
    "flow", "norm_weighted", lambda: downloads.frame(flowing[view.head].numpy(), tokens, tokens), unlike.shape
)

inspector.draw(trace)

st.header("How much of each vector comes from others")
ratio = torch.stack([mixing_ratio(trace, i) for i in range(config.n_layers)], 1).numpy()
drawn = matrix(ratio, tokens, layers, kind="share", theme=theme())
chart(drawn, "mixing", "Share of each token's new vector that comes from other tokens, layer by layer")
i, j = np.unravel_index(ratio.argmax(), ratio.shape)
said = (
    f"“{shown(tokens[i])}” ({i}) takes most from others in layer {j}: {short(float(ratio[i, j]))}. "
    f"The mean is {short(float(ratio.mean()))}."
)
st.markdown(f"**{plain(said)}** Mixing ratio with the residual, before the norm (AttnRes-N, Kobayashi et al. 2021).")
downloads.numbers("mixing", "mixing_ratio", lambda: downloads.frame(ratio, tokens, layers), ratio.shape)

st.header("Through all layers: rollout")
tie = state.choice("rollout_layer", range(config.n_layers), config.n_layers - 1)
upto = st.select_slider("Up to layer", range(config.n_layers), **tie)
rolled = rollout(trace)[upto].numpy()
drawn = matrix(
    rolled, tokens, tokens, kind="share", theme=theme(), row_title=f"after layer {upto}", column_title="input"
)
chart(drawn, "rollout", f"Rollout up to layer {upto}")
st.markdown(
    f"**{plain(main_fact(rolled, tokens, tokens, 'share', trace.pieces.special))}** Attention rollout (Abnar & Zuidema "
    "2020): mean of the heads, half identity for the residual, rows divided by their sums, layers multiplied. The half "
    "is assumed; the picture above shows how far it is from what is measured."
)
downloads.numbers("rollout", "rollout", lambda: downloads.frame(rolled, tokens, tokens), rolled.shape)

st.header("Through all layers: flow to one token")
if len(tokens) > FLOW_TOKENS:
    st.markdown(f"Maximum flow is computed for at most {FLOW_TOKENS} tokens; this sentence has {len(tokens)}.")
else:
    tie = state.choice("flow_token", range(len(tokens)), 0)
    target = st.selectbox("Token", range(len(tokens)), format_func=lambda i: f"{i} {shown(tokens[i])}", **tie)
    if st.button("Compute its flow", key="compute_flow"):
        with job_queue.turn():
            reached = flow(trace, target).numpy()
        bars = token_bars({"share of the flow": reached}, tokens, title="share of the flow", theme=theme())
        chart(bars, "max_flow", f"Share of the maximum flow to token {target} from each input token")
        st.caption("Attention flow (Abnar & Zuidema 2020): the largest flow through the same graph, as shares.")
