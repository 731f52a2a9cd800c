"""All heads: every head of every layer at once, measured, labelled and compared."""

from dataclasses import asdict

import numpy as np
import pandas as pd
import streamlit as st

from encoder.figures.matrix import matrix
from encoder.figures.scatter import named_points
from encoder.formatting import short
from encoder.metrics import MARGIN, ROLES, WAYS, Survey, plane, segment_mass
from pages.ui import session
from pages.ui.components import maps
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.state.site import PAGES
from pages.ui.text import NUMBER, arrow, plain, theme

# name in the library -> (what it is called, kind of scale, what it says)
MEASURES = {
    "entropy_share": (
        "Spread",
        "share",
        "Entropy as a share of the largest possible: 0 looks at one token, 1 at all alike.",
    ),
    "entropy": ("Entropy", "positive", "In nats; the most for n tokens is ln n."),
    "confidence": ("Confidence", "share", "The mean of each row's largest weight; it depends on the number of tokens."),
    "distance": ("Distance", "positive", "How many tokens away a head looks, on average."),
    "offset": ("Offset", "signed", "Which way a head looks: below 0 back, above 0 ahead, in tokens."),
    "self": ("On itself", "share", "Share of the weight that a token puts on itself."),
    "previous": ("Previous", "share", "Share of the weight on the token before."),
    "next": ("Next", "share", "Share of the weight on the token after."),
    "cls": ("[CLS]", "share", "Share of the weight on [CLS]."),
    "sep": ("[SEP]", "share", "Share of the weight on [SEP]."),
    "punctuation": ("Punctuation", "share", "Share of the weight on punctuation."),
}

OVER = ("this sentence", "100 sentences")

trace, view = session.now(), state.current()
config = trace.config
places = [(layer, head) for layer in range(config.n_layers) for head in range(config.n_heads)]
chosen = places.index((view.layer, view.head))
names = [f"L{i}H{h}" for i, h in places]
layers, heads = [f"layer {i}" for i in range(config.n_layers)], [f"head {h}" for h in range(config.n_heads)]


def visit(number: int, row: int, column: int) -> None:
    """Show the head that was picked on the attention page."""
    layer, head = places[number]
    state.change(layer=layer, head=head, step="attention.weights", cell="")
    st.session_state["go_to"] = next(page.script for page in PAGES if page.key == "attention")


def maps_of_all() -> None:
    """Every head of every layer as a small map."""
    st.markdown(
        "Every head of every layer on this sentence, a row for each layer. In each map rows look and columns are "
        "looked at. Click one to open it."
    )
    small = [
        maps.Map(name, f"Layer {i}, head {h}", trace.array(f"layers.{i}.attention.weights")[h], "share", 1.0)
        for name, (i, h) in zip(names, places, strict=True)
    ]
    maps.draw("all_heads", small, trace.tokens, theme(), visit, chosen=chosen, columns=config.n_heads)
    st.caption(maps.scales(small))


def surveyed() -> Survey:
    """Measures over this sentence or over the bundled ones, as chosen."""
    source = st.pills("Over", OVER, required=True, **state.choice("over", OVER, OVER[0]))
    return session.survey(None if source == OVER[1] else trace.asked)


def measures() -> None:
    """One measure of every head."""
    found = surveyed()
    tie = state.choice("measure", MEASURES, "entropy_share")
    name = st.pills("Measure", list(MEASURES), required=True, format_func=lambda m: plain(MEASURES[m][0]), **tie)
    title, kind, meaning = MEASURES[name]
    values = found.measures[name].numpy()
    chart(matrix(values, layers, heads, kind=kind, theme=theme()), "measured", f"{title} of every head. {meaning}")
    st.markdown(
        plain(f"{meaning} Over {found.sentences} sentence{'s' if found.sentences > 1 else ''}, {found.tokens} tokens.")
    )
    if found.sentences == 1 and (view.hidden or trace.padding):
        st.caption("Measured on the whole sentence, with no token hidden.")


def labels() -> None:
    """What each head does, where that is more than chance."""
    found = surveyed()
    said = [found.roles[i][h] for i, h in places]
    measured = {MEASURES[m][0]: found.measures[m].flatten().numpy() for m in MEASURES}
    table = pd.DataFrame([asdict(role) for role in said], index=names).assign(**measured).rename_axis("head")
    told = [
        f"{at} {role.label} ({short(role.mass)})"
        for at, role in zip(names, said, strict=True)
        if role.label in ROLES[:3]
    ]
    st.markdown(
        plain("Heads with a place to look: " + (", ".join(told) if told else "none that chance does not explain") + ".")
    )
    st.dataframe(table, key="roles", column_config=dict.fromkeys(table.columns[2:], NUMBER))
    downloads.save("csv_heads", "heads", table)
    st.caption(
        f"A head is labelled where it puts at least {MARGIN} more of its weight on a role than uniform attention "
        "would, and than it does with the tokens in a shuffled order; n counts the queries. Weights alone do not "
        "explain what a model answers."
    )


def likeness() -> None:
    """How alike all heads are."""
    found = surveyed()
    unlike = found.likeness.numpy()
    if not np.isfinite(unlike).all():
        st.markdown("Some weights of this model are not numbers here, so its heads cannot be compared.")
        return
    named = pd.Index(names, name="head")
    points, shares = plane(found.likeness)
    drawn = matrix(unlike, names, names, kind="positive", theme=theme(), largest=float(np.log(2)))
    chart(drawn, "likeness", "Jensen-Shannon divergence between all heads")
    st.caption("Jensen-Shannon divergence in nats: 0 the same rows, ln 2 never on the same token.")
    chart(
        named_points(points.numpy(), names, chosen, theme()), "plane", "Heads in the plane, alike ones close together"
    )
    st.caption(f"Alike heads stand close together; the plane shows {short(100 * float(shares.sum()))} % of all spread.")
    downloads.numbers("likeness", "likeness", lambda: pd.DataFrame(unlike, named, names), unlike.shape)


def between() -> None:
    """How much of its weight each head sends from one sentence of a pair to the other."""
    tie = state.choice("pair_way", WAYS, "A->B")
    way = st.pills("From sentence to sentence", list(WAYS), required=True, format_func=arrow, **tie)
    mass = segment_mass(trace)[:, :, *WAYS[way]].numpy()
    layer, head = np.unravel_index(mass.argmax(), mass.shape)
    most = short(100 * float(mass[layer, head]))
    fact = f"Head {head} of layer {layer} sends most: {most} % of its weight, {arrow(way)}."
    chart(matrix(mass, layers, heads, kind="share", theme=theme()), "between", fact)
    st.markdown(f"**{plain(fact)}** The mean over all heads is {short(100 * float(mass.mean()))} %.")


PARTS = {"Maps": maps_of_all, "Measures": measures, "What each head does": labels, "How alike heads are": likeness}
if trace.pieces.pair:
    PARTS["Between the sentences"] = between
for tab, draw in zip(st.tabs(list(PARTS), **state.choice("heads_part", PARTS, "Maps")), PARTS.values(), strict=True):
    if tab.open:
        with tab:
            draw()
