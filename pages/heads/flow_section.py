"""What really flows: weights against what they carry, what a token keeps of itself, and the way through all layers."""

import streamlit as st

from encoder.metrics import FLOW_TOKENS, disagreement, gained
from encoder.pictures.chart import scales
from encoder.pictures.expression import Expression
from encoder.pictures.registry.grids import FLOWS
from encoder.pictures.registry.heads_pictures import FLOW_TOKEN, MAX_FLOW, MIXING, ROLLOUT, UPTO
from encoder.pictures.view import Cell
from encoder.support.formatting import points, shown
from pages.ui import cell_links
from pages.ui.components import maps
from pages.ui.downloads import table
from pages.ui.picture_view import answer_of, ask, kept, show, tie
from pages.ui.refusals import parts
from pages.ui.server import jobs
from pages.ui.state import session_state as state
from pages.ui.text import heading, say
from pages.ui.widgets import fold, pick_token


def draw() -> None:
    """One head's weights against what they carry, the mixing ratio, and what may stay closed."""
    parts(draw_weight_and_flow, draw_mixing)
    fold(
        "Through all layers at once: how much of each input word is in each token (rollout and flow)",
        "through_layers",
        through,
        holds={"rollout_layer", "flow_token"},
    )


def through() -> None:
    """Two estimates of what reaches a token from the input, through every layer."""
    parts(draw_rollout, draw_max_flow)


def draw_weight_and_flow() -> None:
    """Weight, flow and their difference as maps, and the weight of a picked pair."""
    answer = answer_of(FLOWS)
    scene, tokens = answer.scene, answer.scene.t.tokens
    heading(f"Looking is not taking (layer {scene.layer}, head {scene.head})")
    say(
        answer.sentence,
        "In no pair of this head are the two further apart. The weight says how much one token looks at another; "
        "what it takes is the weight times the vector that the other hands over. A short vector moves little, "
        "however large the weight.",
    )
    step = scene.t.step(f"layers.{scene.layer}.attention.weights")
    pair = cell_links.place_in(scene.t, step, scene.head)
    three = maps.draw(answer, open_weight, cell=pair, exact=True, least=176)
    st.markdown(
        "- **Weight**: how much the token of the row looks at that of the column.\n"
        "- **Flow**: how much it takes from there: weight times length of the vector handed over.\n"
        "- **Flow as shares minus weight**: above 0 the column gives more than its weight promises, below 0 less."
    )
    st.caption(
        f"{scales(three)} The scale of the flow is that of all heads. Click a pair to open its weight. "
        "In formulas ‖A f(x)‖, where f(x) is the value taken through the head's part of W_O (Kobayashi et al. 2020)."
    )
    more = gained(disagreement(scene.t, scene.layer)[scene.head])
    most, least = int(more.argmax()), int(more.argmin())
    say(
        f"Over all rows, and against its weight, “{shown(tokens[most])}” ({most}) hands over most, "
        f"and “{shown(tokens[least])}” ({least}) "
        f"least: on average over the rows its share of the flow is {points(float(-more[least]) / len(tokens))} below "
        "its share of the weight."
    )
    table.folded(FLOWS.key, answer.rows)


def open_weight(number: int, row: int, column: int) -> None:
    """Open the weight of the pair that was picked."""
    view = state.current()
    cell_links.open_number(Cell(f"layers.{view.layer}.attention.weights", (view.head, row, column)))


def draw_mixing() -> None:
    """The mixing ratio of every token in every layer."""
    heading("How much of each vector comes from others")
    st.markdown(
        "A layer adds what attention brings to what a token had. How much of the result is from **other** tokens?"
    )
    show(
        MIXING,
        more="The rest is its own: what it had before (the residual), and what it takes from itself. In the papers "
        "this is the mixing ratio with the residual, before the norm (AttnRes-N, Kobayashi et al. 2021).",
    )


METHOD = """Attention rollout (Abnar & Zuidema 2020): mean of the heads, half identity for the residual, rows divided \
by their sums, layers multiplied. The half is assumed; the picture above shows how far it is from what is measured."""


def draw_rollout() -> None:
    """The rollout up to a layer."""
    heading("Through all layers: rollout")
    scene = ask(ROLLOUT)
    st.select_slider("Up to layer", range(scene.encoder.config.n_layers), **tie(UPTO, scene))
    show(ROLLOUT, more=METHOD)


def draw_max_flow() -> None:
    """The flow to the chosen token, computed when it is asked for."""
    scene = ask(MAX_FLOW)
    tokens, flow_of = scene.t.tokens, MAX_FLOW.measure
    heading("Through all layers: flow to one token")
    if len(tokens) > FLOW_TOKENS:
        st.markdown(f"Maximum flow is computed for at most {FLOW_TOKENS} tokens; this sentence has {len(tokens)}.")
        return
    pick_token("Token", tokens, FLOW_TOKEN.key)
    measurement: Expression = flow_of(scene := ask(MAX_FLOW))
    this = (scene.view.model, scene.t.inputs, scene.view.hidden, scene.view.edits, str(measurement))
    if st.button("Compute its flow", key="compute_flow"):
        with jobs.in_turn():
            answer = MAX_FLOW.of(scene, kept(scene))
            state.session().sweeps["max_flow"] = (this, answer.measured)
    last, shares = state.session().sweeps.get("max_flow", (None, None))
    if last == this:
        show(MAX_FLOW, scene=scene, known={measurement: shares})
        st.caption("Attention flow (Abnar & Zuidema 2020): the largest flow through the same graph, as shares.")
