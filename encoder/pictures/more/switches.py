"""What can be switched for the whole model: every switch as edits, and what a press makes of those that there are."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping

from encoder.edits.edit import Edit
from encoder.edits.edit_text import edits_to_text
from encoder.experiments import without_positions
from encoder.model.config import EncoderConfig
from encoder.model.steps.catalogue import by_name
from encoder.pictures.lab import Switch
from encoder.pictures.picture import Answer
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief

TEMPERATURES = (0.1, 0.5, 1.0, 2.0, 5.0)
SHIFTS = (0, 1, 2, 5, 10, 20)  # places
OfModel = Callable[[EncoderConfig], list[Edit]]


def everywhere(step: str, action: str, value: float | None = None) -> OfModel:
    """The same edit in every layer."""

    def edits(config: EncoderConfig) -> list[Edit]:
        names = [f"layers.{i}.{step}" for i in range(config.n_layers)]
        return [Edit(name, action, value=value) for name in names if name in by_name(config)]

    return edits


WHOLE: dict[str, OfModel] = {
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


def switch(text: str, pressed: bool, edits: Iterable[Edit]) -> Iterator[Switch]:
    """A switch that makes these edits of the run; none where no link can hold them."""
    try:
        spelled = edits_to_text(tuple(edits))
    except EncoderError:
        return
    yield Switch(text, pressed, {"edits": spelled, "cell": ""})


def of_whole_model(answer: Answer) -> list[Switch]:
    """The switches of the whole model that it has something for."""
    config, now = answer.scene.config, answer.scene.view.edits
    switches = list[Switch]()
    for name, of_model in WHOLE.items():
        edits = of_model(config)
        pressed = bool(edits) and set(edits) <= set(now)
        others = tuple(edit for edit in now if edit not in edits)
        switches += switch(name, pressed, others if pressed else (*others, *edits)) if edits else ()
    return switches


def dial(answer: Answer, step: str, action: str, values: Mapping[str, float], neutral: float) -> list[Switch]:
    """One of some values for an edit of every layer, or of the embedding; the neutral one is no edit."""
    config, now = answer.scene.config, answer.scene.view.edits
    mine = [edit for edit in now if edit.step.endswith(step) and edit.action == action]
    others = [edit for edit in now if edit not in mine]
    numbers = {edit.value for edit in mine if isinstance(edit.value, int | float)} or {neutral}
    switches = list[Switch]()
    for text, value in values.items():
        at_layer = everywhere(step, action, value)(config)
        edits = at_layer or [Edit(step, action, value=value)] if value != neutral else []
        pressed = all(math.isclose(number, value, abs_tol=1e-9) for number in numbers)
        switches += switch(text, pressed, (*others, *edits))
    return switches


def temperatures(answer: Answer) -> list[Switch]:
    """The temperature of every softmax: scores are divided by it."""
    return dial(answer, "attention.scaled", "scale", {brief(value): 1 / value for value in TEMPERATURES}, 1.0)


def shifts(answer: Answer) -> list[Switch]:
    """By how many places positions are shifted."""
    furthest = len(answer.scene.t.tokens) - 1
    values = {str(places): places for places in SHIFTS if places <= furthest}
    return dial(answer, "embedding.positions", "shift", values, 0) if answer.scene.config.positions != "none" else []
