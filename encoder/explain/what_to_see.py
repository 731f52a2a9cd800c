"""What there is to see in the picture of a step, with what holds of the model alone told apart from the run."""

from encoder.edits.reach import reaching, upstream
from encoder.model.steps.step import Step
from encoder.trace.trace import Trace

AS_IT_IS = "(Said of the model as it is: what was changed in this run reaches this picture.)"


def what_to_see(trace: Trace, step: Step, head: int | None = None) -> str:
    """What to look at in a step's picture, or in that of one head; it says so where changes of the run reach it."""
    if not trace.edits:
        return step.look
    changed = reaching(trace.edits, upstream(trace.config, (step.name,), head if "H" in step.shape else None))
    return f"{step.look} {AS_IT_IS}" if changed else step.look
