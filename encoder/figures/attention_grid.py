"""The steps of one head from scores to weights, which part of a long sentence is drawn, and what may be tried of them.

Steps of the catalogue: every one of the head with a number for each pair of tokens, and the one that the weights go
into (paper, section 3.2.1).
"""

from encoder.edits.describe import sentence
from encoder.edits.reach import reaching
from encoder.steps.catalogue import catalogue
from encoder.steps.step import PAIRS, Step
from encoder.trace.trace import Trace

MOST = 64  # tokens along a side; of more, those around the chosen pair are drawn
HEATS = tuple(k / 10 for k in range(1, 51))  # temperatures that the softmax may be tried with
FRAMES = ("dot", "unscale", "mask", "softmax")  # what has a frame; a position bias and a window are told with the mask
FIXED = ("unscale", "mask", "softmax", "weighted_sum")  # what is computed again here


def frames(trace: Trace, layer: int) -> list[Step]:
    """Return these steps, in the order of computation."""
    steps = [step for step in catalogue(trace.config) if step.layer == layer]
    pairs = [step for step in steps if step.shape == PAIRS and step.operation in FRAMES]
    return [*pairs, next(step for step in steps if pairs[-1].name in step.inputs)]


def in_the_way(trace: Trace, layer: int, head: int) -> str:
    """Why another setting cannot be tried here: the change of this run, or the part, that stands in its way."""
    if trace.config.distance_parts:
        return "scores of the distance are added to each score before the division"
    if trace.config.position_bias:
        return "a number for the distance is added to each score before the softmax"
    steps = [step for step in frames(trace, layer) if step.operation in FIXED]
    edits = reaching(trace.edits, {(step.name, head) for step in steps})
    return next((sentence(edit, trace.config) for edit in edits if edit.action != "causal"), "")


def window(n: int, at: int) -> tuple[int, int]:
    """From which token to before which one is drawn along a side: all, or MOST of them around `at`."""
    first = max(0, min(at - MOST // 2, n - MOST))
    return first, min(n, first + MOST)
