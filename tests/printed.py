"""Numbers as they are printed."""


def last_digit(number: str) -> float:
    """Return one unit of the last digit of a printed number."""
    mantissa, _, exponent = number.partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
