"""A report holds every step that was asked for, with the numbers of the run, in one file without a network."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import SENTENCE, VARIANTS, tiny

from encoder import Edit, TextEncoder, Trace
from encoder.figures.matrix import matrix
from encoder.figures.tiles import tiles
from encoder.report.report import ReportError, drawing, main, plan, repeated, report

pytestmark = pytest.mark.slow

TEXT = "Keys on the table belong to Sara."


@pytest.fixture(scope="module")
def page(base: TextEncoder, sara: Trace) -> str:
    return "".join(report(base, sara, [0, 5]))


def held(page: str) -> dict[str, Any]:
    """What each picture draws, by its key."""
    found = re.findall(r'data-key="([^"]+)".*?<script type="application/json">(.*?)</script>', page, re.DOTALL)
    return {key: decoded(json.loads(data)["data"][0]) for key, data in found}


def decoded(trace: dict[str, Any]) -> np.ndarray:
    packed = trace["z"] if "z" in trace else trace["y"]
    shape = [int(size) for size in packed.get("shape", "-1").split(",")]
    return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"]).reshape(shape)


def test_every_step_of_the_asked_layers_is_there_with_the_numbers_of_the_run(page: str, sara: Trace) -> None:
    pictures = held(page)
    wanted = [step for step in map(sara.step, sara) if step.layer in (None, 0, 5)]
    for step in wanted:
        assert f"<code>{step.name}</code>" in page
        if repeated(sara, step):
            assert f"These are the numbers of <code>{repeated(sara, step)}</code>" in page
        elif step.shape[-1] != "vocab" and sara[step.name].ndim < 3 and sara[step.name].numel() <= 128 * 128:
            np.testing.assert_array_equal(pictures[step.name], sara[step.name].numpy())
        else:
            assert step.name in pictures
    assert not re.search(r"layers\.[1-4]\.attention\.q<", page)


def test_a_repeated_step_has_the_very_numbers_it_refers_to(sara: Trace) -> None:
    found = {step.name: repeated(sara, step) for step in map(sara.step, sara)}
    assert found["layers.0.attention.input"] == "embedding.output"
    assert not found["layers.0.attention.q"]
    for name, source in found.items():
        if source:
            np.testing.assert_array_equal(sara[name].numpy(), sara[source].numpy())


def test_all_heads_stand_as_tiles(page: str, sara: Trace) -> None:
    n, weights = len(sara.tokens), sara["layers.5.attention.weights"].numpy()
    drawn = held(page)["layers.5.attention.weights"]
    finite = drawn[np.isfinite(drawn)]
    assert len(finite) == 8 * n * n
    gap = len(drawn) // 2 - n
    for head in range(8):
        top, left = head // 4 * (n + gap) + gap, head % 4 * (n + 1)
        np.testing.assert_array_equal(drawn[top : top + n, left : left + n], weights[head])


def test_nothing_is_fetched_and_nothing_that_was_typed_is_markup(small: TextEncoder) -> None:
    hostile = "</script><script>alert(1)</script> <img src=x onerror=alert(1)> & $x$"
    trace = small.trace(hostile, edits=(Edit("output", "scale", value=2.0),))
    page = "".join(report(small, trace, [0]))
    own = page[page.index("</head>") :]
    assert "<img" not in own and "<script>alert" not in own
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=[\"']?(?!data:)", own)
    assert "Changed: output of the encoder multiplied by 2.0" in own
    assert page.count("Plotly.newPlot(") >= 1 and page.count("plotly.js v") == 1


def test_no_data_ends_the_script_it_stands_in() -> None:
    figure = matrix(np.ones((1, 1)), ["a"], ["b"], kind="share", row_title="</script><script>alert(1)</script><!--")
    drawn = drawing(figure, "key", "</figcaption><b>")
    assert drawn.count("<script") == drawn.count("</script") == 1 and "<!--" not in drawn and "<b>" not in drawn


def test_twelve_words_through_six_layers_are_under_12_megabytes(base: TextEncoder) -> None:
    trace = base.trace("The old man and his dog were good friends for years.")
    assert len(trace.tokens) == 14
    seen: list[float] = []
    page = "".join(report(base, trace, progress=seen.append))
    size = len(page.encode())
    assert size < 12_000_000
    assert plan(trace).nbytes == pytest.approx(size, rel=0.05)
    assert seen == sorted(seen) and seen[-1] == 1


def test_an_absurd_report_is_refused_with_its_size_before_it_is_made(base: TextEncoder) -> None:
    trace = base.trace("word " * 600)
    with pytest.raises(ReportError, match=r"would take \d+\.\d MB, more than 60\.0 MB; name fewer layers"):
        report(base, trace)


def test_a_layer_that_is_not_there_is_refused(sara: Trace) -> None:
    with pytest.raises(ReportError, match="no layer 6; layers of base go from 0 to 5"):
        plan(sara, [6])


def test_a_pair_is_reported_as_a_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "report.html"
    pair = ["Who sat?", "--pair", "The cat <sat>."]
    assert main([*pair, "--model", "small", "--layers", "0", "--out", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    assert "“Who sat?” and “The cat &lt;sat&gt;.”" in page and page.count("<bdi>[SEP]</bdi>") >= 2


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_has_a_report(name: str) -> None:
    encoder = tiny(VARIANTS[name])
    trace = encoder.trace(SENTENCE)
    page = "".join(report(encoder, trace))
    assert all(f"<code>{step}</code>" in page for step in trace)
    assert ("no head that guesses words" in page) == (encoder.model.mlm_head is None)


def test_the_command_line_writes_a_file_and_shows_progress(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "report.html"
    assert main([TEXT, "--model", "small", "--layers", "0,3", "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert "100%" in said.err and "report.html: " in said.out
    assert out.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "nothing"], "neither a bundled model"),
        (["--layers", "9"], "no layer 9; layers of small go from 0 to 3"),
        (["--out", "/nowhere/report.html"], "No such file or directory"),
    ],
)
def test_the_command_line_says_what_is_wrong(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([TEXT, "--model", "small", *arguments]) == 1
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("layers", ["1,x", "-1", "", "0,,1", "٣"])
def test_layers_that_are_no_numbers_are_refused(layers: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([TEXT, f"--layers={layers}"])
    assert "must be such as 0,5 or all" in capsys.readouterr().err


@pytest.mark.parametrize("count", [1, 3, 12])
def test_tiles_keep_every_number_on_one_scale(count: int) -> None:
    values = np.random.default_rng(0).normal(size=(count, 3, 5)).astype(np.float32)
    figure = tiles(values, ["a", "b", "c"], "dim", [f"head {h}" for h in range(count)], kind="signed")
    drawn = np.asarray(figure.data[0].z)
    assert sorted(drawn[np.isfinite(drawn)]) == sorted(values.ravel())
    assert figure.data[0].zmax == -figure.data[0].zmin == np.abs(values).max()
    assert [a.text for a in figure.layout.annotations] == [f"head {h}" for h in range(count)]
    header, *rows = figure.numbers()
    assert list(header) == ["tile", "token", *(f"dim_{j}" for j in range(1, 6))] and len(rows) == 3 * count


def test_a_formula_of_two_lines_is_two_formulas_without_the_sign_that_aligns_them(page: str) -> None:
    said = page.partition("<code>embedding.positions</code>")[0].rpartition("<h3>")[2]
    assert said.count("<math") == 2 and said.count(">sin<") == said.count(">cos<") == 1
    assert not re.search(r"<m[io]>\s*&(amp;)?\s*</m[io]>", page)


def test_what_is_said_of_all_heads_is_said_of_the_largest_weight_between_two_words(page: str, sara: Trace) -> None:
    weights = sara["layers.5.attention.weights"].numpy()
    words = np.flatnonzero(~np.array(sara.tokenization.special))
    head, _, column = np.unravel_index(weights[:, words][:, :, words].argmax(), (len(weights), len(words), len(words)))
    said = page.partition("<code>layers.5.attention.weights</code>")[2].partition("</section>")[0]
    assert f"<b>Head {head}: " in said and f"“{sara.tokens[words[column]]}”" in said


def test_no_bar_of_buttons_lies_over_a_picture(page: str) -> None:
    assert "displayModeBar: false" in page
