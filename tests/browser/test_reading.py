"""What the model reads, chosen on a page of the browser: masked tokens, a second sentence; the whole run kept."""

import io
import re
import zipfile
from collections.abc import Iterator

import numpy as np
import pytest
from browser_tools import barriers, open_page, sentence_line
from playwright.sync_api import Page, expect

from encoder import TextEncoder

SENTENCE = "The cat [MASK] the mouse."
ADDRESS = f"attention?sentence={SENTENCE.replace(' ', '+')}&layer=2&head=3"


@pytest.fixture
def attention(page: Page, app_url: str) -> Iterator[Page]:
    """The page Attention, with a sentence that has a gap."""
    open_page(page, f"{app_url}/{ADDRESS}")
    page.locator(".at-finding:not(:empty)").wait_for()
    yield page


def choose(page: Page, text: str) -> None:
    """Choose something in the list below the sentence."""
    page.get_by_role("button", name="Other sentences").click()
    page.get_by_role("button", name=text).click()


def test_a_tapped_token_is_not_looked_at_until_it_is_tapped_again(attention: Page, base: TextEncoder) -> None:
    choose(attention, "Mask tokens")
    tokens = attention.get_by_role("group", name=re.compile("Tap a token")).get_by_role("button")
    expect(tokens).to_have_text(["[CLS]", "the (1)", "cat", "[MASK]", "the (4)", "mouse", ".", "[SEP]"])
    expect(tokens.first).to_be_focused()
    attention.keyboard.press("ArrowRight")
    attention.keyboard.press("ArrowRight")
    attention.keyboard.press("Enter")
    expect(attention.locator(".enc-changes")).to_contain_text("no token looks at cat.")
    expect(attention).to_have_url(re.compile(r"hidden=2\b"))
    hidden = base.trace(SENTENCE, hidden=(2,)).layers[2].attention.weights[3, 3]
    most = int(hidden.argmax())
    assert float(hidden[2]) < 1e-6 and most != 2
    expect(attention.locator(f"[data-line='{most}']")).to_contain_text(
        re.compile(rf"{100 * float(hidden[most]):.0f}\s%")
    )
    assert barriers(attention) == []
    tokens.nth(2).click()
    expect(attention.locator(".enc-changes")).to_be_hidden()
    expect(attention).not_to_have_url(re.compile("hidden="))


def test_a_changed_run_says_so_and_leads_back(attention: Page) -> None:
    attention.goto(attention.url + "&edits=layers.2.attention.heads:zero:h=3")
    expect(attention.locator(".enc-changes")).to_contain_text("layer 2, head 3: weighted values set to zero.")
    attention.get_by_role("button", name="Remove all changes").click()
    expect(attention.locator(".enc-changes")).to_be_hidden()
    expect(attention).not_to_have_url(re.compile("edits="))


def test_a_second_sentence_is_read_with_the_first(attention: Page) -> None:
    choose(attention, "A second sentence")
    field = attention.get_by_label("Second sentence")
    expect(field).to_be_focused()
    field.fill("A dog slept.")
    field.press("Enter")
    expect(attention.get_by_role("grid")).to_have_attribute("aria-label", re.compile(r"13 tokens by 13 tokens"))
    expect(attention).to_have_url(re.compile(r"second=A\+dog\+slept"))
    attention.get_by_role("button", name="One sentence").click()
    expect(attention.get_by_role("grid")).to_have_attribute("aria-label", re.compile(r"8 tokens by 8 tokens"))
    expect(field).to_be_hidden()


def test_the_whole_run_can_be_taken_along(attention: Page, base: TextEncoder) -> None:
    trace = base.trace(SENTENCE)
    files = {}
    for label in ("The whole run, for numpy", "This layer, as tables"):
        attention.get_by_role("button", name="Keep", exact=True).click()
        with attention.expect_download() as coming:
            attention.get_by_role("menuitem", name=label).click()
        files[coming.value.suggested_filename] = coming.value.path().read_bytes()
    assert list(files) == ["base-run.npz", "base-layer2.zip"]
    weights = np.load(io.BytesIO(files["base-run.npz"]))["layers.2.attention.weights"]
    assert np.abs(weights - trace.array("layers.2.attention.weights")).max() < 1e-5
    names = zipfile.ZipFile(io.BytesIO(files["base-layer2.zip"])).namelist()
    assert any("weights" in name for name in names) and not any("layers.1." in name for name in names)


def test_another_sentence_takes_what_was_masked_with_it(attention: Page) -> None:
    attention.goto(attention.url + "&hidden=2")
    expect(attention.locator(".enc-changes")).to_contain_text("cat")
    sentence_line(attention).fill("A dog slept.")
    sentence_line(attention).press("Enter")
    expect(attention.locator(".enc-changes")).to_be_hidden()


def test_the_guess_at_the_foot_marks_where_it_was_before_a_change(attention: Page, base: TextEncoder) -> None:
    attention.keyboard.press("g")
    foot = attention.get_by_role("region", name="What the model guesses")
    shares = base.trace(SENTENCE)["mlm.probabilities"][3].topk(5).values.tolist()
    assert [float(bar.get_attribute("data-share") or "nan") for bar in foot.locator("li").all()] == pytest.approx(
        shares, abs=1e-5
    )
    expect(foot.locator("b:visible")).to_have_count(0)
    choose(attention, "Mask tokens")
    attention.get_by_role("button", name="cat", exact=True).click()
    hidden = base.trace(SENTENCE, hidden=(2,))["mlm.probabilities"][3].topk(5).values.tolist()
    expect(foot.locator("li").first).to_have_attribute("data-share", re.compile(rf"^{hidden[0]:.4f}"[:6]))
    first = foot.locator("li").first
    word = base.tokenizer.token_to_id(first.get_attribute("data-guess") or "")
    before = float(base.trace(SENTENCE)["mlm.probabilities"][3][word])
    expect(first.locator("b")).to_have_attribute("style", re.compile(rf"inset-inline-start: {100 * before:.1f}"[:22]))
    attention.locator("h1").click()
    attention.keyboard.press("g")
    expect(foot).to_be_hidden()


def test_in_front_of_a_class_sentence_and_picture_stand_alone(attention: Page) -> None:
    attention.get_by_role("button", name="Menu").click()
    attention.get_by_role("button", name="In front of a class (P)").click()
    expect(sentence_line(attention)).to_be_visible()
    for name in ("Menu", "Keep"):
        expect(attention.get_by_role("button", name=name, exact=True)).to_be_hidden()
    attention.keyboard.press("Escape")
    expect(attention.get_by_role("button", name="Keep", exact=True)).to_be_visible()
