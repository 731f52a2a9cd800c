"""Glossary: what each name means, and what others call it."""

import pandas as pd
import streamlit as st

from encoder.steps.glossary import TERMS
from pages.ui.text import plain

st.markdown("The names on every page, in the code and in exports. The same names stand beside each step's title.")
rows = [{"name": plain(t.name), "meaning": plain(t.meaning), "elsewhere": plain(t.elsewhere) or "–"} for t in TERMS]
st.table(pd.DataFrame(rows).set_index("name"))
