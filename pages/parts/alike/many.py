"""A list of sentences: how alike every two of them are, and the odd pair opened."""

import streamlit as st

from encoder.attributions.sentence_list import Alike, alike
from encoder.explain.cost import run_flops
from encoder.export.caption import UNCHANGED, About
from encoder.figures.matrix import matrix
from encoder.formatting import shown
from pages.parts.alike import listing, pair
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.server import consent
from pages.ui.state import session_state as state
from pages.ui.step import opened
from pages.ui.text import heading, plain, say, theme


def draw() -> None:
    """The list, its matrix, and one pair of it."""
    sentences = listing.sentences()
    if not sentences:
        return
    view = state.current()
    encoder = session.text_encoder(view.model)
    texts = [encoder.prompted(one) for one in sentences]
    flops = sum(run_flops(encoder.config, len(encoder.tokenize(one).ids)) for one in texts)
    consent.ask("alike_list", flops / consent.SPEED, "Run all of them")
    runs = [session.run(view.model, one) for one in texts]
    found = alike(runs)
    matrix_of(found, sentences, texts)
    pair.draw(*(runs[i] for i in chosen(found, sentences)))


def matrix_of(found: Alike, sentences: list[str], texts: list[str]) -> None:
    """Every cosine, and what stands out; `texts` are the sentences as they were run."""
    names = [f"{i + 1} {shown(one, 24)}" for i, one in enumerate(sentences)]
    values = found.cosines.numpy()
    about = About(source=session.now().source, scope=f"cosines of {len(sentences)} sentences, {UNCHANGED}")
    drawn = matrix(values, names, names, kind="signed", theme=theme(), largest=1.0, longest=26)

    def spelled(at: tuple[int, int]) -> str:
        return f"{at[0] + 1} and {at[1] + 1} ({values[at]:.3f})"

    i, j = found.odd
    more = "more" if found.cosines[i, j] > found.expected[i, j] else "less"
    fact = f"Most alike are {spelled(found.most)}, least {spelled(found.least)}."
    made = f"alike([enc.trace(one) for one in {texts!r}]).cosines"
    chart(drawn, "all_alike", f"How alike {len(sentences)} sentences are. {fact}", about, made=made)
    say(
        fact,
        plain(
            f"The odd pair is {spelled(found.odd)}: {more} alike than the two are to the others, which would make "
            f"{float(found.expected[i, j]):.3f}."
        ),
    )
    downloads.numbers("all_alike", "all_alike", lambda: downloads.frame(values, names, names), values.shape)


def chosen(found: Alike, sentences: list[str]) -> tuple[int, int]:
    """The pair that is opened: the odd one until another is tapped or chosen."""
    heading("One pair of the list")
    places, odd = range(len(sentences)), found.odd
    ties = (state.choice("alike_one", places, odd[0]), state.choice("alike_two", places, odd[1]))
    with st.container(horizontal=True):
        at = [
            st.selectbox(f"Sentence {name}", places, format_func=lambda i: f"{i + 1} {shown(sentences[i], 60)}", **tie)
            for name, tie in zip("AB", ties, strict=True)
        ]

    def take(row: int, column: int) -> None:
        if row < len(sentences) and column < len(sentences):
            state.remember("alike_one", row, odd[0])
            state.remember("alike_two", column, odd[1])

    opened.listen("all_alike", take, (at[0], at[1]))
    return at[0], at[1]
