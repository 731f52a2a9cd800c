"""What if: switches for the whole model and what differs from there on; which parts, and words, made a guess."""

import math

import pandas as pd
import streamlit as st

from encoder.experiments.ablation import ablate_each
from encoder.experiments.attributions.contributions import BIAS, EMBEDDING, REST
from encoder.experiments.compare import first_difference
from encoder.experiments.importance import OVER, importance
from encoder.metrics import cosine
from encoder.pictures.registry.compare import APART_CHANGED
from encoder.pictures.registry.side_by_side_pictures import STEP_BEFORE, STEP_CHANGE, STEP_NOW
from encoder.pictures.registry.what_if_pictures import (
    ACTION,
    ACTIONS,
    EFFECT,
    IMPORTANCE,
    LEFT_OUT,
    WATCHED,
    WAY,
    WAYS,
    masked_place,
    measured,
    offered,
    swept,
    typed,
    watched,
)
from encoder.pictures.registry.why_pictures import WHY_HEAD, WHY_PARTS, attributed, target_name
from encoder.pictures.scene import head_names, layer_names
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, shown
from encoder.trace.trace import Trace
from pages.ui import session_runs
from pages.ui.downloads import table as downloads
from pages.ui.picture_view import ask, kept, show, tabs, tie
from pages.ui.refusals import parts
from pages.ui.server.measurements import importances
from pages.ui.state import session_state as state
from pages.ui.step import attribution_section, side_by_side, sweep, switches
from pages.ui.step.attribution_section import pick
from pages.ui.text import heading, plain, say
from pages.ui.widgets import bounded


def draw_switches() -> None:
    """The switches, and what they change."""
    st.markdown(
        "Change something in the whole model, or press a switch above: every change is part of the link, and what "
        "differs stands here."
    )
    parts(draw_switchboard, draw_difference, draw_leave_one_out, draw_over_sentences)


def draw() -> None:
    """Draw the page."""
    tabs(
        {"Switches": draw_switches, "Which parts": draw_parts_of_guess, "Which words": attribution_section.draw}, "why"
    )


COLDEST, HOTTEST = 0.1, 5.0  # temperatures
FURTHEST = 20  # places


def draw_switchboard() -> None:
    """All switches as they stand."""
    trace = session_runs.now()
    config = trace.config
    state.show(whole=on())
    st.pills("For the whole model", switches.offered(config), key="whole", selection_mode="multi", on_change=flip_whole)
    with st.container(horizontal=True, vertical_alignment="bottom", key="dials"):
        hotter = [1 / factor if factor else math.inf for factor in values("attention.scaled", "scale")]
        bounded("Temperature of the softmax", COLDEST, HOTTEST, 0.1, hotter, 1.0, "temperature", dial_temperature)
        furthest = min(FURTHEST, len(trace.tokens) - 1)
        bounded("Shift positions by", 0, furthest, 1, values("embedding.positions", "shift"), 0, "shift", dial_shift)


def values(step: str, action: str) -> list[float]:
    """The numbers that edits of a step and action have, each once: a link may say others in other layers."""
    numbers = [edit.value for edit in switches.current() if edit.step.endswith(step) and edit.action == action]
    return list(dict.fromkeys(value for value in numbers if isinstance(value, int | float)))


def on() -> list[str]:
    """What is switched for the whole model."""
    config, edits = session_runs.now().config, set(switches.current())
    return [name for name in switches.offered(config) if set(switches.WHOLE[name](config)) <= edits]


def flip_whole() -> None:
    """Switch what was chosen or left for the whole model."""
    changed = set(state.value("whole")) ^ set(on())
    for name in [name for name in switches.WHOLE if name in changed]:
        switches.toggle(switches.WHOLE[name](session_runs.now().config))


def dial_temperature() -> None:
    """Take over the temperature."""
    switches.replace_scaled(session_runs.now().config, "attention.scaled", "scale", 1 / state.value("temperature"), 1.0)


def dial_shift() -> None:
    """Take over the shift."""
    switches.replace_scaled(session_runs.now().config, "embedding.positions", "shift", state.value("shift"), 0)


PICTURES = {
    "without changes": STEP_BEFORE,
    "with changes": STEP_NOW,
    "with changes minus without changes": STEP_CHANGE,
}


def draw_difference() -> None:
    """Where the runs part, how far they are apart, what the model answers, and any step of both."""
    if not switches.current():
        st.markdown("No switch was pressed yet: what differs stands here once there is a change.")
        return
    scene = ask(APART_CHANGED)
    before, trace = scene.t, scene.b
    tokens = trace.tokens
    heading("What differs")
    if first := first_difference(before, trace):
        alike = cosine(before["output"], trace["output"])
        least = int(alike.argmin())
        say(
            f"The runs first differ at {first}; the outputs have cosine {brief(float(alike.mean()))} on average, least "
            f"at “{shown(tokens[least])}” ({least}): {brief(float(alike[least]))}."
        )
    else:
        say("No number differs from the run without changes.")
    show(APART_CHANGED, scene=scene)
    st.caption("Length of the difference over the length of the vector without changes, after each layer.")
    show_answers(before, trace)
    heading("Any step, side by side")
    side_by_side.draw(scene, PICTURES)


def show_answers(before: Trace, trace: Trace) -> None:
    """The model's first answer at every token, without the changes and with them."""
    encoder = session_runs.text_encoder(state.current().model)
    usual, changed = encoder.predict(before, 1), encoder.predict(trace, 1)
    if not (usual and changed):
        return
    rows = [
        {"token": f"{i} {shown(token)}", "before": a[0][0], "p before": a[0][1], "now": b[0][0], "p now": b[0][1]}
        for i, (token, a, b) in enumerate(zip(trace.tokens, usual, changed, strict=True))
    ]
    other = sum(row["before"] != row["now"] for row in rows)
    st.markdown(f"The model's first answer is another one at {other} of {len(rows)} tokens.")
    downloads.shown_table(pd.DataFrame(rows), hide_index=True, key="answers")


def draw_leave_one_out() -> None:
    """The sweep on demand, and one of its effects."""
    scene = ask(LEFT_OUT)
    heading("Leave one out")
    st.markdown("Knock out every head and every feed-forward block in turn, each alone, and see which one matters.")
    if masked_place(scene) is not None:
        st.text_input(f"Word to watch at {scene.encoder.mask_token}", max_chars=40, **tie(WATCHED, scene))
        try:
            typed(scene := ask(LEFT_OUT))
        except EncoderError as error:
            st.caption(plain(f"{error}, so no word is watched."))
    st.pills("Put in its place", list(ACTIONS), required=True, **tie(ACTION, scene))
    scene = ask(LEFT_OUT)
    watch, action = watched(scene), ACTIONS[scene[ACTION]]
    this = (scene.view.model, scene.t.inputs, scene.view.hidden, scene.view.edits, watch, action)
    effects = sweep.follow(
        "loo", this, lambda: ablate_each(scene.encoder, scene.t, action=action, watch=watch), "Knock out each in turn"
    )
    if effects is not None:
        st.pills("Effect", list(offered(watch)), required=True, **tie(EFFECT, scene))
        show(LEFT_OUT, known={swept(scene): effects})


def draw_over_sentences() -> None:
    """The board on demand."""
    n = len(OVER)
    heading(f"Leave one out, over {n} sentences")
    st.markdown(
        "One sentence and zeros can mislead: a part may be idle here, and zero is a number that the layers behind it "
        f"never meet. So each part is left out in {n} sentences, without the changes made above. In each the longest "
        "word is hidden, and what counts is how much of ln p of that word is lost."
    )
    st.pills("In the place of each part", list(WAYS), required=True, **tie(WAY, ask(IMPORTANCE)))
    scene = ask(IMPORTANCE)
    way, encoder = WAYS[scene[WAY]], scene.encoder
    board = sweep.follow(
        "board",
        (scene.view.model, way),
        lambda: importance(encoder, way),
        "Measure every part",
        unit="sentences",
        shared=importances,
    )
    if board is None:
        return
    show(IMPORTANCE, known={measured(scene): board}, more="The error is the standard error over the sentences.")
    errors = board.told[1].numpy()
    rows, columns = layer_names(encoder.config), [*head_names(encoder.config), "feed-forward"]
    downloads.numbers(
        "board_error",
        "importance_error",
        lambda: downloads.frame(errors, rows, columns),
        errors.shape,
        title="Standard errors",
    )


def draw_parts_of_guess() -> None:
    """The sum as a map of heads and blocks, and one head as a sum over the tokens it gathered from."""
    st.markdown(
        "The vector that makes the guess is a sum: what the embedding, every head and every feed-forward block put "
        "into it. So the logit is a sum too."
    )
    scene = pick()
    if scene is None:
        return
    parts = WHY_PARTS.of(scene, kept(scene)).value(attributed(scene))
    show(
        WHY_PARTS,
        scene=scene,
        more=f"With the embedding ({brief(parts.of(EMBEDDING))}), the biases ({brief(parts.of(BIAS))}) and rounding or "
        f"changes ({brief(parts.of(REST))}) all parts add up to {brief(parts.total)}, {plain(target_name(scene))}.",
    )
    st.caption(
        "Each norm divides every part by the spread that it had in this run, and the activation of the MLM head "
        "multiplies it by the factor that it had: without a part they would be others, so this is no knock-out."
    )
    heading(f"Layer {scene.layer}, head {scene.head}: from which tokens")
    show(WHY_HEAD, scene=scene)
