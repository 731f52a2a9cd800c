"""What is shown of any text: what translators leave alone, contrast themes, paper; and a model that is not there."""

import pytest
from browser_tools import open_page
from playwright.sync_api import Browser, Page, expect
from tiers import mostly_nightly

RARE = "Zebras near lighthouses [MASK] bananas."
PAGES = ("", "embedding", "attention", "add_norm", "feed_forward", "output", "what_if", "compare")
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


def opened(page: Page, url: str) -> None:
    """Open a page of the browser's and wait until it is drawn."""
    open_page(page, url)
    expect(page.get_by_role("heading", level=1)).not_to_be_empty()


@pytest.mark.parametrize("path", mostly_nightly(PAGES, ("", "attention", "compare")))
def test_a_translator_leaves_tokens_alone(page: Page, app_url: str, path: str) -> None:
    opened(page, f"{app_url}/{path}?sentence={RARE.replace(' ', '+')}")
    expect(page.locator(".enc-page [translate=no][lang='']").first).to_be_attached()
    assert page.evaluate(OPEN_TO_TRANSLATORS, ["zebra", "lighthouse", "banana"]) == []


def test_without_a_run_there_is_the_reason_and_no_control(browser: Browser, app_url: str) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{app_url}/?model=folder:none")
        expect(page.get_by_role("alert")).to_contain_text("is not available here")
        for control in (".enc-second", ".enc-masks", ".enc-changes", ".enc-unfold"):
            for one in page.locator(f".enc-main {control}").all():
                expect(one).to_be_hidden()


def test_a_gap_by_another_name_is_the_gap_and_the_hint_names_the_mask(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/?sentence=The+capital+of+France+is+___.")
    expect(page.get_by_role("heading", level=1)).to_contain_text("paris")
    page.get_by_role("button", name="own sentence").click()
    expect(page.locator(".enc-own-box")).to_contain_text("Write [MASK] or ___ for a word")


def test_a_text_that_is_cut_says_so_on_the_page(page: Page, app_url: str) -> None:
    for path in ("", "attention"):
        opened(page, f"{app_url}/{path}?sentence={'+'.join(['word'] * 600)}")
        expect(page.locator(".enc-note")).to_have_text(
            "The model reads 512 tokens and no more: 90 at the end are left out."
        )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_contrast_theme_has_pictures_of_its_own_lightness(browser: Browser, app_url: str, scheme: str) -> None:
    with browser.new_context(forced_colors="active", color_scheme=scheme) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(f"{app_url}/attention")
        expect(page.locator(".picture-said")).to_contain_text("looks at")
        lightness = page.locator(".picture-canvas").evaluate(
            """canvas => {
              const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
              const all = [];
              for (let i = 0; i < data.length; i += 4) {
                if (data[i + 3] === 255) all.push(data[i] + data[i + 1] + data[i + 2]);
              }
              return all.sort((a, b) => a - b)[all.length >> 1] / 765;
            }"""
        )
        assert (lightness > 0.6) == (scheme == "light"), lightness


def test_paper_has_every_column_and_no_button_that_leads_on(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 718, "height": 1000})
    opened(page, f"{app_url}/output")
    grid = page.locator(".ou-scroll")
    expect(grid.get_by_role("columnheader").last).to_be_visible()
    page.emulate_media(media="print")
    boxes = [one.bounding_box() for one in grid.get_by_role("columnheader").all()]
    assert len(boxes) == 8 and all(box and box["x"] >= 0 and box["x"] + box["width"] <= 718 for box in boxes)
    for one in page.locator(".enc-unfold, .enc-walk").all():
        expect(one).to_be_hidden()
