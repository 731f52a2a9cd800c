"""What is saved has the marks and numbers of what is on the screen."""

import base64
import io
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from made_once import level_1, level_13
from mounted import Mounted
from PIL import Image
from playwright.sync_api import Page

from encoder import TextEncoder
from encoder.packet.levels import MORE, OF_WORDS
from encoder.pictures.link import from_query
from encoder.pictures.picture import Answer
from encoder.pictures.printed_marks import terms_of_sum
from encoder.pictures.printing import Sheet
from encoder.pictures.registry import picture
from encoder.pictures.scene import Scene

SENTENCES = (
    "The keys to the cabinet [MASK] on the table.",
    "今天 天气 [MASK] 好 the cat",
    "القطة [MASK] على the table",
)
SVG = "{http://www.w3.org/2000/svg}"
TITLES = "all => all.map(one => one.title)"
Saved = Callable[[Page, str], tuple[Answer, list[str]]]


@pytest.fixture(params=SENTENCES)
def shown(request: pytest.FixtureRequest, mounted: Mounted, base: TextEncoder) -> Callable[..., Page]:
    """Opens a page with the run of a sentence."""
    trace = base.trace(request.param)

    def packet(asked: dict[str, Any]) -> bytes:
        level = asked["level"]
        if level == 13:
            pair = asked["sentence"], asked.get("other", "")
            return level_13(base, *pair, asked["step"], asked.get("index", ()), asked.get("words", ()))
        if asked["sentence"] != trace.text:
            return level_1(base, base.trace(asked["sentence"]))
        if level in OF_WORDS:
            return OF_WORDS[level](base, trace, asked["step"], asked["index"], asked.get("words", ()))
        return level_1(base, trace) if level == 1 else MORE[level](base, trace, max(0, asked.get("layer", 0)))

    return lambda name, **first: mounted(name, packet, first={"sentence": trace.text, **first})


@pytest.fixture
def saved(base: TextEncoder) -> Saved:
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
        run = base.trace(view.sentence)
        other = run if each.needs == "unchanged" else base.trace(view.other) if view.other else None
        answer = each.of(Scene(view, base, run, other))
        return answer, ["".join(text.itertext()) for text in drawn(answer).iter(f"{SVG}text")]

    return make


def drawn(answer: Answer) -> ElementTree.Element:
    """What is saved of a picture."""
    return ElementTree.fromstring(Sheet((answer,), "shown").svg())


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
    written = [text.split(" ")[0] for text in texts if re.fullmatch(r"\u2212?[\d.]+( \(cut\))?", text)]
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
    for bar in page.locator(".an-parts strong").all_text_contents():
        assert plain(bar) in [plain(text) for text in texts]


def test_a_sum_at_its_words_and_the_board_of_parts(shown: Callable[..., Page], saved: Saved) -> None:
    page = shown("output")
    page.locator(".ws-words [data-share]").first.wait_for()
    answer, texts = saved(page, "why_sum")
    terms, on_screen = terms_of_sum(answer.chart), numbers(page, ".ws-words [data-share]", "share")
    np.testing.assert_allclose([value for _, value, _ in terms], on_screen, atol=2e-3)
    assert [name for name, _, _ in terms] == page.locator(".ws-words .ws-name").all_text_contents()
    assert {plain(text) for text in page.locator(".ws-said").all_text_contents()} <= {plain(text) for text in texts}
    page = shown("what_if")
    page.locator("button[data-value]").first.wait_for()
    answer, texts = saved(page, "part_board")
    np.testing.assert_allclose(answer.numbers.array.ravel(), numbers(page, "button[data-value]", "value"), atol=1e-4)
    cells = [text for text in page.locator("button[data-value]").all_text_contents() if text]
    assert len(cells) > 40 and texts[: len(cells)] == cells


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


def test_words_after_layers(shown: Callable[..., Page], saved: Saved) -> None:
    page = shown("output")
    page.locator(".ou-cell").first.wait_for()
    _, texts = saved(page, "lens")
    rows = page.locator(".ou-row:has(.ou-cell):not(.is-plain)").all()
    cells = [text for row in rows for text in row.locator(".ou-cell bdi, .ou-cell small").all_text_contents()]
    assert len(cells) == 70 and follow([plain(text) for text in cells], [plain(text) for text in texts])


def test_strips(shown: Callable[..., Page], saved: Saved) -> None:
    for name, key in (("embedding", "embedding_strips"), ("add_norm", "norm_strips")):
        page = shown(name)
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


def test_units(shown: Callable[..., Page], saved: Saved) -> None:
    page = shown("feed_forward", step="feed_forward.activation")
    page.locator("canvas").first.wait_for()
    (painted, *_) = page.evaluate(PAINTED)
    answer, texts = saved(page, "units_on_curve")
    before = answer.numbers.array[:, 0]
    assert page.get_by_role("slider").first.get_attribute("aria-valuemax") == str(len(before) - 1)
    _, *named = [text for text in painted if text.startswith("unit ")]  # the first one is what is chosen
    assert named and {*named} <= {*texts}
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
def test_arrows(shown: Callable[..., Page], saved: Saved) -> None:
    page = shown("compare", other="The key to the cabinet [MASK] on the table.")
    page.locator(".cc-name").first.wait_for()
    _, texts = saved(page, "carried")
    names = [plain(text).removesuffix("Cutthisarrow") for text in page.locator(".cc-name").all_text_contents()]
    assert len(names) > 2 and sorted(names) == sorted(plain(text) for text in texts if re.match(r"\d\.\d from", text))
    assert plain(page.locator(".cc-box").text_content() or "") in [plain(text) for text in texts]


@pytest.mark.parametrize("shown", ["The queen said that [MASK] was hungry."], indirect=True)
def test_what_makes_up_a_change(shown: Callable[..., Page], saved: Saved) -> None:
    """The heads that take a little from each of many words, and the bar that adds up."""
    page = shown("compare", other="The queen said those [MASK] was hungry.")
    page.locator(".cc-whole").wait_for()
    _, texts = saved(page, "carried")
    printed = [plain(text) for text in texts]
    for marks in (".cc-several", ".cc-whole li"):
        names = [plain(text) for text in page.locator(marks).all_text_contents()]
        assert names and {*names} <= {*printed}, marks
