"""The functions of the components' scripts that touch no page, each called in Chromium with values known by hand."""

import base64
import json
import math
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from encoder.pictures.figures.living_map_packet import share_levels
from encoder.support.formatting import brief, percent, points, short
from pages.ui.component import joined

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "pages").rglob("*.js"))
CALL = """async ([module, name, given]) => {
  const found = (await import(module))[name](...given)
  return ArrayBuffer.isView(found) ? [...found] : found
}"""
JOINED = """async text => {
  const made = await import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })))
  return [Object.keys(made), typeof made.default]
}"""
Call = Callable[..., Any]


@pytest.fixture
def call(blank: Any) -> Call:
    """Calls a function of a script, both by name, with the values that follow."""
    return lambda script, name, *given: blank.evaluate(CALL, [f"/pages/ui/{script}", name, list(given)])


def packed(kind: str, *values: float) -> str:
    return base64.b64encode(struct.pack(f"<{len(values)}{kind}", *values)).decode()


WRITE = """async values => {
  const { brief, percent, points, short } = await import('/encoder/browser/number.js')
  return values.map(v => [brief(v), short(v), percent(v), percent(v, 1), points(v), points(v, 1)])
}"""
FORMS = ("brief", "short", "percent", "whole percent", "points", "whole points")


def test_numbers_are_written_as_the_table_says(blank: Any) -> None:
    """The same table as that of encoder/support/formatting.py: tests/test_formatting.py."""
    cases = json.loads((ROOT / "tests" / "number_cases.json").read_text(encoding="utf-8"))
    written = blank.evaluate(WRITE, [float(case["value"]) for case in cases])
    assert [dict(zip(FORMS, texts, strict=True)) for texts in written] == [{n: c[n] for n in FORMS} for c in cases]


def test_numbers_are_written_alike_in_both_languages(blank: Any) -> None:
    draw = random.Random(4)
    values = [draw.choice((-1, 1)) * 10 ** draw.uniform(-12, 12) for _ in range(2000)]
    values += [draw.uniform(-1.2, 1.2) for _ in range(2000)]
    values += [
        draw.randrange(-4096, 4096) / draw.choice((2, 8, 200, 256, 512, 1000, 8192)) for _ in range(4000)
    ]  # ties
    values += [1 - 10 ** draw.uniform(-9, -1) for _ in range(1000)]
    for value, texts in zip(values, blank.evaluate(WRITE, values), strict=True):
        whole = [percent(value, 1), points(value), points(value, 1)]
        assert texts == [brief(value), short(value), percent(value), *whole], value


def test_every_weight_of_a_level_has_the_text_of_the_level(call: Call) -> None:
    draw = random.Random(5)
    shares = [0.0, 0.0041, 0.005, 0.995, 0.9995, 0.9999999, 1.0, *(draw.random() ** 3 for _ in range(300))]
    for share, level in zip(shares, share_levels(np.array(shares)).tolist(), strict=True):
        assert call("components/living_map_data.js", "levelText", level) == percent(share, 1)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_every_script_is_checked_for_types(script: Path) -> None:
    assert script.read_text(encoding="utf-8").startswith("// @ts-check\n")


@pytest.mark.parametrize(
    "script", [path for path in SCRIPTS if "export default" in path.read_text(encoding="utf-8")], ids=lambda p: p.name
)
def test_a_component_is_one_file_with_one_function(blank: Any, script: Path) -> None:
    assert blank.evaluate(JOINED, joined(script)) == [["default"], "function"]


BOX = {"left": 100, "top": 50, "width": 60, "height": 20}  # 4 rows of 5 pixels, 3 columns of 20


@pytest.mark.parametrize(
    ("x", "y", "cell"),
    [
        (100, 50, [0, 0]),
        (119.9, 54.9, [0, 0]),
        (120, 55, [1, 1]),
        (159, 69, [3, 2]),
        (160, 70, [3, 2]),
        (500, 500, [3, 2]),
        (0, 0, [0, 0]),
        (141, 10, [0, 2]),
    ],
)
def test_the_cell_under_the_pointer(call: Call, x: float, y: float, cell: list[int]) -> None:
    assert call("components/cells.js", "cellUnder", x, y, BOX, 4, 3) == cell


@pytest.mark.parametrize(
    ("at", "key", "to"),
    [
        ([1, 1], "ArrowUp", [0, 1]),
        ([1, 1], "ArrowDown", [2, 1]),
        ([1, 1], "ArrowLeft", [1, 0]),
        ([1, 1], "ArrowRight", [1, 2]),
        ([0, 0], "ArrowUp", [0, 0]),
        ([0, 0], "ArrowLeft", [0, 0]),
        ([3, 2], "ArrowDown", [3, 2]),
        ([3, 2], "ArrowRight", [3, 2]),
        ([1, 1], "Enter", None),
        ([1, 1], "a", None),
    ],
)
def test_arrow_keys_move_by_a_cell_and_stay_in_the_map(call: Call, at: list[int], key: str, to: Any) -> None:
    assert call("components/cells.js", "moved", at, key, 4, 3) == to


def test_levels_become_colours_of_the_palette_and_what_has_none_is_clear(blank: Any, call: Call) -> None:
    assert call("components/cells.js", "bytes", packed("B", 0, 7, 254, 255)) == [0, 7, 254, 255]
    palette = """async levels => {
      const { bytes, pixels } = await import('/pages/ui/components/cells.js')
      return [...pixels(levels, bytes(btoa('abcdef')))]
    }"""
    a, d = [97, 98, 99, 255], [100, 101, 102, 255]
    assert blank.evaluate(palette, [1, -1, 0, 2, 255]) == [*d, 0, 0, 0, 0, *a, *[0] * 8]


def test_exact_maps_carry_float32_and_others_levels(call: Call) -> None:
    exact = call("components/maps.js", "numbers", {"cells": packed("f", 0.1, -math.inf, 3.0), "exact": True})
    assert exact == [struct.unpack("<f", struct.pack("<f", 0.1))[0], -math.inf, 3.0]
    assert call("components/maps.js", "numbers", {"cells": packed("B", 0, 254), "exact": False}) == [0, 254]


SIGNED = {"exact": True, "low": -2, "high": 2}
SHARE = {"exact": False, "low": 0, "high": 1}


@pytest.mark.parametrize(
    ("scale", "value", "level", "spelled"),
    [
        (SIGNED, -2, 0, "\u22122"),
        (SIGNED, 0, 127, "0"),
        (SIGNED, 2, 254, "2"),
        (SIGNED, 9, 254, "9"),
        (SIGNED, -9, 0, "\u22129"),
        (SIGNED, 0.123456, 135, "0.1235"),
        (SIGNED, 12345.6, 254, "1.235e+04"),
        (SIGNED, -math.inf, -1, "\u2212∞"),
        (SHARE, 0, 0, "≈ 0.00"),
        (SHARE, 127, 127, "≈ 0.500"),
        (SHARE, 254, 254, "≈ 1.00"),
        (SHARE, 255, -1, "masked, or not finite"),
        (SIGNED, math.nan, -1, "no number"),
        (SIGNED, math.inf, -1, "∞"),
    ],
)
def test_a_number_has_a_colour_and_a_reading(call: Call, scale: Any, value: float, level: int, spelled: str) -> None:
    assert call("components/maps.js", "level", scale, value) == level
    assert call("components/maps.js", "spelled", scale, value) == spelled


@pytest.mark.parametrize(
    ("count", "fit", "across"), [(12, 10, 6), (12, 12, 12), (8, 5, 4), (8, 20, 20), (16, 9, 8), (13, 10, 10), (6, 1, 1)]
)
def test_rows_of_maps_have_one_length_where_that_leaves_none_half_empty(
    call: Call, count: int, fit: int, across: int
) -> None:
    assert call("components/maps.js", "inARow", count, fit) == across


def test_a_masked_number_has_no_colour_and_is_read_as_it_is(call: Call) -> None:
    masked = {"exact": True, "low": -2, "high": 2, "blank": -1e9}
    assert call("components/maps.js", "level", masked, -1e9) == -1
    assert call("components/maps.js", "level", masked, -2) == 0
    assert call("components/maps.js", "spelled", masked, -1e9) == "\u22121e+09"


def test_the_frame_around_a_cell(call: Call) -> None:
    style = call("components/maps.js", "place", [3, 1], 4, 5)
    assert style == {"top": "75%", "left": "20%", "height": "25%", "width": "20%"}


def test_the_player_reads_a_cell_by_its_tokens(call: Call) -> None:
    names = ["[CLS]", "the", "cat", "sat"]
    assert call("components/timelapse.js", "reading", names, 1, [2, 1], 127) == "cat → the: ≈ 0.50"
    assert call("components/timelapse.js", "reading", names, 2, [1, 0], 254) == "cat → [CLS]: ≈ 1.00"
