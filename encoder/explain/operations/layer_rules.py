"""The rules of a layer: linear maps and sums, scores and weights, and what a unit does with its number."""

import math

import numpy as np

from encoder.explain.operations.explanation import (
    Made,
    Operands,
    Terms,
    copied,
    factor,
    operation,
    products,
    summed,
    total,
)
from encoder.support.formatting import tex


@operation("{name} = {0}", new_memory=False)
def same(at: Operands) -> Made:
    """Handed on."""
    return copied(at.number(0, *at.index), "The number is passed on unchanged.")


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


@operation('{name} = {0} @ p["{w}.weight"].T + p["{w}.bias"]', lambda k: 2 * k, parameters=(("in", "out"), ("out",)))
def linear(at: Operands) -> Made:
    """A row of the input times a row of the weight, plus the bias."""
    terms, out = mapped(at)
    words = "The token's vector times one column of weights, number by number, added up, plus the bias."
    return summed(terms, at.parameter(f"{at.step.parameters[0]}.bias", out), words)


@operation('{name} = {0} @ p["{w}.weight"].T', lambda k: 2 * k - 1, parameters=(("in", "out"),))
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


@operation(
    '{name} = {0} @ p["embedding.tokens.weight"].T + p["mlm_head.bias"]', lambda k: 2 * k, parameters=(("vocab_size",),)
)
def decode(at: Operands) -> Made:
    """A row of the input times the embedding of a word, plus that word's bias."""
    i, word = at.index
    table, bias = at.step.parameters
    terms = products(at.line(0, i, None), at.parameters(table, word, None))
    words = "The vector times the embedding of this word, number by number, added up, plus the word's bias."
    return summed(terms, at.parameter(bias, word), words)


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
        "subtracted from all of them first, which changes nothing and keeps the powers small. The terms are those of "
        "the sum."
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
    return copied(at.number(0, h, i, d), f"Column {column} is column {d} of head {h}, put in its place.")


@operation("{name} = {0}.relu()", lambda k: 1)
def relu(at: Operands) -> Made:
    """Kept above zero, zero below."""
    x = at.number(0, *at.index)
    words = "Above zero the number is kept, below zero it becomes zero."
    return Made(max(0.0, x.value), words, rf"\max(0, {tex(x.value)})", abs(x.value), (x,))


@operation("{name} = torch.nn.functional.gelu({0})", lambda k: 5)
def gelu(at: Operands) -> Made:
    """Times the share of the normal distribution below it."""
    x = at.number(0, *at.index)
    phi = 0.5 * (1 + math.erf(x.value / math.sqrt(2)))
    words = "The number times the share of the normal distribution that lies below it."
    latex = rf"{tex(x.value)} \cdot \Phi({tex(x.value)}) = {tex(x.value)} \cdot {tex(phi)}"
    return Made(x.value * phi, words, latex, abs(x.value), (x,))


@operation('{name} = torch.nn.functional.gelu({0}, approximate="tanh")', lambda k: 8)
def gelu_tanh(at: Operands) -> Made:
    """The tanh approximation of GELU (Hendrycks and Gimpel 2016)."""
    x = at.number(0, *at.index)
    inner = math.sqrt(2 / math.pi) * (x.value + 0.044715 * x.value**3)
    words = "An approximation of GELU: half the number, times one plus a tanh."
    h = tex(x.value)
    latex = rf"\frac{{{h}}}{{2}} \cdot (1 + \tanh({tex(inner)}))"
    return Made(0.5 * x.value * (1 + math.tanh(inner)), words, latex, abs(x.value), (x,))


def logistic(x: float) -> float:
    """1 / (1 + e^-x), which never overflows here."""
    small = math.exp(-abs(x))
    return (1.0 if x >= 0 else small) / (1 + small)


@operation("{name} = torch.nn.functional.silu({0})", lambda k: 4)
def silu(at: Operands) -> Made:
    """Times its own logistic sigmoid (Hendrycks and Gimpel 2016; Ramachandran et al. 2017 call it Swish)."""
    x = at.number(0, *at.index)
    sigma = logistic(x.value)
    words = "The number times its logistic sigmoid, a share between 0 and 1."
    latex = rf"{tex(x.value)} \cdot \sigma({tex(x.value)}) = {tex(x.value)} \cdot {tex(sigma)}"
    return Made(x.value * sigma, words, latex, abs(x.value), (x,))


@operation("{name} = {0}.sigmoid()", lambda k: 4)
def sigmoid(at: Operands) -> Made:
    """The logistic sigmoid."""
    x = at.number(0, *at.index)
    words = "1 divided by 1 plus e to the power of the number with the other sign: a share between 0 and 1."
    return Made(logistic(x.value), words, rf"\sigma({tex(x.value)})", 1.0, (x,))


@operation("{name} = {0}.tanh()", lambda k: 1)
def tanh(at: Operands) -> Made:
    """The hyperbolic tangent."""
    x = at.number(0, *at.index)
    words = "The hyperbolic tangent of the number: near zero the number itself, farther out ever closer to -1 or 1."
    return Made(math.tanh(x.value), words, rf"\tanh({tex(x.value)})", 1.0, (x,))
