"""What can be switched off, as data, and the way there and back."""

import math
from collections.abc import Callable

from encoder.edits.edit import Edit
from encoder.edits.text import edits_to_text
from encoder.errors import EncoderError
from encoder.experiments import without_positions
from encoder.model.config import EncoderConfig
from encoder.steps.catalogue import by_name
from pages.ui.state import session_state as state

MOST_UNDONE = 50  # changes that can be taken back
Switch = Callable[[EncoderConfig], list[Edit]]


def everywhere(step: str, action: str, value: float | None = None) -> Switch:
    """The same edit in every layer."""

    def edits(config: EncoderConfig) -> list[Edit]:
        names = [f"layers.{i}.{step}" for i in range(config.n_layers)]
        return [Edit(name, action, value=value) for name in names if name in by_name(config)]

    return edits


# A switch for each part of a layer besides its heads: name -> (step, action)
PARTS = {
    "attention": ("attention.output", "zero"),
    "feed-forward": ("feed_forward.output", "zero"),
    "residual 1": ("add_norm_1.residual", "zero"),
    "residual 2": ("add_norm_2.residual", "zero"),
    "normalizing 1": ("add_norm_1.normalized", "bypass"),
    "normalizing 2": ("add_norm_2.normalized", "bypass"),
}
# Switches for the whole model
WHOLE: dict[str, Switch] = {
    "Positions off": lambda config: list(without_positions(config)),
    "Positions shuffled": lambda config: [
        Edit("embedding.positions", "shuffle", value=0),
        *(edit for wave in ("cos", "sin") for edit in everywhere(f"attention.{wave}", "shuffle", 0)(config)),
    ],
    "Content to position off": everywhere("attention.c2p", "zero"),
    "Position to content off": everywhere("attention.p2c", "zero"),
    "Windows open": everywhere("attention.windowed", "bypass"),
    "Gates open": everywhere("feed_forward.gated", "bypass"),
    "No division by √d_head": everywhere("attention.scaled", "bypass"),
    "Attention even": everywhere("attention.scaled", "zero"),
    "Causal mask": everywhere("attention.masked", "causal"),
    "Residuals off": lambda config: [
        edit for n in (1, 2) for edit in everywhere(f"add_norm_{n}.residual", "zero")(config)
    ],
    "Normalizing off": lambda config: [
        edit for n in (1, 2) for edit in everywhere(f"add_norm_{n}.normalized", "bypass")(config)
    ],
    "Variance over d - 1": lambda config: [
        edit
        for n in (1, 2)
        for edit in everywhere(f"add_norm_{n}.variance", "scale", config.d_model / (config.d_model - 1))(config)
    ],
    "Activation off": everywhere("feed_forward.activation", "bypass"),
}


def columns(config: EncoderConfig) -> list[str]:
    """The columns of the board: every head, then the other parts of a layer."""
    return [f"head {h}" for h in range(config.n_heads)] + list(PARTS)


def of_board(config: EncoderConfig, layer: int, column: int) -> Edit:
    """The edit behind one switch of the board."""
    if column < config.n_heads:
        return Edit(f"layers.{layer}.attention.heads", "zero", heads=(column,))
    step, action = list(PARTS.values())[column - config.n_heads]
    name = f"layers.{layer}.{step}"
    return Edit(name if name in by_name(config) else f"{name.rpartition('.')[0]}.output", action)


def offered(config: EncoderConfig) -> list[str]:
    """The switches for the whole model that it has something for."""
    return [name for name, switch in WHOLE.items() if switch(config)]


def current() -> tuple[Edit, ...]:
    """The edits of this session's view."""
    return state.current().edits


def put(edits: tuple[Edit, ...]) -> None:
    """Make these the edits of the view, and remember the ones before."""
    if edits == current():
        return
    try:
        edits_to_text(edits)
    except EncoderError as error:
        state.note([f"This change is not made: {error}."])
        return
    here = state.session()
    here.edits_before = [*here.edits_before[1 - MOST_UNDONE :], current()]
    state.change(edits=edits, cell=None)


def toggle(wanted: list[Edit]) -> None:
    """Add these edits, or take them away if all of them are there."""
    now = current()
    if set(wanted) <= set(now):
        put(tuple(edit for edit in now if edit not in wanted))
    else:
        put(now + tuple(edit for edit in wanted if edit not in now))


def replace_scaled(config: EncoderConfig, step: str, action: str, value: float, neutral: float) -> None:
    """Set the one edit of this step and action to a value, in every layer if it is a layer's; none if neutral."""
    others = tuple(e for e in current() if not (e.step.endswith(step) and e.action == action))
    fresh = [] if math.isclose(value, neutral) else everywhere(step, action, value)(config)
    if step.startswith("embedding"):
        fresh = [] if value == neutral else [Edit(step, action, value=int(value))]
    put(others + tuple(fresh))


def undo() -> None:
    """Go back to the edits before the last change."""
    if can_undo():
        state.change(edits=state.session().edits_before.pop(), cell=None)


def can_undo() -> bool:
    """Whether there is a change to take back."""
    return bool(state.session().edits_before)
