"""Ask a word in a real browser: what is tapped is answered with the recorded weights, by mouse, keys and touch."""

import io
import re
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest
from browser_tools import BELOW, barriers, dark, number, open_page, rerun, runs, widget
from PIL import Image
from playwright.sync_api import Locator, Page, expect
from tiers import mostly_nightly

from encoder import TextEncoder, Trace
from encoder.formatting import percent
from encoder.metrics import asked
from encoder.metrics.asking import fact
from encoder.pictures.view import EXAMPLE

SVG = "{http://www.w3.org/2000/svg}"
IT, ANIMAL, STREET = 8, 2, 6
# What is said before a word is tapped, and in the same moment, before the server has heard of it
TAP = """(root, at) => { const out = root.querySelector('output.said'), before = out.textContent;
  [...root.querySelectorAll('.word')][at].click(); return [before, out.textContent]; }"""


@pytest.fixture(scope="module")
def trace(base: TextEncoder) -> Trace:
    return base.trace(EXAMPLE)


def opened(page: Page, url: str, query: str = "") -> Locator:
    """The sentence to be tapped below the first page, with its small maps; what a query does not say is usual."""
    open_page(page, f"{url}/?{urlencode(dict(parse_qsl(f'{BELOW}&{query}')))}")
    root = widget(page, "ask").locator(".ask")
    expect(root.locator(".heads button").first).to_be_visible()
    return root


def word(root: Locator, position: int) -> Locator:
    """The button of a word of a sentence whose first token alone stands before its words."""
    return root.locator(".word").nth(position - 1)


def shares(root: Locator) -> list[str]:
    return [
        text.replace("\xa0", " ").replace("< ", "under ").replace("> ", "over ")
        for text in root.locator(".share").all_inner_texts()
    ]


def strip(root: Locator) -> list[tuple[int, int, str]]:
    """Layer, head and words of each small map that is shown, in their order."""
    found = root.locator(".heads button").evaluate_all("all => all.map(b => b.ariaLabel)")
    parts = [re.fullmatch(r"Layer (\d+), head (\d+): (.*)", one) for one in found]
    return [(int(one[1]), int(one[2]), one[3]) for one in parts if one]


def recorded(trace: Trace) -> np.ndarray:
    return np.stack([trace[f"layers.{i}.attention.weights"].numpy() for i in range(trace.config.n_layers)])


def test_a_tapped_word_is_answered_at_once_with_the_recorded_weights_both_ways(
    page: Page, app_url: str, trace: Trace
) -> None:
    root = opened(page, app_url)
    weights, run, said = recorded(trace), asked(trace), root.locator("output.said")
    with rerun(page):
        before, after = root.evaluate(TAP, STREET - 1)
    assert before != after == fact(run, 4, 1, STREET, "from"), "all weights are in the browser"
    for position in (IT, STREET, ANIMAL, 1):
        with rerun(page):
            word(root, position).click()
        assert shares(root) == [percent(float(w), 1) for w in weights[4, 1, position, 1:-1]]
        expect(said).to_have_text(fact(run, 4, 1, position, "from"))
        parked = percent(float(weights[4, 1, position, [0, -1]].astype(np.float64).sum()), 1)
        expect(root.locator(".chip b")).to_have_text(f"{parked} parked")
    with rerun(page):
        root.get_by_role("button", name="Who looks at it").click()
    assert shares(root) == [percent(float(w), 1) for w in weights[4, 1, 1:-1, 1]]
    expect(said).to_have_text(fact(run, 4, 1, 1, "to"))
    arcs = root.locator("svg path:not(.tip)").count()
    assert arcs == sum(float(w) >= 0.02 for i, w in enumerate(weights[4, 1, 1:-1, 1]) if i != 0)


def test_heads_stand_in_the_order_of_their_answers_and_a_second_word_asks_the_pair(
    page: Page, app_url: str, trace: Trace
) -> None:
    root = opened(page, app_url)
    weights = recorded(trace)[:, :, 1:-1, 1:-1]
    with rerun(page):
        word(root, IT).click()
    root.get_by_role("button", name="All 48 heads").click()
    order = strip(root)
    best = np.delete(weights[:, :, IT - 1], IT - 1, -1).max(-1)
    found = [float(best[layer, head]) for layer, head, _ in order]
    assert len(order) == 48 and max(np.diff(np.floor(200 * np.array(found)))) <= 0
    for layer, head, text in order:
        assert text.endswith(f" {percent(float(best[layer, head]), 1)}")
    root.get_by_role("button", name="The second word").click()
    with rerun(page):
        word(root, ANIMAL).click()
    pair = weights[:, :, IT - 1, ANIMAL - 1]
    order = strip(root)
    assert [text for *_, text in order] == [percent(float(pair[layer, head]), 1) for layer, head, _ in order]
    assert pair[order[0][:2]] == pair.max() and len(order) == 48
    expect(root.locator(".heading")).to_have_text("Which heads look from “it” to “animal”? The strongest first.")
    with rerun(page):
        root.get_by_role("button", name="No second word").click()
    assert strip(root)[0][2] != order[0][2]


def test_head_word_second_and_way_are_in_the_address_and_come_back(page: Page, app_url: str, trace: Trace) -> None:
    root = opened(page, app_url)
    with rerun(page):
        word(root, STREET).click()
    with rerun(page):
        word(root, IT).click(modifiers=["Shift"])
    with rerun(page):
        root.get_by_role("button", name="Who looks at it").click()
    layer, head, _ = strip(root)[3]
    with rerun(page):
        root.locator(".heads button").nth(3).click()
    for part in ("ask_word=6", "ask_second=8", "ask_way=to", f"head={head}"):
        assert part in page.url
    said = root.locator("output.said").inner_text()
    assert said == fact(asked(trace), layer, head, STREET, "to", IT)
    before = shares(root), strip(root)
    root = opened(page, app_url, urlsplit(page.url).query)
    assert (shares(root), strip(root)) == before and root.locator("output.said").inner_text() == said


def test_from_the_opened_app_two_clicks_say_where_it_looks_and_open_the_number(
    page: Page, app_url: str, trace: Trace
) -> None:
    root = opened(page, app_url)
    asked = runs(page)
    with rerun(page):
        word(root, IT).click()  # the first click
    weight = float(trace["layers.4.attention.weights"][1, IT, ANIMAL])
    share = percent(weight, 1)
    expect(root.locator("output.said")).to_have_text(f"“it” looks most at “animal”: {share}, in layer 4, head 1.")
    with rerun(page):
        root.get_by_role("button", name=f"Open this number: “it” looks at “animal”, {share}").click()  # the second
    assert urlsplit(page.url).path == "/"
    expect(number(page)).to_contain_text(f"“it” (8) → “animal” (2) = {weight:.4g}")
    assert runs(page) - asked == 2


def test_keys_alone_ask_and_open_a_number(page: Page, app_url: str, trace: Trace) -> None:
    root = opened(page, app_url)
    word(root, 1).focus()
    for _ in range(STREET - 1):
        page.keyboard.press("ArrowRight")
    with rerun(page):
        page.keyboard.press("Enter")
    expect(word(root, STREET)).to_have_attribute("aria-pressed", "true")
    assert urlsplit(page.url).path == "/"  # the arrow keys did not walk on
    page.keyboard.press("Tab")
    with rerun(page):
        page.keyboard.press("Enter")
    weight = float(trace["layers.4.attention.weights"][1, STREET, STREET])
    expect(number(page)).to_contain_text(f"= {weight:.4g}")
    root.locator(".heads button").first.focus()
    page.keyboard.press("ArrowRight")
    layer, head, _ = strip(root)[1]
    with rerun(page):
        page.keyboard.press("Enter")
    assert f"in layer {layer}, head {head}." in root.locator("output.said").inner_text()


def test_a_phone_wraps_the_sentence_and_every_target_is_large_enough(phone: Page, app_url: str, trace: Trace) -> None:
    root = opened(phone, app_url)
    with rerun(phone):
        word(root, IT).tap()
    assert shares(root) == [percent(float(w), 1) for w in recorded(trace)[4, 1, IT, 1:-1]]
    boxes = root.locator("button").evaluate_all(
        "all => all.filter(b => b.checkVisibility()).map(b => b.getBoundingClientRect())"
        ".map(b => [b.width, b.height, b.right])"
    )
    assert len(boxes) > 30 and min(min(box[:2]) for box in boxes) >= 24 and max(box[2] for box in boxes) <= 390
    tops = root.locator(".word").evaluate_all("all => all.map(w => Math.round(w.getBoundingClientRect().top))")
    assert len(set(tops)) > 1


TWO = "second=It+was+a+purring+cat."
SEVERAL = "ask_second=2&words_only=letters&several=1"


@pytest.mark.parametrize("query", mostly_nightly([TWO, SEVERAL], [SEVERAL]))
def test_it_is_for_everybody_light_and_dark(page: Page, app_url: str, query: str) -> None:
    opened(page, app_url, query)
    main = "[data-testid=stMain]"
    assert barriers(page, main, every=True) == []
    dark(page)
    for _ in range(20):  # an open fold takes its new colours a little later
        if not (found := barriers(page, main, every=True)):
            return
    assert found == []


def kept(page: Page, button: str) -> bytes:
    if not page.get_by_role("button", name=button, exact=True).count():
        widget(page, "keep_ask").get_by_role("button").first.click()
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=True).click()
    return Path(download.value.path()).read_bytes()


def test_the_picture_is_kept_with_its_words_and_numbers(page: Page, app_url: str, trace: Trace) -> None:
    root = opened(page, app_url, f"ask_word={IT}")
    said = root.locator("output.said").inner_text()
    svg = ElementTree.fromstring(kept(page, "SVG"))
    texts = ["".join(text.itertext()) for text in svg.iter(f"{SVG}text")]
    assert [text for text in texts if text in trace.tokens] == trace.tokens[1:-1]
    assert said in texts and "49\xa0%" in texts and "L4 H1" in texts and any("Model base (sha256 " in t for t in texts)
    assert (
        len(list(svg.iter(f"{SVG}image"))) == 12
        and len(list(svg.iter(f"{SVG}path"))) == root.locator("svg path").count()
    )
    image = Image.open(io.BytesIO(kept(page, "PNG 1×"))).convert("RGB")
    assert len(image.getcolors(1 << 24) or []) > 50
    header, *rows = kept(page, "CSV of the numbers shown").decode().splitlines()
    assert header.startswith("layer,head,0 [CLS],1 the,2 animal") and len(rows) == 48
    values = np.array([[float(v) for v in row.split(",")[2:]] for row in rows], dtype=np.float32)
    np.testing.assert_array_equal(values, recorded(trace)[:, :, IT].reshape(48, -1))


def test_a_run_too_large_to_be_sent_at_once_asks_for_its_answers(page: Page, app_url: str, base: TextEncoder) -> None:
    text = "the cat and the dog " * 20
    trace = base.trace(text.strip())
    n = len(trace.tokens)
    assert n > 80
    root = opened(page, app_url, f"sentence={text.strip().replace(' ', '+')}")
    with rerun(page):
        word(root, 7).click()
    expect(root.locator("output.said")).to_have_text(fact(asked(trace), 4, 1, 7, "from"))
    assert shares(root) == [percent(float(w), 1) for w in recorded(trace)[4, 1, 7, 1:-1]]
    expect(root.locator(".legend")).to_contain_text("A cell is the largest of")
    with rerun(page):
        root.get_by_role("button", name="Who looks at it").click()
    assert shares(root) == [percent(float(w), 1) for w in recorded(trace)[4, 1, 1:-1, 7]]
