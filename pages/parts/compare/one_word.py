"""One word in up to ten sentences: how alike its vectors are, layer by layer."""

import streamlit as st

from encoder.experiments.compare import holding, mean_between, word_cosines
from encoder.export.caption import UNCHANGED, About, quoted
from encoder.figures.charts import token_bars
from encoder.figures.matrix import matrix
from encoder.formatting import brief
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import layer_names, plain, say, theme

MOST = 10
SET = "Turn on the light.\nThis bag is light.\nI prefer light blue.\nThe light of the sun is bright."


def draw() -> None:
    """The sentences, the word, and its cosines between them."""
    model = state.current().model
    tie = state.choice("set", None, SET)
    typed = st.text_area(f"Up to {MOST} sentences, one in a line", max_chars=4000, height=130, **tie)
    word = st.text_input("Word", max_chars=40, **state.choice("set_word", None, "light")).strip()
    sentences = [line.strip() for line in typed.splitlines() if line.strip()][:MOST]
    runs = [session.run(model, session.text_encoder(model).tokenize(sentence).text) for sentence in sentences]
    found = holding(runs, word)
    if len(found) < 2:
        st.markdown(plain(f"“{word}” is a word of {len(found)} of these sentences; at least 2 are needed."))
        return
    if any(len(pieces) > 1 for _, pieces in found):
        st.caption("The model reads this word in pieces; the vectors are those of the first.")
    alike = word_cosines([run for run, _ in found], [pieces[0] for _, pieces in found])
    layers = layer_names(found[0][0].config, with_input=True)
    at = st.select_slider("After", layers, **state.choice("set_layer", layers, layers[-1]))
    values = alike[layers.index(at)].numpy()
    names = [run.text for run, _ in found]
    scope = f"{'; '.join(map(quoted, names))}; {UNCHANGED}"
    about = About(source=found[0][0].source, scope=scope)
    counted = [f"{i + 1}." for i in range(len(names))]
    rows = [f"{i} {name}" for i, name in zip(counted, names, strict=True)]
    drawn = matrix(values, rows, counted, kind="signed", theme=theme(), largest=1.0, longest=40)
    fact = f"After {at} the cosines of “{word}” go from {brief(float(values.min()))} to 1."
    firsts = [pieces[0] for _, pieces in found]
    made = f"word_cosines([enc.trace(one) for one in {names!r}], {firsts})"
    chart(drawn, "set_map", fact, about, made=f"{made}[{layers.index(at)}]")
    say(fact)
    means = mean_between(alike).numpy()
    bars = token_bars({"mean cosine": means}, layers, title="mean cosine", theme=theme())
    said, made = "Mean cosine of the word between sentences, layer by layer", f"mean_between({made})"
    chart(bars, "set_means", said, about, numbers=True, made=made)
    say(
        f"“{word}” starts with mean cosine {brief(float(means[0]))} and ends with {brief(float(means[-1]))}.",
        "At the input only the position tells its vectors apart.",
    )
    downloads.numbers("set", "cosine", lambda: downloads.frame(values, names, names), values.shape)
