"""Pictures by their data: the numbers, labels, ranges and colours that the browser receives."""

import colorsys
import json
import math
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from drawn import unpacked
from tiny import SENTENCE, TINY, tiny

from encoder.metrics import shares_in_bins
from encoder.pictures.export.archive import table
from encoder.pictures.figures import living_map
from encoder.pictures.figures.charts import BARS, likeliest, lines, term_bars, token_bars
from encoder.pictures.figures.curve import units_on_curve
from encoder.pictures.figures.drawn import numbers_of
from encoder.pictures.figures.facts import main_fact
from encoder.pictures.figures.histogram import outlines
from encoder.pictures.figures.matrix import MOST_CELLS, matrix
from encoder.pictures.figures.scatter import paths
from encoder.pictures.registry.steps import step_picture
from encoder.support.formatting import short
from encoder.support.theme import ACCENT, SECOND, Kind, Theme, label, limits, palette, scale
from pages.ui.downloads import table as downloads

LEVELS = 254  # steps between the 255 levels of a large picture
THEMES: tuple[Theme, ...] = ("light", "dark")
KINDS: tuple[Kind, ...] = ("share", "positive", "signed")


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
    if bar.tickvals is not None:
        z = np.interp(z, *np.array([bar.tickvals, [float(text) for text in bar.ticktext]], dtype=float))
    return np.where(blank, math.nan, z)


def is_clear(shade: str) -> bool:
    """Whether a colour lets the page show through."""
    return shade == "transparent" or re.fullmatch(r"rgba\(.*, *0(\.0*)?\)", shade) is not None


# Matrices


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (12, 12), (10, 512), (128, 128)], ids=str)
def test_up_to_128_by_128_the_numbers_are_exact(rows: int, columns: int) -> None:
    values = noise(rows, columns)
    drawn = heat(matrix(values, words(rows), "dimension", kind="signed"))
    assert drawn.z.dtype == np.float32
    assert np.array_equal(drawn.z, values)
    assert drawn.x is drawn.y is drawn.text is None
    assert "%{z:.6g}" in drawn.hovertemplate


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("rows", "columns"), [(129, 128), (33, 512), (512, 512)], ids=str)
def test_above_128_by_128_there_are_255_levels(rows: int, columns: int, kind: Kind) -> None:
    values = noise(rows, columns) if kind == "signed" else np.abs(noise(rows, columns)) / 6
    assert values.size > MOST_CELLS
    figure = matrix(values, words(rows), "dimension", kind=kind)
    drawn = heat(figure)
    low, high = limits(kind, float(np.abs(values).max()))
    assert drawn.z.dtype == np.uint8
    assert drawn.zmax - drawn.zmin in (LEVELS, LEVELS + 1)
    half = (high - low) / LEVELS / 2
    assert float(np.abs(seen(figure) - values).max()) <= half * 1.01 + 1e-4 * high  # ticks show four digits
    assert np.unique(drawn.z).size <= LEVELS + 1
    assert "≈" in drawn.hovertemplate
    ticks = [float(text) for text in drawn.colorbar.ticktext]
    assert (ticks[0], ticks[-1]) == (pytest.approx(low, rel=1e-3), pytest.approx(high, rel=1e-3))
    assert (drawn.colorbar.tickvals[-1], len(ticks)) == (drawn.zmax, 5)


@pytest.mark.parametrize("n", [12, 129], ids=["exact", "levels"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_colours_stand_at_their_values(kind: Kind, n: int) -> None:
    drawn = heat(matrix(noise(n, n), words(n), words(n), kind=kind, largest=2.0))
    low, high = limits(kind, 2.0)
    stops = [(drawn.zmin + place * (drawn.zmax - drawn.zmin), colour) for place, colour in drawn.colorscale]
    if drawn.colorbar.tickvals is not None:
        ticks = np.array([drawn.colorbar.tickvals, [float(text) for text in drawn.colorbar.ticktext]], dtype=float)
        stops = [(float(np.interp(z, *ticks)), colour) for z, colour in stops]
    coloured = {colour: value for value, colour in stops if not is_clear(colour)}  # of two stops the last
    expected = {colour: low + place * (high - low) for place, colour in scale(kind, "light")}
    assert coloured == pytest.approx(expected, abs=(high - low) / LEVELS / 2)


@pytest.mark.parametrize("n", [12, 129], ids=["exact", "levels"])
@pytest.mark.parametrize("hole", [-math.inf, math.nan], ids=["minus-infinity", "nan"])
def test_what_is_no_number_stays_blank(hole: float, n: int) -> None:
    values = noise(n, n)
    values[:, 3] = hole
    drawn = seen(matrix(values, words(n), words(n), kind="signed"))
    assert np.isnan(drawn[:, 3]).all()
    assert np.isfinite(np.delete(drawn, 3, 1)).all()
    assert float(np.nanmin(drawn)) == pytest.approx(float(values[np.isfinite(values)].min()), abs=0.03)


def test_a_matrix_without_a_finite_number_can_be_drawn() -> None:
    drawn = heat(matrix(np.full((3, 3), -np.inf, np.float32), words(3), words(3), kind="signed"))
    assert (drawn.zmin, drawn.zmax) == (-1, 1)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(
    ("kind", "values", "ends"),
    [
        ("share", [[0.0, 0.4], [0.1, 0.2]], (0, 1)),
        ("signed", [[-0.5, 3.0], [0.1, 0.2]], (-3, 3)),
        ("signed", [[-4.0, 3.0], [0.1, -np.inf]], (-4, 4)),
        ("signed", [[1.0, 3.0], [1.0, 2.0]], (-3, 3)),
        ("positive", [[1.0, 3.0], [1.0, 2.0]], (0, 3)),
        ("positive", [[0.0, 0.0], [0.0, 0.0]], (0, 1)),
        ("signed", [[0.0, 0.0], [0.0, 0.0]], (-1, 1)),
    ],
    ids=["share", "signed", "signed-hidden", "signed-above-zero", "positive", "positive-zeros", "signed-zeros"],
)
def test_the_ends_of_the_scale(kind: Kind, values: list[list[float]], ends: tuple[float, float], theme: Theme) -> None:
    drawn = heat(matrix(np.array(values), words(2), words(2), kind=kind, theme=theme))
    assert (drawn.zmin, drawn.zmax) == ends
    assert [list(stop) for stop in drawn.colorscale] == scale(kind, theme)
    assert drawn.showscale is not False
    assert drawn.zauto is None


@pytest.mark.parametrize("n", [3, 130], ids=["exact", "levels"])
def test_a_locked_scale_is_the_same_for_every_picture(n: int) -> None:
    values = noise(n, n)
    pictures = [matrix(part, words(n), words(n), kind="signed", largest=8.0) for part in (values, values / 100)]
    assert heat(pictures[0]).zmin == heat(pictures[1]).zmin
    assert heat(pictures[0]).zmax == heat(pictures[1]).zmax
    for one, part in zip(pictures, (values, values / 100), strict=True):
        assert float(np.abs(seen(one) - part).max()) <= 8.1 / LEVELS


def test_repeated_tokens_keep_their_own_place() -> None:
    tokens = ["the", "cat", "the", "the"]
    figure = matrix(weights(4), tokens, tokens, kind="share")
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert list(axis.tickvals) == [0, 1, 2, 3]
        assert list(axis.ticktext) == tokens
    assert heat(figure).z.shape == (4, 4)


def test_rows_go_down_and_axes_say_what_they_are() -> None:
    figure = matrix(weights(4), words(4), words(4), kind="share", row_title="query", column_title="key")
    assert tuple(figure.layout.yaxis.range) == (3.5, -0.5)
    assert tuple(figure.layout.xaxis.range) == (-0.5, 3.5)
    assert figure.layout.xaxis.side == "top"
    assert (figure.layout.yaxis.title.text, figure.layout.xaxis.title.text) == ("query", "key")
    assert heat(figure).hovertemplate.startswith("%{y} · %{x}<br>")


def test_columns_that_are_not_tokens_are_counted() -> None:
    figure = matrix(noise(4, 30), words(4), "unit", kind="signed", column_title="unit")
    assert figure.layout.xaxis.tickvals is None
    assert figure.layout.xaxis.title.text == "unit"
    assert heat(figure).hovertemplate.startswith("%{y} · unit %{x}<br>")


@pytest.mark.parametrize("n", [1, 2, 12, 128, 512], ids=str)
def test_height_follows_the_rows_within_bounds(n: int) -> None:
    for columns in (words(n), "dimension"):
        height = matrix(weights(n), words(n), columns, kind="share").layout.height
        assert 220 <= height <= 760
        assert height >= min(640, 22 * n)


@pytest.mark.parametrize(("n", "most"), [(12, 8_000), (128, 120_000), (512, 500_000)], ids=["12", "128", "512"])
def test_what_the_browser_receives_is_small(n: int, most: int) -> None:
    assert len(matrix(weights(n), words(n), words(n), kind="share").to_json()) <= most


# Tokens as labels


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("cat", "cat"),
        ("##ing", "##ing"),
        ("<b>", "&lt;b&gt;"),
        ("&", "&amp;"),
        ("&lt;", "&amp;lt;"),
        ("$x$", "$x$"),
        ("\"'", "\"'"),
        ("\\", "\\"),
        ("שלום", "שלום"),
        ("é", "é"),
        ("\N{CAT FACE}", "\N{CAT FACE}"),
        ("\N{ZERO WIDTH SPACE}", r"\u200b"),
        ("\N{RIGHT-TO-LEFT OVERRIDE}abc", r"\u202eabc"),
        ("\N{LEFT-TO-RIGHT ISOLATE}", r"\u2066"),
        ("\N{NO-BREAK SPACE}", r"\u00a0"),
        ("\N{SOFT HYPHEN}", r"\u00ad"),
        ("\N{ZERO WIDTH NO-BREAK SPACE}", r"\ufeff"),
        ("\N{HANGUL FILLER}", r"\u3164"),
        ("\N{BRAILLE PATTERN BLANK}", r"\u2800"),
        ("\n", r"\u000a"),
        ("\x00", r"\u0000"),
        ("x" * 14, "x" * 14),
        ("x" * 15, "x" * 13 + "…"),
        ("<" * 40, "&lt;" * 13 + "…"),
    ],
    ids=ascii,
)
def test_tokens_are_shown_as_typed(token: str, shown: str) -> None:
    assert label(token) == shown
    for figure in (
        matrix(weights(2), [token, "b"], [token, "b"], kind="share"),
        token_bars({"length": noise(2)}, [token, "b"], title="length"),
    ):
        assert figure.layout.xaxis.ticktext[0] == shown


def test_labels_can_be_shorter() -> None:
    assert label("x" * 12, 12) == "x" * 12
    assert label("x" * 13, 12) == "x" * 11 + "…"


@pytest.mark.parametrize(
    ("n", "rows", "columns"), [(32, 32, 32), (33, 33, 17), (48, 48, 24), (49, 25, 25), (512, 47, 32)]
)
def test_many_tokens_are_named_now_and_then(n: int, rows: int, columns: int) -> None:
    tokens = words(n)
    figure = matrix(weights(n), tokens, tokens, kind="share")
    for axis, count in ((figure.layout.yaxis, rows), (figure.layout.xaxis, columns)):
        places = list(axis.tickvals)
        assert len(places) == len(axis.ticktext) == count
        assert len({b - a for a, b in pairwise(places)}) == 1
        every = count == n
        assert list(axis.ticktext) == [tokens[i] if every else f"{i} {tokens[i]}" for i in places]
        assert sorted(axis.range) == [-0.5, n - 0.5]


# Bars and best words


@pytest.mark.parametrize("theme", THEMES)
def test_bars_stand_at_their_tokens(theme: Theme) -> None:
    tokens = ["the", "cat", "the"]
    figure = token_bars({"before": noise(3), "after": 2 * noise(3)}, tokens, title="length", theme=theme)
    assert [bars.name for bars in figure.data] == ["before", "after"]
    assert [bars.marker.color for bars in figure.data] == [ACCENT[theme], SECOND[theme]]
    for bars, factor in zip(figure.data, (1, 2), strict=True):
        assert np.array_equal(bars.y, factor * noise(3))
        assert list(bars.x) == [0, 1, 2]
    assert list(figure.layout.xaxis.tickvals) == [0, 1, 2]
    assert list(figure.layout.xaxis.ticktext) == tokens
    assert figure.layout.yaxis.title.text == "length"
    assert figure.layout.showlegend


def test_on_a_logarithmic_axis_the_smallest_bar_is_seen_too() -> None:
    """A bar of rounding errors beside bars of 1 begins at the foot of the axis, and ends above it."""
    values = {"off": np.array([3e-7, 0.0, 2e-6]), "on": np.array([0.5, 1.5, 0.9])}
    low, high = token_bars(values, ["a", "b", "c"], title="far", logarithmic=True).layout.yaxis.range
    assert low < np.log10(3e-7) - 0.5 and np.log10(1.5) < high
    assert token_bars({"off": np.zeros(2)}, ["a", "b"], title="far", logarithmic=True).layout.yaxis.range is None


def test_one_series_needs_no_legend() -> None:
    assert not token_bars({"length": noise(3)}, words(3), title="length").layout.showlegend


@pytest.mark.parametrize(("kind", "ends"), [("share", (0, 1)), ("signed", (-9, 9))])
def test_best_words_are_written_into_their_cells(kind: Kind, ends: tuple[float, float]) -> None:
    values = np.array([[0.75, 0.125], [0.5, 0.0625]]) if kind == "share" else np.array([[9.0, -1.5], [8.0, 0.25]])
    figure = likeliest([["cat", "<b>"], ["x" * 20, "$x$"]], values, ["[CLS]", "the"], kind=kind)
    drawn = heat(figure)
    assert np.array_equal(drawn.z, values)
    assert (drawn.zmin, drawn.zmax) == ends
    (a, b), (c, d) = values.tolist()
    a, b, c, d = ("75 %", "13 %", "50 %", "6.3 %") if kind == "share" else map(short, (a, b, c, d))
    said = [[f"cat {a}", f"&lt;b&gt; {b}"], [f"{'x' * 11}… {c}", f"$x$ {d}"]]
    assert [list(row) for row in drawn.text] == said
    assert list(figure.layout.xaxis.ticktext) == ["1.", "2."]
    assert list(figure.layout.yaxis.ticktext) == ["[CLS]", "the"]
    assert tuple(figure.layout.yaxis.range) == (1.5, -0.5)


@pytest.mark.parametrize("count", [1, BARS, BARS + 1, 512], ids=str)
def test_terms_beyond_the_first_are_one_bar(count: int) -> None:
    values = np.sort(noise(count).astype(float))[::-1]
    figure = term_bars(values, words(count)[:BARS])
    (bars,) = figure.data
    names = list(figure.layout.xaxis.ticktext)
    assert list(bars.y[:BARS]) == list(values[:BARS].astype(np.float32))
    assert names[:BARS] == words(count)[:BARS]
    if count > BARS:
        assert names[BARS:] == [f"{count - BARS} more"]
        assert bars.y[BARS] == pytest.approx(values[BARS:].sum(), rel=1e-6, abs=1e-6)
    assert len(bars.x) == len(bars.y) == len(names) == min(count, BARS + 1)
    assert list(bars.marker.color) == [SECOND["light"] if y < 0 else ACCENT["light"] for y in bars.y]


# The main fact

ABC = ["a", "b", "c"]
SPECIAL = ["[CLS]", "the", "cat", "[SEP]"]
EDGES = (True, False, False, True)


def test_a_column_that_gets_most_is_the_main_fact() -> None:
    values = np.array([[0.2, 0.8, 0.0], [0.1, 0.9, 0.0], [0.3, 0.7, 0.0]])
    assert main_fact(values, ABC, ABC, "share") == "On average a row gives 80 % of its weight to “b” (1)."
    sunk = np.array([[0.1, 0.1, 0.1, 0.7]] * 4)
    said = "On average a row gives 70 % of its weight to “[SEP]” (3)."
    assert main_fact(sunk, SPECIAL, SPECIAL, "share", EDGES) == said


def test_else_the_largest_weight_is() -> None:
    values = np.array([[0.4, 0.6, 0.0], [0.5, 0.25, 0.25], [0.3, 0.3, 0.4]])
    assert main_fact(values, ABC, ABC, "share") == "“a” (0) puts 60 % on “b” (1), the largest weight."


def test_among_words_the_special_tokens_stand_aside() -> None:
    values = np.array([[0.9, 0.1, 0.0, 0.0], [0.1, 0.3, 0.2, 0.4], [0.2, 0.35, 0.15, 0.3], [0.1, 0.1, 0.2, 0.6]])
    said = (
        "“cat” (2) puts 35 % on “the” (1), the largest weight between two words; "
        "65 % of all weight goes to special tokens."
    )
    assert main_fact(values, SPECIAL, SPECIAL, "share", EDGES) == said


def test_hidden_special_tokens_get_nothing() -> None:
    chance, tokens = np.random.default_rng(0), ["[CLS]", *words(5), "[SEP]"]
    said = set()
    for _ in range(50):
        powers = np.exp(chance.normal(size=(7, 7)).astype(np.float32))
        powers[:, [0, -1]] = 0
        shares = powers / powers.sum(1, keepdims=True)
        said.add(main_fact(shares, tokens, tokens, "share", (True, *[False] * 5, True)).rpartition("; ")[2])
    assert said - {""} == {"0 % of all weight goes to special tokens."}, said


def test_special_tokens_alone_are_all_there_is() -> None:
    uneven = np.array([[0.45, 0.55], [0.5, 0.5]])
    said = main_fact(uneven, ["[CLS]", "[SEP]"], ["[CLS]", "[SEP]"], "share", (True, True))
    assert said == "On average a row gives 53 % of its weight to “[SEP]” (1)."
    even = np.array([[0.6, 0.4], [0.4, 0.6]])
    said = main_fact(even, ["[CLS]", "[SEP]"], ["[CLS]", "[SEP]"], "share", (True, True))
    assert said == "“[CLS]” (0) puts 60 % on “[CLS]” (0), the largest weight."


def test_one_token_looks_at_itself() -> None:
    assert main_fact(np.ones((1, 1)), ["a"], ["a"], "share") == "“a” (0) puts 100 % on “a” (0), the largest weight."


def test_shares_over_other_columns_name_the_column() -> None:
    values = np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])[:, [0, 2, 1]]
    assert main_fact(values, ["a", "b"], "unit", "share") == "On average a row gives 55 % of its weight to unit 1."
    values = np.array([[0.3, 0.2, 0.5], [0.4, 0.3, 0.3]])
    assert main_fact(values, ["a", "b"], "unit", "share") == "“a” (0) puts 50 % on unit 2, the largest weight."


def test_signed_values_have_a_range_and_a_strongest_cell() -> None:
    values = np.array([[1.0, -2.5], [0.25, 2.0]])
    said = "Values go from -2.5 to 2; the strongest is at “a” (0), dimension 1."
    assert main_fact(values, ["a", "b"], "dimension", "signed") == said


def test_hidden_cells_are_counted_and_left_out() -> None:
    values = np.array([[1.0, -np.inf, 0.5], [0.25, -np.inf, -3.0], [0.0, -np.inf, 0.0]])
    said = "Values go from -3 to 1; the strongest is at “b” (1), “c” (2)."
    blank = "3 masked cells are minus infinity and stay blank."
    assert main_fact(values, ABC, ABC, "signed") == f"{said} {blank}"


def test_nothing_finite_is_said_so() -> None:
    assert main_fact(np.full((2, 2), -np.inf), ["a", "b"], ["a", "b"], "signed") == "No value here is a finite number."


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


def test_lightness_is_that_of_cielab() -> None:
    greys = [[0, 0, 0], [255, 255, 255], [119, 119, 119], [255, 0, 0], [0, 0, 255]]
    assert lightness(greys) == pytest.approx([0, 100, 50.03, 53.24, 32.30], abs=0.01)


eyes = pytest.mark.parametrize("eyes", [None, DEUTERANOPIA], ids=["all-colours", "deuteranopia"])


@eyes
@pytest.mark.parametrize("theme", THEMES)
def test_a_rising_scale_goes_one_way_from_the_page(theme: Theme, eyes: np.ndarray | None) -> None:
    away = -1 if theme == "light" else 1
    for kind in ("share", "positive"):
        rise = away * np.diff(lightness(palette(kind, theme), eyes))
        assert rise.min() >= 0
        coarse = away * np.diff(lightness(palette(kind, theme, 17), eyes))
        assert coarse.min() >= 2  # 17 levels can be told apart by lightness alone
        assert coarse.sum() >= 65


@eyes
@pytest.mark.parametrize("theme", THEMES)
def test_a_signed_scale_goes_away_from_zero_on_both_sides(theme: Theme, eyes: np.ndarray | None) -> None:
    away = -1 if theme == "light" else 1
    levels = lightness(palette("signed", theme), eyes)
    below, above = away * np.diff(levels[127::-1]), away * np.diff(levels[127:])
    assert min(below.min(), above.min()) > 0
    assert min(below.sum(), above.sum()) >= 65


@pytest.mark.parametrize(("theme", "tolerance"), [("light", 4), ("dark", 12)], ids=THEMES)
def test_both_signs_are_about_as_strong(theme: Theme, tolerance: float) -> None:
    levels = lightness(palette("signed", theme))
    assert float(np.abs(levels - levels[::-1]).max()) <= tolerance


@pytest.mark.parametrize("theme", THEMES)
def test_signs_differ_in_hue_also_for_the_colour_blind(theme: Theme) -> None:
    colours = np.array(palette("signed", theme, 9), dtype=float)
    blue_less_red = colours[:, 2] - colours[:, 0]
    assert (blue_less_red[1:4] > 40).all()  # blue below zero
    assert (blue_less_red[5:8] < -10).all()  # warm above


@pytest.mark.parametrize("theme", THEMES)
def test_signs_have_the_colours_that_are_said(theme: Theme) -> None:
    """Notes say: blue below zero, red above."""
    sampled = palette("signed", theme, 33)
    hues = [360 * colorsys.rgb_to_hsv(*(channel / 255 for channel in colour))[0] for colour in sampled]
    assert all(180 <= hue <= 250 for hue in hues[:14])
    assert all(hue <= 25 or hue >= 335 for hue in hues[-14:])


@pytest.mark.parametrize("theme", THEMES)
def test_zero_is_the_page(theme: Theme) -> None:
    page = (250, 250, 252) if theme == "light" else (17, 21, 30)
    assert palette("share", theme)[0] == palette("signed", theme)[127] == page


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_palette_samples_the_scale(kind: Kind, theme: Theme) -> None:
    stops = scale(kind, theme)
    assert [stop[0] for stop in stops] == pytest.approx(np.linspace(0, 1, len(stops)))
    sampled = [[int(float(v)) for v in re.findall(r"[\d.]+", stop[1])] for stop in stops]
    assert np.abs(np.array(palette(kind, theme, len(stops))) - sampled).max() <= 1
    levels = palette(kind, theme)
    assert (len(levels), {len(level) for level in levels}) == (255, {3})
    assert all(type(v) is int and 0 <= v <= 255 for level in levels for v in level)


# Small things


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0"), (1.0, "1"), (0.123456, "0.1235"), (-12345.678, "-1.235e+04"), (1e-9, "1e-09"), (-math.inf, "-∞")],
    ids=str,
)
def test_numbers_have_four_digits(value: float, said: str) -> None:
    assert short(value) == said


@pytest.mark.parametrize("largest", [0.0, -1.0, math.nan, math.inf], ids=str)
def test_a_scale_always_has_two_ends(largest: float) -> None:
    assert limits("signed", largest) == (-1, 1)
    assert limits("positive", largest) == (0, 1)
    assert limits("share", 0.2) == (0, 1)


@pytest.mark.parametrize("theme", THEMES)
def test_pictures_stand_on_the_page_itself(theme: Theme) -> None:
    figures = [
        matrix(weights(3), ABC, ABC, kind="share", theme=theme),
        token_bars({"length": noise(3)}, ABC, title="length", theme=theme),
        likeliest([["a"]] * 3, noise(3, 1), ABC, kind="signed", theme=theme),
        term_bars(noise(3), ABC, theme),
    ]
    for figure in figures:
        assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"
        assert json.loads(figure.to_json())["layout"]["font"]["color"] == figures[0].layout.font.color
    assert len({figure.layout.font.color for figure in figures}) == 1


# The picture of a step, and what its columns are called

COLUMNS = {  # a step: what stands along its columns on a page, and in the header of its table
    "embedding.output": ("dimension", "dim_2"),
    "layers.1.attention.q": ("dimension", "dim_2"),
    "layers.1.attention.weights": (None, "1 w1"),
    "layers.1.feed_forward.activation": ("unit", "unit_2"),
    "layers.1.add_norm_1.mean": ("value", None),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_page_table_archive_and_report_call_the_columns_of_a_step_alike(name: str) -> None:
    encoder = tiny(TINY)
    trace = encoder.trace(SENTENCE)
    step, (along, second) = trace.step(name), COLUMNS[name]
    drawn = step_picture(encoder, trace, name, 2)
    assert step.columns(trace.tokens) == (along or trace.tokens)
    values = drawn.numbers.array.reshape(len(trace.tokens), -1)
    headers = [
        list(next(iter(table(trace, name)))),
        list(downloads.frame(values, trace.tokens, step.columns(trace.tokens)).columns),
    ]
    if second is None:
        assert [header[-1] for header in headers] == ["value_1"] * 2 and next(iter(drawn.rows())) == ("token", "value")
        return
    for header in [*headers, list(next(iter(drawn.rows())))]:
        assert header[1 - values.shape[1]] == second


def test_a_picture_draws_itself_and_says_its_fact() -> None:
    encoder = tiny(TINY)
    trace = encoder.trace(SENTENCE)
    for name in ("layers.0.attention.weights", "layers.0.add_norm_1.mean", "layers.1.output", "output"):
        step, answer = trace.step(name), step_picture(encoder, trace, name, 1)
        drawn = answer.figure().data[0]
        expected = trace[name][1] if "H" in step.shape else trace[name]
        np.testing.assert_array_equal(drawn.z if expected.ndim > 1 else drawn.y, expected)
        assert f"tep {name}" in answer.caption
    weights = step_picture(encoder, trace, "layers.0.attention.weights", 1)
    values, special = weights.numbers.array, trace.tokenization.special
    assert weights.sentence == main_fact(values, trace.tokens, trace.tokens, "share", special)
    other = weights.all_numbers.at(layer=1, head=2).array
    np.testing.assert_array_equal(other, trace["layers.1.attention.weights"][2])


def test_where_all_values_are_one_none_is_the_strongest() -> None:
    assert main_fact(np.zeros((2, 3)), ["a", "b"], "dimension", "signed") == "Every value is 0."


def test_of_one_column_only_the_row_is_said() -> None:
    said = main_fact(np.array([[1.0], [-3.0]]), ["a", "b"], "value", "signed")
    assert said == "Values go from -3 to 1; the strongest is at “b” (1)."


def test_what_differs_by_rounding_alone_is_drawn_as_level() -> None:
    x = np.arange(3.0)
    flat = lines({"cosine": np.array([1.0, 1.0000001, 0.9999999])}, x, ("layers", "cosine")).layout.yaxis.range
    assert flat[0] <= 0.5 and flat[1] >= 1.5
    assert lines({"cosine": np.array([1.0, 0.9, 0.99])}, x, ("layers", "cosine")).layout.yaxis.range is None


@pytest.mark.parametrize("kind", ["share", "signed", "positive"])
def test_a_colour_bar_names_both_ends_and_zero(kind: Kind) -> None:
    bar = matrix(np.array([[0.25, 0.5], [0.125, 0.75]]), ["a", "b"], ["c", "d"], kind=kind).data[0].colorbar
    ends = {"share": ("0", "1"), "signed": ("-0.75", "0.75"), "positive": ("0", "0.75")}[kind]
    assert (bar.ticktext[0], bar.ticktext[-1]) == ends and "0" in bar.ticktext


def test_the_name_of_a_row_is_as_long_as_the_picture_says() -> None:
    name = "This bag is light."
    short, long = (matrix(np.eye(1), [name], ["1."], kind="share", longest=k) for k in (14, 40))
    assert short.layout.yaxis.ticktext[0].endswith("…") and long.layout.yaxis.ticktext == (name,)


def test_no_name_of_a_path_lies_on_another() -> None:
    points = np.array([[0.0, 0.0], [0.001, 0.0], [0.002, 0.0], [0.0015, 0.0], [0.0, 0.001], [0.001, 0.001], [1.0, 1.0]])
    names = [
        text for line in paths(np.stack([points + 1, points]), list("abcdefg"), ("x", "y")).data for text in line.text
    ]
    shown = [name for name in names if name]
    assert "g" in shown and 1 < len(shown) < 7
    apart = np.array([[float(i), float(i % 3)] for i in range(7)])
    assert all(line.text[-1] for line in paths(np.stack([apart, apart]), list("abcdefg"), ("x", "y")).data)
    far = np.stack([apart * 100, apart])  # the ends fill a hundredth of what is drawn
    assert sum(bool(line.text[-1]) for line in paths(far, ["a longer name"] * 7, ("x", "y")).data) <= 4


@pytest.mark.parametrize("lock", [False, True])
def test_a_finite_mask_is_drawn_as_an_infinite_one_and_its_number_is_kept(lock: bool) -> None:
    name = "layers.1.attention.masked"
    encoders = [tiny(replace(TINY, mask_value=mask)) for mask in (-1e9, -math.inf)]
    finite, _ = runs = [encoder.trace(SENTENCE, hidden=(2,)) for encoder in encoders]
    choice = {"lock": str(int(lock))}
    one, other = (step_picture(of, run, name, 1, **choice) for of, run in zip(encoders, runs, strict=True))
    a, b = one.figure(), other.figure()
    np.testing.assert_array_equal(seen(a), seen(b))
    assert np.isnan(seen(a)[:, 2]).all() and np.isfinite(np.delete(seen(a), 2, 1)).all()
    assert (heat(a).zmin, heat(a).zmax) == (heat(b).zmin, heat(b).zmax) and heat(a).zmax < 100
    assert one.sentence == other.sentence.replace("minus infinity", "-1e+09")
    assert [row[3] for row in list(numbers_of(a))[1:]] == [-1e9] * 7
    assert (one.numbers.array[:, 2] == -1e9).all()
    scores = step_picture(encoders[0], finite, "layers.1.attention.scaled", 1)
    assert np.isfinite(seen(scores.figure())).all(), "nothing is masked before the mask"


def test_a_finite_mask_leaves_the_scale_of_the_map_to_the_other_numbers() -> None:
    name = "layers.1.attention.masked"
    encoder = tiny(replace(TINY, mask_value=-1e9))
    trace = encoder.trace(SENTENCE, hidden=(2,))
    largest = float(np.abs(np.delete(trace[name].numpy(), 2, 2)).max())
    about, _ = unpacked(living_map.layer(trace, 1))
    steps = [column["local"] for column in unpacked(living_map.whole(trace))[0]["columns"]]
    assert about["scales"][steps.index("attention.masked")] == largest


def test_a_histogram_counts_every_number_and_one_giant_does_not_flatten_it() -> None:
    numbers = np.append(np.random.default_rng(0).normal(size=4000), 1e6)
    figure = outlines(*shares_in_bins({"before": numbers, "after": numbers[:-1] * 2}), "number")
    before, after = figure.data
    assert before.y.sum() == pytest.approx(1) and after.y.sum() == pytest.approx(1)
    assert -8 < before.x.min() < -2 and 2 < before.x.max() < 8
    assert before.y.max() > after.y.max() > 0.02  # twice as wide, half as high
    assert sum(row[1] for row in list(numbers_of(figure))[1:]) == pytest.approx(1)
    assert outlines(*shares_in_bins({"none": np.full(3, np.nan)}), "number").data[0].y.sum() == 0


def test_units_stand_at_their_numbers_and_are_counted() -> None:
    hidden = np.array([-2.0, 0.5, 3.0])
    figure = units_on_curve((np.array([-2.0, 3.0]), np.array([0.0, 3.0])), hidden, hidden.clip(0))
    assert figure.data[1].x.tolist() == hidden.tolist() and figure.data[1].y.tolist() == [0, 0.5, 3]
    assert list(numbers_of(figure)) == [("unit", "before", "after"), (0, -2, 0), (1, 0.5, 0.5), (2, 3, 3)]


def test_a_scale_that_fits_begins_at_the_least_value_above_zero() -> None:
    cosines = np.array([[1, 0.66], [0.66, 1]])
    fitted, wide = (matrix(cosines, ABC[:2], ABC[:2], kind="signed", fit=fit).data[0] for fit in (True, False))
    assert (fitted.zmin, fitted.zmax, wide.zmin) == (0.66, 1, -1)
    below = matrix(-cosines, ABC[:2], ABC[:2], kind="signed", fit=True).data[0]
    assert (below.zmin, below.zmax) == (-1, 1)
