"""What is saved has the marks and numbers of what is on the screen."""

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from mounted import Mounted
from playwright.sync_api import Page

from encoder import TextEncoder
from encoder.packet.levels import MORE, OF_WORDS
from encoder.packet.run import level_1
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
Saved = Callable[[Page, str], tuple[Answer, list[str]]]


@pytest.fixture(params=SENTENCES)
def shown(request: pytest.FixtureRequest, mounted: Mounted, base: TextEncoder) -> Callable[[str], Page]:
    """Opens a page with the run of a sentence."""
    trace = base.trace(request.param)

    def packet(asked: dict[str, Any]) -> bytes:
        level = asked["level"]
        if level in OF_WORDS:
            return OF_WORDS[level](base, trace, asked["step"], asked["index"], asked.get("words", ()))
        return level_1(base, trace) if level == 1 else MORE[level](base, trace, max(0, asked.get("layer", 0)))

    return lambda name: mounted(name, packet, first={"sentence": trace.text})


@pytest.fixture
def saved(base: TextEncoder) -> Saved:
    """What the server makes of what Save asks for under a name: the picture, and the texts of its SVG."""

    def make(page: Page, key: str) -> tuple[Answer, list[str]]:
        page.get_by_role("button", name="Save", exact=True).click()
        for choice in page.get_by_role("group", name="Picture", exact=True).get_by_role("menuitemradio").all():
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
        answer = each.of(Scene(view, base, run, run if each.needs == "unchanged" else None))
        root = ElementTree.fromstring(Sheet((answer,), "shown").svg())
        return answer, ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]

    return make


def numbers(page: Page, selector: str, name: str) -> list[float]:
    """The numbers that marks of the screen stand for."""
    read = "(all, name) => all.map(one => Number(one.dataset[name]))"
    values: list[float] = page.locator(selector).evaluate_all(read, name)
    return values


def plain(text: str) -> str:
    """A text without what only sets it."""
    return re.sub(r"[\s\u00a0\u202f]", "", text)


def test_arcs_and_the_spine(shown: Callable[[str], Page], saved: Saved) -> None:
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
    written = [text.split(" ")[0] for text in texts if re.fullmatch(r"\u2212?\d+( \(cut\))?", text)]
    assert [int(text.replace("\u2212", "-")) for text in written[-len(on_screen) :]] == [
        int(f"{100 * cost:.0f}") for cost in on_screen
    ]


def test_bars_of_words_and_of_lengths(shown: Callable[[str], Page], saved: Saved) -> None:
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


def test_a_sum_at_its_words_and_the_board_of_parts(shown: Callable[[str], Page], saved: Saved) -> None:
    page = shown("output")
    page.locator(".ws-words [data-share]").first.wait_for()
    answer, texts = saved(page, "why_sum")
    terms, on_screen = terms_of_sum(answer.chart), numbers(page, ".ws-words [data-share]", "share")
    np.testing.assert_allclose([value for _, value, _ in terms], on_screen, atol=2e-3)
    assert [name for name, _, _ in terms] == page.locator(".ws-words .ws-name").all_text_contents()
    assert {plain(text) for text in page.locator(".ws-said").all_text_contents()} <= {plain(text) for text in texts}
    page = shown("what_if")
    page.locator("button[data-value]").first.wait_for()
    answer, _ = saved(page, "part_board")
    board = np.array(numbers(page, "button[data-value]", "value"))
    np.testing.assert_allclose(np.abs(answer.numbers.array.ravel()), np.abs(board), atol=1e-4)
