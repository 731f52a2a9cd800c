"""Models: which model this is, what it costs, and the ways to another one."""

from collections.abc import Sequence
from contextlib import suppress

import pandas as pd
import streamlit as st

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.explain.cost import Depth, Part, depths, hyperparameters, parameters, step_costs
from encoder.model.config import EncoderConfig
from encoder.pictures.registry.model_parts import KINDS
from encoder.support.formatting import brief, percent, short
from encoder.teach.story import tour
from encoder.teach.story.tour import kind
from encoder.trace.trace import Trace
from pages.ui import session_runs
from pages.ui.downloads import table as downloads
from pages.ui.picture_view import show, tabs
from pages.ui.refusals import shows_errors
from pages.ui.server import jobs
from pages.ui.server.engine import held
from pages.ui.server.measurements import habits, habits_in
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of
from pages.ui.step import sections
from pages.ui.text import WHOLE, heading, plain, say
from pages.ui.widgets import apart, fold
from pages.your_model import another_model


def draw() -> None:
    """Draw the page."""
    with apart():
        draw_glance()
        tabs({"This model": draw_this_model, "Cost": draw_cost, "Another model": another_model.draw}, "models_part")


def draw_glance() -> None:
    """The model in one sentence, then the bars of its parameters beside its figures."""
    encoder, trace = session_runs.text_encoder(state.current().model), session_runs.now()
    heading(plain(kind(encoder)[0]))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        answer = show(KINDS, sentence=False, numbers=False)
    with right:
        say(answer.sentence)
        figures(parameters(encoder.model), trace)


def figures(parts: list[Part], trace: Trace) -> None:
    """What the model holds, and what this run did, recorded and took."""
    costs = step_costs(trace)
    with st.grid("auto", min_column_width=150):
        st.metric("Parameters", f"{brief(sum(part.counted for part in parts) / 1e6)} M")
        st.metric("Operations of this run", f"{brief(sum(cost.flops for cost in costs) / 1e9)} G")
        st.metric("Numbers recorded", f"{brief(sum(cost.new_bytes for cost in costs) / 1e6)} MB")
        st.metric("Time of this run", f"{brief(trace.seconds * 1e3)} ms")


def section(title: str, sentences: Sequence[str]) -> None:
    """A title, and an item for each sentence."""
    heading(title)
    items(sentences)


def items(sentences: Sequence[str]) -> None:
    """An item for each sentence."""
    st.markdown("\n".join(f"- {plain(sentence)}" for sentence in sentences))


def draw_this_model() -> None:
    """What kind of model it is and what its heads do, side by side; below it what to try."""
    encoder, trace = session_runs.text_encoder(state.current().model), session_runs.now()
    left, right = st.columns(2, gap="large")
    with left:
        section("What kind of model it is", tour.kind(encoder)[1:])
    habits_of_heads: tour.Habits = {}
    with right, st.container(key="tour_heads"), suppress(jobs.NotStarted), shows_errors():
        atlas = session_runs.atlas()
        habits_of_heads = habits_in(atlas) if atlas else habits(state.current().model)
        over = atlas.card.scope if atlas else tour.MANY
        total = trace.config.n_layers * trace.config.n_heads
        examined = tour.jobs_of(exam, total) if (exam := session_runs.exam()) else ()
        section("What its heads do", (*tour.heads(encoder, trace, habits_of_heads, over), *examined[:1]))
        if each_job := examined[1:]:
            fold(f"Their jobs, one by one ({len(each_job)})", "tour_jobs", lambda: items(each_job))
    heading("What to try")
    with st.container(gap="xsmall", key="tour_tries"):
        for number, trial in enumerate(tour.tries(encoder, trace, habits_of_heads)):
            icon = page_of(trial.page).icon
            st.button(plain(trial.text), key=f"tour_{number}", type="tertiary", icon=icon, on_click=go, args=(trial,))


def go(trial: tour.Try) -> None:
    """Show what is to be tried."""
    view = state.current()
    page = page_of(trial.page)
    layer, head = view.layer if trial.layer is None else trial.layer, view.head if trial.head is None else trial.head
    step = (trial.step or page.opens_on) if page.parts else ""
    state.change(layer=layer, head=head, step=step, cell=None)
    for key, chosen in trial.choices.items():
        state.remember(key, chosen, None)
    state.session().go_to = page.script


def draw_cost() -> None:
    """The parameters, the shape, the run and the memory of the server."""
    trace = session_runs.now()
    encoder = session_runs.text_encoder(state.current().model)
    st.text(f"Model {trace.source.name} ({trace.source.fingerprint}), {len(trace.tokens)} tokens.")
    say_count(encoder)
    fold("Every part by formula and by count", "cost_parameters", lambda: sections.draw_parameters(encoder))
    draw_shape(trace.config)
    heading("This run")
    st.markdown(
        "An addition, multiplication, comparison, exponential or root counts as one operation. "
        "A step of 0 bytes hands on memory of an earlier one. "
        "The time is this run's own, from the step before; the first run of a session is slower than the next."
    )
    fold("Every step of this run", "cost_steps", lambda: sections.draw_costs(trace))
    draw_memory()


def say_count(encoder: TextEncoder) -> None:
    """How many parameters a block has, beside the round formula, and whether formula and count agree."""
    parts, width = parameters(encoder.model), encoder.config.d_model
    block = sum(part.counted for part in parts if part.name.startswith("layers.0."))
    agree = all(part.by_formula == part.counted for part in parts)
    heading("Parameters")
    st.markdown(
        f"One block holds {block:,} parameters; 12 d_model² is {12 * width**2:,}, "
        f"{percent(abs(block - 12 * width**2) / block)} away. "
        f"Formula and count **{'agree for every part' if agree else 'do not agree'}**."
    )


def draw_shape(config: EncoderConfig) -> None:
    """What 6, 12 and 24 layers of its width would hold, in a sentence, and two folded tables."""
    heading("The shape of this model")
    three = depths(config)
    sizes = ", ".join(f"{depth.layers} layers {short(depth.parameters / 1e6)} M" for depth in three)
    say(
        f"With d_ff = 4 d_model and all else as here: {sizes}.",
        "A block holds the same number of parameters in each; the rest is the embedding and the heads on top.",
    )
    fold("Its shape and three depths as tables", "cost_shape", lambda: tables(config, three))


def tables(config: EncoderConfig, depths: Sequence[Depth]) -> None:
    """Its hyperparameters, and what each depth would hold."""
    shape = pd.DataFrame(hyperparameters(config))
    columns = {"what": "", "name": "name", "value": "here"}
    downloads.shown_table(shape, hide_index=True, key="shape", column_config=columns)
    table = pd.DataFrame(depths).set_index("layers")
    downloads.shown_table(table, key="depths", column_config=dict.fromkeys(table.columns, WHOLE))


def draw_memory() -> None:
    """One bar, and what it is made of."""
    now = held()
    heading("Memory of this server")
    st.progress(now.share, f"{now.total:,.0f} MB of {now.most:,.0f} MB that it may take")
    st.caption(
        f"Models {now.models:,.0f} MB, with the weights that are held a second time in the order in which they are "
        f"multiplied; runs {now.runs:,.0f} MB; results {now.results:,.0f} MB; libraries, pages and all else "
        f"{now.rest:,.0f} MB. All visitors share these. Where they need more, what was used longest ago is let go of, "
        "and made again when somebody asks for it."
    )
