"""Level 8 of a packet: the numbers of one recorded step, as they were computed, and which other steps there are."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from latex2mathml.converter import convert

from encoder.explain.what_to_see import what_to_see
from encoder.metrics import likeliest_ids, parked
from encoder.metrics.lens import word
from encoder.model.steps.glossary import beside
from encoder.model.steps.step import Step
from encoder.packet.format import exact, pack
from encoder.packet.run import LONGEST
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace

MOST_NUMBERS = 1_000_000  # that are sent; the last rows are left out where there are more
BEST_WORDS = 10  # of each token, of a step with a number for every word


def level_8(encoder: TextEncoder, trace: Trace, step: str, index: Sequence[int]) -> bytes:
    """Return the numbers of a step as a matrix of float32; of a step with a matrix for each head, that of one.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        step: the name of a recorded step.
        index: the head of a step that has a matrix for each; of another step it means nothing.

    Raises:
        encoder.trace.trace.StepError: no step is called so.
        EncoderError: a trace of another model, or an index that is not the step's.
    """
    encoder.check_own(trace)
    found = trace.step(step)
    head = tuple(index) if "H" in found.shape else ()
    if "H" in found.shape and (len(head) != 1 or not 0 <= head[0] < trace.config.n_heads):
        raise EncoderError(f"{step} has a matrix for each head: name one from 0 to {trace.config.n_heads - 1}")
    values = trace.array(step)[head].reshape(len(found.rows(trace.tokens)), -1)
    rows = max(1, MOST_NUMBERS // (BEST_WORDS if found.shape[-1] == "vocab" else values.shape[1]))
    about = facts(found, trace) | {"index": list(head), "steps": steps(trace, found.layer)}
    about["look"] = what_to_see(trace, found, head[0] if head else 0)
    if found.local == "attention.weights" and (line := parked(trace, found.layer or 0, head[0]).sentence):
        about["look"] += f" {line}"
    about |= {"rows": [shown(row, LONGEST) for row in found.rows(trace.tokens)[:rows]], "all": len(values)}
    if found.shape[-1] != "vocab":
        return pack(8, about, {"numbers": exact(values[:rows])})
    ids = likeliest_ids(trace[step], BEST_WORDS)[:rows].numpy()
    about["words"] = [[shown(word(encoder, i), LONGEST) for i in row] for row in ids.tolist()]
    best = np.take_along_axis(values[:rows], ids, 1)
    return pack(8, about, {"numbers": exact(best), "ids": exact(ids)})


def facts(step: Step, trace: Trace) -> dict[str, Any]:
    """Return what a header says of a step: its name, what happens there, its formula as MathML, its shape."""
    columns = step.columns(trace.tokens)
    return {
        "step": step.name,
        "title": step.title,
        "note": step.note,
        "formula": convert(step.equation, display="block"),
        "shape": [list(step.shape), list(step.sizes(trace.config, len(trace.tokens)))],
        "columns": columns if isinstance(columns, str) else [shown(token, LONGEST) for token in columns],
        "values": step.values,
        "terms": [(term.name, f"{term.title}: {term.meaning} {term.elsewhere}".strip()) for term in beside(step.local)],
        **({} if step.layer is None else {"layer": step.layer}),
    }


def steps(trace: Trace, layer: int | None) -> list[tuple[str, str]]:
    """Return name and title of every step of a layer, and of those that stand in none."""
    every = (trace.step(name) for name in trace)
    return [(one.name, one.title) for one in every if one.layer in (None, 0 if layer is None else layer)]
