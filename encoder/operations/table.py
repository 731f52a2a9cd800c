"""One rule for each operation of the catalogue: how a number is made from its operands, in float64.

A rule reads the recorded operands only. What it needs to know comes from the step and the configuration, so the same
rules explain every step of every model.
"""

from collections.abc import Callable

from encoder.operations.activation import gelu, gelu_tanh, relu
from encoder.operations.attention import concat, dot, mask, softmax, unscale, weighted_sum
from encoder.operations.embedding import lookup, position, scale, segment, sinusoid, zeros
from encoder.operations.linear import add, decode, linear, same
from encoder.operations.norm import affine, mean, normalize, normalize_std, variance, variance_unbiased
from encoder.operations.operand import Made, Source

RULES: dict[str, Callable[[Source], Made]] = {
    rule.__name__: rule
    for rule in (
        lookup, position, segment, sinusoid, zeros, scale, unscale, same, add, linear, decode, dot, mask, softmax,
        weighted_sum, concat, mean, variance, variance_unbiased, normalize, normalize_std, affine, relu, gelu,
        gelu_tanh,
    )
}  # fmt: skip
