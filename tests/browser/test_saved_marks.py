"""What is saved has the marks and numbers of what is on the screen."""

import base64
import io
import re
from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np
import pytest
from made_once import packet
from mounted import Mounted
from PIL import Image
from playwright.sync_api import Page
from shared_models import pretrained
from tiers import mostly_nightly

from encoder import TextEncoder
from encoder.edits.edit_text import edits_to_text
from encoder.pictures.link import from_query
from encoder.pictures.picture import Answer
from encoder.pictures.printed_marks import terms_of_sum
from encoder.pictures.printing import Sheet
from encoder.pictures.registry import picture
from encoder.pictures.scene import Scene

SENTENCES = (
    "The keys to the cabinet [MASK] on the table.",
    "القطة [MASK] على the table",
)
SVG = "{http://www.w3.org/2000/svg}"
TITLES = "all => all.map(one => one.title)"
Saved = Callable[[Page, str], tuple[Answer, list[str]]]
LABELS = "good-or-bad"
ACCENT, SECOND, INK = "#1f6fb2", "#b4532a", "#262a33"


@pytest.fixture(params=mostly_nightly(SENTENCES, SENTENCES[:1]))
def shown(request: pytest.FixtureRequest, mounted: Mounted, base: TextEncoder) -> Callable[..., Page]:
    """Opens a page with the run of a sentence."""
    return lambda name, **first: mounted(
        name, lambda asked: packet(base, asked), first={"sentence": request.param, **first}
    )


@pytest.fixture
def labelled(mounted: Mounted) -> Callable[..., Page]:
    """Opens a page of the shipped model with labels."""
    encoder, first = pretrained(LABELS), {"model": LABELS, "sentence": "The food was not good at all."}
    return lambda name, **more: mounted(name, lambda asked: packet(encoder, asked), first={**first, **more})


@pytest.fixture
def saved() -> Saved:
    """What the server makes of what Save asks for under a name: the picture, and the texts of its SVG."""

    def make(page: Page, key: str) -> tuple[Answer, list[str]]:
        page.get_by_role("button", name="Save", exact=True).click()
        choices = page.get_by_role("group", name="Picture", exact=True).get_by_role("menuitemradio")
        for choice in choices.all() or [None]:  # a page that has one picture asks for none
            if choice:
                choice.click()
            page.wait_for_function("window.kept.length")
            asked = page.evaluate("window.kept.at(-1)")
            if asked["picture"] == key:
                break
        page.keyboard.press("Escape")
        assert asked["picture"] == key
        each = picture(key)
        view, notes = from_query(asked["query"], lambda model: None, {option.key for option in each.options})
        assert not notes
        encoder = pretrained(view.model)
        run, edits = encoder.trace(view.sentence), edits_to_text(view.edits)
        changed = encoder.trace(view.sentence, edits=view.edits) if edits else run
        other = changed if each.needs == "unchanged" else encoder.trace(view.other) if view.other else None
        answer = each.of(Scene(view, encoder, run if each.needs == "unchanged" else changed, other))
        return answer, ["".join(text.itertext()) for text in drawn(answer).iter(f"{SVG}text")]

    return make


def drawn(answer: Answer) -> ElementTree.Element:
    """What is saved of a picture."""
    return ElementTree.fromstring(Sheet((answer,), "shown").svg())


def strokes(answer: Answer, colour: str, width: float) -> int:
    """How many lines of a colour and a width are saved."""
    return len(re.findall(rf"stroke: {colour}; stroke-width: {width:g}[;\"]", Sheet((answer,), "shown").svg()))


def numbers(page: Page, selector: str, name: str) -> list[float]:
    """The numbers that marks of the screen stand for."""
    read = "(all, name) => all.map(one => Number(one.dataset[name]))"
    values: list[float] = page.locator(selector).evaluate_all(read, name)
    return values


def plain(text: str) -> str:
    """A text without what only sets it."""
    return re.sub(r"[\s\u00a0\u202f]", "", text)


def follow(some: list[str], texts: list[str]) -> bool:
    """Whether these follow one another among all texts."""
    return any(texts[i : i + len(some)] == some for i in range(len(texts)))


def test_arcs_and_the_spine(shown: Callable[..., Page], saved: Saved) -> None:
    page = shown("start")
    page.locator(".enc-arcs path").first.wait_for(state="attached")
    answer, texts = saved(page, "arcs")
    np.testing.assert_allclose(answer.numbers.array, numbers(page, "[data-word][data-share]", "share"), atol=1e-3)
    assert (
        len(re.findall(r'C [^z]*?" style="fill: none', Sheet((answer,)).svg()))
        == page.locator(".enc-arcs path").count()
    )
    costs, texts = saved(page, "part_costs")
    on_screen = numbers(page, "[data-cost]", "cost")
    np.testing.assert_allclose(costs.numbers.array, on_screen, atol=1e-5)
    written = [text for text in texts if re.fullmatch(r"\u2212?[\d.]+", text)]
    told = [re.findall(r"([\d.]+)\u00a0%", says) for says in page.locator("[data-cost]").evaluate_all(TITLES)]
    for text, both in zip(written[-len(on_screen) :], told, strict=True):
        points, places = float(text.replace("\u2212", "-")), len(text.partition(".")[2])
        if len(both) == 2:
            assert points == pytest.approx(float(both[0]) - float(both[1]), abs=0.501 * 10**-places)
        else:
            assert abs(points) <= 1  # so little that one share is told


def test_bars_of_words_and_of_lengths(shown: Callable[..., Page], saved: Saved) -> None:
    page = shown("embedding")
    page.locator(".em .bars li").first.wait_for()
    answer, texts = saved(page, "near_words")
    names = page.locator(".em .bars li:not(.is-any) .bar-name").all_text_contents()
    assert names == [str(name) for name in answer.numbers.along("near word")] and {*names} <= {*texts}
    digits = page.locator(".em .bars li:not(.is-any) .bar-said").all_text_contents()
    assert {text.replace("\u2212", "-") for text in digits} <= {*texts}
    page = shown("add_norm")
    page.locator(".an-bar").first.wait_for()
    answer, texts = saved(page, "length_parts")
    assert np.count_nonzero(answer.numbers.array) == page.locator(".an-bar i").count()
    written = [plain(text) for text in texts]
    for bar in page.locator(".an-parts strong").all_text_contents():
        assert plain(bar) in written
    shares = [
        share for line in page.locator(".an-parts").all_text_contents() for share in re.findall(r"\d+%", plain(line))
    ]
    assert len(shares) == 5 and follow(shares, re.findall(r"\d+%", " ".join(written)))


def test_the_board_of_parts(shown: Callable[..., Page], saved: Saved) -> None:
    page = shown("what_if")
    page.locator("button[data-value]").first.wait_for()
    answer, texts = saved(page, "part_board")
    np.testing.assert_allclose(answer.numbers.array.ravel(), numbers(page, "button[data-value]", "value"), atol=1e-4)
    cells = [text for text in page.locator("button[data-value]").all_text_contents() if text]
    assert len(cells) > 40 and follow(cells, texts)


# Mounts the page once more, and tells what canvases write since each was last cleared.
PAINTED = """async () => {
  const pen = CanvasRenderingContext2D.prototype, { fillText, clearRect } = pen
  const texts = new Map()
  pen.clearRect = function (...at) { texts.set(this, []); return clearRect.apply(this, at) }
  pen.fillText = function (text, ...at) { (texts.get(this) ?? []).push(text); return fillText.call(this, text, ...at) }
  window.leave()
  window.again({})
  const written = () => [...texts.values()].some(all => all.length), wait = ms => new Promise(go => setTimeout(go, ms))
  for (let i = 0; i < 100 && !written(); i++) await wait(50)
  await wait(300)
  Object.assign(pen, { fillText, clearRect })
  return [...texts.values()].filter(all => all.length)
}"""


def test_cells_of_a_head(shown: Callable[..., Page], saved: Saved) -> None:
    for step in ("attention.weights", "attention.scaled"):
        page = shown("attention", step=step, layer=4, head=1)
        page.locator(".picture-canvas").first.wait_for()
        (painted, *_) = page.evaluate(PAINTED)
        answer, texts = saved(page, "picture")
        count = answer.numbers.array.size
        cells = [text for text in painted[:count] if text]
        assert len(cells) > count / 2 and follow(cells, texts)
        tokens = [*answer.numbers.along("key")]
        assert painted[count + len(tokens) :] == tokens and texts.count(tokens[0]) == 2
        ends = [plain(text) for text in page.locator(".picture-legend > span").all_text_contents()[:2]]
        assert {*ends} <= {plain(text) for text in texts}


def test_words_after_layers_and_the_sum_of_the_last(shown: Callable[..., Page], saved: Saved) -> None:
    page = shown("output")
    page.locator(".ou-cell").first.wait_for()
    _, texts = saved(page, "lens")
    rows = page.locator(".ou-row:has(.ou-cell):not(.is-plain)").all()
    cells = [text for row in rows for text in row.locator(".ou-cell bdi, .ou-cell small").all_text_contents()]
    assert len(cells) == 70 and follow([plain(text) for text in cells], [plain(text) for text in texts])
    page.locator("[data-cell='0,2']").click()  # another word is followed
    answer, texts = saved(page, "lens")
    followed = page.locator(".ou-cell.is-followed").evaluate_all("all => all.map(one => one.dataset.cell)")
    on_screen = dict(map(int, cell.split(",")) for cell in followed)
    assert answer.chart.look["path"] == [on_screen[i] for i in range(len(on_screen))]
    standing = page.locator(".ou-row.is-plain .ou-cell :is(bdi, small)").all_text_contents()
    assert len(standing) == 14 and follow([plain(text) for text in standing], [plain(text) for text in texts])
    assert page.locator(".ou-row.is-plain .ou-row-name").text_content() in texts
    assert strokes(answer, SECOND, 1.2) == 7 + 6  # a ring about each cell, and the line between them

    page.locator("[data-cell='6,0']").click()
    page.locator(".ws-words [data-share]").first.wait_for()
    answer, texts = saved(page, "why_sum")
    terms, shares = terms_of_sum(answer.chart), numbers(page, ".ws-words [data-share]", "share")
    np.testing.assert_allclose([value for _, value, *_ in terms], shares, atol=2e-3)
    assert [name for name, *_ in terms] == page.locator(".ws-words .ws-name").all_text_contents()
    assert {plain(text) for text in page.locator(".ws-said").all_text_contents()} <= {plain(text) for text in texts}
    assert not [text for text in texts if re.match("costs|gains", plain(text))]
    page.locator(".ws-held summary").click()
    page.locator(".ws-hide input").set_checked(True)
    answer, texts = saved(page, "why_sum")
    costs = [plain(text) for text in page.locator(".ws-lost").all_text_contents()]
    assert len(costs) > 2 and [text for text in map(plain, texts) if re.match("costs|gains", text)] == costs
    marks = page.locator(".ws-words > div").evaluate_all(
        "all => all.map(one => one.querySelector('b') ? Number(one.style.getPropertyValue('--mark')) : null)"
    )
    ours = [lost for *_, lost in terms_of_sum(answer.chart)]
    assert [mark is not None for mark in marks] == [bool(np.isfinite(lost)) for lost in ours]
    some = [(mark, lost) for mark, lost in zip(marks, ours, strict=True) if mark is not None]
    marked, lost_without = np.array(some).T
    np.testing.assert_allclose(marked / np.abs(marked).max(), lost_without / np.abs(lost_without).max(), atol=5e-3)
    assert f"stroke: {INK}; stroke-width: 1.4" in Sheet((answer,)).svg()


def test_strips(shown: Callable[..., Page], saved: Saved) -> None:
    for name, key in (("embedding", "embedding_strips"), ("add_norm", "norm_strips")):
        page = shown(name, **({"cell": "layers.0.add_norm_1.output:1,7"} if name == "add_norm" else {}))
        page.locator("canvas").first.wait_for()
        painted = [texts for texts in page.evaluate(PAINTED) if len(texts) > 1]
        answer, texts = saved(page, key)
        names = [text for text in painted[0] if not re.search(r"\d\.\d*$", text) or "×" in text]
        assert len(names) >= 3 and follow(names, texts) and len(answer.numbers.array) == len(names)
        across = answer.numbers.array.shape[-1]
        assert any(text.startswith(f"{across} numbers") for text in texts)
        for column in page.locator(".em-numbers thead th.is-chosen").all_text_contents():
            told = page.locator(".em-numbers td.is-chosen").all_text_contents()
            on_screen = [float(text.replace("\u2212", "-")) for text in told]
            np.testing.assert_allclose(answer.numbers.array[:, int(column)], on_screen, atol=2e-3)


def test_waves(shown: Callable[..., Page], saved: Saved) -> None:
    page = shown("embedding", step="embedding.positions")
    page.locator(".em-waves .curve").first.wait_for()
    answer, texts = saved(page, "place_waves")
    titles = page.locator(".em-waves figcaption").all_text_contents()
    assert len(titles) >= 3 and [text for text in texts if text in titles] == titles

    def heights(selector: str) -> list[np.ndarray]:
        """The numbers of curves on the screen, whose drawing goes from 1 to -1 over 100."""
        paths = page.locator(f".em-waves {selector}").evaluate_all("all => all.map(one => one.getAttribute('d'))")
        return [1 - 2 * np.array(re.findall(r"[ML]\S+ ([\d.-]+)", path), dtype=float) / 100 for path in paths]

    np.testing.assert_allclose(answer.numbers.array, heights(".curve-dots"), atol=5e-3)
    x, curves = answer.chart.look["curves"]
    np.testing.assert_allclose(curves.reshape(-1, len(x)), heights(".curve-line"), atol=5e-3)
    ((across,), *others) = [
        re.findall(r"M([\d.]+)", path)
        for path in page.locator(".em-waves .curve-mark").evaluate_all("all => all.map(one => one.getAttribute('d'))")
    ]
    assert others and answer.chart.look["position"] == round(float(across) / 1000 * x[-1])
    assert [strokes(answer, colour, 0.9) for colour in (ACCENT, SECOND)] == [len(titles)] * 2
    dashed = rf"stroke-dasharray: [^\"]*stroke: {SECOND}; stroke-width: 0.9"  # cosines, as on the screen
    assert len(re.findall(dashed, Sheet((answer,)).svg())) == len(titles)


def test_units(shown: Callable[..., Page], saved: Saved) -> None:
    page = shown("feed_forward", step="feed_forward.activation")
    page.locator("canvas").first.wait_for()
    (painted, *_) = page.evaluate(PAINTED)
    answer, texts = saved(page, "units_on_curve")
    before = answer.numbers.array[:, 0]
    assert page.get_by_role("slider").first.get_attribute("aria-valuemax") == str(len(before) - 1)
    chosen, *named = [text for text in painted if text.startswith("unit ")]
    assert named and {chosen, *named} <= {*texts}
    assert strokes(answer, INK, 0.8), "the lines from the chosen unit to both axes"
    other = page.get_by_role("listbox", name=re.compile("The (units that add most|strongest units)"))
    other = other.get_by_role("option").nth(4)
    other.click()
    assert str(other.get_attribute("aria-label")).split(":")[0] in saved(page, "units_on_curve")[1]
    for text in painted:  # what becomes of those below zero and above it
        if " units" in text or text.endswith(" kept"):
            assert text in texts and int(text.split(" ")[0].replace(",", "")) in (
                (before < 0).sum(),
                (before > 0).sum(),
            )


# The colours of the cells of a head's map, row by row.
CELLS = """(canvas, n) => {
  const pen = canvas.getContext('2d'), at = (i, size) => Math.floor((i + 0.5) * size / n)
  return [...Array(n * n).keys()].map(i => [...pen.getImageData(
    at(i % n, canvas.width), at(Math.floor(i / n), canvas.height), 1, 1).data.slice(0, 3)])
}"""
LINK = "{http://www.w3.org/1999/xlink}href"


def pixels(image: str, n: int) -> np.ndarray:
    """The colours of a map that is saved as pixels."""
    drawn_map = Image.open(io.BytesIO(base64.b64decode(image.partition(",")[2]))).convert("RGB")
    return np.asarray(drawn_map.resize((n, n), Image.Resampling.NEAREST), dtype=int)


def cells_of(answer: Answer, n: int) -> list[np.ndarray]:
    """The colours of maps whose cells are saved as shapes."""
    fills = re.findall(r'style="fill: #([0-9a-f]{6}); stroke: #\1', Sheet((answer,), "shown").svg())
    return [*np.array([[*bytes.fromhex(fill)] for fill in fills], dtype=int).reshape(-1, n, n, 3)]


def test_maps_of_all_heads(shown: Callable[..., Page], saved: Saved) -> None:
    page = shown("heads", view="look")
    page.locator("[data-head-map] canvas").first.wait_for()
    answer, texts = saved(page, "all_heads")
    assert not [text for text in texts if re.fullmatch(r"\d+|·", text)]  # no cell has its number, as on the screen
    *_, n = answer.numbers.array.shape
    images = [each.get(LINK) or "" for each in drawn(answer).iter(f"{SVG}image")][:-1]  # the last one is the scale
    maps = [pixels(image, n) for image in images] or cells_of(answer, n)
    assert len(maps) == page.locator("[data-head-map]").count() == answer.numbers.array[..., 0, 0].size
    for layer, head in ((0, 0), (2, 3), (5, 6)):
        canvas = page.locator(f"[data-head-map='{layer},{head}'] canvas")
        on_screen = np.array(canvas.evaluate(CELLS, n)).reshape(n, n, 3)
        assert np.abs(on_screen - maps[8 * layer + head]).max() <= 8, (layer, head)


@pytest.mark.parametrize("shown", SENTENCES[:1], indirect=True)
def test_what_heads_carry(shown: Callable[..., Page], saved: Saved) -> None:
    page = shown("heads", view="carried")
    rows = page.locator("[data-phenomenon]")
    rows.first.wait_for()
    answer, texts = saved(page, "heads_carry")
    numbers, (phenomena, carriers) = answer.numbers.array, (answer.numbers.along(dim) for dim in answer.numbers.dims)
    assert rows.count() == len(numbers) and {*carriers} <= {*texts}
    for row, kept, name in zip(rows.all(), numbers, phenomena, strict=True):
        what, pairs = row.get_attribute("data-phenomenon") or "", row.locator("th small").inner_text()
        assert name == what + ", written pairs" * pairs.endswith("people wrote") and name in texts
        assert f"{what} {pairs}" in answer.caption
        buttons = map(plain, row.locator(".hd-carriers button").all_inner_texts())
        on_screen = {text[:3]: text[3:] for text in buttons}
        *alone, together, _ = kept
        told = {head: f"{100 * x:.0f}%" for head, x in zip(carriers, alone, strict=False) if not np.isnan(x)}
        assert told == on_screen and plain(row.locator(".hd-together b").inner_text()) == f"{100 * together:.0f}%"


@pytest.mark.parametrize("shown", ["The queen said that [MASK] was hungry."], indirect=True)
def test_arrows_and_what_makes_up_a_change(shown: Callable[..., Page], saved: Saved) -> None:
    """The arrows, heads that take a little from each of many words, and the bar that adds up."""
    page = shown("compare", other="The queen said those [MASK] was hungry.")
    page.locator(".cc-whole").wait_for()
    _, texts = saved(page, "carried")
    printed = [plain(text) for text in texts]
    names = [plain(text).removesuffix("Cutit") for text in page.locator(".cc-name").all_text_contents()]
    several = [plain(text) for text in page.locator(".cc-several").all_text_contents()]
    assert names and sorted([*names, *several]) == sorted(text for text in printed if re.match(r"\d\.\dfrom", text))
    assert plain(page.locator(".cc-box").text_content() or "") in printed
    names = [plain(text) for text in page.locator(".cc-several, .cc-whole li").all_text_contents()]
    assert len(names) > 2 and {*names} <= {*printed}


def test_arrows_and_the_board_of_a_label(labelled: Callable[..., Page], saved: Saved) -> None:
    page = labelled("compare", other="The food was very good at all.")
    page.locator(".cc-name").first.wait_for()
    answer, texts = saved(page, "carried")
    names = [plain(text).removesuffix("Cutit") for text in page.locator(".cc-name").all_text_contents()]
    assert len(names) > 2 and sorted(names) == sorted(plain(text) for text in texts if re.match(r"\d\.\d from", text))
    assert plain(page.locator(".cc-box").text_content() or "") in [plain(text) for text in texts]
    words = page.locator(".cc-word > bdi").all_text_contents()
    assert answer.chart.look["words"] == words and words[-1] == "label"
    answer, texts = saved(page, "carried_board")
    np.testing.assert_allclose(
        answer.numbers.array.ravel(), numbers(page, ".cc-board [data-value]", "value"), atol=1e-4
    )
    assert follow([text for text in page.locator(".cc-board [data-value]").all_text_contents() if text], texts)
    taken = page.locator(".cc-board .is-set").count()
    assert taken == len(answer.chart.look["framed"]) == strokes(answer, INK, 1.2)


def test_a_word_of_a_label_is_hidden(labelled: Callable[..., Page], saved: Saved) -> None:
    page = labelled("what_if")
    page.locator(".wi-word").nth(3).click()
    page.locator("[data-after]").first.wait_for()
    answer, texts = saved(page, "label_hidden")
    for row, name in zip(answer.numbers.array, ("before", "after"), strict=True):
        np.testing.assert_allclose(row, numbers(page, ".wi-bars [data-guess]", name), atol=1e-4)
    said = [plain(text) for text in page.locator(".wi-bars .bar-said").all_text_contents()]
    assert said and {*said} <= {plain(text) for text in texts}
    assert "The line: with the word" in texts and strokes(answer, INK, 1.2) == len(said)


def test_the_board_of_a_label(labelled: Callable[..., Page], saved: Saved) -> None:
    page = labelled("what_if", edits="layers.5.attention.heads:zero:h=2")
    page.locator(".wi-bars [data-after]").first.wait_for()
    answer, _ = saved(page, "guess_changed")
    for row, name in zip(answer.numbers.array, ("before", "after"), strict=True):
        np.testing.assert_allclose(row, numbers(page, ".wi-bars [data-guess]", name), atol=1e-4)
    answer, texts = saved(page, "part_board")
    page.locator("button[data-value]").first.wait_for()
    cells = [text for text in page.locator("button[data-value]").all_text_contents() if text and text != "✕"]
    np.testing.assert_allclose(answer.numbers.array.ravel(), numbers(page, "button[data-value]", "value"), atol=1e-4)
    assert len(cells) > 40 and {*cells} <= {*texts}


def test_the_sum_of_a_label_without_each_head(labelled: Callable[..., Page], saved: Saved) -> None:
    page = labelled("output")
    board = "[aria-label='Without one head'] button[data-value]"
    page.locator(board).first.wait_for()
    answer, texts = saved(page, "head_board")
    most = page.locator(".lb-said span").first
    before, after = re.findall(r"[\d.]+(?=\s%)", most.inner_text())
    largest = answer.numbers.array.ravel()[np.abs(answer.numbers.array).argmax()]
    assert (float(after) < float(before)) == (largest > 0)  # blue, and above 0, where it is lost
    assert ("is-against" in (most.get_attribute("class") or "")) == (largest < 0)
    np.testing.assert_allclose(answer.numbers.array.ravel(), numbers(page, board, "value"), atol=2e-3)
    cells = {text for text in page.locator(board).all_text_contents() if text not in ("", "·")}
    assert len(cells) > 5 and cells <= {*texts}
