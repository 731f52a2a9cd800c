"""Glossary: what each name means, and what others call it."""

import pandas as pd
import streamlit as st

from encoder.glossary import TERMS

st.markdown("The names on every page, in the code and in exports. The same names stand beside each step's title.")
rows = [
    {"name": t.name, "meaning": t.meaning, "paper": t.paper, "torch": t.torch, "Hugging Face": t.hugging_face,
     "TransformerLens": t.transformer_lens}
    for t in TERMS
]  # fmt: skip
st.table(pd.DataFrame(rows).set_index("name"))
