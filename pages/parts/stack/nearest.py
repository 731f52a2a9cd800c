"""The words of the embedding table that lie nearest to a token's vector after each layer."""

import numpy as np
import streamlit as st

from encoder.export.caption import About
from encoder.figures.charts import likeliest
from encoder.figures.drawn import numbers_of
from encoder.formatting import brief, shown
from encoder.metrics import nearest_by_layer
from encoder.theme import Kind
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.text import heading, layer_names, say, theme

MOST = 5


def draw(token: int) -> None:
    """The nearest words to the token at a position, before the first layer and after each one."""
    trace = session.now()
    tokens, layers = trace.tokens, layer_names(trace.config, with_input=True)
    heading("The nearest words of the table")
    near = session.measured(nearest_by_layer, token, MOST)
    words = [[word for word, _ in row] for row in near]
    cosines = np.array([[cosine for _, cosine in row] for row in near])
    if not np.isfinite(cosines).all():
        st.markdown("Some vectors of this token are not numbers, so no word is near.")
        return
    kind: Kind = "signed" if cosines.min() < 0 else "positive"
    drawn = likeliest(words, cosines, layers, kind=kind, theme=theme(), row_title="after")
    nearest = [row[0] for row in words]
    fact = (
        f"Nearest to “{shown(tokens[token])}” ({token}) is “{shown(nearest[0])}” at the input, with a cosine of "
        f"{brief(float(cosines[0, 0]))}, and “{shown(nearest[-1])}” after the last layer, with "
        f"{brief(float(cosines[-1, 0]))}."
    )
    chart(drawn, "nearest", fact, About.of_stream(trace), wide=True, made=f"nearest_by_layer(enc, t, {token}, {MOST})")
    say(fact, "Cosine with the rows of the embedding table; no head and no bias is asked, as a guess of a word would.")
    downloads.of_figure("nearest", numbers_of(drawn))
