"""Shares as percent and agreement in digits, by one function each, for every size of number."""

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from in_turn import in_turn

from encoder.support.formatting import adding_up, agreement, both, brief, in_cell, percent, points, points_lost, short

CASES = json.loads(Path(__file__).with_name("number_cases.json").read_text(encoding="utf-8"))
PAIRS = json.loads(Path(__file__).with_name("share_cases.json").read_text(encoding="utf-8"))
FORMS = {
    "brief": brief,
    "short": short,
    "percent": percent,
    "whole percent": lambda value: percent(value, 1),
    "points": points,
    "whole points": lambda value: points(value, 1),
}


@in_turn("case", CASES)
def test_numbers_are_written_as_the_table_says(case: dict[str, str]) -> None:
    """Its twin for the browser reads the same table: tests/javascript/components.test.mjs."""
    assert {name: write(float(case["value"])) for name, write in FORMS.items()} == {n: case[n] for n in FORMS}


@in_turn("write", FORMS.values())
def test_numbers_of_numpy_and_torch_are_written_as_those_of_python(write: Callable[[float], str]) -> None:
    for value in (0.0, 0.25, -0.0625, 0.999755859375, 12.5, 2048.5, 2.0**40, 2.0**-20, math.inf, math.nan):
        for other in (np.float32(value), np.float64(value), torch.tensor(value)):
            assert write(other) == write(value)  # type: ignore[arg-type]


@in_turn("least", [0.01, 1])
def test_no_share_is_called_all_or_none_that_is_not(least: float) -> None:
    draw = random.Random(2)
    for _ in range(2000):
        size = 10 ** draw.uniform(-5.9, -0.01)
        for share in (size, 1 - size):
            assert percent(share, least) not in ("0 %", "100 %"), share


def test_a_difference_of_shares_is_in_points_not_percent() -> None:
    """From 40 % to 50 % is ten points, and a quarter more."""
    assert points(0.5 - 0.4) == "10 points" and points(0.01) == "1 point" and points(-0.293) == "-29 points"


@in_turn("case", PAIRS)
def test_what_is_lost_is_the_difference_of_the_shares_as_they_are_told(case: dict[str, Any]) -> None:
    """Its twin for the browser reads the same pairs: tests/javascript/components.test.mjs."""
    before, after = case["before"], case["after"]
    assert [*both(before, after)] == case["both"] and points_lost(before, after) == case["lost"]


def test_a_share_in_a_cell_is_written_as_in_the_browser() -> None:
    cells = [0, 0.004, 0.005, 0.994, 0.996, 1, -0.3, math.nan]
    assert [in_cell(share) for share in cells] == ["", "·", "1", "99", ">99", "100", "\u221230", ""]


def test_rounded_parts_still_add_up() -> None:
    assert adding_up([33.4, 33.4, 33.2], 100) == ["34", "33", "33"]
    assert adding_up([120.6, -20.6], 100) == ["121", "\u221221"] and adding_up([0.25, 0.5], 0.75, 1) == ["0.3", "0.5"]


def test_a_percentage_is_never_further_off_than_its_digits() -> None:
    draw = random.Random(1)
    for _ in range(2000):
        share = 10 ** draw.uniform(-4, 0.5)
        text = percent(share).removeprefix("over ").removesuffix(" %")
        assert float(text) == pytest.approx(100 * share, rel=0.06)
        assert len(text.replace(".", "").lstrip("0")) <= 3


@in_turn(
    ("difference", "size", "said"),
    [
        (1.1e-6, 5.0, "to 6 digits"),
        (0.0, 5.0, "to the last bit"),
        (1e-3, 1.0, "to 3 digits"),
        (0.5, 1.0, "in no digit, 0.5 apart"),
        (0.05, 1.0, "to 1 digit"),
        (math.nan, 1.0, "no number"),
        (3e-8, 1410.0, "to 10 digits"),
    ],
)
def test_agreement_is_counted_in_digits(difference: float, size: float, said: str) -> None:
    assert agreement(difference, size) == said
