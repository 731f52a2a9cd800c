"""Small networks: a task, its run with what came of it, and the way into its model; or a task that is hidden."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from encoder.support.formatting import percent
from encoder.tasks.data import HELD_OUT, guessing
from encoder.tasks.models import recorded
from encoder.tasks.settings import CHOOSABLE, MOST_SEED, LearnSettings, usual
from encoder.tasks.task import TASKS
from encoder.tasks.task_training import LearningMoment
from pages.training import mystery_section
from pages.ui.components import learning_component
from pages.ui.frame.page_header import page_header
from pages.ui.server import live_training, task_models
from pages.ui.server.jobs import MOST_SECONDS, spoken
from pages.ui.server.live_training import LiveRun, live
from pages.ui.state import session_state as state
from pages.ui.text import plain
from pages.ui.widgets import fold

WIDE = 150  # pixels of a field
# setting -> its name in the link, what it is called, and how a value is written
KNOBS: dict[str, tuple[str, str, Callable[[Any], str]]] = {
    "layers": ("training_layers", "Layers", str),
    "heads": ("training_heads", "Heads in a layer", str),
    "width": ("training_width", "Width", str),
    "positions": ("training_positions", "Positions", lambda name: {"sinusoidal": "sine"}.get(name, name)),
    "norm_first": ("training_norm", "Place of the norm", {False: "post-norm", True: "pre-norm"}.__getitem__),
    "rate": ("training_rate", "Learning rate", "{:g}".format),
    "steps": ("training_steps", "Training steps", "{:,}".format),
    "seed": ("training_seed", "Seed", str),
}


def draw(above: Any) -> None:
    """The task with what trains it, its run, and the knobs; where the task is hidden, a mystery in the same place."""
    with st.container(horizontal=True, vertical_alignment="center", key="task"):
        choices, train = st.container(key="task_choices"), st.container(width="content")
        hidden = st.toggle("Mystery: guess the task", **state.choice("training_hidden", (False, True), False))
    if hidden:
        mystery_section.draw(above, choices, train)
        return
    with choices:
        tie = state.choice("training_task", list(TASKS), "reverse")
        st.pills(
            "Task",
            list(TASKS),
            required=True,
            label_visibility="collapsed",
            format_func=lambda key: TASKS[key].title,
            **tie,
        )
    picture = st.container()
    settings = choose(usual(state.value("training_task") or "reverse"))
    with picture:
        draw_run(settings, above, train)
    fold("More", "training_more", lambda: draw_more(settings))


def choose(plain: LearnSettings) -> LearnSettings:
    """The knobs, folded; what is usual for the task is chosen at first."""
    chosen: dict[str, Any] = {}
    with st.expander("Change the network"), st.container(horizontal=True, key="knobs"):
        for name, (key, label, spell) in KNOBS.items():
            options = CHOOSABLE.get(name, range(MOST_SEED + 1))
            tie = state.choice(key, options, getattr(plain, name))
            chosen[name] = st.selectbox(label, options, format_func=spell, width=WIDE, **tie)
    return LearnSettings(plain.task, **chosen)


EVERY = 1.0  # seconds between two looks at a live run


def draw_run(settings: LearnSettings, above: Any, train: Any) -> None:
    """The finding `above`, the picture, and what begins and ends a run in `train`."""
    live_run = live.look(settings)
    moments: Sequence[LearningMoment] = recorded(settings) or (live_run.moments if live_run else [])
    if not recorded(settings) and live_run is not None and live_run.goes_on:
        with above:
            page_header(plain(f"{settings.about.title}: it is being trained now."))
        train.button("Stop training", key="stop_training", on_click=live.stop, args=(settings,))
        watched(settings)
        return
    if moments:
        over(settings, moments, above, train)
    else:
        with above:
            page_header(plain(f"{settings.about.title}: {settings.about.asks[:1].lower()}{settings.about.asks[1:]}"))
    if live_run is not None and live_run.ended:
        st.warning(plain(live_run.ended))
    if recorded(settings) or (live_run is not None and live_run.whole):
        return
    if not live_training.is_on():
        st.markdown("This run was not recorded, and this server does not train. The usual settings of every task play.")
        return
    if not moments:
        st.markdown(
            "Nobody has trained this here yet: press *Train it now* and watch. It takes a few seconds, with several "
            "layers a minute or more."
        )
        learning_component.draw(str(settings), settings.about, [], settings.steps, False)
    train.button("Train it now", type="primary", key="train_now", on_click=live.begin, args=(settings,))


def over(settings: LearnSettings, moments: Sequence[LearningMoment], above: Any, train: Any) -> None:
    """A run that is whole or ended early: what it came to, its picture, and the way into its network."""
    fact, why = outcome(settings, moments)
    with above:
        page_header(plain(fact))
    if why:
        st.markdown(plain(why))
    learning_component.draw(str(settings), settings.about, moments, settings.steps, False)
    if live.moments(settings):
        mystery_section.draw_way(train, f"{task_models.LEARNED}{settings}", "open_learned")


@st.fragment(run_every=EVERY)
def watched(settings: LearnSettings) -> None:
    """A run while it goes on; when it is over, the page is drawn anew."""
    live_run = live.look(settings)
    if live_run is None or not live_run.goes_on:
        st.rerun()
    elif live_run.before:
        st.info(waiting(live_run.before, live.ahead(settings)))
    else:
        learning_component.draw(str(settings), settings.about, list(live_run.moments), settings.steps, True)


SOLVED = 0.99  # of the held-out inputs
LEARNED_NOTHING = 0.9  # of the loss of guessing
FAR = 0.3  # of its weight elsewhere, from which on a head does not look where it was expected to
PARTLY = 0.3  # of its weight as wanted, from which on a head looks there in part

NO_PLACES = (
    "Without positions equal letters are equal vectors wherever they stand, so no head can tell where to look, and "
    "equal letters get equal answers."
)
MIRRORED = ("reverse", "palindrome")  # what is looked at is another number of steps away from each
TURNED = (
    "Rotary positions tell a head how far apart two positions are, and not where it stands: in the first layer two "
    "letters score the same wherever they are as far apart. But the mirrored position is another number of steps away "
    "from each."
)
BY_TWO = " A second layer could learn where it stands from how far away [CLS] is; in these steps it did not."


def outcome(settings: LearnSettings, moments: Sequence[LearningMoment]) -> tuple[str, str]:
    """What a run came to, and why where that is known."""
    last, chance = moments[-1], guessing(settings.task)
    fact = (
        f"{settings.about.title}: after {last.step:,} steps it answers {percent(last.exact)} of {HELD_OUT} inputs that "
        "it never saw."
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
    if last.exact >= SOLVED and last.nearest[0] > FAR:
        near = 1 - last.nearest[0]
        where = "only partly where the known way does" if near >= PARTLY else "elsewhere"
        return fact, f"It found a way of its own: its answers are right, but its heads look {where}."
    return fact, ""


def waiting(before: int, ahead: Sequence[LiveRun]) -> str:
    """How many runs are before this one, and how long that takes as far as it is known."""
    count = "1 run is" if before == 1 else f"{before} runs are"
    left = ahead[0].left if ahead else None
    now = f"The one that trains now needs {spoken(left)} more" if left is not None else "The first of them is starting"
    most = f"{MOST_SECONDS / 60:.0f} minutes"
    return f"Waiting: {count} before this one, since one trains at a time. {now}; none may take over {most}."


def draw_more(settings: LearnSettings) -> None:
    """What is asked, how the pictures are read and heads are measured, and what an opened network is."""
    st.markdown(
        f"**{settings.about.asks}** The known pattern: {settings.about.pattern}. In a map a row is a position that "
        "looks, a column one that is looked at; the darker, the more weight. The framed head is nearest to the pattern."
    )
    st.latex(
        r"\text{weight as wanted} = 1 - \operatorname{mean}_i \; \tfrac12 \sum_j \left| \alpha_{ij} - p_{ij} \right|"
    )
    st.markdown(
        r"$\alpha$ are the head's attention weights, p the known pattern, i the places that the pattern says "
        "something of; the mean is over all held-out inputs. What is taken from 1 is the share of weight that would "
        "have to move: 100 % is the pattern itself, 0 % is to look only elsewhere. "
        + ("This run was recorded; on a CPU, the same seed gives it again. " if recorded(settings) else "")
        + "A network that is stepped into stands among the models of every page, with inputs of the task as sentences: "
        "one sign is one token."
    )
