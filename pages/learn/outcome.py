"""What a run came to, in words."""

from collections.abc import Sequence

from encoder.support.formatting import percent
from encoder.tasks.data import HELD_OUT, guessing
from encoder.tasks.learning import LearningMoment
from encoder.tasks.settings import LearnSettings, usual

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
        f"After {last.step:,} steps it answers {percent(last.exact)} of {HELD_OUT} inputs that it never saw; layer "
        f"{layer}, head {head} is {far:.2f} from the known pattern."
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
