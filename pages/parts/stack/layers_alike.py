"""How alike the vectors of the layers are, over the bundled sentences."""

import streamlit as st
from torch import Tensor

from encoder.export.caption import UNCHANGED, About
from encoder.figures.matrix import matrix
from encoder.formatting import brief
from encoder.metrics import BUNDLED
from encoder.theme import Kind
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.text import layer_names, plain, say, theme


def draw() -> None:
    """Two measures of likeness, layer by layer."""
    trace = session.now()
    layers = layer_names(trace.config, with_input=True)
    found = session.survey(None)
    about = About(source=trace.source, scope=f"{BUNDLED}, {UNCHANGED}")
    pictures: dict[str, tuple[Tensor, Kind, str]] = {
        "Cosine of a token with itself": (found.layer_cosine, "signed", "layer_cosine"),
        "Linear CKA": (found.layer_cka, "share", "layer_cka"),
    }
    for column, (name, (alike, kind, made)) in zip(st.columns(2), pictures.items(), strict=True):
        with column:
            drawn = matrix(alike.numpy(), layers, layers, kind=kind, theme=theme(), fit=True)
            near, far = float(alike.diagonal(1).min()), float(alike[0, -1])
            fact = (
                f"{name}: at least {brief(near)} between neighbours, {brief(far)} between the input and the last layer."
            )
            chart(drawn, f"alike_{name.split()[0].lower()}", fact, about, numbers=True, made=f"survey(enc).{made}")
            say(fact)
    st.markdown(
        plain(
            f"Over {found.sentences} sentences and {found.tokens} tokens: the least alike neighbours among the layers "
            f"have cosine {brief(found.least_neighbours)}. Linear CKA (Kornblith et al. 2019) does not mind rotations."
        )
    )
