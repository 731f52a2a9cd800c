"""A task: what is to be learned, its run, what came out, and the ways into a model of it."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from encoder.support.formatting import percent
from encoder.tasks.data import HELD_OUT, guessing
from encoder.tasks.models import recorded
from encoder.tasks.settings import CHOOSABLE, MOST_SEED, LearnSettings, usual
from encoder.tasks.task import TASKS
from encoder.tasks.task_training import LearningMoment
from pages.ui.components import learning_component
from pages.ui.frame import page_run as frame_run
from pages.ui.server import live_training, task_models
from pages.ui.server.jobs import MOST_SECONDS, spoken
from pages.ui.server.live_training import LiveRun, live
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of
from pages.ui.text import heading, plain, theme

POSITIONS = {
    "sinusoidal": "sines and cosines",
    "learned": "learned",
    "rotary": "rotary: queries and keys are turned",
    "none": "none: it cannot tell places apart",
}
NORMS = {False: "after adding (post-norm)", True: "before (pre-norm)"}


def draw_choices() -> LearnSettings:
    """The task, and a fold with the model and its training; returns what was chosen."""
    tie = state.choice("training_task", list(TASKS), "reverse")
    st.pills("Task", list(TASKS), required=True, format_func=lambda key: TASKS[key].title, **tie)
    plain = usual(state.value("training_task") or "reverse")
    task = plain.about
    st.markdown(f"**{task.asks}** The known pattern: {task.pattern}.")
    with st.expander("The model and its training"), st.grid("auto", min_column_width=170):
        return LearnSettings(plain.task, **choose_shape(plain), **choose_training(plain))


def choose_shape(plain: LearnSettings) -> dict[str, Any]:
    """The shape of the model; what is usual for the task is chosen at first."""
    options = CHOOSABLE
    return {
        "layers": st.selectbox(
            "Layers", options["layers"], **state.choice("training_layers", options["layers"], plain.layers)
        ),
        "heads": st.selectbox(
            "Heads", options["heads"], **state.choice("training_heads", options["heads"], plain.heads)
        ),
        "width": st.selectbox(
            "Width", options["width"], **state.choice("training_width", options["width"], plain.width)
        ),
        "positions": st.selectbox(
            "Positions",
            options["positions"],
            format_func=lambda name: POSITIONS[str(name)],
            **state.choice("training_positions", options["positions"], plain.positions),
        ),
        "norm_first": st.selectbox(
            "Place of the norm",
            options["norm_first"],
            format_func=lambda first: NORMS[bool(first)],
            **state.choice("training_norm", options["norm_first"], plain.norm_first),
        ),
    }


def choose_training(plain: LearnSettings) -> dict[str, Any]:
    """The rate, the steps, and the seed of the first weights and of the inputs."""
    rates, steps, seeds = CHOOSABLE["rate"], CHOOSABLE["steps"], range(MOST_SEED + 1)
    return {
        "rate": st.selectbox("Rate", rates, **state.choice("training_rate", rates, plain.rate)),
        "steps": st.selectbox("Steps", steps, **state.choice("training_steps", steps, plain.steps)),
        "seed": st.selectbox("Seed", seeds, **state.choice("training_seed", seeds, plain.seed)),
    }


EVERY = 1.0  # seconds between two looks at a live run


def draw_run(settings: LearnSettings) -> None:
    """The player, and under it what came out."""
    if recorded(settings):
        played(settings, recorded(settings), live_now=False)
        st.caption("This run was recorded: every screen shows the same. On a processor, the same seed gives it again.")
        return
    live_run = live.look(settings)
    if live_run is not None and live_run.goes_on:
        watched(settings)
        st.button("Stop training", key="stop_training", on_click=live.stop, args=(settings,))
    else:
        over(settings, live_run)


def over(settings: LearnSettings, live_run: LiveRun | None) -> None:
    """A run that is whole or ended early, or the way to begin it."""
    if live_run is not None and live_run.ended:
        st.warning(plain(live_run.ended))
    if live_run is not None and live_run.moments:
        played(settings, live_run.moments, live_now=False)
    if live_run is not None and live_run.whole:
        return
    if not live_training.is_on():
        st.markdown("This run was not recorded, and this server does not train. The usual settings of every task play.")
        return
    if live_run is None:
        st.markdown("Nobody has trained this here yet. It takes some seconds, with several layers a minute or more.")
    st.button("Train it now", type="primary", key="train_now", on_click=live.begin, args=(settings,))


@st.fragment(run_every=EVERY)
def watched(settings: LearnSettings) -> None:
    """A run while it goes on; when it is over, the page is drawn anew."""
    live_run = live.look(settings)
    if live_run is None or not live_run.goes_on:
        st.rerun()
    elif live_run.before:
        st.info(waiting(live_run.before, live.ahead(settings)))
    elif not live_run.moments:
        st.info("The process that trains is starting.")
    else:
        played(settings, list(live_run.moments), live_now=True)


def played(settings: LearnSettings, moments: Sequence[LearningMoment], live_now: bool) -> None:
    """Draw a run, and say what it came to."""
    fact, why = outcome(settings, moments)
    if not live_now:
        heading(plain(fact))
    learning_component.draw("learning", settings.about, moments, settings.steps, theme(), live_now)
    if not live_now:
        st.markdown(plain(why))
        st.caption(
            "In a map a row is a place that looks, a column a place that is looked at; dark is much weight. The framed "
            "head is the one nearest to the known pattern. Exact match: the share of inputs with every answer right."
        )


SOLVED = 0.99  # of the held-out inputs
LEARNED_NOTHING = 0.9  # of the loss of guessing
FAR = 0.3  # a distance at which a head does not look where it was expected to

NO_PLACES = (
    "Without positions equal letters are equal vectors wherever they stand, so no head can tell where to look, and "
    "equal letters get equal answers."
)
MIRRORED = ("reverse", "palindrome")  # what is looked at is another number of steps away from every place
TURNED = (
    "Rotary positions tell a head how far apart two places are, and not where it stands: in the first layer two "
    "letters score the same wherever they are as far apart. But the mirrored place is another number of steps away "
    "from every place."
)
BY_TWO = " A second layer could learn where it stands from how far away [CLS] is; in these steps it did not."


def outcome(settings: LearnSettings, moments: Sequence[LearningMoment]) -> tuple[str, str]:
    """What a run came to, and why where that is known."""
    last, chance = moments[-1], guessing(settings.task)
    far, layer, head = last.nearest
    fact = (
        f"{settings.about.title}: after {last.step:,} steps it answers {percent(last.exact)} of {HELD_OUT} inputs that "
        f"it never saw; layer {layer}, head {head} is {far:.2f} from the known pattern."
    )
    if not settings.about.head_needed:
        return fact, "No head is needed here: the residual connection carries each letter to its own answer."
    if last.exact < SOLVED and settings.positions == "none" and settings.about.needs_places:
        return fact, NO_PLACES
    if last.exact < SOLVED and settings.positions == "rotary" and settings.task in MIRRORED:
        return fact, TURNED + BY_TWO * (settings.layers > 1)
    if last.loss > LEARNED_NOTHING * chance:
        rate = usual(settings.task).rate
        more = f" The usual rate is {rate:g}, here it is {settings.rate:g}." if settings.rate != rate else ""
        return (
            fact,
            f"It learned nothing: guessing by frequency alone has a loss of {chance:.2f}, this {last.loss:.2f}.{more}",
        )
    if last.exact >= SOLVED and far > FAR:
        return fact, "It found another way than the known one: its answers are right, its heads look elsewhere."
    return fact, "A distance of 0 is the pattern itself, 1 is to look only elsewhere."


def waiting(before: int, ahead: Sequence[LiveRun]) -> str:
    """How many runs are before this one, and how long that takes as far as it is known."""
    count = "1 run is" if before == 1 else f"{before} runs are"
    left = ahead[0].left if ahead else None
    now = f"The one that trains now needs {spoken(left)} more" if left is not None else "The first of them is starting"
    most = f"{MOST_SECONDS / 60:.0f} minutes"
    return f"Waiting: {count} before this one, since one trains at a time. {now}; none may take over {most}."


def draw_openings(settings: LearnSettings) -> None:
    """What can be opened, and what it is for."""
    heading("Walk through it")
    if live.moments(settings):
        name = f"{task_models.LEARNED}{settings}"
        st.button("Open this model", type="primary", key="open_learned", on_click=go_to_model, args=(name,))
    st.markdown(
        "An opened model stands among the models of every page, with inputs of the task as sentences: one sign is "
        "one token."
        if live.moments(settings)
        else "When training has come to its end, the model can be opened in all pages."
    )
    with st.expander("How the distance is measured"):
        st.latex(r"\text{distance} = \operatorname{mean}_i \; \tfrac12 \sum_j \left| \alpha_{ij} - p_{ij} \right|")
        st.markdown(
            r"$\alpha$ are the head's attention weights, p the known pattern, i the places that the pattern says "
            "something of; the mean is over all held-out inputs. It is the share of weight that would have to move."
        )


def go_to_model(name: str) -> None:
    """Go to the attention of a model on an input of its task."""
    frame_run.show_model(name)
    state.change(sentence=task_models.examples(name)[0], second="", hidden=(), edits=())
    state.session().go_to = page_of("attention").key
