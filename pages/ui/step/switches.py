"""What can be switched for the whole model, as data."""

import math
from collections.abc import Callable

from encoder.edits.edit import Edit
from encoder.edits.edit_text import edits_to_text
from encoder.experiments import without_positions
from encoder.model.config import EncoderConfig
from encoder.model.steps.catalogue import by_name
from encoder.support.errors import EncoderError
from pages.ui.state import session_state as state

Switch = Callable[[EncoderConfig], list[Edit]]


def everywhere(step: str, action: str, value: float | None = None) -> Switch:
    """The same edit in every layer."""

    def edits(config: EncoderConfig) -> list[Edit]:
        names = [f"layers.{i}.{step}" for i in range(config.n_layers)]
        return [Edit(name, action, value=value) for name in names if name in by_name(config)]

    return edits


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


def offered(config: EncoderConfig) -> list[str]:
    """The switches for the whole model that it has something for."""
    return [name for name, switch in WHOLE.items() if switch(config)]


def current() -> tuple[Edit, ...]:
    """The edits of this session's view."""
    return state.current().edits


def put(edits: tuple[Edit, ...]) -> None:
    """Make these the edits of the view."""
    if edits == current():
        return
    try:
        edits_to_text(edits)
    except EncoderError as error:
        state.note([f"This change is not made: {error}."])
        return
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
