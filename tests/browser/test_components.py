"""The scripts of components as a browser gets them; tests/javascript/components.test.mjs calls their functions."""

import random
from pathlib import Path
from typing import Any

from encoder.support.formatting import brief, percent, points, short
from pages.ui.component import built

ROOT = Path(__file__).resolve().parents[2]
IMPORTED = """async text => {
  const module = await import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })))
  return [Object.keys(module), typeof module.default, [...globalThis.componentScripts?.keys() ?? []]]
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


def test_every_script_is_checked_for_types_and_what_streamlit_gets_is_one_file_with_one_function(blank: Any) -> None:
    components: set[str] = set()
    for script in sorted((ROOT / "pages").rglob("*.js")):
        text = script.read_text(encoding="utf-8")
        assert text.startswith("// @ts-check\n") or script.parent.name == "built", script
        components |= {script.stem} if "export default" in text else set()
    for name in ("around", "frame"):
        assert blank.evaluate(IMPORTED, built(name)) == [["default"], "function", []]
    exports, kind, names = blank.evaluate(IMPORTED, built("scripts"))
    components -= {"around", "frame", "reconnect", "scripts"}  # no components, or by another way
    assert (exports, kind, set(names)) == (["default"], "function", components)
