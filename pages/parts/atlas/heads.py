"""All heads over the corpus, by any two measures, and the head of the sidebar opened."""

from typing import Any

import numpy as np
import streamlit as st

from encoder.atlas.pairs import ACROSS
from encoder.atlas.reading import Atlas
from encoder.atlas.sums import MEASURES
from encoder.figures.scatter import plane
from encoder.formatting import brief
from pages.parts.atlas import head
from pages.parts.atlas.shelf import about, now, source
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import plain, say, theme

MORE = {"weight_mean": "Largest weight, mean", "written_mean": "Written, mean"}
NAMES = {"nearest": "comes nearest to", "nearest_mass": "share of its weight there",
         "firings": "share of the tokens where it fires"}  # fmt: skip
KNOWN = MEASURES | ACROSS
TITLES = {name: one.title for name, one in KNOWN.items()} | MORE


def draw() -> None:
    """The finder, and what is known of one head."""
    atlas, view = now(), state.current()
    finder(atlas, view.layer, view.head)
    head.draw(atlas, view.layer, view.head)


def finder(atlas: Atlas, layer: int, at: int) -> None:
    """Every head as a point, and as a row of a table."""
    rows = atlas.heads
    there = [name for name in TITLES if name in rows.column_names]
    with st.container(horizontal=True):
        across = measure("Across", there, "previous", state.choice("atlas_x", there, "previous"))
        down = measure("Up", there, "written_mean", state.choice("atlas_y", there, "written_mean"))
    points = np.stack([rows[name].to_numpy() for name in (across, down)], -1)
    names = [f"L{i}H{h}" for i, h in zip(rows["layer"].to_pylist(), rows["head"].to_pylist(), strict=True)]
    here = layer * atlas.card.sizes["heads"] + at
    drawn = plane(points, names, here, (TITLES[across], TITLES[down]), theme())
    most = int(points[:, 0].argmax())
    fact = f"{TITLES[across]} is largest in {names[most]}: {brief(float(points[most, 0]))}."
    chart(drawn, "atlas_heads", f"All heads by {TITLES[across]} and {TITLES[down]}. {fact}", about(atlas),
          made=f"[{source(atlas)}.heads[name].to_numpy() for name in {[across, down]}]")  # fmt: skip
    meaning = KNOWN[across].meaning if across in KNOWN else ""
    say(fact, plain(f"{meaning} On {atlas.card.scope}. The ringed head is that of the sidebar."))
    table = rows.select(["label", "nearest", "nearest_mass", "firings", *there]).to_pandas()
    table["firings"] /= max(1, atlas.card.tokens)
    table = table.rename(columns=TITLES | NAMES)
    table.insert(0, "head", names)
    downloads.numbers("atlas_table", "atlas_heads", lambda: table.set_index("head"), table.shape)


def measure(label: str, there: list[str], usual: str, tie: dict[str, Any]) -> str:
    """One of the measures that the atlas has."""
    found: str | None = st.selectbox(label, there, format_func=TITLES.__getitem__, width=260, **tie)
    return found or usual
