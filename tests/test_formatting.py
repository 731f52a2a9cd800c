"""Shares as percent and agreement in digits, by one function each, for every size of number."""

import math
import random

import pytest

from encoder.formatting import agreement, percent, points


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.7123, "71 %"), (0.004, "0.4 %"), (1.0, "100 %"), (0.0, "0 %"), (0.9964, "99.6 %"), (0.99996, "100 %"),
        (-0.0512, "-5.1 %"), (1.7e-14, "under 0.01 %"), (-1e-9, "over -0.01 %"), (math.nan, "nan %"),
        (2.5, "250 %"), (0.3333, "33 %"), (0.0999, "10 %"),
    ],
)  # fmt: skip
def test_shares_are_percent_with_two_or_three_digits(share: float, said: str) -> None:
    assert percent(share) == said


def test_a_difference_of_shares_is_in_points_not_percent() -> None:
    """From 40 % to 50 % is ten points, and a quarter more."""
    assert points(0.5 - 0.4) == "10 points" and points(0.01) == "1 point" and points(-0.293) == "-29 points"


def test_a_percentage_is_never_further_off_than_its_digits() -> None:
    draw = random.Random(1)
    for _ in range(2000):
        share = 10 ** draw.uniform(-4, 0.5)
        value = float(percent(share).removesuffix(" %"))
        assert value == pytest.approx(100 * share, rel=0.06)
        assert len(percent(share).removesuffix(" %").replace(".", "").lstrip("0")) <= 3


@pytest.mark.parametrize(
    ("difference", "size", "said"),
    [
        (1.1e-6, 5.0, "to 6 digits"), (0.0, 5.0, "to the last bit"), (1e-3, 1.0, "to 3 digits"),
        (0.5, 1.0, "differs by 0.5"), (math.nan, 1.0, "differs by nan"), (3e-8, 1410.0, "to 10 digits"),
    ],
)  # fmt: skip
def test_agreement_is_counted_in_digits(difference: float, size: float, said: str) -> None:
    assert agreement(difference, size) == said
