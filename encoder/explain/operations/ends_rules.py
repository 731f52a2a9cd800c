"""The rules before and after all layers: rows that are looked up, positions, one vector for the sentence, labels."""

import math

import numpy as np

from encoder.explain.operations.explanation import (
    SHOWN,
    Made,
    Operand,
    Operands,
    Terms,
    copied,
    factor,
    operation,
    products,
    summed,
    total,
)
from encoder.model.pooling import LEAST
from encoder.support.formatting import tex


@operation('{name} = p["embedding.tokens.weight"][t.ids]', parameters=(("vocab_size", "out"),))
def lookup(at: Operands) -> Made:
    """E[id]: a row of the embedding table."""
    position, d = at.index
    number = Operand("ids", (position,), at.trace.ids[position])
    entry = at.parameter("embedding.tokens.weight", at.trace.ids[position], d)
    row = copied(entry, "The token's id names a row of the embedding table; this is one number of that row.")
    return Made(row.result, row.words, rf"E[{int(number.value)}, {d}] = {row.latex}", row.size, (number, entry))


@operation(
    '{name} = p["embedding.positions.weight"][: len(t.ids)]', new_memory=False, parameters=(("max_positions", "out"),)
)
def position(at: Operands) -> Made:
    """P[pos]: a row of the learned position table."""
    entry = at.parameter("embedding.positions.weight", *at.index)
    return copied(entry, "The position names a row of the learned position table; this is one number of that row.")


@operation('{name} = p["embedding.segments.weight"][t.segments]', parameters=(("n_segments", "out"),))
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


KEPT = "kept = [i for i in range(len(t.ids)) if i not in {hidden}]\n"


def kept(at: Operands) -> list[int]:
    """The positions that count: neither padding nor masked."""
    n = len(at.trace.tokens) - at.trace.padding
    return [i for i in range(n) if i not in at.trace.hidden]


def inner(places: list[int]) -> list[int]:
    """Of positions those between the first and the last; all where there is none."""
    return places[1:-1] or places


def summed_up(at: Operands, divisor: float, below: str, words: str, places: list[int] | None = None) -> Made:
    """The numbers of a dimension added up over the tokens that count, and divided; the others are terms of 0."""
    line, places = at.line(0, None, at.index[-1]), kept(at) if places is None else places
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


@operation(KEPT + "{name} = {0}[kept[1:-1] or kept].mean(0, keepdim=True)", lambda k: k)
def pool_words(at: Operands) -> Made:
    """The mean over the tokens between the first and the last."""
    n = len(inner(kept(at)))
    words = f"This dimension of {n} tokens, all but the first and last, added up and divided by {n}."
    return summed_up(at, n, str(n), words, inner(kept(at)))


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


@operation("{name} = {0}[:1]", new_memory=False)
def first_token(at: Operands) -> Made:
    """The first token's number, masked or not."""
    return copied(at.number(0, *at.index), "The number of the first token, in this dimension.")


@operation(
    '{name} = ({0} @ p["{w}.weight"].T + p["{w}.bias"])[0]', lambda k: 2 * k, parameters=(("in", "out"), ("out",))
)
def label(at: Operands) -> Made:
    """The sentence's vector times the weights of a label, plus the label's bias."""
    (which,), (name,) = at.index, at.step.parameters
    terms = products(at.line(0, 0, None), at.parameters(f"{name}.weight", which, None))
    words = "The vector times the weights of this label, number by number, added up, plus the label's bias."
    return summed(terms, at.parameter(f"{name}.bias", which), words)


@operation(KEPT + "{name} = {0}[kept].mean(0)", lambda k: k)
def label_mean(at: Operands) -> Made:
    """The mean of the tokens' scores."""
    n = len(kept(at))
    return summed_up(at, n, str(n), f"The scores that {n} tokens have for this label, added up and divided by {n}.")
