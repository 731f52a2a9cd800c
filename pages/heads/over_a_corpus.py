"""Heads over a whole corpus: the contexts of the chosen one, heads from kind to kind, and what is searched for."""

import streamlit as st

from encoder.atlas import reruns
from encoder.atlas.atlas_reader import Atlas, Firing
from encoder.atlas.reruns import AtlasPart
from encoder.exam.exam_sentences import head_sentences
from encoder.pictures.registry.atlas import (
    ATLAS_DECILES,
    ATLAS_HEADS,
    BY,
    KNOWN,
    TITLES,
    TO_THE_RIGHT,
    UP,
    measures,
)
from encoder.support.formatting import percent
from pages.heads import corpus_searches
from pages.ui import session_runs
from pages.ui.downloads import table as downloads
from pages.ui.picture_view import ask, show, tabs, tie
from pages.ui.step import contexts
from pages.ui.step.contexts import choose_atlas, open_atlas
from pages.ui.text import heading, plain, say
from pages.ui.widgets import fold

NAMES = {
    "nearest": "comes nearest to",
    "nearest_mass": "share of its weight there",
    "firings": "share of the tokens where it fires",
}
PLACES = {  # what a head can look at out of habit -> how it is called
    "previous": "the token before",
    "next": "the next token",
    "self": "the token itself",
    "special": "the tokens that the model adds",
    "punctuation": "punctuation",
}


def draw() -> None:
    """Which atlas it is, below the part that is open."""
    page, foot = st.container(), st.container()
    with foot:
        atlas = choose_atlas()
    if atlas is not None:
        with page:
            tabs(
                {
                    "Contexts": draw_heads,
                    "From A to B": corpus_searches.draw_between,
                    "Find a word": corpus_searches.draw_words,
                    "Nearest": corpus_searches.draw_nearest,
                },
                "atlas_part",
            )


def draw_heads() -> None:
    """What is known of the chosen head; every head as a point and as a row of a table."""
    atlas, scene = open_atlas(), ask(ATLAS_HEADS)
    draw_head(atlas, scene.layer, scene.head)
    fold("All heads by two measures", "atlas_map", draw_every_head, holds=(TO_THE_RIGHT.key, UP.key))


def draw_every_head() -> None:
    """All heads as points, the chosen one ringed."""
    atlas, scene = open_atlas(), ask(ATLAS_HEADS)
    offered = measures(scene)
    with st.container(horizontal=True):
        st.selectbox("Across", offered, format_func=TITLES.__getitem__, width=260, **tie(TO_THE_RIGHT, scene))
        st.selectbox("Up", offered, format_func=TITLES.__getitem__, width=260, **tie(UP, scene))
    scene = ask(ATLAS_HEADS)
    known = KNOWN.get(scene[TO_THE_RIGHT])
    meaning = known.meaning if known else ""
    more = plain(f"{meaning} On {atlas.card.scope}. The ringed head is the chosen one.")
    answer = show(ATLAS_HEADS, scene=scene, more=more, numbers=False)
    table = atlas.heads.select(["label", "nearest", "nearest_mass", "firings", *offered]).to_pandas()
    table["firings"] /= max(1, atlas.card.tokens)
    table = table.rename(columns=TITLES | NAMES)
    table.insert(0, "head", answer.numbers.along("any head"))
    downloads.numbers("atlas_table", "atlas_heads", lambda: table.set_index("head"), table.shape)


RANKINGS = {"weight": "Weight", "written": "What is written"}
READING_OF_HEADS = "Blue looks at orange, violet at itself; behind it the weight, and the length of what is written."
NOT_YET = "It was not examined on gold trees yet; “What each head does” does that."


def draw_head(atlas: Atlas, layer: int, head: int) -> None:
    """What it looks at, its contexts, what is known of it, and how its values are spread."""
    row = atlas.head(layer, head)
    heading(plain(f"Layer {layer}, head {head} {finding(row)}"))
    tied = tie(BY, ask(ATLAS_DECILES))
    scene = ask(ATLAS_DECILES)
    by = scene[BY]
    top, other = (atlas.head_firings(layer, head, ranking, "top") for ranking in (by, *(set(RANKINGS) - {by})))
    places = ({(firing.sentence, firing.position, firing.looks_at) for firing in firings} for firings in (top, other))
    both = set.intersection(*places)
    sample = atlas.head_firings(layer, head, by, "sample")
    contexts.draw_contexts(
        atlas, top, sample, ATLAS_DECILES, lambda run, firing: reruns.of_head(run, layer, head, firing),
        weight_and_writing, AtlasPart("head", layer, head), READING_OF_HEADS,
        lambda: st.pills("Ranked by", list(RANKINGS), required=True, format_func=RANKINGS.__getitem__, **tied),
    )  # fmt: skip
    share = row["firings"] / max(1, atlas.card.tokens)
    say(
        f"It puts more than half of its weight on one token at {percent(share)} of the tokens of {atlas.card.corpus}.",
        plain(f"{labelled(row, atlas.card.scope)} {disagreement(row, len(both), len(top))}"),
    )
    st.markdown(plain(job_sentence(layer, head)))
    fold("How its values are spread", "atlas_spread", lambda: show(ATLAS_DECILES, scene=scene))


def finding(row: dict[str, object]) -> str:
    """Return what it gives most of its weight to, beside what even weights would."""
    place = PLACES.get(str(row["nearest"]), f"“{row['nearest']}”")
    mass, even = (percent(float(str(row[f"nearest_{name}"]))) for name in ("mass", "uniform"))
    return f"gives {place} {mass} of its weight; even weights would give {even}."


def job_sentence(layer: int, head: int) -> str:
    """Return what the head was found to do on gold trees."""
    exam = session_runs.exam()
    return " ".join(head_sentences(exam, layer, head)) if exam else NOT_YET


def labelled(row: dict[str, object], scope: str) -> str:
    """Return the label, and what chance would give."""
    shuffled = percent(float(str(row["nearest_shuffled"])))
    clear = row["label"] == row["nearest"]
    name = f"it looks at one kind of place, “{row['label']}”" if clear else "no one place to look stands out"
    return f"On {scope} {name}; with its keys shuffled “{row['nearest']}” would get {shuffled}."


def disagreement(row: dict[str, object], both: int, of: int) -> str:
    """Return where weight and writing differ."""
    special = percent(float(str(row["special"])))
    return (
        f"Of the {of} largest by one ranking, {both} are among the {of} largest by the other. [CLS] and [SEP] get "
        f"{special} of its weight; a token with a short value gets weight and hands over little."
    )


def weight_and_writing(firing: Firing) -> str:
    """Return the two numbers of a context."""
    return f"weight {firing.weight:.4f}, written {firing.written:.4f}"
