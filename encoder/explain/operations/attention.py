"""Scores, weights and what they carry."""

import math

import numpy as np

from encoder.explain.operations.explanation import Terms
from encoder.explain.operations.operand import Made, Operands, copied, factor, operation, products, summed, total
from encoder.support.formatting import tex


@operation("{name} = {0} / math.sqrt({score_size})", lambda k: 1)
def unscale(at: Operands) -> Made:
    """Divided by the square root of d_head, of more where several scores were added."""
    x, config = at.number(0, *at.index), at.model.config
    size, added = config.score_size, config.score_size // config.d_head
    result = x.value / math.sqrt(size)
    words = "The score is divided by the square root of d_head."
    if added > 1:
        words = f"The sum of {added} scores is divided by the square root of {added} times d_head."
    return Made(result, words, rf"\frac{{{tex(x.value)}}}{{\sqrt{{{size}}}}}", abs(result), (x,))


@operation("{name} = {0} @ {1}.mT", lambda k: 2 * k - 1)
def dot(at: Operands) -> Made:
    """A query times a key."""
    h, i, j = at.index
    terms = products(at.line(0, h, i, None), at.line(1, h, j, None))
    return summed(terms, None, "The query of the row times the key of the column, number by number, added up.")


@operation("{name} = {0}.clone()\n{name}[:, :, {hidden}] = {mask_value}", new_memory=False)
def mask(at: Operands) -> Made:
    """The score, or the mask value where the key is hidden."""
    x, j, n = at.number(0, *at.index), at.index[-1], len(at.trace.tokens)
    if j in at.trace.hidden or j >= n - at.trace.padding:
        value = at.model.config.mask_value
        words = "This key is masked, so the score is replaced by a number that softmax turns into zero."
        return Made(value, words, rf"{tex(x.value)} \to {tex(value)}", abs(value), (x,))
    return copied(x, "This key is not masked: the score is kept.")


@operation("{name} = {0}.softmax(-1)", lambda k: 5)
def softmax(at: Operands) -> Made:
    """The exponential of one number over the sum of all exponentials in its row."""
    *row, j = at.index
    line = at.line(0, *row, None)
    top = float(line.values.max())
    with np.errstate(invalid="ignore"):  # a row with every key hidden has no largest number: all of it is nan
        powers = np.exp(line.values - top)
    denominator = total(powers)
    result = float(powers[j]) / denominator
    words = (
        "e to the power of the number, divided by the sum of the same over the whole row. The row's largest number is "
        "taken off all first, which changes nothing and keeps the powers small. The terms are those of the sum."
    )
    power = rf"e^{{{tex(float(line.values[j]))} - {factor(top)}}}"
    latex = rf"\frac{{{power}}}{{{tex(denominator)}}} = \frac{{{tex(float(powers[j]))}}}{{{tex(denominator)}}}"
    return Made(result, words, latex, 1.0, (line[j],), Terms((line,), powers))


@operation("{name} = {0} @ {1}", lambda k: 2 * k - 1)
def weighted_sum(at: Operands) -> Made:
    """The values of all tokens, each times the weight it gets."""
    h, i, d = at.index
    terms = products(at.line(0, h, i, None), at.line(1, h, None, d))
    return summed(terms, None, "Every token's value times the weight it gets from this token, added up.")


@operation("{name} = {0}.transpose(0, 1).flatten(1)")
def concat(at: Operands) -> Made:
    """A column of the head that it belongs to."""
    i, column = at.index
    h, d = divmod(column, at.model.config.d_head)
    return copied(at.number(0, h, i, d), f"Column {column} is column {d} of head {h}, laid in its place.")
