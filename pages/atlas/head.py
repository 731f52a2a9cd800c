"""One head over the corpus: how often and how strongly it looks, and at what."""

import streamlit as st

from encoder.atlas import live
from encoder.atlas.knockout import AtlasPart
from encoder.atlas.reading import Atlas, Firing
from encoder.exam.sentences import head_sentences
from encoder.pictures.registry.atlas import ATLAS_DECILES, BY
from encoder.support.formatting import percent
from encoder.teach.story.tour import PLACES
from pages.atlas import contexts
from pages.ui import session
from pages.ui.picture import ask, show, tie
from pages.ui.text import heading, plain, say
from pages.ui.widgets import fold

RANKINGS = {"weight": "Weight", "written": "What is written"}
READING = "Blue looks at orange, violet at itself; behind it the weight, and the length of what is written."
NOT_YET = "It was not examined on gold trees yet; the page Heads does that."


def draw(atlas: Atlas, layer: int, head: int) -> None:
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
    contexts.draw(
        atlas, top, sample, scene, lambda run, one: live.of_head(run, layer, head, one), described,
        AtlasPart("head", layer, head), READING,
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
    """What it gives most of its weight to, beside what even weights would."""
    place = PLACES.get(str(row["nearest"]), f"“{row['nearest']}”")
    mass, even = (percent(float(str(row[f"nearest_{name}"]))) for name in ("mass", "uniform"))
    return f"gives {place} {mass} of its weight; even weights would give {even}."


def job_sentence(layer: int, head: int) -> str:
    """What the head has a licence for, examined on gold trees."""
    exam = session.exam()
    return " ".join(head_sentences(exam, layer, head)) if exam else NOT_YET


def labelled(row: dict[str, object], scope: str) -> str:
    """The label, and what chance would give."""
    shuffled = percent(float(str(row["nearest_shuffled"])))
    clear = row["label"] == row["nearest"]
    name = f"it looks at one kind of place, “{row['label']}”" if clear else "no one place to look stands out"
    return f"On {scope} {name}; with its keys shuffled “{row['nearest']}” would get {shuffled}."


def disagreement(row: dict[str, object], both: int, of: int) -> str:
    """Where weight and writing differ."""
    special = percent(float(str(row["special"])))
    return (
        f"Of the {of} largest by one ranking, {both} are among the {of} largest by the other. [CLS] and [SEP] get "
        f"{special} of its weight; a token with a short value gets weight and hands over little."
    )


def described(one: Firing) -> str:
    """The two numbers of a context."""
    return f"weight {one.weight:.4f}, written {one.written:.4f}"
