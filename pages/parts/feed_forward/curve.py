"""The activation's curve with one token's units on it, and the units that no sentence wakes."""

import pandas as pd
import streamlit as st
import torch

from encoder.export.caption import UNCHANGED, About
from encoder.figures.charts import lines
from encoder.figures.curve import units_on_curve
from encoder.formatting import brief, percent, shown
from encoder.metrics import BUNDLED, activation_curve
from encoder.model.activations import ACTIVATIONS
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.server import job_queue
from pages.ui.state import session_state as state
from pages.ui.text import heading, say, theme
from pages.ui.widgets import pick_token


def dead() -> None:
    """The dead units of every layer, folded."""
    fold = st.expander("Units that no sentence wakes", key="dead_units", on_change="rerun")
    if fold.open:
        with fold, job_queue.refused():
            never_awake()


def draw() -> None:
    """Every unit of the chosen token, before and after the activation."""
    trace, view = session.now(), state.current()
    kind = ACTIVATIONS[trace.config.activation]
    heading(f"The curve of {kind.title}, and where the units stand on it")
    token = pick_token("Token", trace.tokens, "curve_token", min(1, len(trace.tokens) - 1))
    name = f"layers.{view.layer}.feed_forward."
    hidden, activation = (trace[name + step][token] for step in ("hidden", "activation"))
    x, y = (side.numpy() for side in activation_curve(trace, view.layer, token))
    drawn = units_on_curve((x, y), hidden.numpy(), activation.numpy(), theme())
    unit, above = int(activation.argmax()), int((hidden > 0).sum())
    fact = (
        f"At “{shown(trace.tokens[token])}” ({token}) {above:,} of {len(hidden):,} units get a number above zero. The "
        f"most active one is unit {unit}: {brief(float(hidden[unit]))} becomes {brief(float(activation[unit]))}."
    )
    about = About(trace, layer=view.layer, reads=("feed_forward.hidden", "feed_forward.activation"))
    chart(drawn, "units_on_curve", fact, about, made=f"activation_curve(t, {view.layer}, {token})[1]")
    say(fact, "Each dot is a unit: across, its number before the activation; up, after it.")
    table = pd.DataFrame({"before": hidden.numpy(), "after": activation.numpy()}).rename_axis("unit")
    downloads.numbers("units_on_curve", "units_on_curve", lambda: table, tuple(table.shape))


def never_awake() -> None:
    """How many units of each layer get nothing above zero over the bundled sentences."""
    trace, view = session.now(), state.current()
    dead = session.dead_units(view.model)
    counts = dead.sum(-1)
    share = {"never above zero": dead.float().mean(-1).numpy()}
    x = torch.arange(len(dead)).numpy()
    about = About(source=trace.source, scope=f"{BUNDLED}, {UNCHANGED}")
    most = int(counts.argmax())
    fact = (
        f"{percent(float(dead.float().mean()))} of all units get nothing above zero at any token of {BUNDLED}; most of "
        f"them are in layer {most}, with {int(counts[most]):,} of {dead.shape[1]:,}."
    )
    chart(
        lines(share, x, ("layer", "share of units"), theme=theme()),
        "dead_by_layer",
        fact,
        about,
        made="never_positive(enc, SENTENCES).float().mean(-1)",
    )
    cuts = ACTIVATIONS[trace.config.activation].cuts
    say(fact, "" if cuts else "This activation lets a little through below zero, so they are quiet and not dead.")
    table = pd.DataFrame({"units": counts.numpy()}).rename_axis("layer")
    downloads.numbers("dead_by_layer", "dead_units", lambda: table, tuple(table.shape))
