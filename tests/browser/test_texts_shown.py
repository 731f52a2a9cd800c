"""What is shown of any text: what translators leave alone, contrast themes, paper; and a model that is not there."""

from collections.abc import Callable
from typing import Any

import pytest
from made_once import packet
from mounted import Mounted
from playwright.sync_api import Page, expect

from encoder import TextEncoder
from encoder.metrics.word_kinds import words_known

RARE = "Zebras near lighthouses [MASK] bananas."
PAGES = ("start", "embedding", "attention", "add_norm", "feed_forward", "output", "what_if", "compare", "heads")
SPANISH = "La casa blanca duerme tranquilamente."
OPEN_TO_TRANSLATORS = """words => {
  const found = [];
  const walk = root => {
    const all = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = all.nextNode(); node; node = all.nextNode()) {
      if (node.shadowRoot) walk(node.shadowRoot);
      const text = node.nodeType === 3 ? node.textContent : '', inside = node.parentElement;
      if (!words.some(word => text.toLowerCase().includes(word))) continue;
      if (!inside || inside.closest('style, script, .enc-spoken')) continue;
      const own = inside.closest('[translate=no]');
      if (!own || own.lang) found.push(text);
    }
  };
  walk(document);
  return found;
}"""

LIGHTNESS = """() => {
  const canvas = document.querySelector('.picture-canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const all = [];
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] === 255) all.push(data[i] + data[i + 1] + data[i + 2]);
  }
  return all.sort((a, b) => a - b)[all.length >> 1] / 765;
}"""


@pytest.fixture
def opened(mounted: Mounted, base: TextEncoder) -> Callable[..., Page]:
    """Opens a page with a sentence."""

    def of_base(asked: dict[str, Any]) -> bytes:
        return packet(base, asked, off=len(base.tokenize(asked["sentence"]).ids) < 20)

    return lambda name, sentence, **more: mounted(name, of_base, first={"sentence": sentence, **more})


def test_a_translator_leaves_tokens_alone(opened: Callable[..., Page]) -> None:
    for name in PAGES:
        page = opened(name, RARE)
        expect(page.locator(".enc-page [translate=no][lang='']").first).to_be_attached()
        assert page.evaluate(OPEN_TO_TRANSLATORS, ["zebra", "lighthouse", "banana"]) == [], name


def test_a_gap_by_another_name_is_the_gap_and_the_hint_names_the_mask(opened: Callable[..., Page]) -> None:
    page = opened("start", "The capital of France is ___.")
    expect(page.locator(".enc-guess")).to_contain_text("paris")
    page.get_by_role("button", name="own sentence").click()
    expect(page.locator(".enc-own-box")).to_contain_text("Write [MASK] or ___ for a word")


def test_a_text_that_is_cut_or_has_unknown_words_says_so(opened: Callable[..., Page], base: TextEncoder) -> None:
    for text, said in (
        (" ".join(["word"] * 600), "The model reads 512 tokens and no more: 90 at the end are left out."),
        (SPANISH, f"{words_known(base.tokenize(SPANISH)).sentence} It learned from English alone."),
    ):
        for name in ("start", "attention"):
            expect(opened(name, text).locator(".enc-note")).to_have_text(said)
    expect(opened("start", "My dog sleeps on the sofa.").locator(".enc-note")).to_be_hidden()


def test_a_contrast_theme_has_pictures_of_its_own_lightness(opened: Callable[..., Page]) -> None:
    page = opened("attention", RARE)
    for scheme in ("light", "dark"):
        page.emulate_media(forced_colors="active", color_scheme=scheme)  # type: ignore[arg-type]
        expect(page.locator(".picture-said")).to_contain_text("looks at")
        page.wait_for_function(f"() => ({LIGHTNESS})() > 0.6 === {str(scheme == 'light').lower()}")


def test_paper_has_every_column_and_no_button_that_leads_on(opened: Callable[..., Page]) -> None:
    page = opened("output", RARE)
    page.set_viewport_size({"width": 718, "height": 1000})
    grid = page.locator(".ou-scroll")
    expect(grid.get_by_role("columnheader").last).to_be_visible()
    page.emulate_media(media="print")
    boxes = [one.bounding_box() for one in grid.get_by_role("columnheader").all()]
    assert len(boxes) == 8 and all(box and box["x"] >= 0 and box["x"] + box["width"] <= 718 for box in boxes)
    for one in page.locator(".enc-unfold, .enc-walk").all():
        expect(one).to_be_hidden()
