"""Feed-forward, below what the browser draws: where a unit fires in a corpus, units that nothing wakes, the proof."""

import streamlit as st

from encoder.atlas import reruns
from encoder.atlas.atlas_reader import Atlas, Firing
from encoder.atlas.reruns import AtlasPart
from encoder.model.activations import ACTIVATIONS
from encoder.pictures.registry.atlas import ATLAS_UNITS, UNIT, UNIT_DECILES
from encoder.pictures.registry.model_parts import DEAD, dead
from encoder.support.formatting import brief, percent
from pages.ui import session_runs
from pages.ui.downloads import table as downloads
from pages.ui.picture_view import ask, show, tie
from pages.ui.server import jobs
from pages.ui.state import session_state as state
from pages.ui.step import contexts, step_panel
from pages.ui.step.contexts import choose_atlas, open_atlas, share_of
from pages.ui.text import heading, plain, say
from pages.ui.widgets import fold


def draw() -> None:
    """Draw the page."""
    draw_unit_in_corpus()
    draw_silent_units()
    step_panel.below("feed_forward")


READING_OF_UNITS = "Blue is where it fires; behind it how strongly, and the length of what is written."


def draw_unit_in_corpus() -> None:
    """One unit of the chosen layer over a corpus, and how often all of them fire; below it which atlas it is."""
    page, foot = st.container(), st.container()
    with foot:
        atlas = choose_atlas()
    if atlas is not None:
        layer = state.current().layer
        with page:
            draw_unit(atlas, layer, ask(UNIT_DECILES)[UNIT])
            fold(f"All units of layer {layer}", "atlas_map", draw_every_unit)


def draw_every_unit() -> None:
    """How often the units of the chosen layer fire."""
    atlas, layer = open_atlas(), state.current().layer
    width = atlas.card.sizes["units"]
    show(ATLAS_UNITS)
    rows = atlas.units.slice(layer * width, width).drop_columns(["layer"])
    table = ("atlas_units_table", "atlas_units", lambda: rows.to_pandas().set_index("unit"), rows.shape)
    downloads.numbers(*table, title="Every unit")


def draw_unit(atlas: Atlas, layer: int, unit: int) -> None:
    """A unit: when it fires, how strongly, and what it then writes."""
    row = atlas.unit(layer, unit)
    share = percent(row["firings"] / max(1, atlas.card.tokens))
    heading(f"Layer {layer}, unit {unit} fires at {share} of the tokens")
    if not row["firings"]:
        st.markdown(plain(f"On {atlas.card.scope} it never fires."))
        choose_unit()
        return
    top, sample = (atlas.unit_firings(layer, unit, kind) for kind in ("top", "sample"))
    scene = ask(UNIT_DECILES)

    def described(firing: Firing) -> str:
        return f"{firing.value:.4f}, written {firing.value * row['written_per_one']:.4f}"

    contexts.draw_contexts(
        atlas, top, sample, UNIT_DECILES, lambda run, firing: reruns.of_unit(run, layer, unit, firing), described,
        AtlasPart("unit", layer, unit), READING_OF_UNITS, choose_unit,
    )  # fmt: skip
    tokens = [firing.token for firing in sample]
    often = max(dict.fromkeys(tokens), key=tokens.count)
    words = session_runs.words_of_unit(state.current().model, layer, unit)
    say(f"On {atlas.card.scope} it fires {row['firings']:,} times: at {share} of the tokens.")
    st.markdown(plain(
        f"On {atlas.card.scope}, “{often}” has {share_of(tokens.count(often), len(sample))}; no token has more. "
        f"What it writes points to {words}; each 1.0 of it writes a vector of length {brief(row['written_per_one'])}, "
        "so its firings rank the same by value and by what is written."
    ))  # fmt: skip
    fold("How its values are spread", "atlas_spread", lambda: show(UNIT_DECILES, scene=scene))


def choose_unit() -> None:
    """Which unit."""
    width = open_atlas().card.sizes["units"]
    st.selectbox("Unit", range(width), width=120, **tie(UNIT, ask(UNIT_DECILES)))


def draw_silent_units() -> None:
    """The units of every layer that get nothing above zero over the bundled sentences, folded."""
    silent = st.expander("Units that no sentence wakes", key="dead_units", on_change="rerun")
    if silent.open:
        with silent, jobs.refused():
            scene = ask(DEAD)
            cuts = ACTIVATIONS[scene.encoder.config.activation].cuts
            quiet = "This activation lets a little through below zero, so they are quiet and not dead."
            show(DEAD, known={dead(scene): session_runs.dead_units(scene.view.model)}, more="" if cuts else quiet)
