"""A report holds every step that was asked for, with the numbers of the run, in one file without a network."""

import base64
import html
import io
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tiny import SENTENCE, TINY, VARIANTS, each_name, tiny

from encoder import Edit, TextEncoder, Trace
from encoder.pictures.figures.tiles import tiles
from encoder.pictures.paper import paint
from encoder.pictures.paper.files import PaperFigure, figure
from encoder.pictures.paper.panel import Panel, heat_map, of_maps
from encoder.pictures.report.drawing import drawing
from encoder.pictures.report.report import ReportError, main, plan, repeated, report
from encoder.support.theme import BACKGROUND, Theme, palette

pytestmark = pytest.mark.slow

TEXT = "Keys on the table belong to Sara."


@pytest.fixture(scope="module")
def page(base: TextEncoder, sara: Trace) -> str:
    return "".join(report(base, sara, [0, 5]))


def held(page: str) -> dict[str, list[dict[str, Any]]]:
    """The maps of each picture, by its key, with their numbers."""
    found = re.findall(r'<figure data-key="([^"]+)">.*?<script type="application/json">(.*?)</script>', page, re.DOTALL)
    return {key: [one | {"values": decoded(one)} for one in json.loads(data)["maps"]] for key, data in found}


def decoded(one: dict[str, Any]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(one["values"]), "<f4").reshape(one["shape"])


def figure_of(page: str, key: str) -> str:
    """The picture of a step, as HTML."""
    return page.partition(f'<figure data-key="{key}">')[2].partition("</figure>")[0]


def bars(page: str, key: str) -> np.ndarray:
    """The numbers of a chart."""
    rows = re.findall(r"<tr>(.*?)</tr>", figure_of(page, key).partition("<details>")[2])
    return np.array([re.findall(r"<td>(.*?)</td>", row)[-1] for row in rows[1:]], dtype=np.float32)


def drawn_texts(figure: str) -> list[str]:
    """The words of a drawing."""
    return [html.unescape(text) for text in re.findall(r"<text[^>]*>(.*?)</text>", figure, re.DOTALL)]


def test_every_step_of_the_asked_layers_is_there_with_the_numbers_of_the_run(page: str, sara: Trace) -> None:
    pictures = held(page)
    wanted = [step for step in map(sara.step, sara) if step.layer in (None, 0, 5)]
    for step in wanted:
        assert f"<code>{step.name}</code>" in page
        if repeated(sara, step):
            assert f"These are the numbers of <code>{repeated(sara, step)}</code>" in page
        elif step.shape[-1] == "vocab":
            assert len(pictures[step.name][0]["cells"]) == len(sara.tokens)
        elif sara[step.name].ndim == 1:
            np.testing.assert_allclose(bars(page, step.name), sara[step.name].numpy(), rtol=1e-5)
        else:
            values = sara[step.name].numpy()
            for one, other in zip(pictures[step.name], values if values.ndim == 3 else [values], strict=True):
                np.testing.assert_array_equal(one["values"], other)
    assert not re.search(r"layers\.[1-4]\.attention\.q<", page)


def test_a_repeated_step_has_the_very_numbers_it_refers_to(sara: Trace) -> None:
    found = {step.name: repeated(sara, step) for step in map(sara.step, sara)}
    assert found["layers.0.attention.input"] == "embedding.output"
    assert not found["layers.0.attention.q"]
    for name, source in found.items():
        if source:
            np.testing.assert_array_equal(sara[name].numpy(), sara[source].numpy())


def test_every_head_stands_under_its_name_between_the_same_tokens(page: str, sara: Trace) -> None:
    for name in ("layers.5.attention.weights", "all-heads"):
        maps = held(page)[name]
        assert [one["title"] for one in maps[-8:]] == [f"head {i}" if "." in name else f"L5 H{i}" for i in range(8)]
        for one, weights in zip(maps[-8:], sara["layers.5.attention.weights"].numpy(), strict=True):
            np.testing.assert_array_equal(one["values"], weights)
            assert one["rows"] == one["columns"] == sara.tokens


def test_nothing_is_fetched_and_nothing_that_was_typed_is_markup(small: TextEncoder) -> None:
    hostile = "</script><script>alert(1)</script> <img src=x onerror=alert(1)> & $x$"
    trace = small.trace(hostile, edits=(Edit("output", "scale", value=2.0),))
    page = "".join(report(small, trace, [0]))
    own = page[page.index("</head>") :]
    assert "<img" not in own and "<script>alert" not in own
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=[\"']?(?!data:)", own)
    assert "Changed: output of the encoder multiplied by 2.0" in own
    assert "plotly" not in page.lower()


def test_no_data_ends_the_script_it_stands_in() -> None:
    hostile = "</script><script>alert(1)</script><!--"
    one = replace(heat_map(np.ones((1, 1)), ["a"], ["b"], "share"), rows=(hostile,), title=hostile)
    drawn = drawing(Panel("", "", (one,)), "key", "</figcaption><b>")
    assert drawn.count("<script") == drawn.count("</script") == 1 and "<b>" not in drawn
    assert "<!--" not in drawn.partition("</svg>")[2]


@pytest.mark.nightly
def test_twelve_words_through_six_layers_are_under_12_megabytes(base: TextEncoder) -> None:
    trace = base.trace("The old man and his dog were good friends for years.")
    assert len(trace.tokens) == 14
    seen: list[float] = []
    page = "".join(report(base, trace, progress=seen.append))
    size = len(page.encode())
    assert size < 12_000_000
    assert plan(trace).nbytes == pytest.approx(size, rel=0.05)
    assert seen == sorted(seen) and seen[-1] == 1


def test_what_a_report_takes_is_known_before_it_is_made(page: str, sara: Trace) -> None:
    assert plan(sara, [0, 5]).nbytes == pytest.approx(len(page.encode()), rel=0.05)


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


def alike(panel: Panel) -> str:
    """What tells panels apart that can be drawn or not: all but their finite numbers and the words in their cells."""
    maps = [
        (one.kind, one.rows, one.columns, one.title, bool(one.cells), one.shape, np.isfinite(one.values).tobytes())
        for one in panel.maps
    ]
    marks = [(mark["type"], mark.get("mode"), mark.get("name"), np.shape(mark["y"])) for mark in panel.marks]
    return repr((maps, marks, sorted(panel.frame or {}), panel.across, panel.title))


@pytest.fixture(scope="module")
def drawn_once() -> Iterator[None]:
    """Of the panels of all variants that are alike one is drawn, and one chart's margins are measured."""
    drawn, measured = dict[str, str](), dict[str, tuple[float, ...]]()
    svg, margins = PaperFigure.svg, paint.margins

    def drawn_as(figure: PaperFigure) -> str:
        key = f"{[alike(one) for one in figure.panels]} {figure.sheet}"
        return drawn.get(key) or drawn.setdefault(key, svg(figure))

    def measured_as(panel: Panel, letters: float) -> tuple[float, ...]:
        key = f"{alike(panel)} {letters}"
        return measured.get(key) or measured.setdefault(key, margins(panel, letters))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PaperFigure, "svg", drawn_as)
        patch.setattr(paint, "margins", measured_as)
        yield


@pytest.mark.parametrize("name", each_name())
def test_every_variant_has_a_report(name: str, drawn_once: None) -> None:
    encoder = tiny(VARIANTS[name])
    trace = encoder.trace(SENTENCE)
    page = "".join(report(encoder, trace, [1]))
    assert all(f"<code>{step.name}</code>" in page for step in map(trace.step, trace) if step.layer in (None, 1))
    assert ("no head that guesses words" in page) == (encoder.model.mlm_head is None)


def test_the_command_line_writes_a_file_and_shows_progress_on_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    out = tmp_path / "report.html"
    assert main([TEXT, "--model", "small", "--layers", "0,3", "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert "100%" in said.err and "report.html: " in said.out
    assert main([TEXT, "--model", "small", "--layers", "0", "--quiet", "--out", str(out)]) == 0
    assert capsys.readouterr().err == ""
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
    assert main([TEXT, "--model", "small", *arguments]) == 2
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
    shown = tiles(values, ["a", "b", "c"], "dim", [f"head {h}" for h in range(count)], kind="signed")
    drawn = np.asarray(shown.data[0].z)
    assert sorted(drawn[np.isfinite(drawn)]) == sorted(values.ravel())
    assert shown.data[0].zmax == -shown.data[0].zmin == np.abs(values).max()
    assert [a.text for a in shown.layout.annotations] == [f"head {h}" for h in range(count)]
    header, *rows = shown.numbers()
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


def test_pictures_follow_the_rules_of_a_figure_for_a_paper(page: str, sara: Trace) -> None:
    """What a reader sees: the same letters, the same size, square cells, tokens on every picture, a colour scale."""
    weights = sara["layers.5.attention.weights"].numpy()
    maps = [heat_map(one, sara.tokens, sara.tokens, "share", title=f"head {i}") for i, one in enumerate(weights)]
    paper = figure(of_maps("", "", maps)).svg()
    drawn = figure_of(page, "layers.5.attention.weights")
    assert drawn_texts(drawn) == drawn_texts(paper)
    looks = [set(re.findall(r"font-size: ([\d.]+)px; font-family: '([^']+)'", one)) for one in (drawn, paper)]
    assert looks[0] == looks[1] and {family for _, family in looks[0]} == {"DejaVu Sans"}
    assert re.search(r'<svg [^>]*width="180.000mm"', drawn)
    wide, high = (float(size) for size in re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawn).groups())
    for one in held(page)["layers.5.attention.weights"]:
        assert one["at"][2] * wide == pytest.approx(one["at"][3] * high, rel=1e-3)
    for key in ("embedding.output", "layers.0.feed_forward.activation"):
        assert set(sara.tokens) <= set(drawn_texts(figure_of(page, key)))
    assert set(drawn_texts(figure_of(page, "layers.5.attention.q"))) & set(sara.tokens), "as many as have room"
    assert page.count("@font-face") == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_colours_of_a_picture_are_its_numbers(theme: Theme, small: TextEncoder) -> None:
    """Read back from the pixels, at the places where the page says that the cells are."""
    trace = small.trace(TEXT)
    page = "".join(report(small, trace, [0], theme=theme))
    name = "layers.0.attention.output"
    packed = re.findall(r'xlink:href="data:image/png;base64,\s*([^"]+)"', figure_of(page, name))
    image = np.asarray(Image.open(io.BytesIO(base64.b64decode(packed[0]))).convert("RGB")).astype(int)
    values = trace[name].numpy()
    assert image.shape[:2] == values.shape
    turned = re.search(
        r'transform="(?:matrix\(([^)]+)\))', figure_of(page, name).partition("<image")[2].partition(">")[0]
    )
    assert turned is None or float(turned[1].split()[3]) > 0, "the first row is at the top"
    colours = np.array(palette("signed", theme))
    seen = np.abs(image[..., None, :] - colours).sum(-1)
    assert seen.min(-1).max() <= 3
    largest = np.abs(values).max()
    np.testing.assert_allclose(seen.argmin(-1) / 254 * 2 * largest - largest, values, atol=largest / 127)
    assert f"background: {BACKGROUND[theme]}" in page and f'fill: {BACKGROUND[theme]}"' in figure_of(page, name)


def test_a_long_text_has_pictures_that_fit_a_sheet() -> None:
    """Of one layer with two heads: how high a picture is follows from its tokens and dimensions."""
    encoder = tiny(replace(TINY, n_layers=1, n_heads=2, max_positions=200))
    trace = encoder.trace("w1 w2 w3 " * 60)
    page = "".join(report(encoder, trace, [0]))
    heights = [float(size) for size in re.findall(r'<svg [^>]*height="([\d.]+)mm"', page)]
    assert len(heights) > 20 and max(heights) <= 240
    assert held(page)["layers.0.attention.weights"][1]["shape"] == [len(trace.tokens)] * 2
