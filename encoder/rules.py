"""One rule for each operation of the catalogue: how a number is made from its operands, in float64.

A rule reads the recorded operands only. What it needs to know comes from the step and the configuration, so the same
rules explain every step of every model.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from encoder.explanation import Index, Line, Operand, Terms
from encoder.model.encoder import Encoder
from encoder.steps.step import Step
from encoder.trace.trace import Trace

SHOWN = 3  # terms of a sum that a formula spells out


@dataclass(frozen=True)
class Made:
    """What a rule finds out about a number."""

    result: float
    words: str
    latex: str
    size: float
    operands: tuple[Operand, ...] = ()
    terms: Terms | None = None


@dataclass(frozen=True)
class Source:
    """Where a rule finds its numbers: the step, the index in it, the run, and the model's parameters."""

    step: Step
    index: Index
    trace: Trace
    model: Encoder
    inputs: tuple[str, ...]

    def number(self, i: int, *index: int) -> Operand:
        """One number of input i."""
        name = self.inputs[i]
        return Operand(name, index, float(self.trace[name][index]))

    def line(self, i: int, *index: int | None) -> Line:
        """The numbers of input i along the axis marked None."""
        name = self.inputs[i]
        return Line(name, index, along(self.trace[name], index))

    def parameter(self, name: str, *index: int) -> Operand:
        """One number of a parameter."""
        return Operand(name, index, float(weight(self.model, name)[index]))

    def parameters(self, name: str, *index: int | None) -> Line:
        """The numbers of a parameter along the axis marked None."""
        return Line(name, index, along(weight(self.model, name), index))


def along(tensor: Tensor, index: Sequence[int | None]) -> np.ndarray:
    """The numbers along the one axis marked None, in float64."""
    numbers: np.ndarray = tensor[tuple(slice(None) if i is None else i for i in index)].double().numpy()
    return numbers


def weight(model: Encoder, name: str) -> Tensor:
    """A parameter, or a table of positions, by its name in the model."""
    return model.get_buffer(name) if name in dict(model.named_buffers()) else model.get_parameter(name)


def tex(x: float) -> str:
    """A number for LaTeX, with four significant digits."""
    if math.isinf(x):
        return r"-\infty" if x < 0 else r"\infty"
    mantissa, _, exponent = f"{x:.4g}".partition("e")
    return mantissa + (rf"\cdot 10^{{{int(exponent)}}}" if exponent else "")


def factor(x: float) -> str:
    """A number for LaTeX, in brackets where its sign would clash with what is before it."""
    return rf"({tex(x)})" if x < 0 else tex(x)


def spelled(terms: Terms, bias: float | None = None) -> str:
    """The largest terms of a sum spelled out, the rest as dots."""
    parts = [r" \cdot ".join(factor(float(line.values[k])) for line in terms.lines) for k in terms.order[:SHOWN]]
    dots = [r"\cdots"] if len(terms.values) > SHOWN else []
    return " + ".join([*parts, *dots, *([factor(bias)] if bias is not None else [])])


def products(left: Line, right: Line) -> Terms:
    """Both lines multiplied, number by number."""
    return Terms((left, right), left.values * right.values)


def total(values: np.ndarray) -> float:
    """The exact sum, rounded once."""
    return math.fsum(values.tolist())


def copied(operand: Operand, words: str) -> Made:
    """A number that is another one unchanged."""
    return Made(operand.value, words, tex(operand.value), abs(operand.value), (operand,))


def lookup(at: Source) -> Made:
    """E[id]: a row of the embedding table."""
    position, d = at.index
    number = Operand("ids", (position,), at.trace.ids[position])
    entry = at.parameter("embedding.tokens.weight", at.trace.ids[position], d)
    made = copied(entry, "The token's id names a row of the embedding table; this is one number of that row.")
    return Made(made.result, made.words, rf"E[{int(number.value)}, {d}] = {made.latex}", made.size, (number, entry))


def position(at: Source) -> Made:
    """P[pos]: a row of the learned position table."""
    entry = at.parameter("embedding.positions.weight", *at.index)
    return copied(entry, "The position names a row of the learned position table; this is one number of that row.")


def segment(at: Source) -> Made:
    """S[segment]: a row of the segment table."""
    row = at.trace.segments[at.index[0]]
    entry = at.parameter("embedding.segments.weight", row, at.index[1])
    which = "second" if row else "first"
    return copied(entry, f"The token belongs to the {which} sentence; this is one number of that sentence's vector.")


def sinusoid(at: Source) -> Made:
    """Sine or cosine of the position times the pair's frequency."""
    pos, d = at.index
    d_model = at.model.config.d_embedding
    angle = pos / 10_000 ** ((d - d % 2) / d_model)
    name, called, function = ("cos", "cosine", math.cos) if d % 2 else ("sin", "sine", math.sin)
    words = f"The position times the frequency of its pair of dimensions, and of that angle the {called}."
    latex = rf"\{name}\!\left(\frac{{{pos}}}{{10000^{{{d - d % 2}/{d_model}}}}}\right) = \{name}({tex(angle)})"
    return Made(function(angle), words, latex, 1.0)


def zeros(at: Source) -> Made:
    """A model without positions adds nothing."""
    return Made(0.0, "This model has no positions: zero is added.", "0", 1.0)


def scale(at: Source) -> Made:
    """Times the square root of d_model."""
    x, root = at.number(0, *at.index), math.sqrt(at.model.config.d_model)
    result = x.value * root
    words = "The number is multiplied by the square root of d_model."
    return Made(result, words, rf"{tex(x.value)} \cdot \sqrt{{{at.model.config.d_model}}}", abs(result), (x,))


def unscale(at: Source) -> Made:
    """Divided by the square root of d_head."""
    x, d_head = at.number(0, *at.index), at.model.config.d_head
    result = x.value / math.sqrt(d_head)
    words = "The score is divided by the square root of d_head."
    return Made(result, words, rf"\frac{{{tex(x.value)}}}{{\sqrt{{{d_head}}}}}", abs(result), (x,))


def same(at: Source) -> Made:
    """Handed on."""
    return copied(at.number(0, *at.index), "The number is handed on unchanged.")


def add(at: Source) -> Made:
    """The sum of the same place in every input."""
    parts = tuple(at.number(i, *at.index) for i in range(len(at.inputs)))
    values = np.array([part.value for part in parts])
    latex = " + ".join([tex(parts[0].value), *(factor(part.value) for part in parts[1:])])
    return Made(total(values), "The numbers at the same place are added.", latex, float(np.abs(values).sum()), parts)


def summed(terms: Terms, bias: Operand | None, words: str) -> Made:
    """A sum of terms, and a bias where there is one."""
    extra = [] if bias is None else [bias.value]
    values = np.append(terms.values, extra)
    latex = spelled(terms, bias.value if bias else None)
    return Made(total(values), words, latex, float(np.abs(values).sum()), (bias,) if bias else (), terms)


def linear(at: Source) -> Made:
    """A row of the input times a row of the weight, plus the bias."""
    *head, i, column = at.index
    out = head[0] * at.model.config.d_head + column if head else column
    (name,) = at.step.parameters
    terms = products(at.line(0, i, None), at.parameters(f"{name}.weight", out, None))
    words = "The token's vector times one column of weights, number by number, added up, plus the bias."
    return summed(terms, at.parameter(f"{name}.bias", out), words)


def decode(at: Source) -> Made:
    """A row of the input times the embedding of a word, plus that word's bias."""
    i, word = at.index
    table, bias = at.step.parameters
    terms = products(at.line(0, i, None), at.parameters(table, word, None))
    words = "The vector times the embedding of this word, number by number, added up, plus the word's bias."
    return summed(terms, at.parameter(bias, word), words)


def dot(at: Source) -> Made:
    """A query times a key."""
    h, i, j = at.index
    terms = products(at.line(0, h, i, None), at.line(1, h, j, None))
    return summed(terms, None, "The query of the row times the key of the column, number by number, added up.")


def mask(at: Source) -> Made:
    """The score, or the mask value where the key is hidden."""
    x, j, n = at.number(0, *at.index), at.index[-1], len(at.trace.tokens)
    if j in at.trace.hidden or j >= n - at.trace.padding:
        value = at.model.config.mask_value
        words = "This key is hidden, so the score is replaced by a number that softmax turns into zero."
        return Made(value, words, rf"{tex(x.value)} \to {tex(value)}", abs(value), (x,))
    return copied(x, "This key is not hidden: the score is kept.")


def softmax(at: Source) -> Made:
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


def weighted_sum(at: Source) -> Made:
    """The values of all tokens, each times the weight it gets."""
    h, i, d = at.index
    terms = products(at.line(0, h, i, None), at.line(1, h, None, d))
    return summed(terms, None, "Every token's value times the weight it gets from this token, added up.")


def concat(at: Source) -> Made:
    """A column of the head that it belongs to."""
    i, column = at.index
    h, d = divmod(column, at.model.config.d_head)
    return copied(at.number(0, h, i, d), f"Column {column} is column {d} of head {h}, laid in its place.")


def mean(at: Source) -> Made:
    """The average of a token's numbers."""
    line = at.line(0, *at.index, None)
    n = len(line.values)
    terms = Terms((line,), line.values)
    latex = rf"\frac{{{spelled(terms)}}}{{{n}}}"
    words = f"The token's {n} numbers, added up and divided by {n}."
    return Made(total(line.values) / n, words, latex, float(np.abs(line.values).sum()) / n, (), terms)


def spread_about(at: Source, divisor: int) -> Made:
    """The squares of the distances from the mean, added up and divided."""
    line, mu = at.line(0, *at.index, None), at.number(1, *at.index)
    values = (line.values - mu.value) ** 2
    parts = [rf"({tex(float(line.values[k]))} - {factor(mu.value)})^2" for k in np.argsort(-values)[:SHOWN]]
    dots = [r"\cdots"] if len(values) > SHOWN else []
    latex = rf"\frac{{{' + '.join([*parts, *dots])}}}{{{divisor}}}"
    words = f"Each number's distance from the mean, squared; added up and divided by {divisor}."
    result = total(values) / divisor
    return Made(result, words, latex, result, (mu,), Terms((line,), values))


def variance(at: Source) -> Made:
    """The biased variance."""
    return spread_about(at, width(at))


def variance_unbiased(at: Source) -> Made:
    """The unbiased variance, divided by d - 1."""
    return spread_about(at, width(at) - 1)


def width(at: Source) -> int:
    """How many numbers each row of the first input has."""
    return int(at.trace[at.inputs[0]].shape[-1])


def normalized_by(at: Source, spread: Callable[[float, float], float], formula: str) -> Made:
    """The distance from the mean divided by the spread."""
    x, mu, var = at.number(0, *at.index), at.number(1, at.index[0]), at.number(2, at.index[0])
    divisor = spread(var.value, at.model.config.norm_eps)
    below = formula.format(variance=tex(var.value), eps=tex(at.model.config.norm_eps))
    latex = rf"\frac{{{tex(x.value)} - {factor(mu.value)}}}{{{below}}}"
    words = "The mean is taken off and the rest is divided by the spread of the token's numbers."
    size = (abs(x.value) + abs(mu.value)) / divisor
    return Made((x.value - mu.value) / divisor, words, latex, size, (x, mu, var))


def normalize(at: Source) -> Made:
    """Eps inside the root."""
    return normalized_by(at, lambda var, eps: math.sqrt(var + eps), r"\sqrt{{{variance} + {eps}}}")


def normalize_std(at: Source) -> Made:
    """Eps outside the root."""
    return normalized_by(at, lambda var, eps: math.sqrt(var) + eps, r"\sqrt{{{variance}}} + {eps}")


def affine(at: Source) -> Made:
    """Times gamma, plus beta."""
    (name,) = at.step.parameters
    x, d = at.number(0, *at.index), at.index[-1]
    gamma, beta = at.parameter(f"{name}.weight", d), at.parameter(f"{name}.bias", d)
    product = x.value * gamma.value
    latex = rf"{tex(x.value)} \cdot {factor(gamma.value)} + {factor(beta.value)}"
    words = "The number times the gamma of its dimension, plus the dimension's beta."
    return Made(product + beta.value, words, latex, abs(product) + abs(beta.value), (x, gamma, beta))


def relu(at: Source) -> Made:
    """Kept above zero, zero below."""
    x = at.number(0, *at.index)
    words = "Above zero the number is kept, below zero it becomes zero."
    return Made(max(0.0, x.value), words, rf"\max(0, {tex(x.value)})", abs(x.value), (x,))


def gelu(at: Source) -> Made:
    """Times the share of the normal distribution below it."""
    x = at.number(0, *at.index)
    phi = 0.5 * (1 + math.erf(x.value / math.sqrt(2)))
    words = "The number times the share of the normal distribution that lies below it."
    latex = rf"{tex(x.value)} \cdot \Phi({tex(x.value)}) = {tex(x.value)} \cdot {tex(phi)}"
    return Made(x.value * phi, words, latex, abs(x.value), (x,))


def gelu_tanh(at: Source) -> Made:
    """The tanh approximation of GELU (Hendrycks and Gimpel 2016)."""
    x = at.number(0, *at.index)
    inner = math.sqrt(2 / math.pi) * (x.value + 0.044715 * x.value**3)
    words = "An approximation of GELU: half the number, times one plus a tanh."
    h = tex(x.value)
    latex = rf"\frac{{{h}}}{{2}} \cdot (1 + \tanh({tex(inner)}))"
    return Made(0.5 * x.value * (1 + math.tanh(inner)), words, latex, abs(x.value), (x,))


RULES: dict[str, Callable[[Source], Made]] = {
    rule.__name__: rule
    for rule in (
        lookup, position, segment, sinusoid, zeros, scale, unscale, same, add, linear, decode, dot, mask, softmax,
        weighted_sum, concat, mean, variance, variance_unbiased, normalize, normalize_std, affine, relu, gelu,
        gelu_tanh,
    )
}  # fmt: skip
