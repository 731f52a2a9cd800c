"""Linear maps and sums."""

import numpy as np

from encoder.explain.operations.explanation import Terms
from encoder.explain.operations.operand import Made, Operands, copied, factor, operation, products, summed, total
from encoder.support.formatting import tex


@operation("{name} = {0}", new_memory=False)
def same(at: Operands) -> Made:
    """Handed on."""
    return copied(at.number(0, *at.index), "The number is handed on unchanged.")


@operation("{name} = {sum}", lambda k: 1)
def add(at: Operands) -> Made:
    """The sum of the same place in every input."""
    parts = tuple(at.number(i, *at.index) for i in range(len(at.inputs)))
    values = np.array([part.value for part in parts])
    latex = " + ".join([tex(parts[0].value), *(factor(part.value) for part in parts[1:])])
    return Made(total(values), "The numbers at the same place are added.", latex, float(np.abs(values).sum()), parts)


def mapped(at: Operands) -> tuple[Terms, int]:
    """A row of the input times a row of the weight, and the number of that row."""
    *head, i, column = at.index
    out = head[0] * at.model.config.d_head + column if head else column
    (name,) = at.step.parameters
    return products(at.line(0, i, None), at.parameters(f"{name}.weight", out, None)), out


@operation('{name} = {0} @ p["{w}.weight"].T + p["{w}.bias"]', lambda k: 2 * k)
def linear(at: Operands) -> Made:
    """A row of the input times a row of the weight, plus the bias."""
    terms, out = mapped(at)
    words = "The token's vector times one column of weights, number by number, added up, plus the bias."
    return summed(terms, at.parameter(f"{at.step.parameters[0]}.bias", out), words)


@operation('{name} = {0} @ p["{w}.weight"].T', lambda k: 2 * k - 1)
def matmul(at: Operands) -> Made:
    """A row of the input times a row of the weight."""
    words = "The token's vector times one column of weights, number by number, added up. This map has no bias."
    return summed(mapped(at)[0], None, words)


@operation("{name} = {0} * {1}", lambda k: 1)
def multiply(at: Operands) -> Made:
    """The product of the same place in both inputs."""
    x, y = at.number(0, *at.index), at.number(1, *at.index)
    words = "The two numbers at the same place are multiplied: the activated one is the gate of the other."
    result = x.value * y.value
    return Made(result, words, rf"{tex(x.value)} \cdot {factor(y.value)}", abs(result), (x, y))


@operation('{name} = {0} @ p["embedding.tokens.weight"].T + p["mlm_head.bias"]', lambda k: 2 * k)
def decode(at: Operands) -> Made:
    """A row of the input times the embedding of a word, plus that word's bias."""
    i, word = at.index
    table, bias = at.step.parameters
    terms = products(at.line(0, i, None), at.parameters(table, word, None))
    words = "The vector times the embedding of this word, number by number, added up, plus the word's bias."
    return summed(terms, at.parameter(bias, word), words)
