"""Scores of your own through softmax, and how much the weights move when a score does."""

import numpy as np
import streamlit as st

from encoder.errors import EncoderError
from encoder.experiments import softmax_gradient, softmax_of
from encoder.export.caption import About
from encoder.figures.charts import token_bars
from encoder.figures.drawn import numbers_of
from encoder.figures.matrix import matrix
from encoder.formatting import brief, percent, short
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import plain, say, theme

EXAMPLE = "2, 1, 0.1"
MOST, LARGEST = 24, 1e4  # scores, and the size of one


def draw() -> None:
    """Scores that a person types, their weights and their gradient."""
    st.markdown("Softmax by hand: type scores, and see the weights that the model's own softmax makes of them.")
    text = st.text_input("Scores, with commas between", max_chars=200, **state.choice("own_scores", None, EXAMPLE))
    try:
        scores = read(text)
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    of_own(scores)


def read(text: str) -> list[float]:
    """The numbers of a text such as "2, 1, 0.1"."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    try:
        scores = [float(part) for part in parts]
    except ValueError:
        scores = []
    if not 1 <= len(scores) <= MOST or not all(abs(score) <= LARGEST for score in scores):
        raise EncoderError(f"Type 1 to {MOST} numbers from -{LARGEST:g} to {LARGEST:g}, such as {EXAMPLE}")
    return scores


def of_own(scores: list[float]) -> None:
    """Their weights, and the matrix of slopes."""
    names = [short(score) for score in scores]
    weights, slopes = softmax_of(scores), softmax_gradient(scores).numpy()
    about = About(scope=f"scores {', '.join(names)}, typed by hand")
    drawn = token_bars({"weight": weights.numpy()}, names, title="weight", theme=theme())
    fact = f"softmax({', '.join(names)}) = {', '.join(percent(float(weight)) for weight in weights)}."
    chart(drawn, "own_weights", fact, about, made=f"softmax_of({scores})")
    say(fact)
    downloads.of_figure("own_weights", numbers_of(drawn))
    top = int(weights.argmax())
    fact = f"Where {names[top]} grows by a little, its own weight grows {brief(float(slopes[top, top]))} times that; "
    fact += f"the slopes together are {brief(float(np.linalg.norm(slopes)))} long."
    drawn = matrix(slopes, names, names, kind="signed", theme=theme(), row_title="weight", column_title="score")
    chart(drawn, "own_slopes", fact, about, made=f"softmax_gradient({scores})")
    say(fact, "Each row and column adds up to 0: what one weight gains the others lose.")
    downloads.of_figure("own_slopes", numbers_of(drawn))
