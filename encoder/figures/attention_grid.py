"""One head's grid from scores to what is taken, step by step, as plain numbers for a browser to draw and to check.

The frames are steps of the catalogue: every step of the head with a number for each pair of tokens, and the one that
the weights go into (paper, section 3.2.1).
"""

import math

import numpy as np

from encoder.edits.describe import sentence
from encoder.edits.reach import reaching
from encoder.errors import EncoderError
from encoder.figures.living_map_packet import packed
from encoder.formatting import short, shown
from encoder.metrics.softmax import hidden_cells
from encoder.steps.catalogue import catalogue
from encoder.steps.step import PAIRS, Step
from encoder.trace.trace import Trace

MOST = 64  # tokens along a side; of more, those around the chosen pair are drawn
HEATS = tuple(k / 10 for k in range(1, 51))  # temperatures that the softmax may be tried with
FRAMES = ("dot", "unscale", "mask", "softmax")  # what has a frame; a position bias and a window are told with the mask
FIXED = ("unscale", "mask", "softmax", "weighted_sum")  # what is computed again here


def frames(trace: Trace, layer: int) -> list[Step]:
    """The steps that the grid goes through, in the order of computation."""
    steps = [step for step in catalogue(trace.config) if step.layer == layer]
    pairs = [step for step in steps if step.shape == PAIRS and step.operation in FRAMES]
    return [*pairs, next(step for step in steps if pairs[-1].name in step.inputs)]


def formula(step: Step, trace: Trace) -> str:
    """How a frame is computed, on one line."""
    mask = trace.config.mask_value
    wide = trace.config.window_of(step.layer or 0)
    far = "" if wide is None else f" or more than {wide} tokens away"
    biased = " plus the number of the distance" if trace.config.position_bias else ""
    scores = " + ".join(["QKᵀ", *trace.config.distance_parts])
    root = root_name(trace)
    hidden = (
        "\u2212∞" if math.isinf(mask) else short(mask).replace("-", "\u2212").replace("e+0", "e").replace("e+", "e")
    )
    return {
        "dot": "QKᵀ: query × key, number by number, added up",
        "unscale": f"S = ({scores}) / {root} = ({scores}) / √{trace.config.score_size}".replace("(QKᵀ)", "QKᵀ"),
        "mask": f"M = {hidden} where the key is hidden{far}, else S{biased}",
        "softmax": "A = softmax(M): e to the power of each number, over the sum of its row",
        "weighted_sum": "Z = A V: every value times its weight, added up",
    }[step.operation]


def root_name(trace: Trace) -> str:
    """What the scores are divided by, in words: more than one of them may have been added up."""
    added = 1 + len(trace.config.distance_parts)
    return "√d_head" if added == 1 else f"√({added} d_head)"


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


def grid(trace: Trace, layer: int, head: int, query: int, key: int) -> bytes:
    """The grid of one head: its frames, and the numbers behind them, all as recorded.

    Rows are queries, columns keys; beyond MOST tokens those around a pair. Arrays, float32 unless said: scores, masked
    and weights [rows, n], hidden [rows, n] (bytes, 1 where a key may not be seen), scaled [rows, columns];
    q [rows, d_head], k [columns, d_head], v [n, d_head], z [rows, d_head].

    Raises:
        EncoderError: a query or key that is not in the sentence.
    """
    n = len(trace.tokens)
    if not (0 <= query < n and 0 <= key < n):
        raise EncoderError(f"the pair is {query}, {key}; positions go from 0 to {n - 1}")
    rows, columns = (slice(*window(n, at)) for at in (query, key))
    at = f"layers.{layer}.attention."
    of = {name: trace[at + name][head].numpy() for name in ("v", "scores", "scaled", "masked", "weights")}
    steps = frames(trace, layer)
    of |= {side: trace[name][head].numpy() for side, name in zip("qk", steps[0].inputs, strict=True)}
    about = {
        "tokens": [shown(token) for token in trace.tokens],
        "rows": [rows.start, rows.stop],
        "columns": [columns.start, columns.stop],
        "frames": [
            {
                "step": step.local,
                "operation": step.operation,
                "title": step.title,
                "formula": formula(step, trace),
                "changed": "; ".join(sentence(e, trace.config) for e in reaching(trace.edits, {(step.name, head)})),
            }
            for step in steps
        ],
        "d_head": trace.config.d_head,
        "root": trace.config.score_size,
        "root_name": root_name(trace),
        "mask": None if math.isinf(trace.config.mask_value) else trace.config.mask_value,
        "blocked": in_the_way(trace, layer, head),
    }
    added = f"{at}total"  # with the scores of the distance, where there are some
    summed = {"total": trace[added][head].numpy()[rows, columns]} if added in trace else {}
    return packed(
        about,
        summed
        | {
            "scores": of["scores"][rows],
            "weights": of["weights"][rows],
            "hidden": hidden_cells(trace, layer, head)[rows].astype(np.uint8),
            "masked": of["masked"][rows],
            "scaled": of["scaled"][rows, columns],
            "q": of["q"][rows],
            "k": of["k"][columns],
            "v": of["v"],
            "z": trace[steps[-1].name][head].numpy()[rows],
        },
    )
