"""One head over the corpus: how often and how strongly it looks, and at what."""

import streamlit as st

from encoder.atlas import live
from encoder.atlas.knockout import AtlasPart
from encoder.atlas.reading import Atlas, Firing
from encoder.exam.sentences import head_sentences
from encoder.formatting import percent
from encoder.pictures.registry.atlas import ATLAS_DECILES, BY
from pages.parts.atlas import contexts
from pages.ui import session
from pages.ui.picture import ask, show, tie
from pages.ui.text import heading, plain, say

RANKINGS = {"weight": "Weight", "written": "What is written"}
NOT_YET = "It was not examined on gold trees yet; the page Heads does that."


def draw(atlas: Atlas, layer: int, head: int) -> None:
    """Its label, its deciles, its contexts."""
    row = atlas.head(layer, head)
    heading(f"Layer {layer}, head {head}")
    share = row["firings"] / max(1, atlas.card.tokens)
    say(
        f"It puts more than half of its weight on one token at {percent(share)} of the tokens of {atlas.card.corpus}.",
        plain(labelled(row, atlas.card.scope)),
    )
    st.markdown(plain(job_sentence(layer, head)))
    tied = tie(BY, ask(ATLAS_DECILES))
    st.pills("Ranked by", list(RANKINGS), required=True, format_func=RANKINGS.__getitem__, **tied)
    scene = ask(ATLAS_DECILES)
    by = scene[BY]
    deciles = show(ATLAS_DECILES, scene=scene).numbers.array
    top, other = (atlas.head_firings(layer, head, ranking, "top") for ranking in (by, *(set(RANKINGS) - {by})))
    places = ({(firing.sentence, firing.position, firing.looks_at) for firing in firings} for firings in (top, other))
    both = set.intersection(*places)
    st.markdown(plain(disagreement(row, len(both), len(top))))
    sample = atlas.head_firings(layer, head, by, "sample")
    contexts.draw(
        atlas, top, sample, deciles.tolist(), lambda run, one: live.of_head(run, layer, head, one), described,
        AtlasPart("head", layer, head),
    )  # fmt: skip


def job_sentence(layer: int, head: int) -> str:
    """What the head has a licence for, examined on gold trees."""
    exam = session.exam()
    return " ".join(head_sentences(exam, layer, head)) if exam else NOT_YET


def labelled(row: dict[str, object], scope: str) -> str:
    """The label with both controls."""
    mass, even, shuffled = (percent(float(str(row[f"nearest_{name}"]))) for name in ("mass", "uniform", "shuffled"))
    clear = row["label"] == row["nearest"]
    name = f"it looks at one kind of place, “{row['label']}”" if clear else "no one place to look stands out"
    control = f"even weights would give {even}, shuffled keys {shuffled}"
    return f"On {scope} {name}: “{row['nearest']}” gets {mass} of its weight; {control}."


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
