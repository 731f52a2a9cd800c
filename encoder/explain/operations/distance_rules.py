"""What depends on how far apart two tokens stand: turns, learned numbers for distances, windows."""

import math

from encoder.explain.operations.explanation import Made, Operands, base, copied, factor, operation, products, summed
from encoder.model.distance import alibi_slopes, distance_buckets, distance_vectors, rotary_frequencies
from encoder.support.formatting import tex

ANGLE = (
    "place = torch.arange(len(t.ids)).float()[:, None]\n"
    "angle = place * (1.0 / {theta} ** (torch.arange(0, {d_head}, 2).float() / {d_head}){slowed})\n"
)


def angle_of(at: Operands) -> tuple[float, str]:
    """The angle of a place and a pair, in float32 as the model has it, and how it is made."""
    place, column = at.index
    config = at.model.config
    (theta, divisor), d_head = config.turns_of(at.step.layer or 0), config.d_head
    pair = column % (d_head // 2)
    angle = float(rotary_frequencies(d_head, theta, divisor)[pair] * place)
    slowed = "" if divisor == 1 else f" / {tex(divisor)}"
    return angle, rf"{place} \cdot {base(theta)}^{{-{2 * pair}/{d_head}}}{slowed}"


@operation(ANGLE + "{name} = torch.cat((angle, angle), -1).cos()", new_memory=False)
def rotary_cos(at: Operands) -> Made:
    """Cosine of the position times the pair's frequency."""
    angle, latex = angle_of(at)
    words = "The position times the frequency of its pair of numbers, and of that angle the cosine."
    return Made(math.cos(angle), words, rf"\cos({latex}) = \cos({tex(angle)})", 1.0)


@operation(ANGLE + "{name} = torch.cat((angle, angle), -1).sin()", new_memory=False)
def rotary_sin(at: Operands) -> Made:
    """Sine of the position times the pair's frequency."""
    angle, latex = angle_of(at)
    words = "The position times the frequency of its pair of numbers, and of that angle the sine."
    return Made(math.sin(angle), words, rf"\sin({latex}) = \sin({tex(angle)})", 1.0)


@operation(
    (
        "half = {0}.shape[-1] // 2\n"
        "rot = torch.cat((-{0}[..., half:], {0}[..., :half]), -1)\n"
        "{name} = {0} * {1} + rot * {2}"
    ),
    lambda k: 3,
)
def rotate(at: Operands) -> Made:
    """One side of a pair after the turn."""
    head, place, column = at.index
    half = at.model.config.d_head // 2
    other, sign = (column + half, -1) if column < half else (column - half, 1)
    x, partner = at.number(0, *at.index), at.number(0, head, place, other)
    cos, sin = at.number(1, place, column), at.number(2, place, column)
    kept, brought = x.value * cos.value, sign * partner.value * sin.value
    latex = (
        rf"{tex(x.value)} \cdot {factor(cos.value)} {'-' if sign < 0 else '+'} "
        rf"{factor(partner.value)} \cdot {factor(sin.value)}"
    )
    words = f"Numbers {min(column, other)} and {max(column, other)} of the head are one pair, turned by one angle."
    return Made(kept + brought, words, latex, abs(kept) + abs(brought), (x, cos, partner, sin))


@operation(
    "from encoder.model.distance import distance_buckets\n"
    'table = p["position_bias.weight"]\n'
    "{name} = table[distance_buckets(len(t.ids), len(table))].permute(2, 0, 1)",
    parameters=(("position_buckets", "n_heads"),),
)
def relative_bias(at: Operands) -> Made:
    """The number of a head for a distance."""
    head, query, key = at.index
    bucket = int(distance_buckets(len(at.trace.tokens), at.model.config.position_buckets)[query, key])
    (name,) = at.step.parameters
    words = (
        f"The key's place is {place_of(query - key)}. That belongs to row {bucket} of the table, and each head has a "
        "column."
    )
    return copied(at.parameter(name, bucket, head), words)


@operation(
    "from encoder.model.distance import alibi_slopes\n"
    "place = torch.arange(len(t.ids))\n"
    "{name} = alibi_slopes({n_heads})[:, None, None] * -(place - place[:, None]).abs()"
)
def alibi(at: Operands) -> Made:
    """The slope of a head times the distance, below zero."""
    head, query, key = at.index
    slope, apart = float(alibi_slopes(at.model.config.n_heads)[head]), abs(query - key)
    words = f"The slope of head {head} times the distance of the two tokens, {apart}, and a minus before it."
    return Made(slope * -apart, words, rf"-{tex(slope)} \cdot {apart}", slope * apart)


def place_of(apart: int) -> str:
    """Where a key stands that is so many places before its query."""
    if not apart:
        return "the query's own"
    return f"{abs(apart)} {'before' if apart > 0 else 'after'} the query"


@operation(
    "from encoder.model.distance import distance_vectors\n"
    '{name} = p["{w}"][distance_vectors(len(t.ids), {distance_span}, {distance_limit})]',
    parameters=(("distance_rows", "out"),),
)
def distance(at: Operands) -> Made:
    """A row of the table of distances."""
    row, column = at.index
    config, n = at.model.config, len(at.trace.tokens)
    vector = int(distance_vectors(n, config.distance_span, config.distance_limit)[row])
    words = f"The key's place is {place_of(row - n + 1)}. That belongs to row {vector} of the table of distances."
    return copied(at.parameter(at.step.parameters[0], vector, column), words)


APART = "n = len(t.ids)\napart = torch.arange(n)[:, None] - torch.arange(n) + n - 1\n"


@operation(APART + "{name} = ({0} @ {1}.mT).gather(-1, apart.expand({n_heads}, n, n))", lambda k: 2 * k - 1)
def content_to_position(at: Operands) -> Made:
    """A query times the key of a distance."""
    return across(at, at.index[1], "The query times the key")


@operation(APART + "{name} = ({0} @ {1}.mT).gather(-1, apart.mT.expand({n_heads}, n, n)).mT", lambda k: 2 * k - 1)
def position_to_content(at: Operands) -> Made:
    """A key times the query of a distance."""
    return across(at, at.index[2], "The key times the query")


def across(at: Operands, token: int, what: str) -> Made:
    """A token's own vector times that of the distance between query and key."""
    head, query, key = at.index
    apart = query - key
    terms = products(at.line(0, head, token, None), at.line(1, head, apart + len(at.trace.tokens) - 1, None))
    return summed(
        terms, None, f"{what} of the distance, number by number, added up. The key's place is {place_of(apart)}."
    )


@operation(
    (
        "place = torch.arange(len(t.ids))\n"
        "{name} = {0}.masked_fill((place - place[:, None]).abs() > {window}, {mask_value})"
    ),
    lambda k: 1,
)
def window(at: Operands) -> Made:
    """The score, or the mask value where the key is too far away."""
    x, (_, query, key) = at.number(0, *at.index), at.index
    wide = at.model.config.window_of(at.step.layer or 0)
    assert wide is not None
    if abs(key - query) > wide:
        value = at.model.config.mask_value
        words = f"This key is {abs(key - query)} tokens away, and the window ends at {wide}: the score is masked."
        return Made(value, words, rf"{tex(x.value)} \to {tex(value)}", abs(value), (x,))
    return copied(x, f"This key is within the window of {wide} tokens: the score is kept.")
