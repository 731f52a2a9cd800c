"""What the sections of Attention share: a step's head as a small map."""

import numpy as np

from encoder.figures.masked import unmasked
from encoder.figures.steps import cut_kind, kind_of
from encoder.selection import Selection
from encoder.steps.step import Step
from encoder.trace.trace import Trace
from pages.ui.components import maps


def as_map(trace: Trace, step: Step, head: int, name: str, locked: bool, seen: Selection) -> maps.Map:
    """One head of a step, of the tokens that are drawn; a locked scale is that of all heads."""
    values = unmasked(trace.array(step.name), step, trace.config)
    drawn = seen.cut(values if locked else values[head])
    largest = float(np.abs(drawn[np.isfinite(drawn)]).max(initial=0.0))
    kind = kind_of(step) if seen.whole else cut_kind(kind_of(step))
    masked = trace.config.mask_value if step.operation in ("mask", "window") else None
    label = f"{step.title}, head {head}"
    return maps.Map(name, label, maps.of_head(trace, step.name, head, seen), kind, largest, masked)
