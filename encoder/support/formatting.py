"""How numbers, tokens and lists are written, the same everywhere.

`encoder/browser/number.js` writes the same numbers in the browser. Ties are rounded away from zero in both.
"""

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

WHOLE = 1 - 1e-6  # a share from here on is 1 but for the rounding of sums in float32
MOST_DIGITS = 7  # that a float32 has
NO_NUMBER = "no number"
MINUS = "\u2212"
MARK = "\ufeff"  # the byte order mark: a spreadsheet on Windows reads CSV as UTF-8 only where it begins with one


def rounded(value: float, digits: int) -> Decimal:
    """A finite number, of Python, numpy or torch, with so many significant digits, half away from zero."""
    exact = Decimal(float(value))
    return exact.quantize(Decimal(1).scaleb(exact.adjusted() - digits + 1), ROUND_HALF_UP) if value else Decimal(0)


def plain(number: Decimal) -> str:
    """A number without zeros at its end, and without an exponent."""
    return f"{number.normalize():f}"


def power(number: Decimal, digits: int) -> str:
    """A number as so many digits times a power of ten: "1.235e+04"."""
    mantissa, exponent = f"{number:.{digits - 1}e}".split("e")
    return f"{mantissa}e{int(exponent):+03d}"


def not_finite(value: float) -> str:
    """How infinities are written, and what is no number."""
    return NO_NUMBER if math.isnan(value) else "-∞" if value < 0 else "∞"


def short(value: float) -> str:
    """A number with four significant digits; a power of ten where it is large or small."""
    if not math.isfinite(value):
        return not_finite(value)
    near = rounded(value, 4)
    if value and not -5 < near.adjusted() < 4:
        return power(near, len(near.normalize().as_tuple().digits))
    return plain(near)


EMPTY = "\u115f\u1160\u3164\uffa0\u2800\u034f"  # printable by Unicode, yet without a shape


def shown(token: str, longest: int = 14) -> str:
    """A token as plain text: cut when long, characters without a shape shown by their number."""
    seen = "".join(c if c.isprintable() and c not in EMPTY else f"\\u{ord(c):04x}" for c in token)
    return seen if len(seen) <= longest else seen[: longest - 1] + "…"


def brief(value: float) -> str:
    """A number with three significant digits; rounding errors and what is from 1e9 on as powers of ten."""
    if not math.isfinite(value):
        return not_finite(value)
    size, sign = abs(value), "-" if value < 0 else ""
    if 0 < size < 1e-3:
        return sign + power(rounded(size, 2), 2)
    near = rounded(size, 3)
    if near < 1000:
        return sign + plain(near)
    if near < 1_000_000_000:
        return f"{sign}{Decimal(float(size)).quantize(Decimal(1), ROUND_HALF_UP):,}"
    return f"{sign}{plain(near.scaleb(-near.adjusted()))}e{near.adjusted()}"


def percent(share: float, least: float = 0.01) -> str:
    """A share from 0 to 1 (or a difference of two) as a percentage with two or three digits: "71 %", "0.4 %".

    With `least` = 1 in whole percents, for pictures that have little room; these do not tell 0 from what rounds to it.
    Nothing but 1 is "100 %", and nothing but 0 is "0 %".
    """
    if not math.isfinite(share):
        return NO_NUMBER
    value, sign = abs(100 * float(share)), "-" if share < 0 else ""
    below, above = ("over ", "under ") if sign else ("under ", "over ")
    if value == 0 and least < 1:
        return "0 %"
    if WHOLE <= abs(share) < 1:
        return f"{sign}100 %"
    if value >= 1000:
        return f"{sign}{brief(value)} %"
    if least == 1:
        near = Decimal(value).quantize(Decimal(1), ROUND_HALF_UP)
    elif value > 99:
        near = Decimal(value).quantize(Decimal(1 if value >= 100 else "0.1"), ROUND_HALF_UP)
    else:
        near = rounded(value, 2)
    if near == 0 or value < least < 1:
        return f"{below}{sign}{least} %"
    if value < 100 <= near:
        return f"{above}{sign}{'99' if least == 1 else '99.9'} %"
    return f"{sign}{plain(near)} %"


def whole(value: float, places: int = 0) -> str:
    """A number with so many digits after the point, and a minus that is one; nothing is below zero by rounding."""
    near = Decimal(float(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return f"{near or abs(near)}".replace("-", MINUS)


def signed(value: float, places: int = 2) -> str:
    """The same with its sign."""
    text = whole(value, places)
    return f"+{text}" if value > 0 and text.strip("0.") else text


def tight(text: str) -> str:
    """The text of a number where there is little room: "< 1 %", and a minus that is one."""
    return text.replace("-", MINUS).replace("under ", "< ").replace("over ", "> ")


def adding_up(values: Sequence[float], total: float, places: int = 0) -> list[str]:
    """The texts of numbers that add up to a total, so that they still do where they are rounded."""
    scaled = [value * 10**places for value in values]
    units = [math.floor(value + 0.5) for value in scaled]
    off = math.floor(total * 10**places + 0.5) - sum(units)
    way = 1 if off > 0 else -1
    for i in sorted(range(len(units)), key=lambda i: way * (units[i] - scaled[i]))[: abs(off)]:
        units[i] += way
    return [whole(unit / 10**places, places) for unit in units]


def in_cell(share: float) -> str:
    """A share, or a difference of two, as it stands in a cell: in whole percents without their sign."""
    if not math.isfinite(share) or not share:
        return ""
    return "·" if abs(share) < 0.005 else tight(percent(share, 1)).replace(" ", "").removesuffix("%")


def in_form(value: float, form: str) -> str:
    """A number that is a "share" or a "count", or of any other form."""
    return {"share": percent, "count": lambda count: f"{count:,.0f}"}.get(form, brief)(value)


def points(difference: float, least: float = 0.01) -> str:
    """The difference of two shares from 0 to 1 in percentage points: from 0.5 to 0.71 it is "21 points"."""
    text = percent(difference, least)
    if text == NO_NUMBER:
        return text
    size = text.removesuffix(" %")
    return f"{size} {'point' if size.split(' ')[-1] in ('1', '-1') else 'points'}"


def both(before: float, after: float) -> tuple[str, str]:
    """Two shares from 0 to 1 with as many digits as it takes to tell them apart."""
    texts, digits = (percent(before), percent(after)), 3
    while texts[0] == texts[1] and before != after and digits <= MOST_DIGITS:
        texts = f"{plain(rounded(100 * before, digits))} %", f"{plain(rounded(100 * after, digits))} %"
        digits += 1
    return texts


def points_lost(before: float, after: float) -> str:
    """How many points a share falls, as both shares are told: "7" from "85 %" to "78 %", "0.5" from "9 %" to "8.5 %".

    All that is lost of one share has as many places: whole points from 10 % on, tenths from 1 % on, or hundredths.
    """
    first, last = (float(text.split(" ")[-2]) for text in both(before, after))
    places = 0 if first >= 10 else 1 if first >= 1 else 2
    return whole(math.floor((first - last) * 10**places + 0.5) / 10**places, places)


def agreement(difference: float, size: float) -> str:
    """How well two computations of a number of that size, or of many up to it, agree: "to 6 digits" of that size."""
    if difference == 0:
        return "to the last bit"
    if math.isnan(difference):
        return NO_NUMBER
    if not difference < 0.1 * size:
        return f"in no digit, {brief(difference)} apart"
    digits = math.floor(-math.log10(difference / size))
    return f"to {digits} {'digit' if digits == 1 else 'digits'}"


def where(layer: int | str | None, heads: str = "") -> str:
    """A layer, or heads of it, in words: "layer 2", "head 3 of layer 2", "heads 0, 2 of layer 1"."""
    named = f"head{'' if heads.isdecimal() else 's'} {heads}" if heads else ""
    return " of ".join(filter(None, [named, "" if layer is None else f"layer {layer}"]))


def listed(words: list[str]) -> str:
    """Names in a row: a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def megabytes(nbytes: int) -> str:
    """A size in words."""
    return f"{nbytes / 1e6:.1f} MB"


def tex(x: float) -> str:
    """A number for LaTeX, with four significant digits."""
    if math.isinf(x):
        return r"-\infty" if x < 0 else r"\infty"
    mantissa, _, exponent = f"{x:.4g}".partition("e")
    return mantissa + (rf"\cdot 10^{{{int(exponent)}}}" if exponent else "")
