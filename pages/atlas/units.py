"""The feed-forward units of a layer over the corpus, and one of them opened."""

import streamlit as st

from encoder.atlas import live
from encoder.atlas.knockout import AtlasPart
from encoder.atlas.reading import Atlas, Firing
from encoder.pictures.registry.atlas import ATLAS_DECILES, ATLAS_UNITS, UNIT
from encoder.support.formatting import brief, percent
from pages.atlas import contexts
from pages.atlas.shelf import now, share_of
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.picture import ask, show, tie
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, say
from pages.ui.widgets import fold

READING = "Blue is where it fires; behind it how strongly, and the length of what is written."


def draw() -> None:
    """One unit of the chosen layer, and how often all of them fire."""
    atlas, layer = now(), state.current().layer
    one(atlas, layer, ask(ATLAS_DECILES)[UNIT])
    fold(f"All units of layer {layer}", "atlas_map", every)


def every() -> None:
    """How often the units of the chosen layer fire."""
    atlas, layer = now(), state.current().layer
    width = atlas.card.sizes["units"]
    show(ATLAS_UNITS)
    rows = atlas.units.slice(layer * width, width).drop_columns(["layer"])
    table = ("atlas_units_table", "atlas_units", lambda: rows.to_pandas().set_index("unit"), rows.shape)
    downloads.numbers(*table, title="Every unit")


def one(atlas: Atlas, layer: int, unit: int) -> None:
    """A unit: when it fires, how strongly, and what it then writes."""
    row = atlas.unit(layer, unit)
    share = percent(row["firings"] / max(1, atlas.card.tokens))
    heading(f"Layer {layer}, unit {unit} fires at {share} of the tokens")
    if not row["firings"]:
        st.markdown(plain(f"On {atlas.card.scope} it never fires."))
        choose()
        return
    top, sample = (atlas.unit_firings(layer, unit, kind) for kind in ("top", "sample"))
    scene = ask(ATLAS_DECILES)

    def described(firing: Firing) -> str:
        return f"{firing.value:.4f}, written {firing.value * row['written_per_one']:.4f}"

    contexts.draw(atlas, top, sample, scene, lambda run, one: live.of_unit(run, layer, unit, one), described,
                  AtlasPart("unit", layer, unit), READING, choose)  # fmt: skip
    tokens = [firing.token for firing in sample]
    often = max(dict.fromkeys(tokens), key=tokens.count)
    words = session.words_of_unit(state.current().model, layer, unit)
    say(f"On {atlas.card.scope} it fires {row['firings']:,} times: at {share} of the tokens.")
    st.markdown(plain(
        f"On {atlas.card.scope}, “{often}” has {share_of(tokens.count(often), len(sample))}; no token has more. "
        f"What it writes points to {words}; each 1.0 of it writes a vector of length {brief(row['written_per_one'])}, "
        "so its firings rank the same by value and by what is written."
    ))  # fmt: skip
    fold("How its values are spread", "atlas_spread", lambda: show(ATLAS_DECILES, scene=scene))


def choose() -> None:
    """Which unit."""
    width = now().card.sizes["units"]
    st.selectbox("Unit", range(width), width=120, **tie(UNIT, ask(ATLAS_DECILES)))
