"""Where vectors come from: the parts that are added up, the units behind them, and how alike the layers are."""

import pandas as pd
import streamlit as st
from torch import Tensor

from encoder.export.caption import UNCHANGED, About
from encoder.figures.charts import token_bars
from encoder.figures.matrix import matrix
from encoder.figures.theme import Kind
from encoder.formatting import brief, shown
from encoder.metrics import BUNDLED, contributions, layer_sizes, most_active
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import NUMBER, layer_names, plain, theme
from pages.ui.widgets import pick_token

trace, view = session.now(), state.current()
tokens = trace.tokens
layers = layer_names(trace.config, with_input=True)

st.header(f"The parts that are added up (layer {view.layer})")
parts = {name: values[view.layer].numpy() for name, values in contributions(trace).items()}
first, second = list(parts)[:2], list(parts)[2:]
for (residual, added), key in ((first, "from_attention"), (second, "from_feed_forward")):
    bars = token_bars({residual: parts[residual], added: parts[added]}, tokens, title="length", theme=theme())
    about = About(trace, layer=view.layer, reads=(residual, added))
    chart(bars, key, f"Length of {residual} and of {added}, per token", about)
st.markdown("Vectors are added, not their lengths: two long vectors can cancel out.")

st.header("What grows large")
sizes = pd.DataFrame([one.row(tokens) for one in layer_sizes(trace)], index=pd.Index(layers[1:], name="layer"))
st.dataframe(sizes, key="layer_sizes", column_config=dict.fromkeys(sizes.columns, NUMBER))
st.caption(
    "The longest vector that each sublayer adds; the largest number of all that the layer has added up, before its "
    "last norm where one follows, with its token and channel, beside the median; and how many units are zero at every "
    "token."
)

st.header(f"Units and the words they point to (layer {view.layer})")
position = pick_token("Token", tokens, "unit_token")
values, units = most_active(trace[f"layers.{view.layer}.feed_forward.activation"][position], 5)
rows = [
    {"unit": unit, "activation": value, "its output points to": session.words_of_unit(view.model, view.layer, unit)}
    for unit, value in zip(units.tolist(), values.tolist(), strict=True)
]
st.dataframe(pd.DataFrame(rows), hide_index=True, key="unit_words", column_config={"activation": NUMBER})
st.caption("Words whose embedding has the largest cosine with what the unit writes; later layers still act on it.")
near = session.words_near(view.model, trace.ids[position])
st.text(f"Nearest words of the static embedding of “{shown(tokens[position])}”, by cosine: {near}.")

st.header("How alike the layers are")
found = session.survey(None)
about = About(source=trace.source, scope=f"{BUNDLED}, {UNCHANGED}")
pictures: dict[str, tuple[Tensor, Kind]] = {
    "Cosine of a token with itself": (found.layer_cosine, "signed"),
    "Linear CKA": (found.layer_cka, "share"),
}
for column, (name, (alike, kind)) in zip(st.columns(2), pictures.items(), strict=True):
    with column:
        st.markdown(f"**{name}**")
        drawn = matrix(alike.numpy(), layers, layers, kind=kind, theme=theme(), largest=1.0)
        chart(drawn, f"alike_{name.split()[0].lower()}", name, about)
st.markdown(
    plain(
        f"Over {found.sentences} sentences and {found.tokens} tokens: the least alike neighbours among the layers have "
        f"cosine {brief(found.least_neighbours)}. Linear CKA (Kornblith et al. 2019) does not mind rotations."
    )
)
