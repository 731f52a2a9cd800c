"""How numbers, tokens and lists are written, the same everywhere."""

import math


def short(value: float) -> str:
    """A number with four significant digits."""
    return f"{value:.4g}"


EMPTY = "\u115f\u1160\u3164\uffa0\u2800\u034f"  # printable by Unicode, yet without a shape


def shown(token: str, longest: int = 14) -> str:
    """A token as plain text: cut when long, characters without a shape shown by their number."""
    seen = "".join(c if c.isprintable() and c not in EMPTY else f"\\u{ord(c):04x}" for c in token)
    return seen if len(seen) <= longest else seen[: longest - 1] + "…"


def brief(value: float) -> str:
    """A number with three significant digits; rounding errors as powers of ten."""
    if 0 < abs(value) < 1e-3:
        return f"{value:.1e}"
    return f"{value:.3g}" if abs(value) < 999.5 else f"{value:,.0f}"


def percent(share: float) -> str:
    """A share from 0 to 1 (or a difference of two) as a percentage with two or three digits: "71 %", "0.4 %"."""
    value = 100 * share
    size = abs(value)
    if size == 0 or size >= 99.95:
        return f"{value:.0f} %"
    if size < 0.01:
        return f"{'over -' if value < 0 else 'under '}0.01 %"
    near = f"{value:.1f}" if size > 99 else f"{value:.2g}"
    return f"{near} %"


def points(difference: float) -> str:
    """The difference of two shares from 0 to 1 in percentage points: from 0.5 to 0.71 it is "21 points"."""
    said = percent(difference).removesuffix("%")
    return f"{said}{'point' if said == '1 ' else 'points'}"


def agreement(difference: float, size: float) -> str:
    """How well two computations of numbers up to a size agree: "to 6 digits", as many as both have in common."""
    if difference == 0:
        return "to the last bit"
    if not difference < 0.1 * size:  # nan too
        return f"differs by {brief(difference)}"
    return f"to {math.floor(-math.log10(difference / size))} digits"


def listed(words: list[str]) -> str:
    """Names in a row: a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def tex(x: float) -> str:
    """A number for LaTeX, with four significant digits."""
    if math.isinf(x):
        return r"-\infty" if x < 0 else r"\infty"
    mantissa, _, exponent = f"{x:.4g}".partition("e")
    return mantissa + (rf"\cdot 10^{{{int(exponent)}}}" if exponent else "")
