"""Pictures by their data: the numbers, labels, ranges and colours that the browser receives."""

import colorsys
import json
import math
import re
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from tiny import SENTENCE, TINY, tiny

from encoder.metrics import shares_in_bins
from encoder.pictures.export.archive import table
from encoder.pictures.figures.charts import BARS, likeliest, lines, outlines, term_bars, token_bars
from encoder.pictures.figures.facts import main_fact
from encoder.pictures.figures.matrix import MOST_CELLS, matrix
from encoder.pictures.figures.scatter import paths
from encoder.pictures.registry.steps import step_picture
from encoder.support.formatting import short
from encoder.support.theme import ACCENT, SECOND, Kind, Theme, label, limits, palette, scale
from pages.ui.downloads import table as downloads

LEVELS = 254  # steps between the 255 levels of a large picture
THEMES: tuple[Theme, ...] = ("light", "dark")
KINDS: tuple[Kind, ...] = ("share", "positive", "signed")
ABC = ["a", "b", "c"]


def noise(*shape: int) -> np.ndarray:
    """Some numbers about zero, float32 as a trace holds them."""
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def weights(n: int) -> np.ndarray:
    """Rows that sum to 1."""
    return np.random.default_rng(0).dirichlet(np.full(n, 0.3), n).astype(np.float32)


def words(n: int) -> list[str]:
    """Tokens of usual length."""
    return [f"word{i}" for i in range(n)]


def heat(figure: go.Figure) -> go.Heatmap:
    """The one heatmap of a figure."""
    (trace,) = figure.data
    assert trace.type == "heatmap"
    return trace


def seen(figure: go.Figure) -> np.ndarray:
    """The number that each cell stands for by the figure's own colour bar, NaN where nothing is drawn."""
    drawn = heat(figure)
    z = np.asarray(drawn.z).astype(float)
    blank = ~np.isfinite(z)
    for value in np.unique(z[~blank]):
        where = max((value - drawn.zmin) / (drawn.zmax - drawn.zmin), 0)
        if is_clear([colour for place, colour in drawn.colorscale if place <= where][-1]):
            blank |= z == value
    bar = drawn.colorbar
    z = np.interp(z, *np.array([bar.tickvals, [float(text) for text in bar.ticktext]], dtype=float))
    return np.where(blank, math.nan, z)


def is_clear(shade: str) -> bool:
    """Whether a colour lets the page show through."""
    return shade == "transparent" or re.fullmatch(r"rgba\(.*, *0(\.0*)?\)", shade) is not None


# Matrices


def test_up_to_128_by_128_the_numbers_are_exact_and_above_there_are_255_levels() -> None:
    for rows, columns in ((1, 1), (10, 512), (128, 128)):
        drawn = heat(matrix(noise(rows, columns), words(rows), "dimension", kind="signed"))
        assert drawn.z.dtype == np.float32 and np.array_equal(drawn.z, noise(rows, columns))
        assert drawn.x is drawn.y is drawn.text is None and "%{z:.6g}" in drawn.hovertemplate
    for kind, (rows, columns) in product(KINDS, ((129, 128), (33, 512))):
        values = noise(rows, columns) if kind == "signed" else np.abs(noise(rows, columns)) / 6
        assert values.size > MOST_CELLS
        figure = matrix(values, words(rows), "dimension", kind=kind)
        drawn, (low, high) = heat(figure), limits(kind, float(np.abs(values).max()))
        assert drawn.z.dtype == np.uint8 and np.unique(drawn.z).size <= LEVELS + 1 and "≈" in drawn.hovertemplate
        # half a level, and ticks show four digits
        assert float(np.abs(seen(figure) - values).max()) <= (high - low) / LEVELS / 2 * 1.01 + 1e-4 * high
        ticks = [float(text) for text in drawn.colorbar.ticktext]
        assert (ticks[0], ticks[-1], len(ticks)) == (pytest.approx(low, rel=1e-3), pytest.approx(high, rel=1e-3), 5)


@pytest.mark.parametrize("n", [12, 129], ids=["exact", "levels"])
def test_colours_stand_at_their_values_and_what_is_no_number_stays_blank(n: int) -> None:
    for kind in KINDS:
        drawn, (low, high) = heat(matrix(noise(n, n), words(n), words(n), kind=kind, largest=2.0)), limits(kind, 2.0)
        stops = [(drawn.zmin + place * (drawn.zmax - drawn.zmin), colour) for place, colour in drawn.colorscale]
        ticks = np.array([drawn.colorbar.tickvals, [float(text) for text in drawn.colorbar.ticktext]], dtype=float)
        coloured = {colour: float(np.interp(z, *ticks)) for z, colour in stops if not is_clear(colour)}
        expected = {colour: low + place * (high - low) for place, colour in scale(kind, "light")}
        assert coloured == pytest.approx(expected, abs=(high - low) / LEVELS / 2)
    for hole in (-math.inf, math.nan):
        values = noise(n, n)
        values[:, 3] = hole
        blank = seen(matrix(values, words(n), words(n), kind="signed"))
        assert np.isnan(blank[:, 3]).all() and np.isfinite(np.delete(blank, 3, 1)).all()
        assert float(np.nanmin(blank)) == pytest.approx(float(values[np.isfinite(values)].min()), abs=0.03)
    for part in (noise(n, n), noise(n, n) / 100):  # a locked scale is the same for every picture
        locked = matrix(part, words(n), words(n), kind="signed", largest=8.0)
        assert float(np.abs(seen(locked) - part).max()) <= 8.1 / LEVELS


def test_the_ends_of_the_scale_are_said_at_its_bar() -> None:
    endings: list[tuple[Kind, Any, tuple[float, float]]] = [
        ("share", [[0.0, 0.4], [0.1, 0.2]], (0, 1)),
        ("signed", [[-0.5, 3.0], [0.1, 0.2]], (-3, 3)),
        ("signed", [[-4.0, 3.0], [0.1, -np.inf]], (-4, 4)),
        ("positive", [[1.0, 3.0], [1.0, 2.0]], (0, 3)),
        ("positive", [[0.0, 0.0], [0.0, 0.0]], (0, 1)),
        ("signed", [[-np.inf, -np.inf], [-np.inf, -np.inf]], (-1, 1)),
    ]
    for (kind, values, ends), theme in product(endings, THEMES):
        drawn = heat(matrix(np.array(values), words(2), words(2), kind=kind, theme=theme))
        assert (drawn.zmin, drawn.zmax) == ends and drawn.zauto is None and drawn.showscale is not False
        assert [list(stop) for stop in drawn.colorscale] == scale(kind, theme)
        assert (drawn.colorbar.ticktext[0], drawn.colorbar.ticktext[-1]) == tuple(map(short, ends))
        assert "0" in drawn.colorbar.ticktext
    cosines = np.array([[1, 0.66], [0.66, 1]])
    for values, fit, ends in ((cosines, True, (0.66, 1)), (cosines, False, (-1, 1)), (-cosines, True, (-1, 1))):
        fitted = heat(matrix(values, ABC[:2], ABC[:2], kind="signed", fit=fit))
        assert (fitted.zmin, fitted.zmax) == ends
    for largest in (0.0, -1.0, math.nan, math.inf):
        assert limits("signed", largest) == (-1, 1) and limits("positive", largest) == (0, 1)


def test_rows_go_down_axes_say_what_they_are_and_repeated_tokens_keep_their_place() -> None:
    tokens = ["the", "cat", "the", "the"]
    figure = matrix(weights(4), tokens, tokens, kind="share", row_title="query", column_title="key")
    down, across = figure.layout.yaxis, figure.layout.xaxis
    for axis in (down, across):
        assert list(axis.tickvals) == [0, 1, 2, 3] and list(axis.ticktext) == tokens
    assert (tuple(down.range), tuple(across.range), across.side) == ((3.5, -0.5), (-0.5, 3.5), "top")
    assert (down.title.text, across.title.text) == ("query", "key")
    assert heat(figure).hovertemplate.startswith("%{y} · %{x}<br>")
    counted = matrix(noise(4, 30), words(4), "unit", kind="signed", column_title="unit")
    assert counted.layout.xaxis.tickvals is None and counted.layout.xaxis.title.text == "unit"
    assert heat(counted).hovertemplate.startswith("%{y} · unit %{x}<br>")
    name = "This bag is light."
    brief, long = (matrix(np.eye(1), [name], ["1."], kind="share", longest=k) for k in (14, 40))
    assert brief.layout.yaxis.ticktext[0].endswith("…") and long.layout.yaxis.ticktext == (name,)


def test_height_follows_the_rows_within_bounds_and_what_the_browser_receives_is_small() -> None:
    for n, most in ((1, 8_000), (12, 8_000), (128, 120_000), (512, 500_000)):
        for columns in (words(n), "dimension"):
            height = matrix(weights(n), words(n), columns, kind="share").layout.height
            assert 220 <= height <= 760 and height >= min(640, 22 * n)
        assert len(matrix(weights(n), words(n), words(n), kind="share").to_json()) <= most


# Tokens as labels

SHOWN = {
    "##ing": "##ing",
    "<b>": "&lt;b&gt;",
    "&lt;": "&amp;lt;",
    "$x$": "$x$",
    "\"'\\": "\"'\\",
    "שלום": "שלום",
    "\N{CAT FACE}": "\N{CAT FACE}",
    "\N{ZERO WIDTH SPACE}": r"\u200b",
    "\N{RIGHT-TO-LEFT OVERRIDE}abc": r"\u202eabc",
    "\N{LEFT-TO-RIGHT ISOLATE}": r"\u2066",
    "\N{NO-BREAK SPACE}": r"\u00a0",
    "\N{SOFT HYPHEN}": r"\u00ad",
    "\N{HANGUL FILLER}": r"\u3164",
    "\N{BRAILLE PATTERN BLANK}": r"\u2800",
    "\n": r"\u000a",
    "\x00": r"\u0000",
    "x" * 14: "x" * 14,
    "x" * 15: "x" * 13 + "…",
    "<" * 40: "&lt;" * 13 + "…",
}


def test_tokens_are_shown_as_typed() -> None:
    tokens = [*SHOWN]
    for figure in (
        matrix(weights(len(tokens)), tokens, tokens, kind="share"),
        token_bars({"length": noise(len(tokens))}, tokens, title="length"),
    ):
        assert dict(zip(tokens, figure.layout.xaxis.ticktext, strict=True)) == SHOWN
    assert label("x" * 12, 12) == "x" * 12 and label("x" * 13, 12) == "x" * 11 + "…"


def test_many_tokens_are_named_now_and_then() -> None:
    for n, rows, columns in ((32, 32, 32), (33, 33, 17), (48, 48, 24), (49, 25, 25), (512, 47, 32)):
        figure = matrix(weights(n), words(n), words(n), kind="share")
        for axis, count in ((figure.layout.yaxis, rows), (figure.layout.xaxis, columns)):
            places = list(axis.tickvals)
            assert len(places) == count and len({b - a for a, b in pairwise(places)}) == 1
            assert list(axis.ticktext) == [f"word{i}" if count == n else f"{i} word{i}" for i in places]
            assert sorted(axis.range) == [-0.5, n - 0.5]


# Bars, lines and best words


@pytest.mark.parametrize("theme", THEMES)
def test_bars_stand_at_their_tokens_on_the_page_itself(theme: Theme) -> None:
    tokens = ["the", "cat", "the"]
    figure = token_bars({"before": noise(3), "after": 2 * noise(3)}, tokens, title="length", theme=theme)
    looks = [("before", ACCENT[theme], 1), ("after", SECOND[theme], 2)]
    for bars, (name, colour, factor) in zip(figure.data, looks, strict=True):
        assert (bars.name, bars.marker.color, list(bars.x)) == (name, colour, [0, 1, 2])
        assert np.array_equal(bars.y, factor * noise(3))
    assert list(figure.layout.xaxis.ticktext) == tokens and figure.layout.yaxis.title.text == "length"
    one = token_bars({"length": noise(3)}, ABC, title="length", theme=theme)
    assert figure.layout.showlegend and not one.layout.showlegend
    others = [
        matrix(weights(3), ABC, ABC, kind="share", theme=theme),
        likeliest([["a"]] * 3, noise(3, 1), ABC, kind="signed", theme=theme),
        term_bars(noise(3), ABC, theme),
    ]
    for each in (one, *others):
        assert each.layout.paper_bgcolor == each.layout.plot_bgcolor == "rgba(0,0,0,0)"
        assert json.loads(each.to_json())["layout"]["font"]["color"] == figure.layout.font.color


def test_on_a_logarithmic_axis_the_smallest_bar_is_seen_too() -> None:
    """A bar of rounding errors beside bars of 1 begins at the foot of the axis, and ends above it."""
    values = {"off": np.array([3e-7, 0.0, 2e-6]), "on": np.array([0.5, 1.5, 0.9])}
    low, high = token_bars(values, ABC, title="far", logarithmic=True).layout.yaxis.range
    assert low < np.log10(3e-7) - 0.5 and np.log10(1.5) < high
    assert token_bars({"off": np.zeros(2)}, ["a", "b"], title="far", logarithmic=True).layout.yaxis.range is None


def test_best_words_are_written_into_their_cells() -> None:
    cases: list[tuple[Kind, Any, tuple[int, int], list[str]]] = [
        ("share", [[0.75, 0.125], [0.5, 0.0625]], (0, 1), ["75 %", "13 %", "50 %", "6.3 %"]),
        ("signed", [[9.0, -1.5], [8.0, 0.25]], (-9, 9), ["9", "-1.5", "8", "0.25"]),
    ]
    for kind, values, ends, (a, b, c, d) in cases:
        figure = likeliest([["cat", "<b>"], ["x" * 20, "$x$"]], np.array(values), ["[CLS]", "the"], kind=kind)
        drawn = heat(figure)
        assert np.array_equal(drawn.z, values) and (drawn.zmin, drawn.zmax) == ends
        said = [[f"cat {a}", f"&lt;b&gt; {b}"], [f"{'x' * 11}… {c}", f"$x$ {d}"]]
        assert [list(row) for row in drawn.text] == said
        assert list(figure.layout.xaxis.ticktext) == ["1.", "2."]
        assert list(figure.layout.yaxis.ticktext) == ["[CLS]", "the"]
        assert tuple(figure.layout.yaxis.range) == (1.5, -0.5)


def test_terms_beyond_the_first_are_one_bar() -> None:
    for count in (1, BARS, BARS + 1, 512):
        values = noise(count).astype(float)
        values = values[np.argsort(-np.abs(values))]
        figure = term_bars(values, words(count))
        (bars,) = figure.data
        assert list(bars.y[:BARS]) == list(values[:BARS].astype(np.float32))
        more = [f"{count - BARS} more"] if count > BARS else []
        assert list(figure.layout.xaxis.ticktext) == words(count)[:BARS] + more
        assert len(bars.x) == len(bars.y) == min(count, BARS + 1)
        assert not more or bars.y[BARS] == pytest.approx(values[BARS:].sum(), rel=1e-6, abs=1e-6)
        assert list(bars.marker.color) == [SECOND["light"] if y < 0 else ACCENT["light"] for y in bars.y]


def test_what_differs_by_rounding_alone_is_drawn_as_level() -> None:
    x = np.arange(3.0)
    flat = lines({"cosine": np.array([1.0, 1.0000001, 0.9999999])}, x, ("layers", "cosine")).layout.yaxis.range
    assert flat[0] <= 0.5 and flat[1] >= 1.5
    assert lines({"cosine": np.array([1.0, 0.9, 0.99])}, x, ("layers", "cosine")).layout.yaxis.range is None


def test_no_name_of_a_path_lies_on_another() -> None:
    def named(ends: np.ndarray, starts: np.ndarray, names: Any = "abcdefg") -> list[str]:
        return [line.text[-1] for line in paths(np.stack([starts, ends]), list(names), ("x", "y")).data]

    close = np.array([[0.0, 0.0], [0.001, 0.0], [0.002, 0.0], [0.0015, 0.0], [0.0, 0.001], [0.001, 0.001], [1.0, 1.0]])
    shown = list(filter(None, named(close, close + 1)))
    assert "g" in shown and 1 < len(shown) < 7
    apart = np.array([[float(i), float(i % 3)] for i in range(7)])
    assert all(named(apart, apart))
    # the ends fill a hundredth of what is drawn
    assert len(list(filter(None, named(apart, apart * 100, ["a longer name"] * 7)))) <= 4


def test_a_histogram_counts_every_number_and_one_giant_does_not_flatten_it() -> None:
    numbers = np.append(np.random.default_rng(0).normal(size=4000), 1e6)
    before, after = outlines(*shares_in_bins({"before": numbers, "after": numbers[:-1] * 2}), "number").data
    assert before.y.sum() == pytest.approx(1) and after.y.sum() == pytest.approx(1)
    assert -8 < before.x.min() < -2 and 2 < before.x.max() < 8
    assert before.y.max() > after.y.max() > 0.02  # twice as wide, half as high
    assert outlines(*shares_in_bins({"none": np.full(3, np.nan)}), "number").data[0].y.sum() == 0


# The main fact

SPECIAL = ["[CLS]", "the", "cat", "[SEP]"]
EDGES = (True, False, False, True)


def share(values: Any, rows: list[str], columns: Any = None, special: tuple[bool, ...] = ()) -> str:
    """The main fact of weights; a column that gets most, or else the largest weight."""
    said = main_fact(np.array(values), rows, columns or rows, "share", special)
    return said.removeprefix("On average a row gives ").replace(", the largest weight", "!")


def test_the_main_fact_of_weights_is_what_gets_most() -> None:
    ends, two, among = (
        ["[CLS]", "[SEP]"],
        ["a", "b"],
        np.array([[9, 1, 0, 0], [1, 3, 2, 4], [2, 3.5, 1.5, 3], [1, 1, 2, 6]]),
    )
    assert share([[0.2, 0.8, 0.0], [0.1, 0.9, 0.0], [0.3, 0.7, 0.0]], ABC) == "80 % of its weight to “b” (1)."
    assert share([[0.1, 0.1, 0.1, 0.7]] * 4, SPECIAL, None, EDGES) == "70 % of its weight to “[SEP]” (3)."
    assert share([[0.4, 0.6, 0.0], [0.5, 0.25, 0.25], [0.3, 0.3, 0.4]], ABC) == "“a” (0) puts 60 % on “b” (1)!."
    said = "“cat” (2) puts 35 % on “the” (1)! between two words; 65 % of all weight goes to special tokens."
    assert share(among / 10, SPECIAL, None, EDGES) == said
    assert share([[0.45, 0.55], [0.5, 0.5]], ends, None, (True, True)) == "53 % of its weight to “[SEP]” (1)."
    assert share([[0.6, 0.4], [0.4, 0.6]], ends, None, (True, True)) == "“[CLS]” (0) puts 60 % on “[CLS]” (0)!."
    assert share([[1.0]], ["a"]) == "“a” (0) puts 100 % on “a” (0)!."
    assert share([[0.1, 0.7, 0.2], [0.3, 0.4, 0.3]], two, "unit") == "55 % of its weight to unit 1."
    assert share([[0.3, 0.2, 0.5], [0.4, 0.3, 0.3]], two, "unit") == "“a” (0) puts 50 % on unit 2!."


def test_the_main_fact_of_signed_numbers_is_their_range_and_the_strongest() -> None:
    def signed(values: Any, columns: list[str] | str) -> str:
        return main_fact(np.array(values), ABC[: len(values)], columns, "signed")

    strongest, hole = "the strongest is at", -np.inf
    assert signed([[1, -2.5], [0.25, 2]], "dimension") == f"Values go from -2.5 to 2; {strongest} “a” (0), dimension 1."
    blank = "3 masked cells are minus infinity and stay blank."
    said = f"Values go from -3 to 1; {strongest} “b” (1), “c” (2). {blank}"
    assert signed([[1, hole, 0.5], [0.25, hole, -3], [0, hole, 0]], ABC) == said
    assert signed([[hole] * 2] * 2, ABC[:2]) == "No value here is a finite number."
    assert signed(np.zeros((2, 3)), "dimension") == "Every value is 0."
    assert signed([[1.0], [-3.0]], "value") == f"Values go from -3 to 1; {strongest} “b” (1)."
    digits = ["0", "0.1235", "-1.235e+04", "1e-09", "-∞"]
    assert [short(value) for value in (0.0, 0.123456, -12345.678, 1e-9, -math.inf)] == digits


def test_hidden_special_tokens_get_nothing() -> None:
    chance, tokens = np.random.default_rng(0), ["[CLS]", *words(5), "[SEP]"]
    said = set()
    for _ in range(50):
        powers = np.exp(chance.normal(size=(7, 7)).astype(np.float32))
        powers[:, [0, -1]] = 0
        shares = powers / powers.sum(1, keepdims=True)
        said.add(main_fact(shares, tokens, tokens, "share", (True, *[False] * 5, True)).rpartition("; ")[2])
    assert said - {""} == {"0 % of all weight goes to special tokens."}, said


# Colours

LUMINANCE = np.array([0.2126729, 0.7151522, 0.0721750])  # of linear sRGB
DEUTERANOPIA = np.array(  # Machado, Oliveira and Fernandes 2009, severity 1, for linear sRGB
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)


def lightness(colours: Any, seen_with: np.ndarray | None = None) -> np.ndarray:
    """CIELAB L* of sRGB colours, from 0 for black to 100 for white."""
    srgb = np.asarray(colours) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    if seen_with is not None:
        linear = (linear @ seen_with.T).clip(0, 1)
    y = linear @ LUMINANCE
    return np.where(y > 216 / 24389, 116 * np.cbrt(y) - 16, y * 24389 / 27)


@pytest.mark.parametrize("theme", THEMES)
def test_scales_go_away_from_the_page_by_lightness_alone(theme: Theme) -> None:
    greys = [[0, 0, 0], [255, 255, 255], [119, 119, 119], [255, 0, 0], [0, 0, 255]]
    assert lightness(greys) == pytest.approx([0, 100, 50.03, 53.24, 32.30], abs=0.01)
    away = -1 if theme == "light" else 1
    for eyes in (None, DEUTERANOPIA):
        for kind in ("share", "positive"):
            assert (away * np.diff(lightness(palette(kind, theme), eyes))).min() >= 0
            coarse = away * np.diff(lightness(palette(kind, theme, 17), eyes))
            assert coarse.min() >= 2 and coarse.sum() >= 65  # 17 levels can be told apart
        levels = lightness(palette("signed", theme), eyes)
        below, above = away * np.diff(levels[127::-1]), away * np.diff(levels[127:])
        assert min(below.min(), above.min()) > 0 and min(below.sum(), above.sum()) >= 65
    levels = lightness(palette("signed", theme))
    assert float(np.abs(levels - levels[::-1]).max()) <= {"light": 4, "dark": 12}[theme]  # both signs are as strong


@pytest.mark.parametrize("theme", THEMES)
def test_signs_have_the_colours_that_are_said_also_for_the_colour_blind(theme: Theme) -> None:
    """More is blue, less than zero is warm; zero is the page."""
    colours = np.array(palette("signed", theme, 9), dtype=float)
    blue_less_red = colours[:, 2] - colours[:, 0]
    assert (blue_less_red[5:8] > 40).all() and (blue_less_red[1:4] < -40).all()
    sampled = palette("signed", theme, 33)
    hues = [360 * colorsys.rgb_to_hsv(*(channel / 255 for channel in colour))[0] for colour in sampled]
    assert all(180 <= hue <= 250 for hue in hues[-14:]) and all(hue <= 25 or hue >= 335 for hue in hues[:14])
    page = (250, 250, 252) if theme == "light" else (17, 21, 30)
    assert palette("share", theme)[0] == palette("signed", theme)[127] == page
    for kind in KINDS:  # a palette samples the scale
        stops = scale(kind, theme)
        assert [stop[0] for stop in stops] == pytest.approx(np.linspace(0, 1, len(stops)))
        said = [[int(float(v)) for v in re.findall(r"[\d.]+", stop[1])] for stop in stops]
        assert np.abs(np.array(palette(kind, theme, len(stops))) - said).max() <= 1
        assert np.shape(palette(kind, theme)) == (255, 3)
        assert all(type(v) is int and 0 <= v <= 255 for colour in palette(kind, theme) for v in colour)


# The picture of a step

COLUMNS = {  # a step: what stands along its columns on a page, and in the header of its table
    "embedding.output": ("dimension", "dim_2"),
    "layers.1.attention.q": ("dimension", "dim_2"),
    "layers.1.attention.weights": (None, "1 w1"),
    "layers.1.feed_forward.activation": ("unit", "unit_2"),
    "layers.1.add_norm_1.mean": ("value", None),
}


def test_page_table_and_archive_call_the_columns_of_a_step_alike() -> None:
    encoder = tiny(TINY)
    trace = encoder.trace(SENTENCE)
    for name, (along, second) in COLUMNS.items():
        step, drawn = trace.step(name), step_picture(encoder, trace, name, 2)
        assert step.columns(trace.tokens) == (along or trace.tokens)
        values = drawn.numbers.array.reshape(len(trace.tokens), -1)
        on_page = downloads.frame(values, trace.tokens, step.columns(trace.tokens)).columns
        headers = [list(next(iter(table(trace, name)))), list(on_page)]
        if second is None:
            assert [header[-1] for header in headers] == ["value_1"] * 2
            assert next(iter(drawn.rows())) == ("token", "value")
            continue
        for header in [*headers, list(next(iter(drawn.rows())))]:
            assert header[1 - values.shape[1]] == second


def test_a_finite_mask_is_drawn_as_an_infinite_one_and_its_number_is_kept() -> None:
    name = "layers.1.attention.masked"
    encoders = [tiny(replace(TINY, mask_value=mask)) for mask in (-1e9, -math.inf)]
    runs = [encoder.trace(SENTENCE, hidden=(2,)) for encoder in encoders]
    for lock in ("0", "1"):
        one, other = (step_picture(of, run, name, 1, lock=lock) for of, run in zip(encoders, runs, strict=True))
        a, b = one.figure(), other.figure()
        np.testing.assert_array_equal(seen(a), seen(b))
        assert np.isnan(seen(a)[:, 2]).all() and np.isfinite(np.delete(seen(a), 2, 1)).all()
        assert (heat(a).zmin, heat(a).zmax) == (heat(b).zmin, heat(b).zmax) and heat(a).zmax < 100
        assert one.sentence == other.sentence.replace("minus infinity", "-1e+09")
        assert [row[3] for row in list(one.rows())[1:]] == [-1e9] * 7
    scores = step_picture(encoders[0], runs[0], "layers.1.attention.scaled", 1)
    assert np.isfinite(seen(scores.figure())).all(), "nothing is masked before the mask"
