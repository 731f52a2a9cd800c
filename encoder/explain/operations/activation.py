"""What a feed-forward unit does with its number."""

import math

from encoder.explain.operations.operand import Made, Operands, operation
from encoder.support.formatting import tex


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


@operation("{name} = torch.nn.functional.silu({0})", lambda k: 4)
def silu(at: Operands) -> Made:
    """Times its own logistic sigmoid (Hendrycks and Gimpel 2016; Ramachandran et al. 2017 call it Swish)."""
    x = at.number(0, *at.index)
    small = math.exp(-abs(x.value))  # never overflows
    sigma = (1.0 if x.value >= 0 else small) / (1 + small)
    words = "The number times its logistic sigmoid, a share between 0 and 1."
    latex = rf"{tex(x.value)} \cdot \sigma({tex(x.value)}) = {tex(x.value)} \cdot {tex(sigma)}"
    return Made(x.value * sigma, words, latex, abs(x.value), (x,))
