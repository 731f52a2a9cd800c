"""A living file can hold every number of the steps of the layers that were asked for."""

import re
import sys
from pathlib import Path

import pytest
from in_turn import in_turn
from tiny import COVERING, SENTENCE, VARIANTS, tiny

from encoder import EncoderError, TextEncoder
from encoder.browser import held
from encoder.browser.__main__ import main
from encoder.browser.cell import cell
from encoder.browser.living import LATER
from encoder.model.steps.step import Step

pytestmark = pytest.mark.slow

NASTY = "</script><script>window.broken = 1</script> <img src=x onerror=alert(1)> & \u202e\u05e9\u05dc\u202c \x00 $x$"


def packets_of(file: str) -> set[str]:
    """The packets of a file, by level and layer or step."""
    return set(re.findall(r'"(\d(?: [^"]*)?)": "H4sI', file))


def in_file(step: Step, n_heads: int) -> set[str]:
    return {f"8 {step.name} {head}" for head in range(n_heads)} if "H" in step.shape else {f"8 {step.name}"}


@in_turn("name", COVERING)
def test_every_step_of_every_kind_of_model_is_in_it(name: str) -> None:
    encoder = tiny(VARIANTS[name])
    trace = encoder.trace(SENTENCE)
    found = packets_of(cell([(encoder, trace)], numbers=None).file)
    assert found >= {one for step in map(trace.step, trace) for one in in_file(step, trace.config.n_heads)}


def test_numbers_are_of_the_layers_that_are_named(small: TextEncoder) -> None:
    trace = small.trace(SENTENCE)
    numbers = {one for one in packets_of(cell([(small, trace)], numbers=[0]).file) if one.startswith("8 ")}
    named = [step for step in map(trace.step, trace) if step.layer in (None, 0)]
    assert numbers == {one for step in named for one in in_file(step, trace.config.n_heads)}
    with pytest.raises(EncoderError, match="no layer 6; layers of small go from 0 to 3"):
        cell([(small, trace)], numbers=[6])


def test_what_was_typed_is_no_markup(small: TextEncoder) -> None:
    file, plain = (cell([(small, small.trace(text))], numbers=[0]).file for text in (NASTY, "a b"))
    for tag in ("<script", "</script", "<img", "<!--"):
        assert file.count(tag) == plain.count(tag)
    assert "\x00" not in file and LATER not in file  # nothing is loaded later


def test_one_that_is_too_large_is_refused_before_it_is_made(
    small: TextEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "LARGEST", 100_000)
    monkeypatch.setattr(held, "level_8", lambda *given: pytest.fail("it was made"))
    with pytest.raises(EncoderError, match=r"would take \d+\.\d MB, more than 0\.1 MB; name fewer layers"):
        cell([(small, small.trace(SENTENCE))], numbers=None)


def test_the_command_holds_them_and_needs_no_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("plotly", "matplotlib", "PIL"):
        monkeypatch.setitem(sys.modules, name, None)
    out = tmp_path / "run.html"
    given = ["The cat <sat>.", "--model", "small", "--no-whole", "--out", str(out)]
    assert main([*given, "--numbers", "0"]) == 0
    file = out.read_text(encoding="utf-8")
    assert "The cat \\u003csat" in file or "The cat &lt;sat&gt;." in file
    assert "8 layers.0.attention.weights 0" in packets_of(file)
    assert main([*given, "--numbers", "9"]) == 2
    with pytest.raises(SystemExit):
        main([*given, "--numbers", "one"])
