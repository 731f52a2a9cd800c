"""A report is one living file of a whole run: every step of the layers that were asked for, and its charts."""

import re
import sys
from pathlib import Path

import pytest
from tiny import SENTENCE, VARIANTS, each_name, tiny

from encoder import EncoderError, TextEncoder, Trace
from encoder.browser.living import LATER
from encoder.model.steps.step import Step
from encoder.pictures.report import report as made
from encoder.pictures.report.report import main, report
from encoder.pictures.report.report_charts import of_run

pytestmark = pytest.mark.slow

NASTY = "</script><script>window.broken = 1</script> <img src=x onerror=alert(1)> & \u202e\u05e9\u05dc\u202c \x00 $x$"


def held(file: str) -> set[str]:
    """The packets of a file, by level and layer or step."""
    return set(re.findall(r'"(\d(?: [^"]*)?)": "H4sI', file))


def in_file(step: Step, n_heads: int) -> set[str]:
    return {f"8 {step.name} {head}" for head in range(n_heads)} if "H" in step.shape else {f"8 {step.name}"}


@pytest.mark.parametrize("name", each_name())
def test_every_step_of_every_kind_of_model_is_in_it(name: str) -> None:
    encoder = tiny(VARIANTS[name])
    trace = encoder.trace(SENTENCE)
    found = held(report(encoder, trace, with_charts=False).file)
    steps = map(trace.step, trace)
    assert found >= {one for step in steps for one in in_file(step, trace.config.n_heads)}
    assert found >= {"1", "4", "5", "6", "7"} | {f"{level} {i}" for level in (2, 3) for i in range(2)}


def test_numbers_are_of_the_layers_that_are_named(small: TextEncoder) -> None:
    trace = small.trace(SENTENCE)
    numbers = {one for one in held(report(small, trace, [0], with_charts=False).file) if one.startswith("8 ")}
    named = [step for step in map(trace.step, trace) if step.layer in (None, 0)]
    assert numbers == {one for step in named for one in in_file(step, trace.config.n_heads)}
    with pytest.raises(EncoderError, match="no layer 6; layers of small go from 0 to 3"):
        report(small, trace, [6])


def test_its_charts_are_those_of_the_run_that_no_page_of_it_draws(base: TextEncoder, sara: Trace) -> None:
    file = report(base, sara, [5]).file
    charts = file[file.index("<section class='charts'>") : file.index("</section>")]
    asked = [each.question for each in of_run() if each.key != "between"]  # needs a pair
    assert re.findall("<h3>(.*?)</h3>", charts) == [one.replace("'", "&#x27;") for one in asked]
    assert charts.count("<svg") == len(asked) and "plotly" not in charts
    assert not re.search(r"<(?:script|link|img|iframe|image)[^>]+(?:src|href)=(?![\"']?data:)", charts)


def test_what_was_typed_is_no_markup(small: TextEncoder) -> None:
    trace = small.trace(NASTY)
    file, plain = (report(small, one, [0]).file for one in (trace, small.trace("a b")))
    for tag in ("<script", "</script", "<img", "<!--"):
        assert file.count(tag) == plain.count(tag)
    assert "\x00" not in file and LATER not in file  # nothing is loaded later


def test_one_that_is_too_large_is_refused_before_it_is_made(
    small: TextEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(made, "LARGEST", 100_000)
    monkeypatch.setattr(made, "held", lambda *given, **more: pytest.fail("it was made"))
    with pytest.raises(EncoderError, match=r"would take \d+\.\d MB, more than 0\.1 MB; name fewer layers"):
        report(small, small.trace(SENTENCE))


def test_the_command_reports_a_pair_and_needs_no_figures_without_charts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("plotly", "matplotlib", "PIL"):
        monkeypatch.setitem(sys.modules, name, None)
    out = tmp_path / "report.html"
    pair = ["Who sat?", "--pair", "The cat <sat>."]
    assert main([*pair, "--model", "small", "--layers", "0", "--no-charts", "--out", str(out)]) == 0
    assert capsys.readouterr().out.startswith(f"{out}: ")
    assert "“Who sat? / The cat &lt;sat&gt;.”" in out.read_text(encoding="utf-8")
