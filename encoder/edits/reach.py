"""Which changes of a run can reach the numbers of a step: those at the step and at all that it is computed from."""

from collections.abc import Iterable, Sequence

from encoder.edits.edit import Edit
from encoder.model.config import EncoderConfig
from encoder.model.steps.catalogue import by_name
from encoder.support.errors import EncoderError

Place = tuple[str, int | None]  # a step, or "ids" or "hidden", and the one head of it that counts, None for all


def upstream(config: EncoderConfig, steps: Iterable[str], head: int | None = None) -> set[Place]:
    """The steps, and everything that they are computed from, back to what the person gave: "ids" and "hidden".

    With `head` only that head of the steps counts; it is computed from the same head of a step with heads, and from all
    of a step without.

    Raises:
        EncoderError: the model of that configuration has no such step.
    """
    known = by_name(config)
    if unknown := [name for name in steps if name not in known]:
        raise EncoderError(f"no step is called {unknown[0]!r}")
    ahead: list[Place] = [(name, head) for name in steps]
    found: set[Place] = set()
    while ahead:
        name, one = ahead.pop()
        step = known.get(name)
        place = (name, one if step and "H" in step.shape else None)
        if place not in found:
            found.add(place)
            ahead += [(source, place[1]) for source in step.inputs] if step else []
    return found


def reaching(edits: Sequence[Edit], places: set[Place]) -> tuple[Edit, ...]:
    """Those of the edits that change something at these places."""
    return tuple(edit for edit in edits if any(touches(edit, *place) for place in places))


def touches(edit: Edit, step: str, head: int | None) -> bool:
    """Whether an edit is at a step, and at that head of it."""
    return edit.step == step and (head is None or edit.heads is None or head in edit.heads)
