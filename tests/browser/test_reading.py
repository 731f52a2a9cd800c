"""What the model reads, chosen on a page of the browser: masked tokens, a second sentence; the whole run kept."""

import io
import re
import zipfile

import numpy as np
import pytest
from browser_tools import barriers, open_page, sentence_line
from playwright.sync_api import Page, expect

from encoder import TextEncoder

SENTENCE = "The cat [MASK] the mouse."
ADDRESS = f"attention?sentence={SENTENCE.replace(' ', '+')}&layer=2&head=3"


def choose(page: Page, text: str) -> None:
    """Choose something in the list below the sentence."""
    page.get_by_role("button", name="Other sentences").click()
    page.get_by_role("button", name=text).click()


def test_a_tapped_token_is_not_looked_at_and_the_guess_at_the_foot_marks_where_it_was(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    open_page(page, f"{app_url}/{ADDRESS}")
    trace, masked = base.trace(SENTENCE), base.trace(SENTENCE, hidden=(2,))
    page.locator("h1").click()
    page.keyboard.press("g")
    foot = page.get_by_role("region", name="What the model guesses")
    expect(foot.locator("li")).to_have_count(5)
    shares = foot.locator("li").evaluate_all("all => all.map(one => Number(one.dataset.share))")
    assert shares == pytest.approx(trace["mlm.probabilities"][3].topk(5).values.tolist(), abs=1e-5)
    expect(foot.locator("b:visible")).to_have_count(0)

    choose(page, "Mask tokens")
    tokens = page.get_by_role("group", name=re.compile("Tap a token")).get_by_role("button")
    expect(tokens).to_have_text(["[CLS]", "the (1)", "cat", "[MASK]", "the (4)", "mouse", ".", "[SEP]"])
    expect(tokens.first).to_be_focused()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".enc-changes")).to_contain_text("no token looks at cat.")
    expect(page).to_have_url(re.compile(r"hidden=2\b"))
    weights = masked.layers[2].attention.weights[3, 3]
    most = int(weights.argmax())
    assert float(weights[2]) < 1e-6 and most != 2
    page.get_by_text("The numbers", exact=True).click()
    expect(page.locator(f"[data-line='{most}']")).to_contain_text(re.compile(rf"{100 * float(weights[most]):.0f}\s%"))
    first, best = foot.locator("li").first, masked["mlm.probabilities"][3].max()
    expect(first).to_have_attribute("data-share", re.compile(rf"^{best:.4f}"[:6]))
    word = base.tokenizer.token_to_id(first.get_attribute("data-guess") or "")
    before = float(trace["mlm.probabilities"][3][word])
    expect(first.locator("b")).to_have_attribute("style", re.compile(rf"inset-inline-start: {100 * before:.1f}"[:22]))
    assert barriers(page) == []
    tokens.nth(2).click()
    expect(page.locator(".enc-changes")).to_be_hidden()
    expect(page).not_to_have_url(re.compile("hidden="))
    # Another sentence takes what was masked with it.
    tokens.nth(2).click()
    expect(page.locator(".enc-changes")).to_contain_text("cat")
    page.locator("h1").click()
    page.keyboard.press("g")
    expect(foot).to_be_hidden()
    sentence_line(page).fill("A dog slept.")
    sentence_line(page).press("Enter")
    expect(page.locator(".enc-changes")).to_be_hidden()


def test_a_changed_run_says_so_a_second_sentence_is_read_too_and_the_whole_run_can_be_taken_along(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    open_page(page, f"{app_url}/{ADDRESS}&edits=layers.2.attention.heads:zero:h=3")
    expect(page.locator(".enc-changes")).to_contain_text("head 3 of layer 2: weighted values set to zero.")
    page.get_by_role("button", name="Remove all changes").click()
    expect(page.locator(".enc-changes")).to_be_hidden()
    expect(page).not_to_have_url(re.compile("edits="))

    trace = base.trace(SENTENCE)
    files = {}
    for label in ("The whole run, for numpy", "This layer, as tables"):
        page.get_by_role("button", name="Save", exact=True).click()
        with page.expect_download() as coming:
            page.get_by_role("menuitem", name=label).click()
        files[coming.value.suggested_filename] = coming.value.path().read_bytes()
    assert list(files) == ["base-run.npz", "base-layer2.zip"]
    weights = np.load(io.BytesIO(files["base-run.npz"]))["layers.2.attention.weights"]
    assert np.abs(weights - trace.array("layers.2.attention.weights")).max() < 1e-5
    names = zipfile.ZipFile(io.BytesIO(files["base-layer2.zip"])).namelist()
    assert any("weights" in name for name in names) and not any("layers.1." in name for name in names)

    choose(page, "A second sentence")
    field = page.get_by_label("Second sentence")
    expect(field).to_be_focused()
    field.fill("A dog slept.")
    field.press("Enter")
    expect(page.get_by_role("grid")).to_have_attribute("aria-label", re.compile(r"13 tokens by 13 tokens"))
    expect(page).to_have_url(re.compile(r"second=A\+dog\+slept"))
    page.get_by_role("button", name="One sentence").click()
    expect(page.get_by_role("grid")).to_have_attribute("aria-label", re.compile(r"8 tokens by 8 tokens"))
    expect(field).to_be_hidden()

    # In front of a class the sentence and the picture stand alone.
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="In front of a class (P)").click()
    expect(sentence_line(page)).to_be_visible()
    for name in ("Menu", "Save"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_visible()
