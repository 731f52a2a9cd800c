"""A figure for a paper: exact in size, its words text, its numbers those of the run, and what was typed stays text."""

import csv
import gc
import io
import os
import re
import zipfile
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from threading import Barrier
from xml.etree import ElementTree

import numpy as np
import pytest
from answers import answer
from nasty import SHORT
from PIL import Image
from pypdf import PdfReader

from encoder import TextEncoder, Trace
from encoder.pictures.figures import lines, matrix, tiles, token_bars
from encoder.pictures.paper import panel_blocks
from encoder.pictures.paper.files import MOST_PANELS, PaperFigure, figure
from encoder.pictures.paper.from_drawn import of_drawn
from encoder.pictures.paper.printed_panel import Panel, PanelError, heat_map, latex, markdown, of_maps
from encoder.pictures.paper.sheet import Sheet
from encoder.pictures.registry.grids import ALL_HEADS, FLOW
from encoder.pictures.registry.steps import step_picture
from encoder.support.theme import palette

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"
CELL = re.compile(  # the path of a cell: its left, upper, right and lower side, and its colour
    r'<path d="M ([\d.]+) ([\d.]+) \nL ([\d.]+) \2 \nL \3 ([\d.]+) \nL \1 \4 \nz\n" '
    r'style="fill: (#[0-9a-f]{6}); stroke: \5'
)
NUMBER = re.compile(r"\d\.\d\d")
MM = 72 / 25.4  # points
LAYER, HEAD = 4, 1


def weights(trace: Trace) -> Panel:
    values, tokens = trace.array(f"layers.{LAYER}.attention.weights")[HEAD], trace.tokens
    drawn = matrix(values, tokens, tokens, kind="share", theme="dark", row_title="query", column_title="key")
    return of_drawn("Weights. More", "What the head looks at.", drawn, "dark")


@pytest.fixture(scope="module")
def four(sara: Trace) -> tuple[Panel, ...]:
    """A map, all heads, bars and lines."""
    every = sara[f"layers.{LAYER}.attention.weights"].numpy()
    names = [f"head {h}" for h in range(len(every))]
    heads = of_drawn("Heads", "All heads.", tiles(every, sara.tokens, sara.tokens, names, kind="share"))
    bars = of_drawn("Bars", "Bars.", token_bars({"a": every[0, 0], "b": every[1, 0]}, sara.tokens, title="share"))
    series = {"one": np.array([1.0, 20.0, 300.0]), "two": np.array([3.0, 2.0, 1.0])}
    ways = of_drawn("Lines", "Lines.", lines(series, np.arange(3), ("step", "rank"), logarithmic=(False, True)))
    return weights(sara), heads, bars, ways


def texts(made: PaperFigure) -> list[str]:
    """The words of the drawing."""
    return ["".join(one.itertext()) for one in ElementTree.fromstring(made.svg()).iter(f"{SVG}text")]


def tables(made: PaperFigure) -> list[list[list[str]]]:
    """The tables of a figure's CSV, one for each panel."""
    rows = list(csv.reader(io.StringIO(made.csv().removeprefix("\ufeff"))))
    starts = [i for i, row in enumerate(rows) if row and row[0].startswith("panel ")] + [len(rows)]
    return [[row for row in rows[a + 1 : b] if row] for a, b in pairwise(starts)]


@pytest.fixture(scope="module")
def made(four: tuple[Panel, ...]) -> PaperFigure:
    """All of them on a slide of given height."""
    return figure(four, width=254.0, height=142.9, title="Who looks at whom")


def test_every_file_is_as_large_as_asked_to_a_tenth_of_a_millimetre(made: PaperFigure, four: tuple[Panel, ...]) -> None:
    for each, height in ((made, 142.9), (figure(four[:2], width=85.0), 0.0)):
        root = ElementTree.fromstring(each.svg())
        page = PdfReader(io.BytesIO(each.pdf())).pages[0].mediabox
        image = Image.open(io.BytesIO(each.png(300)))
        assert [round(dpi) for dpi in image.info["dpi"]] == [300, 300]
        width, down = (float(root.attrib[side].removesuffix("mm")) for side in ("width", "height"))
        across = [width, float(page.width) / MM, image.width / 300 * 25.4]
        high = [float(page.height) / MM, image.height / 300 * 25.4, height or down]
        np.testing.assert_allclose(across, each.sheet.width, atol=0.1)
        np.testing.assert_allclose(high, down, atol=0.1)


def test_nothing_leaves_the_sheet(four: tuple[Panel, ...]) -> None:
    for sheet in (Sheet(85), Sheet(254, 142.9, 12), Sheet(60, letters=10, theme="dark", numbers="fit")):
        painted = PaperFigure(four, sheet).painted
        box = painted.get_tightbbox(painted.canvas.get_renderer())
        wide, high = painted.get_size_inches()
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= wide and box.y1 <= high


def test_words_are_words_and_the_files_carry_their_letters(made: PaperFigure, sara: Trace) -> None:
    said = texts(made)
    assert {"(a)", "(b)", "(c)", "(d)", "Who looks at whom", "Weights", "head 7", "rank", "one"} <= set(said)
    assert all(said.count(token) >= 2 for token in sara.tokens)  # along both sides of the map
    svg = made.svg()
    assert "@font-face" in svg and "data:font/ttf;base64," in svg
    assert not re.search(r"(href|url\()=?[\"']?(https?:|//)", svg.replace("http://www.w3.org", "")), "it fetches"
    (page,) = PdfReader(io.BytesIO(made.pdf())).pages
    resources = page["/Resources"]
    fonts = [font.get_object() for font in resources["/Font"].values()]
    within = [font["/DescendantFonts"][0].get_object() if "/DescendantFonts" in font else font for font in fonts]
    assert fonts and all("/FontFile2" in font["/FontDescriptor"].get_object() for font in within)
    assert all(word in re.sub(r"\s+", "", page.extract_text()) for word in ("keys", "table", "(d)"))
    drawn = resources["/XObject"].values() if "/XObject" in resources else ()
    assert not [1 for each in drawn if each.get_object().get("/Subtype") == "/Image"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_and_numbers_are_those_of_the_table_and_of_the_run(sara: Trace, theme: str) -> None:
    made = figure(weights(sara), width=180, numbers="fit", theme=theme)
    values = sara[f"layers.{LAYER}.attention.weights"][HEAD].numpy()
    (table,) = tables(made)
    in_table = np.array([[float(cell) for cell in row[2:]] for row in table[1:]])
    np.testing.assert_array_equal(in_table.astype(np.float32), values)

    fills = [cell[-1] for cell in CELL.findall(made.svg())[: values.size]]
    ramp = ["#" + bytes(colour).hex() for colour in palette("share", theme)]
    for fill, value in zip(fills, values.ravel().tolist(), strict=True):
        nearest = min(abs(i / 254 - value) for i, colour in enumerate(ramp) if colour == fill)
        assert nearest <= 0.5 / 254 + 1e-6

    written = [float(text) for text in texts(made) if NUMBER.fullmatch(text)][: values.size]
    np.testing.assert_allclose(written, values.ravel(), atol=0.005 + 1e-6)


def test_the_colours_of_a_png_are_those_of_the_run(sara: Trace) -> None:
    values = sara[f"layers.{LAYER}.attention.weights"][HEAD].numpy()
    made = figure(weights(sara), width=120)
    x0, y0, x1, y1 = map(float, CELL.findall(made.svg())[0][:4])
    image, dots = Image.open(io.BytesIO(made.png(300))).convert("RGB"), 300 / 72
    ramp = np.array(palette("share", "light"))
    for i in range(len(values)):
        for j in range(len(values)):
            at = (round((x0 + (j + 0.5) * (x1 - x0)) * dots), round((y0 + (i + 0.5) * (y1 - y0)) * dots))
            near = np.abs(ramp - image.getpixel(at)).sum(1)
            assert min(abs(k / 254 - values[i, j]) for k in np.flatnonzero(near <= near.min() + 2)) <= 1.5 / 254


def test_a_wide_step_and_tiles_are_drawn_with_their_own_numbers(
    base: TextEncoder, sara: Trace, four: tuple[Panel, ...]
) -> None:
    """On the screen a picture of so many cells carries 255 levels; a figure has the numbers."""
    step = sara.step(f"layers.{LAYER}.feed_forward.activation")
    made = figure(of_drawn("Units", "All units.", step_picture(base, sara, step.name).figure()), width=180)
    (table,) = tables(made)
    in_table = np.array([[float(cell) for cell in row[2:]] for row in table[1:]], dtype=np.float32)
    np.testing.assert_array_equal(in_table, sara.array(step.name))
    assert "1000" in texts(made) and "[CLS]" in texts(made)
    heads = sara.array(f"layers.{LAYER}.attention.weights")
    assert [each.title for each in four[1].maps] == [f"head {h}" for h in range(8)]
    np.testing.assert_array_equal(np.stack([each.values for each in four[1].maps]), heads)


def test_a_chart_keeps_its_numbers_and_its_colours_follow_the_sheet(four: tuple[Panel, ...]) -> None:
    assert "one,2,300," in four[3].csv()
    light, dark = (figure(four[3], width=85, theme=theme).svg() for theme in ("light", "dark"))
    assert "#1f6fb2" in light and "#6db6e8" not in light
    assert "#6db6e8" in dark and "#1f6fb2" not in dark


STEPS = ("scores", "scaled", "masked", "weights")


def test_masked_cells_stay_blank_and_every_scale_of_a_panel_is_said(base: TextEncoder) -> None:
    trace = base.trace("Keys on the table.", hidden=(2,))
    panels = [step_picture(base, trace, f"layers.4.attention.{name}", 1).panel() for name in STEPS]
    scores, scaled, masked, shares = (one.maps[0] for one in panels)
    assert np.isfinite(scores.values).all() and not np.isfinite(masked.values[:, 2]).any()
    for panel, one in zip(panels, (scores, scaled, None, shares), strict=True):
        assert one is None or f"{one.high:.4g}" in texts(figure(panel, width=85))
    assert shares.high == 1.0


def test_words_only_leaves_rows_and_columns_out_and_changes_no_number(sara: Trace) -> None:
    values = sara[f"layers.{LAYER}.attention.weights"][HEAD].numpy()
    made = figure(weights(sara), width=85, words_only=True)
    assert not {"[CLS]", "[SEP]"} & set(texts(made)) and "no number is changed" in made.caption
    (table,) = tables(made)
    np.testing.assert_array_equal(np.array([row[2:] for row in table[1:]], dtype=np.float32), values[1:-1, 1:-1])
    without = of_maps("Words", "Words.", [heat_map(values[1:-1, 1:-1], ["a"] * 8, ["a"] * 8, "share")])
    assert "no number is changed" not in figure(without, words_only=True).caption


def test_one_scale_for_all_reaches_the_largest_number(sara: Trace) -> None:
    small, large = np.full((2, 2), 0.25), np.full((2, 2), 0.5)
    panels = [of_maps(n, n, [heat_map(v, ["a", "b"], ["a", "b"], "share")]) for n, v in (("s", small), ("l", large))]
    made = figure(panels, width=180, shared=True)
    fills = [cell[-1] for cell in CELL.findall(made.svg())]
    ramp = palette("share", "light")
    assert "#" + bytes(ramp[254]).hex() in fills and "#" + bytes(ramp[127]).hex() in fills
    assert "1" not in texts(made) and "0.5" in texts(made)


def test_numbers_stand_only_where_they_fit(base: TextEncoder, sara: Trace) -> None:
    crowded = figure(answer(ALL_HEADS, base, sara).panel(), width=85, numbers="fit")
    assert not [text for text in texts(crowded) if NUMBER.fullmatch(text)]


def test_cells_are_squares_unless_they_need_not_be(sara: Trace) -> None:
    for square in (True, False):
        x0, y0, x1, y1 = map(float, CELL.findall(figure(weights(sara), width=85, square=square).svg())[0][:4])
        assert (abs((x1 - x0) - (y1 - y0)) < 1e-3) == square


TAGS = re.compile("svg|title|desc|style|defs|g|path|text|clipPath|rect|use|metadata|RDF|Work")
HOSTILE = [text for text in SHORT if text.strip()]


def test_what_was_typed_stays_text_in_latex_and_markdown() -> None:
    named = (
        "textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar|textquotedbl|textasciigrave|ldots"
    )
    other = r"\\otherletter{.}{[0-9a-f]{4,6}}"
    known = rf"{other}|\\({named}){{}}|\\textsuperscript{{T}}|\$(\\\w+|-|\\\||[_^]\d)\$|\\[{{}}$&#%_]|{{@}}"
    for text in HOSTILE:
        bare = re.sub(known, "", latex(text))
        assert not set(bare) & set("\\{}$&#%^_\n\r\x00"), ascii(text)
        assert max(bare, default="") <= "\xff", "pdfLaTeX ends at letters that it does not know"
        marks = re.sub(r"\\[!-/:-@\[-`{-~]", "", markdown(text))
        assert not set(marks) & set("\\<>`*_[]()$|#\n"), ascii(text)


def test_letters_that_pdflatex_does_not_know_are_written_or_numbered() -> None:
    values = np.ones((1, 1), dtype=np.float32)
    known, other = (
        figure(of_maps("A", said, [heat_map(values, ["a"], ["b"], "share")])).latex() for said in ("naïve", "я 你")
    )
    assert known.startswith(r"\begin{figure}") and "naïve" in known
    assert (
        other.startswith(r"\providecommand{\otherletter}") and r"\otherletter{я}{044f} \otherletter{你}{4f60}" in other
    )


def test_hostile_titles_captions_and_tokens_stay_text_in_every_file() -> None:
    for part in (HOSTILE[::2], HOSTILE[1::2]):
        values = np.eye(len(part), dtype=np.float32)
        panel = of_maps(part[0], part[-1], [heat_map(values, part, part, "share", title=part[0])])
        made = figure(panel, width=180, title=part[0], caption=" ".join(part), alt=part[-1])
        root = ElementTree.fromstring(made.svg())
        assert all(TAGS.fullmatch(one.tag.rpartition("}")[2]) for one in root.iter())
        assert not [name for one in root.iter() for name in one.attrib if name.startswith("on")]
        assert PdfReader(io.BytesIO(made.pdf())).pages[0].extract_text()
        for row in csv.reader(io.StringIO(made.csv().removeprefix("\ufeff"))):
            assert not [cell for cell in row if re.match(r"\s*[=+\-@]", cell) and not re.fullmatch(r"-?[\d.]+", cell)]
        Image.open(io.BytesIO(made.png(72))).verify()


def test_a_sign_without_a_letterform_is_shown_by_its_number_and_right_to_left_is_kept() -> None:
    names = ["\u4f60", "\u05e9\u05dc\u05d5\u05dd"]
    said = texts(figure(of_maps("t", "c", [heat_map(np.eye(2), names, names, "share")]), width=85))
    assert "\\u4f60" in said and "\u05e9\u05dc\u05d5\u05dd" in said


def test_one_zip_holds_every_file_and_the_same_figure_is_the_same_zip(sara: Trace) -> None:
    made, again = (figure(weights(sara), width=85, caption="50 % of $x$") for _ in range(2))
    packed = made.zip("my figure")
    with zipfile.ZipFile(io.BytesIO(packed)) as whole:
        assert set(whole.namelist()) == {
            f"my-figure{ending}" for ending in (".svg", ".pdf", "-300dpi.png", "-600dpi.png", ".csv", ".tex", ".md")
        }
        tex = whole.read("my-figure.tex").decode()
    assert r"\includegraphics[width=85.0mm]{my-figure.pdf}" in tex and r"\label{fig:my-figure}" in tex
    assert r"\caption{50 \% of \$x\$}" in tex
    assert packed == again.zip("my figure")


def test_what_is_no_figure_is_refused_with_what_was_asked(sara: Trace) -> None:
    panel = weights(sara)
    wrong = {"width": (39.9, float("nan")), "height": (10.0,), "letters": (3.0,), "columns": (5,), "theme": ("blue",)}
    for choice, values in wrong.items():
        for value in values:
            with pytest.raises(ValueError, match=re.escape(str(value))):
                figure(panel, **{choice: value})
    for panels in ([], [panel] * (MOST_PANELS + 1)):
        with pytest.raises(ValueError, match=f"1 to {MOST_PANELS}"):
            figure(panels)
    with pytest.raises(ValueError, match="dpi is 5"):
        figure(panel).png(5)
    with pytest.raises(PanelError, match="cells"):
        of_maps("t", "c", [heat_map(np.zeros((600, 600)), ["a"] * 600, ["a"] * 600, "share")])


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines of a figure; their letters are not drawn."""
    lines: list[str] = []
    monkeypatch.setattr(panel_blocks, "write", lambda figure, x, y, line, *more, **how: lines.append(line))
    return lines


def test_what_a_map_is_about_is_always_named(written: list[str]) -> None:
    """Every second word is left out where there is no room, and so was the one that the picture is about."""
    tokens, values = [f"word{i}" for i in range(60)], np.full((60, 60), 0.001)
    values[31, 18] = 0.9
    for subject, names in ((None, {"word31", "word18"}), ((8, 45), {"word8", "word45"})):
        written.clear()
        _ = figure(of_maps("t", "c", [heat_map(values, tokens, tokens, "share", subject=subject)]), width=85).painted
        assert names <= set(written) and len(set(written)) < 60
    added = heat_map(values, ["[CLS]", *tokens[1:]], ["[CLS]", *tokens[1:]], "share", subject=(8, 45)).words_only()
    assert [added.rows[i] for i in added.named] == ["word8", "word45"]


def test_the_scales_of_a_grid_stay_on_the_sheet(base: TextEncoder, sara: Trace) -> None:
    for picture in (FLOW, ALL_HEADS):
        drawn = figure(answer(picture, base, sara, LAYER, HEAD).panel(), width=85)
        pixels = np.asarray(Image.open(io.BytesIO(drawn.png(150))).convert("L"))
        assert (pixels[:, -3:] == pixels[0, 0]).all() and (pixels[-3:] == pixels[0, 0]).all()


def open_typefaces() -> int:
    """How many files of letters this process has open, but for those of drawings that are garbage."""
    gc.collect()
    found = 0
    for entry in Path("/proc/self/fd").iterdir():
        try:
            found += os.readlink(entry).endswith(".ttf")
        except OSError:  # closed meanwhile
            continue
    return found


def test_figures_of_many_threads_leave_few_files_open(four: tuple[Panel, ...]) -> None:
    threads, before = 12, open_typefaces()
    together = Barrier(threads)

    def drawn() -> bool:
        together.wait()  # so that each is a thread of its own
        return figure(four[:1], width=90).pdf().startswith(b"%PDF")

    with ThreadPoolExecutor(threads) as pool:
        assert all(one.result() for one in [pool.submit(drawn) for _ in range(threads)])
    assert open_typefaces() - before < threads
