"""One head over the corpus: how often and how strongly it looks, and at what."""

import numpy as np
import streamlit as st

from encoder.atlas import live
from encoder.atlas.knockout import AtlasPart
from encoder.atlas.reading import Atlas, Firing
from encoder.exam.sentences import head_sentences
from encoder.figures.charts import lines
from encoder.formatting import brief, percent
from pages.parts.atlas import contexts
from pages.parts.atlas.shelf import about, source
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, say, theme

BY = {"weight": "Weight", "written": "What is written"}
NOT_YET = "It was not examined on gold trees yet; the page All heads does that."
UNITS = {"weight": "largest weight of a token", "written": "longest vector written to a token"}


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
    by = st.pills("Ranked by", list(BY), required=True, format_func=BY.__getitem__,
                  **state.choice("atlas_by", BY, "weight"))  # fmt: skip
    bounds = np.array(row[f"{by}_deciles"])
    drawn = lines({UNITS[by]: bounds}, np.arange(0, 101, 10), ("percent of the tokens", UNITS[by]), theme=theme())
    said = f"At half of the tokens the {UNITS[by]} is {brief(bounds[5])} or less; the largest is {brief(bounds[-1])}."
    chart(drawn, "atlas_deciles", f"How the values of layer {layer}, head {head} are spread. {said}", about(atlas),
          numbers=True, made=f'{source(atlas)}.head({layer}, {head})["{by}_deciles"]')  # fmt: skip
    st.markdown(plain(said))
    top, other = (atlas.head_firings(layer, head, one, "top") for one in (by, *(set(BY) - {by})))
    both = {(one.sentence, one.position, one.looks_at) for one in top} & {
        (one.sentence, one.position, one.looks_at) for one in other
    }
    st.markdown(plain(disagreement(row, len(both), len(top))))
    sample = atlas.head_firings(layer, head, by, "sample")
    contexts.draw(
        atlas, top, sample, bounds.tolist(), lambda run, one: live.of_head(run, layer, head, one), described,
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
