"""A printed picture: as wide as asked, its words text, its marks and numbers those of the run."""

import csv
import io
import re
import zipfile
from functools import lru_cache
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from nasty import SHORT
from PIL import Image
from pypdf import PdfReader
from shared_models import pretrained
from tiers import mostly_nightly

from encoder import TextEncoder, Trace
from encoder.edits.edit import Edit
from encoder.pictures import printing
from encoder.pictures.chart import Chart
from encoder.pictures.export.typeset import latex, markdown
from encoder.pictures.numbers import Numbers
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.printing import MOST_PICTURES, SIZES, Sheet, SheetPart, TooLargeError
from encoder.pictures.registry import picture
from encoder.pictures.registry.steps import step_picture
from encoder.pictures.scene import Scene
from encoder.pictures.screen import KINDS
from encoder.pictures.view import View
from encoder.support.formatting import points_lost
from encoder.support.theme import palette

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"
MM = 72 / 25.4  # points
LAYER, HEAD = 4, 1
KEYS = "The keys to the cabinet [MASK] on the table."
OF_A_RUN = ("arcs", "near_words", "why_sum", "part_costs", "part_board", "embedding_strips", "length_parts")
OF_A_RUN += ("units_on_curve", "lens", "all_heads", "picture", "place_waves")
HOSTILE = [text for text in SHORT if text.strip()]
TAGS = re.compile("svg|title|desc|style|defs|g|path|text|tspan|clipPath|rect|use|image|metadata|RDF|Work")


def answer(asked: Picture, encoder: TextEncoder, run: Trace, b: Trace | None = None, **choices: str) -> Answer:
    """What a picture answers to a run, or to two."""
    return asked.of(Scene(View(layer=LAYER, head=HEAD, choices=tuple(choices.items())), encoder, run, b))


def part(kind: str, values: Any, dims: tuple[str, ...], names: Any, colours: Any = "share", **look: Any) -> SheetPart:
    """A picture of these numbers."""
    return SheetPart(
        "A picture. More",
        "What it shows.",
        kind,
        Chart(Numbers(np.asarray(values), dims, names), colours, "unit", None, look),
    )


def square(values: Any, tokens: list[str], colours: Any = "share", **look: Any) -> SheetPart:
    """A map of pairs of tokens."""
    return part("matrix", values, ("query", "key"), {"query": tokens, "key": tokens}, colours, **look)


@lru_cache(maxsize=2)
def svg_of(sheet: Sheet) -> str:
    """The drawing, which is asked for its words, its marks and its sizes."""
    return sheet.svg()


def drawing(sheet: Sheet) -> ElementTree.Element:
    return ElementTree.fromstring(svg_of(sheet))


def texts(sheet: Sheet) -> list[str]:
    """The words of the drawing."""
    return ["".join(each.itertext()) for each in drawing(sheet).iter(f"{SVG}text")]


def marks(sheet: Sheet, colour: str) -> int:
    """How many shapes are filled with a colour."""
    return len(re.findall(rf"fill: {colour}", svg_of(sheet)))


def sizes(sheet: Sheet) -> list[float]:
    """How large the letters of the drawing are, in points."""
    return [float(size) for size in re.findall(r"font-size: ([\d.]+)px", svg_of(sheet))]


@pytest.fixture(scope="module")
def weights(base: TextEncoder, sara: Trace) -> Any:
    return step_picture(base, sara, f"layers.{LAYER}.attention.weights", HEAD)


@pytest.mark.parametrize("size", SIZES)
def test_every_file_is_as_large_as_asked_to_a_tenth_of_a_millimetre(weights: Any, size: str) -> None:
    sheet = Sheet((weights,), size)
    root, page = drawing(sheet), PdfReader(io.BytesIO(sheet.pdf())).pages[0].mediabox
    image = Image.open(io.BytesIO(sheet.png(100)))
    assert [round(dpi) for dpi in image.info["dpi"]] == [100, 100]
    width, down = (float(root.attrib[side].removesuffix("mm")) for side in ("width", "height"))
    assert width == SIZES[size][0]
    np.testing.assert_allclose([float(page.width) / MM, image.width / 100 * 25.4], width, atol=0.3)
    np.testing.assert_allclose([float(page.height) / MM, image.height / 100 * 25.4], down, atol=0.3)


def test_cells_have_the_colours_and_numbers_of_the_run(weights: Any, sara: Trace) -> None:
    sheet, values = Sheet((weights,)), sara.array(f"layers.{LAYER}.attention.weights")[HEAD]
    fills = re.findall(r'style="fill: (#[0-9a-f]{6}); stroke: \1', svg_of(sheet))[: values.size]
    ramp, most = ["#" + bytes(colour).hex() for colour in palette("share", "light")], float(values.max())
    for fill, value in zip(fills, values.ravel().tolist(), strict=True):
        assert min(abs(i / 254 - value / most) for i, colour in enumerate(ramp) if colour == fill) <= 1.01 / 254
    written = [text.replace("·", "0") for text in texts(sheet) if re.fullmatch(r"\d{1,3}|·", text)][: values.size]
    np.testing.assert_allclose([float(text) for text in written], 100 * values.ravel(), atol=0.5 + 1e-4)
    assert {"0 %", f"{100 * most:.0f} %", *sara.tokens} <= set(texts(sheet))


def test_a_chart_has_as_many_marks_as_numbers() -> None:
    names = {"token": list("abcde"), "series": ["one", "two"]}
    bars = Sheet((part("bars", np.arange(1.0, 11).reshape(2, 5), ("series", "token"), names),))
    assert marks(bars, "#1f6fb2") >= 5 and {"one", "two", "unit", *"abcde"} <= set(texts(bars))
    terms = Sheet((part("terms", np.linspace(-1, 2, 40), ("token",), {"token": [f"t{i}" for i in range(40)]}),))
    assert marks(terms, "#1f6fb2") + marks(terms, "#b4532a") == 25 and "16 more" in texts(terms)
    links = Sheet((part("links", [[0.5, 0.0], [0.3, 0.7]], ("query", "key"), {"query": ["a", "b"]}),))
    lines = re.findall(r'id="LineCollection_1">(.*?)</g>', svg_of(links), re.DOTALL)
    assert lines[0].count("<path") == 3 and texts(links).count("a") == 2
    shares = {"word": ["cats", "like", "mice"]}
    arcs = Sheet((part("arcs", [0.1, 0.2, 0.7], ("word",), shares, **{"from": 1}),))
    assert len(re.findall(r"C [^z]*?\" style=\"fill: none", svg_of(arcs))) == 2
    assert {"cats", "like", "mice", "10 %", "20 %", "70 %"} <= {text.replace("\u00a0", " ") for text in texts(arcs)}
    words = Numbers(np.array([[0.5, 0.25]]), ("after", "rank"), {"after": ["input"]}, (("cat", "<b>"),))
    assert {"cat", "50 %", "<b>", "25 %", "1.", "2.", "input"} <= set(
        texts(Sheet((SheetPart("t", "c", "words", Chart(words, "share", "")),)))
    )


def test_every_kind_of_the_screen_is_printed() -> None:
    assert KINDS.keys() == printing.PRINTED.keys()


def test_masked_cells_stay_blank_and_a_scale_ends_where_the_screen_ends_it() -> None:
    values = np.array([[0.25, -np.inf], [2.5, 5.0]], dtype=np.float32)
    sheet = Sheet((square(values, ["a", "b"], "signed"),))
    assert {"\u22125", "5", "0.25", "2.50"} <= set(texts(sheet))
    assert len(re.findall(r'style="fill: (#[0-9a-f]{6}); stroke: \1', svg_of(sheet))) >= 3
    fitted = Sheet((square(np.array([[0.5, 0.75], [0.6, 0.9]]), ["a", "b"], "signed", fit=True),))
    assert {"0.5", "0.9"} <= set(texts(fitted)) and "-0.9" not in texts(fitted)
    apart = part(
        "maps", np.ones((2, 2, 2)) * [[[1.0]], [[4.0]]], ("h", "q", "k"), {"h": ["x", "y"]}, "positive", apart=True
    )
    assert {"x (0 to 1)", "y (0 to 4)"} <= set(texts(Sheet((apart,))))


def test_what_a_map_is_about_is_named_where_not_all_names_have_room() -> None:
    tokens, values = [f"word{i}" for i in range(60)], np.full((60, 60), 0.001)
    values[31, 18] = 0.9
    for look, names in (({}, {"word31", "word18"}), ({"subject": (8, 45)}, {"word8", "word45"})):
        written = set(texts(Sheet((square(values, tokens, **look),), "one")))
        assert any(name in text for name in names for text in written) and len(written) < 90
        assert all(any(text.endswith(name) for text in written) for name in names)


@pytest.mark.parametrize(
    "text",
    mostly_nightly([KEYS, "one two three four five six seven " * 6 + "[MASK]"], [KEYS]),
)
def test_no_letter_is_under_five_points_at_one_column(base: TextEncoder, text: str) -> None:
    run, kinds = base.trace(text), set[str]()
    for key in OF_A_RUN:
        each = answer(picture(key), base, run, run)
        letters = sizes(Sheet((each,), "one"))
        assert letters and min(letters) >= 5, key
        kinds.add(each.kind)
    of_the_browser = "arcs lying sum spine strips waves stack circuit units words matrix maps"
    assert {*of_the_browser.split()} - kinds == {"circuit"}
    pair = base.trace(KEYS), base.trace(KEYS.replace("keys", "key"))
    arrows = answer(picture("carried"), base, *pair)
    assert arrows.kind == "circuit" and min(sizes(Sheet((arrows,), "one"))) >= 5


def test_the_spine_of_a_label_is_what_each_part_costs_it() -> None:
    encoder = pretrained("good-or-bad")
    run = encoder.trace("The food was not good at all.")
    without = encoder.trace(run.inputs, edits=[Edit("layers.0.feed_forward.output", "zero")])
    bad, share = encoder.config.classifier.labels.index("bad"), "classifier.probabilities"  # type: ignore[union-attr]
    costs = answer(picture("part_costs"), encoder, run, why_word="bad", why_other="")
    lost = float(run[share][bad] - without[share][bad])
    assert costs.numbers.array[2] == pytest.approx(lost, abs=1e-6) and lost > 0.05
    assert points_lost(float(run[share][bad]), float(without[share][bad])) in texts(Sheet((costs,)))


def test_letters_are_text_in_any_script_and_those_without_a_typeface_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = ["[CLS]", "今天", "कंकाल", "ไทย", "한국어", "🙂", "القطة", "[SEP]"]
    sheet = Sheet((square(np.eye(8), tokens),))
    assert all(token in texts(sheet) for token in tokens)
    lacking, letters_of = {ord(c) for c in "今天"}, printing.letters_of
    others = frozenset(ord(c) for token in tokens[2:] for c in token)  # as if the machine had faces for all the others
    monkeypatch.setattr(printing, "letters_of", lambda family: (letters_of(family) | others) - lacking)
    printing.faces_for.cache_clear()
    sheet = Sheet((square(np.eye(8), tokens),))
    assert "U+4ECA" in sheet.note and "U+5929" in sheet.note and "no typeface" in sheet.note
    text = PdfReader(io.BytesIO(sheet.pdf())).pages[0].extract_text()
    assert "今天" in text and "U+4ECA" in text  # drawn as boxes, copied as what they are
    monkeypatch.undo()
    printing.faces_for.cache_clear()
    assert Sheet((square(np.eye(2), ["القطة", "a"]),)).note == ""


def test_letters_come_from_the_first_typeface_of_the_machine_that_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    have = {printing.FIRST: "abc", "Mono Han": "今天", "Sans Thai": "ไทย", "Serif Han": "今天"}
    monkeypatch.setattr(printing, "paths", lambda: dict(reversed(have.items())))
    monkeypatch.setattr(printing, "letters_of", lambda family: frozenset(map(ord, have[family])))
    printing.faces_for.cache_clear()
    assert printing.faces_for(frozenset("ab")) == ((printing.FIRST,), "")
    assert printing.faces_for(frozenset("a今ไ한")) == ((printing.FIRST, "Mono Han", "Sans Thai"), "한")
    printing.faces_for.cache_clear()


def test_a_sheet_has_letters_for_its_pictures_and_is_a_figure_of_two_columns(weights: Any) -> None:
    two, one = Sheet((weights, weights, weights)), Sheet((weights,), "one")
    assert {"(a)", "(b)", "(c)"} <= {text.split()[0] for text in texts(two) if text.startswith("(")}
    assert two.latex("my figure.pdf").count("figure*") == 2 and "figure*" not in one.latex()
    assert r"\includegraphics[width=180.0mm]{my-figure.pdf}" in two.latex("my figure.pdf")
    rows = list(csv.reader(io.StringIO(two.csv().removeprefix("\ufeff"))))
    starts = [i for i, row in enumerate(rows) if row and row[0].startswith("picture ")] + [len(rows)]
    tables = [[row for row in rows[a + 1 : b] if row] for a, b in pairwise(starts)]
    assert len(tables) == 3
    np.testing.assert_allclose(np.array([row[1:] for row in tables[2][1:]], float), weights.numbers.array, rtol=1e-6)


def test_what_was_typed_stays_text_in_every_file() -> None:
    named = (
        "textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar|textquotedbl|textasciigrave|ldots"
    )
    known = (
        r"\\otherletter{.}{[0-9a-f]{4,6}}"
        rf"|\\({named}){{}}|\\textsuperscript{{T}}|\$(\\\w+|-|\\\||[_^]\d)\$|\\[{{}}$&#%_]|{{@}}"
    )
    for text in HOSTILE:
        bare = re.sub(known, "", latex(text))
        assert not set(bare) & set("\\{}$&#%^_\n\r\x00"), ascii(text)
        assert max(bare, default="") <= "\xff", "pdfLaTeX ends at letters that it does not know"
        assert not set(re.sub(r"\\[!-/:-@\[-`{-~]", "", markdown(text))) & set("\\<>`*_[]()$|#\n"), ascii(text)
    for some in (HOSTILE[::2], HOSTILE[1::2]):
        shown = square(np.eye(len(some)), some)
        sheet = Sheet((SheetPart(some[0], " ".join(some), "matrix", shown.chart),))
        root = drawing(sheet)
        assert all(TAGS.fullmatch(each.tag.rpartition("}")[2]) for each in root.iter())
        assert not [name for each in root.iter() for name in each.attrib if name.startswith("on")]
        assert not re.search(r"(href|url\()=?[\"']?(https?:|//)", svg_of(sheet).replace("http://www.w3.org", ""))
        assert PdfReader(io.BytesIO(sheet.pdf())).pages[0].extract_text()
        Image.open(io.BytesIO(sheet.png(72))).verify()


def test_the_typefaces_of_a_pdf_are_embedded_and_its_words_are_text(weights: Any) -> None:
    (page,) = PdfReader(io.BytesIO(Sheet((weights,)).pdf())).pages
    fonts = [font.get_object() for font in page["/Resources"]["/Font"].values()]
    within = [font["/DescendantFonts"][0].get_object() if "/DescendantFonts" in font else font for font in fonts]
    assert fonts and all("/FontFile2" in font["/FontDescriptor"].get_object() for font in within)
    assert "keys" in re.sub(r"\s+", "", page.extract_text())


def test_one_zip_holds_every_file_and_the_same_sheet_is_the_same_zip(weights: Any) -> None:
    packed = Sheet((weights,), "one").zip("my figure")
    with zipfile.ZipFile(io.BytesIO(packed)) as whole:
        endings = (".svg", ".pdf", "-300dpi.png", "-600dpi.png", ".csv", ".tex", ".md")
        assert set(whole.namelist()) == {f"my-figure{ending}" for ending in endings}
    assert packed == Sheet((weights,), "one").zip("my figure")


def test_what_is_no_sheet_is_refused_with_what_was_asked(weights: Any) -> None:
    with pytest.raises(ValueError, match="'ten'"):
        Sheet((weights,), "ten")
    for several in ((), (weights,) * (MOST_PICTURES + 1)):
        with pytest.raises(ValueError, match=f"1 to {MOST_PICTURES}"):
            Sheet(several)
    with pytest.raises(ValueError, match="dpi is 5"):
        Sheet((weights,)).png(5)
    with pytest.raises(TooLargeError, match="cells"):
        Sheet((square(np.zeros((700, 700)), ["a"] * 700),))
