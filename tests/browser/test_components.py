"""The scripts of components as a browser gets them; tests/javascript/components.test.mjs calls their functions."""

import random
from pathlib import Path
from typing import Any

from encoder.support.formatting import brief, percent, points, short
from pages.ui.component import HAND_ON, built

ROOT = Path(__file__).resolve().parents[2]
IMPORTED = """async text => {
  const module = await import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })))
  return [Object.keys(module), typeof module.default, [...globalThis.componentScripts?.keys() ?? []]]
}"""
WRITE = """async values => {
  const { brief, percent, points, short } = await import('/encoder/browser/number.js')
  return values.map(v => [brief(v), short(v), percent(v), percent(v, 1), points(v), points(v, 1)])
}"""

# Two runs hand over a sentence each, 1 and then 2; what the first one waits for comes last.
OVERTAKEN = """async ([scripts, line, order, waits]) => {
  const module = text => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
  const load = wait => `await new Promise(done => setTimeout(done, ${wait}));
    export const drawBar = (root, { sentence }) => { root.textContent = sentence; return () => {} }`
  await import(module(scripts))
  const { default: hand } = await import(module(line)), parentElement = document.createElement('div')
  parentElement.innerHTML = "<div class='around'></div>"
  document.body.replaceChildren(parentElement)
  for (const since of order) {
    const data = { since, part: 'bar', sentence: `sentence ${since}`, script: module(load(waits[since - 1])) }
    hand({ data, parentElement, setTriggerValue() {} })
  }
  await new Promise(done => setTimeout(done, 500))
  return parentElement.textContent
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
    assert blank.evaluate(IMPORTED, built("frame")) == [["default"], "function", []]
    exports, kind, names = blank.evaluate(IMPORTED, built("scripts"))
    components -= {"frame", "reconnect", "scripts"}  # no components, or by another way
    assert (exports, kind, set(names)) == (["default"], "function", components)


def test_a_run_that_was_overtaken_draws_nothing_over_the_newest(blank: Any) -> None:
    line = HAND_ON.replace("NAME", "around")
    for order, waits in (([1, 2], [200, 0]), ([2, 1], [0, 0]), ([1, 2], [0, 200]), ([1, 2, 2], [200, 0])):
        assert blank.evaluate(OVERTAKEN, [built("scripts"), line, order, waits]) == "sentence 2", (order, waits)
