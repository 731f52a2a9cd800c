"""The list of sentences that a person types, pastes or opens as a file."""

import streamlit as st

from encoder.attributions.sentence_list import LONGEST, MOST, column, lines
from encoder.errors import EncoderError
from pages.ui.state import session_state as state
from pages.ui.text import plain

EXAMPLE = """The food was good.
The food was not good.
The meal tasted great.
Nobody liked the meal.
The train leaves at nine."""


def sentences() -> list[str]:
    """The sentences; none where the list cannot be taken, which is said."""
    label = f"Sentences, one in each line (2 to {MOST}, each of {LONGEST} characters or less)"
    text = st.text_area(label, height=150, max_chars=8000, **state.choice("alike_list", None, EXAMPLE))
    st.file_uploader("Or a CSV file", type=["csv", "txt"], key="alike_file", on_change=take_file)
    try:
        return lines(text)
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return []


def take_file() -> None:
    """Put the sentences of a file into the list."""
    file = state.value("alike_file")
    if file is None:
        return
    try:
        state.remember("alike_list", "\n".join(column(file.getvalue())), EXAMPLE)
    except EncoderError as error:
        state.note([f"The file is not taken: {error}."])
