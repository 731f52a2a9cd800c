"""What a run came to, in words."""

from collections.abc import Sequence

from encoder.formatting import percent
from encoder.tasks.data import HELD_OUT
from encoder.tasks.learning import LearningMoment
from encoder.tasks.settings import LearnSettings

SOLVED = 0.99  # of the held-out inputs
FAR = 0.3  # a distance at which a head does not look where it was expected to


def outcome(settings: LearnSettings, moments: Sequence[LearningMoment]) -> tuple[str, str]:
    """What a run came to, and why where that is known."""
    last, first = moments[-1], moments[0]
    far, layer, head = last.nearest
    fact = (
        f"After {last.step:,} steps it answers {percent(last.exact)} of {HELD_OUT} inputs that it never saw; layer "
        f"{layer}, head {head} is {far:.2f} from the known pattern."
    )
    if not settings.about.head_needed:
        return fact, "No head is needed here: the residual connection carries each letter to its own answer."
    if last.loss > first.loss:
        return fact, "The loss rose instead of falling. A smaller rate takes smaller steps."
    if last.exact < SOLVED and settings.positions == "none" and settings.about.needs_places:
        return (
            fact,
            "Without positions equal letters are equal vectors wherever they stand, so no head can tell where to look.",
        )
    if last.exact >= SOLVED and far > FAR:
        return fact, "It found another way than the known one: its answers are right, its heads look elsewhere."
    return fact, "A distance of 0 is the pattern itself, 1 is to look only elsewhere."
