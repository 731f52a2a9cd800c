"""Looking up rows, and positions."""

import math

from encoder.explain.operations.explanation import Operand
from encoder.explain.operations.operand import Made, Operands, copied, operation
from encoder.support.formatting import tex


@operation('{name} = p["embedding.tokens.weight"][t.ids]')
def lookup(at: Operands) -> Made:
    """E[id]: a row of the embedding table."""
    position, d = at.index
    number = Operand("ids", (position,), at.trace.ids[position])
    entry = at.parameter("embedding.tokens.weight", at.trace.ids[position], d)
    made = copied(entry, "The token's id names a row of the embedding table; this is one number of that row.")
    return Made(made.result, made.words, rf"E[{int(number.value)}, {d}] = {made.latex}", made.size, (number, entry))


@operation('{name} = p["embedding.positions.weight"][: len(t.ids)]', new_memory=False)
def position(at: Operands) -> Made:
    """P[pos]: a row of the learned position table."""
    entry = at.parameter("embedding.positions.weight", *at.index)
    return copied(entry, "The position names a row of the learned position table; this is one number of that row.")


@operation('{name} = p["embedding.segments.weight"][t.segments]')
def segment(at: Operands) -> Made:
    """S[segment]: a row of the segment table."""
    row = at.trace.segments[at.index[0]]
    entry = at.parameter("embedding.segments.weight", row, at.index[1])
    which = "second" if row else "first"
    return copied(entry, f"The token belongs to the {which} sentence; this is one number of that sentence's vector.")


@operation(
    (
        "position = torch.arange(len(t.ids), dtype=torch.float64)[:, None]\n"
        "even = torch.arange(0, {d_embedding}, 2)\n"
        "angle = position / 10000 ** (even / {d_embedding})\n"
        "{name} = torch.stack((angle.sin(), angle.cos()), -1).flatten(1).float()"
    ),
    new_memory=False,
)
def sinusoid(at: Operands) -> Made:
    """Sine or cosine of the position times the pair's frequency."""
    pos, d = at.index
    d_model = at.model.config.d_embedding
    angle = pos / 10_000 ** ((d - d % 2) / d_model)
    name, called, function = ("cos", "cosine", math.cos) if d % 2 else ("sin", "sine", math.sin)
    words = f"The position times the frequency of its pair of dimensions, and of that angle the {called}."
    latex = rf"\{name}\!\left(\frac{{{pos}}}{{10000^{{{d - d % 2}/{d_model}}}}}\right) = \{name}({tex(angle)})"
    return Made(function(angle), words, latex, 1.0)


@operation("{name} = torch.zeros(len(t.ids), {d_embedding})", new_memory=False)
def zeros(at: Operands) -> Made:
    """A model without positions adds nothing."""
    return Made(0.0, "This model has no positions: zero is added.", "0", 1.0)


@operation("{name} = {0} * math.sqrt({d_model})", lambda k: 1)
def scale(at: Operands) -> Made:
    """Times the square root of d_model."""
    x, root = at.number(0, *at.index), math.sqrt(at.model.config.d_model)
    result = x.value * root
    words = "The number is multiplied by the square root of d_model."
    return Made(result, words, rf"{tex(x.value)} \cdot \sqrt{{{at.model.config.d_model}}}", abs(result), (x,))
