"""What the sections of Attention share: a step's head as a small map."""

import numpy as np

from encoder.figures.steps import kind_of
from encoder.steps.step import Step
from encoder.trace.trace import Trace
from pages.ui.components import maps


def as_map(trace: Trace, step: Step, head: int, name: str, locked: bool) -> maps.Map:
    """One head of a step; a locked scale is that of all heads."""
    values = trace.array(step.name)
    seen = values if locked else values[head]
    largest = float(np.abs(seen[np.isfinite(seen)]).max(initial=0.0))
    return maps.Map(name, f"{step.title}, head {head}", maps.of_head(trace, step.name, head), kind_of(step), largest)
