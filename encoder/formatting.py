"""How numbers, tokens and lists are written, the same everywhere."""


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


def listed(words: list[str]) -> str:
    """Names in a row: a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
