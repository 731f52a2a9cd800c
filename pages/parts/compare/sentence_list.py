"""A list of sentences: how alike every two of them are, and which pair is odd."""

import streamlit as st

from encoder.attributions.sentence_list import LONGEST, MOST, Alike, alike, lines
from encoder.errors import EncoderError
from encoder.explain.cost import run_flops
from encoder.export.caption import UNCHANGED, About
from encoder.figures.matrix import matrix
from encoder.formatting import shown
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.server import consent
from pages.ui.state import session_state as state
from pages.ui.step import opened
from pages.ui.text import plain, say, theme

TWO = "Two sentences"  # the part that shows one pair
EXAMPLE = """The food was good.
The food was not good.
The meal tasted great.
Nobody liked the meal.
The train leaves at nine."""


def draw() -> None:
    """The list, its matrix, and the way to one pair of it."""
    label = f"Sentences, one in each line (2 to {MOST}, each of {LONGEST} characters or less)"
    text = st.text_area(label, height=150, max_chars=8000, **state.choice("alike_list", None, EXAMPLE))
    try:
        sentences = lines(text)
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    view = state.current()
    encoder = session.text_encoder(view.model)
    texts = [encoder.prompted(one) for one in sentences]
    flops = sum(run_flops(encoder.config, len(encoder.tokenize(one).ids)) for one in texts)
    consent.ask("alike_list", flops / consent.SPEED, "Run all of them")
    matrix_of(alike([session.run(view.model, one) for one in texts]), sentences, texts)


def matrix_of(found: Alike, sentences: list[str], texts: list[str]) -> None:
    """Every cosine, and what stands out; `texts` are the sentences as they were run."""
    names = [f"{i + 1} {shown(one, 24)}" for i, one in enumerate(sentences)]
    values = found.cosines.numpy()
    about = About(source=session.now().source, scope=f"cosines of {len(sentences)} sentences, {UNCHANGED}")
    drawn = matrix(values, names, names, kind="signed", theme=theme(), largest=1.0, longest=26)

    def spelled(at: tuple[int, int]) -> str:
        return f"{at[0] + 1} and {at[1] + 1} ({values[at]:.3f})"

    def open_pair(row: int, column: int) -> None:
        if max(row, column) < len(sentences):
            state.change(sentence=sentences[row], other=sentences[column], second="", hidden=(), cell=None)
            state.session().pair = False
            state.remember("alike_part", TWO, None)

    i, j = found.odd
    more = "more" if found.cosines[i, j] > found.expected[i, j] else "less"
    fact = f"Most alike are {spelled(found.most)}, least {spelled(found.least)}."
    made = f"alike([enc.trace(one) for one in {texts!r}]).cosines"
    opened.listen("all_alike", open_pair, (i, j))
    chart(drawn, "all_alike", f"How alike {len(sentences)} sentences are. {fact}", about, made=made)
    say(
        fact,
        plain(
            f"The odd pair is {spelled((i, j))}: {more} alike than the two are to the others, which would make "
            f"{float(found.expected[i, j]):.3f}."
        ),
    )
    st.button(f"Open the odd pair, {i + 1} and {j + 1}", key="open_odd", on_click=open_pair, args=(i, j))
    downloads.numbers("all_alike", "all_alike", lambda: downloads.frame(values, names, names), values.shape)
