"""The feed-forward units of a layer over the corpus, and one of them opened."""

import numpy as np
import streamlit as st

from encoder.atlas import live
from encoder.atlas.knockout import AtlasPart
from encoder.atlas.reading import Atlas, Firing
from encoder.figures.charts import lines
from encoder.formatting import brief, percent
from pages.parts.atlas import contexts
from pages.parts.atlas.shelf import about, now, share_of, source
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, say, theme

RARE = 0.1  # of the tokens: of the units that fire at fewer, the one that writes most is shown first


def draw() -> None:
    """How often the units of the sidebar's layer fire, and one unit."""
    atlas, layer = now(), state.current().layer
    width = atlas.card.sizes["units"]
    rows = atlas.units.slice(layer * width, width).drop_columns(["layer"])
    shares = rows["firings"].to_numpy() / max(1, atlas.card.tokens)
    heading(f"The units of layer {layer}")
    places = np.linspace(0, width - 1, min(width, 201)).astype(int)
    drawn = lines({"share of the tokens": np.sort(shares)[::-1][places]}, places, ("rank of the unit", "share"),
                  theme=theme())  # fmt: skip
    firings = f'torch.tensor(found.units["firings"].to_pylist()[{layer * width} : {(layer + 1) * width}])'
    ranks = f"[torch.linspace(0, {width - 1}, {len(places)}, dtype=torch.double).int()]"
    made = f"[{firings}.sort(descending=True).values{ranks} / found.card.tokens for found in [{source(atlas)}]]"
    dead = int((shares == 0).sum())
    fact = (
        f"On {atlas.card.scope}, half of its {width:,} units fire at {percent(float(np.median(shares)))} of the tokens "
        f"or less; {dead:,} never fire."
    )
    chart(drawn, "atlas_units", f"How often the units of layer {layer} fire. {fact}", about(atlas), made=made)
    say(fact)
    downloads.numbers("atlas_units_table", "atlas_units", lambda: rows.to_pandas().set_index("unit"), (width, 4))
    strong = np.where(shares < RARE, rows["mean"].to_numpy() * rows["written_per_one"].to_numpy(), -1)
    usual = int(strong.argmax())
    unit = st.selectbox("Unit", range(width), **state.choice("atlas_unit", range(width), usual))
    one(atlas, layer, usual if unit is None else unit)


def one(atlas: Atlas, layer: int, unit: int) -> None:
    """A unit: when it fires, how strongly, and what it then writes."""
    row = atlas.unit(layer, unit)
    heading(f"Layer {layer}, unit {unit}")
    share = percent(row["firings"] / max(1, atlas.card.tokens))
    say(f"On {atlas.card.scope} it fires {row['firings']:,} times: at {share} of the tokens.")
    if not row["firings"]:
        return
    top, sample = (atlas.unit_firings(layer, unit, kind) for kind in ("top", "sample"))
    tokens = [firing.token for firing in sample]
    often = max(dict.fromkeys(tokens), key=tokens.count)
    words = session.words_of_unit(state.current().model, layer, unit)
    st.markdown(plain(
        f"On {atlas.card.scope}, “{often}” has {share_of(tokens.count(often), len(sample))}; no token has more. "
        f"What it writes points to {words}; each 1.0 of it writes a vector of length {brief(row['written_per_one'])}, "
        "so its firings rank the same by value and by what is written."
    ))  # fmt: skip
    bounds = np.array(row["deciles"])
    drawn = lines({"activation": bounds}, np.arange(0, 101, 10), ("percent of its firings", "activation"),
                  theme=theme())  # fmt: skip
    chart(drawn, "atlas_deciles", f"How the firings of layer {layer}, unit {unit} are spread.", about(atlas),
          numbers=True, made=f'{source(atlas)}.unit({layer}, {unit})["deciles"]')  # fmt: skip

    def described(firing: Firing) -> str:
        return f"{firing.value:.4f}, written {firing.value * row['written_per_one']:.4f}"

    contexts.draw(atlas, top, sample, bounds.tolist(), lambda run, one: live.of_unit(run, layer, unit, one), described,
                  AtlasPart("unit", layer, unit))  # fmt: skip
