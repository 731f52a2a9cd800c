"""One number of a run: the operation that made it, the numbers it was made from, and the arithmetic done again.

The arithmetic is repeated in float64 from the recorded operands; nothing is run through the model. The rule that
repeats it is chosen by the operation that the catalogue names.
"""

from collections.abc import Sequence

from encoder.edits.edit import reaches, reaching, upstream
from encoder.edits.edit_text import sentence
from encoder.explain.operations import OPERATIONS
from encoder.explain.operations.explanation import Explanation, Index, Operands, weight
from encoder.model.encoder import Encoder
from encoder.model.steps.catalogue import by_name
from encoder.model.steps.step import Step
from encoder.support.errors import EncoderError, listed
from encoder.support.formatting import tex
from encoder.trace.trace import StepError, Trace

AS_IT_IS = "(Said of the model as it is: what was changed in this run reaches this picture.)"


def what_to_see(trace: Trace, step: Step, head: int | None = None) -> str:
    """What to look at in a step's picture, or in that of one head; it says so where changes of the run reach it."""
    if not trace.edits:
        return step.look
    changed = reaching(trace.edits, upstream(trace.config, (step.name,), head if "H" in step.shape else None))
    return f"{step.look} {AS_IT_IS}" if changed else step.look


def explain(model: Encoder, trace: Trace, name: str, index: Sequence[int]) -> Explanation:
    """Explain the number at `index` of a recorded step, of a parameter, or of "ids".

    Returns:
        the operation in words and LaTeX, its operands (each of which can be explained in turn), the terms of its sum,
        the result computed again in float64, and the recorded number.

    Raises:
        encoder.trace.trace.StepError: nothing is called so.
        EncoderError: the index has the wrong length or leaves the shape.
    """
    shape = shape_of(model, trace, name)
    index = tuple(listed("index", index, "whole numbers"))
    whole_numbers = len(index) == len(shape) and all(type(i) is int for i in index)
    if not whole_numbers or any(not 0 <= i < size for i, size in zip(index, shape, strict=True)):
        ranges = ", ".join(f"0 to {size - 1}" for size in shape)
        raise EncoderError(f"{name} has no number at {index}; an index has {len(shape)} places: {ranges}")
    if name == "ids":
        token = trace.tokens[index[0]]
        words = f"The tokenizer's number for {token!r}."
        return given("ids", index, float(trace.ids[index[0]]), "input", words)
    if name not in trace:
        words = "A number of the model itself, a weight or a fixed table: it is the same for every sentence."
        return given(name, index, float(weight(model, name)[index]), "parameter", words)
    step = by_name(trace.config)[name]
    inputs = tuple(i for i in step.inputs if i in trace)
    answer = OPERATIONS[step.operation].rule(Operands(step, index, trace, model, inputs))
    recorded = float(trace[name][index])
    return Explanation(
        name,
        index,
        step.operation,
        answer.words,
        f"{answer.latex} = {tex(answer.result)}",
        answer.result,
        recorded,
        answer.size,
        answer.operands,
        answer.terms,
        edited(trace, name, index),
    )


def edited(trace: Trace, name: str, index: Index) -> str:
    """What the edits of a run did to a number, in words; empty where none reached it."""
    n, step = len(trace.tokens) - trace.padding, by_name(trace.config)[name]
    return "; ".join(
        sentence(edit, trace.config) for edit in trace.edits if edit.step == name and reaches(edit, step, index, n)
    )


def given(name: str, index: Index, value: float, operation: str, words: str) -> Explanation:
    """A number that no computation made: the end of every trail."""
    return Explanation(name, index, operation, words, tex(value), value, value, abs(value))


def shape_of(model: Encoder, trace: Trace, name: str) -> tuple[int, ...]:
    """The shape of a recorded step, of a parameter, or of "ids"; StepError for anything else."""
    if not isinstance(name, str):
        raise StepError(trace.unknown(name))
    if name == "ids":
        return (len(trace.ids),)
    if name in trace:
        return tuple(trace[name].shape)
    own = dict(model.named_parameters(remove_duplicate=False)).keys() | dict(model.named_buffers()).keys()
    if name in own:
        return tuple(weight(model, name).shape)
    raise StepError(trace.unknown(name))
