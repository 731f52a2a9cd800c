"""One vector for the whole sentence."""

import math

import numpy as np

from encoder.explain.operations.explanation import Terms
from encoder.explain.operations.operand import SHOWN, Made, Operands, copied, factor, operation, total
from encoder.model.pooling import LEAST
from encoder.support.formatting import tex

KEPT = "kept = [i for i in range(len(t.ids)) if i not in {hidden}]\n"


def kept(at: Operands) -> list[int]:
    """The positions that count: neither padding nor masked."""
    n = len(at.trace.tokens) - at.trace.padding
    return [i for i in range(n) if i not in at.trace.hidden]


def summed_up(at: Operands, divisor: float, below: str, words: str) -> Made:
    """The numbers of a dimension added up over the tokens that count, and divided; the others are terms of 0."""
    line, places = at.line(0, None, at.index[-1]), kept(at)
    values = np.zeros_like(line.values)
    values[places] = line.values[places]
    terms = Terms((line,), values)
    parts = [factor(float(values[k])) for k in terms.order[:SHOWN] if k in places]
    dots = [r"\cdots"] if len(places) > len(parts) else []
    latex = rf"\frac{{{' + '.join([*parts, *dots])}}}{{{below}}}"
    return Made(total(values) / divisor, words, latex, float(np.abs(values).sum()) / divisor, (), terms)


@operation(KEPT + "{name} = {0}[kept].mean(0, keepdim=True)", lambda k: k)
def pool_mean(at: Operands) -> Made:
    """The mean over the tokens."""
    n = len(kept(at))
    return summed_up(at, n, str(n), f"This dimension of {n} tokens, added up and divided by {n}.")


@operation(KEPT + "{name} = {0}[kept].sum(0, keepdim=True) / math.sqrt(len(kept))", lambda k: k)
def pool_mean_sqrt_len(at: Operands) -> Made:
    """The sum over the root of their number."""
    n = len(kept(at))
    words = f"This dimension of {n} tokens, added up and divided by the square root of {n}."
    return summed_up(at, math.sqrt(n), rf"\sqrt{{{n}}}", words)


@operation(KEPT + "{name} = {0}[kept[:1]]")
def pool_cls(at: Operands) -> Made:
    """The first token's number."""
    return copied(at.number(0, kept(at)[0], at.index[-1]), "The number of the first token that is not masked.")


@operation(KEPT + "{name} = {0}[kept].amax(0, keepdim=True)", lambda k: k)
def pool_max(at: Operands) -> Made:
    """The largest number among the tokens."""
    line, places = at.line(0, None, at.index[-1]), kept(at)
    best = max(places, key=lambda i: float(line.values[i]))
    return copied(line[best], "The largest number that any token has in this dimension.")


@operation("{name} = {0} / {0}.norm(dim=-1, keepdim=True)", lambda k: 3)
def unit(at: Operands) -> Made:
    """Divided by the length of the vector."""
    x, line = at.number(0, *at.index), at.line(0, 0, None)
    length = max(math.sqrt(total(line.values**2)), LEAST)
    latex = rf"\frac{{{tex(x.value)}}}{{{tex(length)}}}"
    words = "The number divided by the length of the sentence's vector."
    return Made(x.value / length, words, latex, abs(x.value) / length, (x,))
