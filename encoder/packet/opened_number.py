"""Level 9 of a packet: one number of a run, the arithmetic that made it, and the numbers it was made of."""

from collections.abc import Sequence
from typing import Any

from latex2mathml.converter import convert

from encoder.explain.operations.explanation import Explanation, Operand
from encoder.metrics.lens import word
from encoder.packet.format import exact, pack
from encoder.packet.run import LONGEST
from encoder.support.formatting import agreement, short, shown
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace

MOST_TERMS = 500  # of a sum, the largest first
GIVEN = ("parameter", "input")  # what no computation made


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
    found = encoder.explain(trace, step, index)
    about: dict[str, Any] = {
        "step": found.name,
        "index": list(found.index),
        "place": place(encoder, trace, found.name, found.index),
        "words": found.words,
        "formula": convert(found.latex),
        "recorded": short(found.recorded),
        "check": check(found),
        "edited": found.edited,
        "operands": [operand(encoder, trace, one) for one in found.operands],
    }
    if found.terms is None:
        return pack(9, about, {})
    order = found.terms.order[:MOST_TERMS]
    about["terms"] = len(found.terms.values)
    about["names"] = [term(encoder, trace, found, int(k)) for k in order]
    about["lines"] = [[line.name, list(line.index)] for line in found.terms.lines]
    lines = {f"line_{i}": exact(line.values[order]) for i, line in enumerate(found.terms.lines)}
    sums = {"values": exact(found.terms.values[order]), "running": exact(found.terms.running[:MOST_TERMS])}
    return pack(9, about, {"places": exact(order), **sums, **lines})


def check(found: Explanation) -> dict[str, str]:
    """Return the number done again in float64, as it was recorded, and how far they agree; empty of what was given."""
    if found.operation in GIVEN:
        return {}
    agrees = "" if found.edited else agreement(found.difference, found.size)
    return {"again": f"{found.result:.9g}", "recorded": f"{found.recorded:.9g}", "agrees": agrees}


def operand(encoder: TextEncoder, trace: Trace, one: Operand) -> dict[str, Any]:
    """Return a number that went in, and where it stands."""
    return {
        "step": one.name,
        "index": list(one.index),
        "place": place(encoder, trace, one.name, one.index),
        "value": short(one.value),
    }


def place(encoder: TextEncoder, trace: Trace, name: str, index: Sequence[int]) -> str:
    """Return where a number is, in words: its step, layer, head, tokens and dimension."""
    if name == "ids":
        return f"Token id of {named(trace, index[0])}"
    if name not in trace:
        return f"{name} [{', '.join(map(str, index))}]"
    step = trace.step(name)
    where, tokens = [f"layer {step.layer}"] if step.layer is not None else [], []
    for dimension, i in zip(step.shape, index, strict=True):
        if dimension == "sentence":
            tokens.append("the whole sentence")
        elif dimension == "n":
            tokens.append(named(trace, i))
        elif dimension == "vocab":
            where.append(f"word “{shown(word(encoder, i), LONGEST)}” ({i})")
        else:
            where.append(f"{'head' if dimension == 'H' else 'unit' if dimension == 'd_ff' else 'dimension'} {i}")
    return f"{step.title}, {', '.join([*where, ' → '.join(tokens)])}"


def named(trace: Trace, position: int) -> str:
    """Return a token and its position: “it” (8)."""
    return f"“{shown(trace.tokens[position], LONGEST)}” ({position})"


def term(encoder: TextEncoder, trace: Trace, found: Explanation, k: int) -> str:
    """Return what a term stands for: a token, a word, or the number of a dimension."""
    assert found.terms is not None
    line = found.terms.lines[0]
    along = trace.step(line.name).shape[line.index.index(None)] if line.name in trace else ""
    if along == "n":
        return f"{k} {shown(trace.tokens[k], LONGEST)}"
    return f"{k} {shown(word(encoder, k), LONGEST)}" if along == "vocab" else str(k)
