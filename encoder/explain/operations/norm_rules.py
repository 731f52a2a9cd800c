"""Mean, variance and what is made of them."""

import math
from collections.abc import Callable

import numpy as np

from encoder.explain.operations.explanation import (
    SHOWN,
    Made,
    Operands,
    Terms,
    base,
    factor,
    operation,
    spelled,
    total,
    width,
)
from encoder.support.formatting import tex


@operation("{name} = {0}.mean(-1)", lambda k: k)
def mean(at: Operands) -> Made:
    """The average of a token's numbers."""
    line = at.line(0, *at.index, None)
    n = len(line.values)
    terms = Terms((line,), line.values)
    latex = rf"\frac{{{spelled(terms)}}}{{{n}}}"
    words = f"The token's {n} numbers, added up and divided by {n}."
    return Made(total(line.values) / n, words, latex, float(np.abs(line.values).sum()) / n, (), terms)


def spread_about(at: Operands, divisor: int) -> Made:
    """The squares of the distances from the mean, added up and divided."""
    line, mu = at.line(0, *at.index, None), at.number(1, *at.index)
    values = (line.values - mu.value) ** 2
    parts = [rf"({tex(float(line.values[k]))} - {factor(mu.value)})^2" for k in np.argsort(-values)[:SHOWN]]
    dots = [r"\cdots"] if len(values) > SHOWN else []
    latex = rf"\frac{{{' + '.join([*parts, *dots])}}}{{{divisor}}}"
    words = f"Each number's distance from the mean, squared; added up and divided by {divisor}."
    result = total(values) / divisor
    return Made(result, words, latex, result, (mu,), Terms((line,), values))


@operation("{name} = ({0} - {1}[:, None]).square().sum(-1) / {width}", lambda k: 3 * k)
def variance(at: Operands) -> Made:
    """The biased variance."""
    return spread_about(at, width(at))


@operation("{name} = ({0} - {1}[:, None]).square().sum(-1) / ({width} - 1)", lambda k: 3 * k)
def variance_unbiased(at: Operands) -> Made:
    """The unbiased variance, divided by d - 1."""
    return spread_about(at, width(at) - 1)


def normalized_by(at: Operands, spread: Callable[[float, float], float], formula: str) -> Made:
    """The distance from the mean divided by the spread."""
    x, mu, var = at.number(0, *at.index), at.number(1, at.index[0]), at.number(2, at.index[0])
    divisor = spread(var.value, at.model.config.norm_eps)
    below = formula.format(variance=tex(var.value), eps=tex(at.model.config.norm_eps))
    latex = rf"\frac{{{tex(x.value)} - {factor(mu.value)}}}{{{below}}}"
    words = "The mean is subtracted, and the rest is divided by the spread of the token's numbers."
    size = (abs(x.value) + abs(mu.value)) / divisor
    return Made((x.value - mu.value) / divisor, words, latex, size, (x, mu, var))


@operation("{name} = ({0} - {1}[:, None]) / ({2} + {norm_eps}).sqrt()[:, None]", lambda k: 2 + 2 / k)
def normalize(at: Operands) -> Made:
    """Eps inside the root, which is taken once for a token of k numbers."""
    return normalized_by(at, lambda var, eps: math.sqrt(var + eps), r"\sqrt{{{variance} + {eps}}}")


@operation("{name} = ({0} - {1}[:, None]) / ({2}.sqrt() + {norm_eps})[:, None]", lambda k: 2 + 2 / k)
def normalize_std(at: Operands) -> Made:
    """Eps outside the root."""
    return normalized_by(at, lambda var, eps: math.sqrt(var) + eps, r"\sqrt{{{variance}}} + {eps}")


@operation("{name} = {0}.square().mean(-1)", lambda k: 2 * k)
def mean_square(at: Operands) -> Made:
    """The average of the squares of a token's numbers."""
    line = at.line(0, *at.index, None)
    n, terms = len(line.values), Terms((line,), line.values**2)
    parts = [rf"{base(float(line.values[k]))}^2" for k in terms.order[:SHOWN]]
    dots = [r"\cdots"] if n > SHOWN else []
    words = f"The squares of the token's {n} numbers, added up and divided by {n}."
    result = total(terms.values) / n
    return Made(result, words, rf"\frac{{{' + '.join([*parts, *dots])}}}{{{n}}}", result, (), terms)


@operation("{name} = {0} / ({1} + {norm_eps}).sqrt()[:, None]", lambda k: 1 + 2 / k)
def normalize_rms(at: Operands) -> Made:
    """Divided by the root of the mean square."""
    x, square, eps = at.number(0, *at.index), at.number(1, at.index[0]), at.model.config.norm_eps
    result = x.value / math.sqrt(square.value + eps)
    words = "The number is divided by the root of the mean square of the token's numbers."
    latex = rf"\frac{{{tex(x.value)}}}{{\sqrt{{{tex(square.value)} + {tex(eps)}}}}}"
    return Made(result, words, latex, abs(result), (x, square))


@operation('{name} = {0} * p["{w}.weight"]', lambda k: 1, parameters=(("out",),))
def stretch(at: Operands) -> Made:
    """Times gamma."""
    (name,) = at.step.parameters
    x, gamma = at.number(0, *at.index), at.parameter(f"{name}.weight", at.index[-1])
    result = x.value * gamma.value
    words = "The number times the gamma of its dimension. This norm has no beta."
    return Made(result, words, rf"{tex(x.value)} \cdot {factor(gamma.value)}", abs(result), (x, gamma))


@operation('{name} = {0} * p["{w}.weight"] + p["{w}.bias"]', lambda k: 2, parameters=((2, "out"),))
def affine(at: Operands) -> Made:
    """Times gamma, plus beta."""
    (name,) = at.step.parameters
    x, d = at.number(0, *at.index), at.index[-1]
    gamma, beta = at.parameter(f"{name}.weight", d), at.parameter(f"{name}.bias", d)
    product = x.value * gamma.value
    latex = rf"{tex(x.value)} \cdot {factor(gamma.value)} + {factor(beta.value)}"
    words = "The number times the gamma of its dimension, plus the dimension's beta."
    return Made(product + beta.value, words, latex, abs(product) + abs(beta.value), (x, gamma, beta))
