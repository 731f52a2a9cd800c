"""Levels 8 and 9 of a packet: the numbers of a recorded step, and one of them with what it was made of."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from latex2mathml.converter import convert

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.explain.number import what_to_see
from encoder.explain.operations.explanation import Explanation, Operand
from encoder.metrics import likeliest_ids, parked
from encoder.metrics.lens import word
from encoder.model.steps.glossary import beside
from encoder.model.steps.step import Step
from encoder.packet.format import exact, pack
from encoder.packet.run import LONGEST
from encoder.support.errors import EncoderError
from encoder.support.formatting import agreement, brief, short, shown, where
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
    recorded = trace.step(step)
    head = tuple(index) if "H" in recorded.shape else ()
    if "H" in recorded.shape and (len(head) != 1 or not 0 <= head[0] < trace.config.n_heads):
        raise EncoderError(f"{step} has a matrix for each head: name one from 0 to {trace.config.n_heads - 1}")
    values = trace.array(step)[head].reshape(len(recorded.rows(trace.tokens)), -1)
    rows = max(1, MOST_NUMBERS // (BEST_WORDS if recorded.shape[-1] == "vocab" else values.shape[1]))
    about = facts(recorded, trace) | {"index": list(head), "steps": steps(trace, recorded.layer)}
    about["look"] = what_to_see(trace, recorded, head[0] if head else 0)
    if recorded.local == "attention.weights" and (line := parked(trace, recorded.layer or 0, head[0]).sentence):
        about["look"] += f" {line}"
    about |= {"rows": [shown(row, LONGEST) for row in recorded.rows(trace.tokens)[:rows]], "all": len(values)}
    if recorded.shape[-1] != "vocab":
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
    return [(each.name, each.title) for each in every if each.layer in (None, 0 if layer is None else layer)]


MOST_TERMS = 500  # of a sum, the largest first
GIVEN = ("parameter", "input")  # what no computation made
CANCELLED = 0.01  # of the sizes of the terms of a sum: what is left then has two digits less than they have


def level_9(encoder: TextEncoder, trace: Trace, step: str, index: Sequence[int]) -> bytes:
    """Return where a number comes from: its operation, its operands, the largest terms of its sum.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        step: the name of a recorded step, of a parameter, or "ids".
        index: where the number stands in it.

    Raises:
        encoder.trace.trace.StepError: nothing is called so.
        EncoderError: a trace of another model, or an index that leaves the shape.
    """
    explanation = encoder.explain(trace, step, index)
    about: dict[str, Any] = {
        "step": explanation.name,
        "index": list(explanation.index),
        "place": place(encoder, trace, explanation.name, explanation.index),
        "words": explanation.words,
        "formula": convert(explanation.latex),
        "recorded": short(explanation.recorded),
        "check": check(explanation),
        "edited": explanation.edited,
        "operands": [operand(encoder, trace, number) for number in explanation.operands],
    }
    if explanation.terms is None:
        return pack(9, about, {})
    order = explanation.terms.order[:MOST_TERMS]
    about["terms"] = len(explanation.terms.values)
    about["names"] = [term(encoder, trace, explanation, int(k)) for k in order]
    about["lines"] = [[line.name, list(line.index)] for line in explanation.terms.lines]
    lines = {f"line_{i}": exact(line.values[order]) for i, line in enumerate(explanation.terms.lines)}
    sums = {"values": exact(explanation.terms.values[order]), "running": exact(explanation.terms.running[:MOST_TERMS])}
    return pack(9, about, {"places": exact(order), **sums, **lines})


def check(explanation: Explanation) -> dict[str, str]:
    """Return the number done again in float64, as it was recorded, and how far they agree; empty of what was given."""
    if explanation.operation in GIVEN:
        return {}
    again, recorded = explanation.result, explanation.recorded
    return {"again": nine(again), "recorded": nine(recorded), "agrees": agrees(explanation)}


def agrees(explanation: Explanation) -> str:
    """Return in a sentence how many digits of the number both have: where terms cancel, fewer than of a term."""
    if explanation.edited:
        return ""
    if math.isnan(explanation.result) and math.isnan(explanation.recorded):
        return "Neither is a number."
    agree = f"They agree {agreement(explanation.difference, abs(explanation.result))}."
    terms = explanation.terms.values if explanation.terms else np.zeros(1)
    size = float(np.abs(terms).sum())
    return f"{agree} Its terms, {brief(size)} in size, nearly cancel." if abs(terms.sum()) < CANCELLED * size else agree


def nine(value: float) -> str:
    """Return a number with nine digits, as many as tell all of float32 apart."""
    return f"{value:.9g}" if math.isfinite(value) else short(value)


def operand(encoder: TextEncoder, trace: Trace, number: Operand) -> dict[str, Any]:
    """Return a number that went in, and where it stands."""
    return {
        "step": number.name,
        "index": list(number.index),
        "place": place(encoder, trace, number.name, number.index),
        "value": short(number.value),
    }


def place(encoder: TextEncoder, trace: Trace, name: str, index: Sequence[int]) -> str:
    """Return where a number is, in words: its step, layer, head, tokens and dimension."""
    if name == "ids":
        return f"Token id of {named(trace, index[0])}"
    if name not in trace:
        return f"{name} [{', '.join(map(str, index))}]"
    step = trace.step(name)
    head = next((str(i) for dimension, i in zip(step.shape, index, strict=True) if dimension == "H"), "")
    places, tokens = [where(step.layer, head)], []
    for dimension, i in zip(step.shape, index, strict=True):
        if dimension == "sentence":
            tokens.append("the whole sentence")
        elif dimension == "n":
            tokens.append(named(trace, i))
        elif dimension == "n_labels":
            places.append(f"label “{shown(step.labels[i], LONGEST)}” ({i})")
        elif dimension == "vocab":
            places.append(f"word “{shown(word(encoder, i), LONGEST)}” ({i})")
        elif dimension != "H":
            places.append(f"{'unit' if dimension == 'd_ff' else 'dimension'} {i}")
    return ", ".join([step.title, *filter(None, places), *([" → ".join(tokens)] if tokens else [])])


def named(trace: Trace, position: int) -> str:
    """Return a token and its position: “it” (8)."""
    return f"“{shown(trace.tokens[position], LONGEST)}” ({position})"


def term(encoder: TextEncoder, trace: Trace, explanation: Explanation, k: int) -> str:
    """Return what a term stands for: a token, a word, or the number of a dimension."""
    assert explanation.terms is not None
    line = explanation.terms.lines[0]
    along = trace.step(line.name).shape[line.index.index(None)] if line.name in trace else ""
    if along in ("n", "n_labels"):
        names = trace.tokens if along == "n" else trace.step(line.name).labels
        return f"{k} {shown(names[k], LONGEST)}"
    return f"{k} {shown(word(encoder, k), LONGEST)}" if along == "vocab" else str(k)
