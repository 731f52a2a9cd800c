"""The scripts of components as a browser gets them; tests/javascript/components.test.mjs calls their functions."""

import random
from pathlib import Path
from typing import Any

from encoder.support.formatting import brief, percent, points, short
from pages.ui.component import joined

ROOT = Path(__file__).resolve().parents[2]
JOINED = """async text => {
  const made = await import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })))
  return [Object.keys(made), typeof made.default]
}"""
WRITE = """async values => {
  const { brief, percent, points, short } = await import('/encoder/browser/number.js')
  return values.map(v => [brief(v), short(v), percent(v), percent(v, 1), points(v), points(v, 1)])
}"""


def test_numbers_are_written_alike_in_both_languages(blank: Any) -> None:
    draw = random.Random(4)
    values = [draw.choice((-1, 1)) * 10 ** draw.uniform(-12, 12) for _ in range(2000)]
    values += [draw.uniform(-1.2, 1.2) for _ in range(2000)]
    values += [draw.randrange(-4096, 4096) / draw.choice((2, 8, 200, 256, 512, 1000, 8192)) for _ in range(4000)]
    values += [1 - 10 ** draw.uniform(-9, -1) for _ in range(1000)]
    for value, texts in zip(values, blank.evaluate(WRITE, values), strict=True):
        whole = [percent(value, 1), points(value), points(value, 1)]
        assert texts == [brief(value), short(value), percent(value), *whole], value


def test_every_script_is_checked_for_types_and_a_component_is_one_file_with_one_function(blank: Any) -> None:
    for script in sorted((ROOT / "pages").rglob("*.js")):
        text = script.read_text(encoding="utf-8")
        assert text.startswith("// @ts-check\n"), script
        if "export default" in text:
            assert blank.evaluate(JOINED, joined(script)) == [["default"], "function"], script


def test_the_largest_number_of_a_small_map_has_the_last_colour(blank: Any) -> None:
    level = "async map => [-2, 0, 2].map((await import('/pages/ui/components/maps.js')).level.bind(null, map))"
    assert blank.evaluate(level, {"exact": True, "low": -2, "high": 2}) == [0, 127, 254]
