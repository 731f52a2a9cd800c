"""Pages of models with labels: their figures read off and worked out again, and nothing that speaks of guesses."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from made_once import packet
from mounted import DESK, PHONE, Mounted, overflows
from playwright.sync_api import Page, expect
from sweep import WAITING

from encoder import ClassifierConfig, Edit, EncoderConfig, TextEncoder
from encoder.edits.edit_text import text_to_edits
from encoder.metrics.answer import answers, label_names
from encoder.packet.two_models_level import level_14
from encoder.trace.trace import Trace

DINNER = "We had a delicious dinner in a cold room."
WAITER = "The waiter was rude and the soup was cold."
DRAWN = ["start", "attention", "heads", "embedding", "add_norm", "feed_forward", "output", "what_if", "compare"]
SMALL = EncoderConfig(vocab_size=16384, n_layers=3, n_heads=4, d_model=64, d_ff=128)
HEADS = {
    "tagger": ClassifierConfig(("O", "B-PER", "<b>x</b>", "O"), "token"),
    "regression": ClassifierConfig(("how good",), problem="regression", reading="mean"),
    "several": ClassifierConfig(("toxic", "kind", "long"), problem="multi_label"),
    "single": ClassifierConfig(("yes",)),
}
TEXTS = """() => {
  const all = [], walk = node => {
    if (node.nodeType === 3) {
      if (!['STYLE', 'SCRIPT'].includes(node.parentElement?.tagName)) all.push(node.textContent);
      return;
    }
    for (const name of ['title', 'aria-label']) if (node.getAttribute?.(name)) all.push(node.getAttribute(name));
    if (node.shadowRoot) walk(node.shadowRoot);
    node.childNodes.forEach(walk);
  };
  walk(document.body);
  return all.join('\\n');
}"""
ITEMS = """all => all.map(one => [
  one.querySelector('.ws-name').textContent, Number(one.dataset.share), one.querySelector('b') !== null,
])"""
LINES = "all => all.map(one => [one.dataset.guess, Number(one.dataset.after ?? one.dataset.share)])"
UNDER = "all => all.map(one => one.querySelector('small').textContent)"
PROPERTY = "(one, name) => parseFloat(one.style.getPropertyValue(name))"
HERE = "document.querySelector('.ws-words') || document.querySelector('h1').textContent.includes('only')"
MINUS = "\N{MINUS SIGN}"
Shown = Callable[..., Page]


@pytest.fixture(scope="module")
def shipped_head() -> TextEncoder:
    return TextEncoder.from_pretrained("good-or-bad")


@pytest.fixture
def shown(mounted: Mounted, shipped_head: TextEncoder) -> Shown:
    """Opens a page of a model with labels."""

    def show(name: str, encoder: TextEncoder = shipped_head, **first: Any) -> Page:
        at = {"sentence": DINNER, **first}
        ready = ".enc-finding:not(:empty), .enc-question:not(:empty)"
        return mounted(name, lambda asked: packet(encoder, asked), first=at, keys=DRAWN, more=True, ready=ready)

    return show


def trained(name: str) -> TextEncoder:
    """A small model with a head of labels, whose random weights count as trained."""
    encoder = TextEncoder.from_config(replace(SMALL, classifier=HEADS[name]), seed=3)
    with torch.no_grad():
        assert encoder.model.classifier is not None
        encoder.model.classifier.output.weight.mul_(3)
    encoder.source = replace(encoder.source, seed=None, maker="here")
    return encoder


def number(text: str | None) -> float:
    """A number as it is set in a picture."""
    return float((text or "").replace(MINUS, "-"))


def lead(trace: Trace) -> float:
    """How far the first label leads the second."""
    good, bad = trace["classifier.logits"].tolist()
    return float(good - bad)


def title(page: Page) -> str:
    return (page.get_by_role("heading", level=1).text_content() or "").replace("\u00a0", " ")


def test_the_figures_of_output_are_those_of_runs(shown: Shown, shipped_head: TextEncoder) -> None:
    page, trace = shown("output"), shipped_head.trace(DINNER)
    expect(page.get_by_role("heading", level=1)).to_contain_text("speaks for it most")
    assert title(page) == f"“good”, 81 %: “dinner” speaks for it most, with +2.0; “cold” against it, with {MINUS}1.6."
    items = page.locator(".ws-words > div").evaluate_all(ITEMS)
    names = ["[CLS]", *DINNER.rstrip(".").split(), ".", "[SEP]", "built in", "good"]
    assert [name for name, *_ in items] == names
    assert sum(share for _, share, _ in items[:-1]) == pytest.approx(items[-1][1], abs=1e-4)
    assert items[-1][1] == pytest.approx(lead(trace), abs=1e-4)
    # What hiding dinner costs, and the bars of both labels.
    assert not any(marked for *_, marked in items)
    page.get_by_text("How a label is a sum, and what hiding each word costs").click()
    page.get_by_label("what hiding each word costs").check()
    masked = lead(shipped_head.trace(DINNER.replace("dinner", "[MASK]")))
    dinner = page.locator(".ws-words > div", has_text="dinner")
    mark, up = (dinner.evaluate(PROPERTY, name) for name in ("--at", "--up"))
    assert mark / up == pytest.approx((lead(trace) - masked) / items[5][1], abs=0.01)
    shares = page.locator(".lb-bars [data-guess]").evaluate_all(LINES)
    assert dict(shares) == pytest.approx(dict(shipped_head.labels(trace) or []), abs=1e-6)  # type: ignore[arg-type]
    for layer, head in ((0, 0), (1, 5), (5, 2)):
        off = lead(shipped_head.trace(DINNER, edits=(Edit(f"layers.{layer}.attention.heads", "zero", heads=(head,)),)))
        cell = page.locator(f'.lb-below [data-head-row="{layer},{head}"]')
        assert float(cell.get_attribute("data-value") or "") == pytest.approx(lead(trace) - off, abs=1e-4)
        text = cell.text_content()
        assert (
            (text == "·")
            if abs(off - lead(trace)) < 0.05
            else number(text) == pytest.approx(lead(trace) - off, abs=0.051)
        )
    expect(page.locator(".lb-said")).to_contain_text("without 5.2: 81\u00a0% → 88\u00a0%")
    expect(page.locator(".lb-said")).to_contain_text("without 1.5: 81\u00a0% → 73\u00a0%")
    expect(page.locator(".lb-key")).to_contain_text("None turns it.")
    expect(page.locator(".ws-words em").first).to_have_text("not taught")
    expect(page.locator(".ws-told")).to_contain_text("Not taught: in none of its 200 sentences.")
    expect(page.locator(".lb-counts")).to_contain_text("good sentences: 89 of 100 right")
    # A label has one colour on the whole page, and the middle of the axis stands at the line.
    colour = "one => getComputedStyle(one.matches('b') ? one : one.querySelector('i') ?? one)"
    for name in dict(shipped_head.labels(trace) or []):
        bar, said = page.locator(f".lb-bars [data-guess='{name}'] i"), page.locator(".lb-counts span", has_text=name)
        assert bar.evaluate(f"{colour}.backgroundColor") == said.evaluate(f"{colour}.color"), name
    half, tick = (page.locator(one).bounding_box() or {} for one in (".lb-half", ".lb-axis span >> nth=1"))
    assert half["x"] == pytest.approx(tick["x"] + tick["width"] / 2, abs=3)
    # The labels are swapped, and the bars turn over.
    before = float(dinner.get_attribute("data-share") or "")
    page.locator("[data-pair=guess]").select_option("bad")
    expect(page.locator(".ws-words .is-sum .ws-name")).to_have_text("bad")
    assert float(dinner.get_attribute("data-share") or "") == pytest.approx(-before, abs=1e-6)
    assert title(page).startswith("“bad”, 19 %: “cold” speaks for it most, with +1.6")
    assert page.locator("[data-pair] option", has_text="another word").count() == 0


def test_how_the_largest_number_was_computed_is_told_with_lines_that_give_it(
    shown: Shown, shipped_head: TextEncoder, capsys: pytest.CaptureFixture[str]
) -> None:
    page, trace = shown("output", model="good-or-bad"), shipped_head.trace(DINNER)
    page.get_by_role("button", name="How the +2.0 of “dinner” was computed").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"add up to +{lead(trace):.2f}, which is the lead of this very run")
    exec(dialog.locator("pre").inner_text(), {})
    numbers = dict(line.rsplit(" ", 1) for line in capsys.readouterr().out.splitlines())
    assert f"together +{float(numbers['dinner']):.2f} for good over bad" in (dialog.text_content() or "")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_what_if_says_what_a_head_and_a_word_do_to_the_label(shown: Shown, shipped_head: TextEncoder) -> None:
    page = shown("what_if")
    expect(page.get_by_role("heading", level=1)).to_contain_text("the label is “good”")
    assert title(page).endswith("Of all heads, head 5 of layer 1 matters most: without it “good” falls to 73 %.")
    page.locator('[data-cell="1,5"]').click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Without head 5 of layer 1, “good” falls from 81")
    off = shipped_head.trace(DINNER, edits=text_to_edits("layers.1.attention.heads:zero:h=5"))
    expect(page.locator("[data-guess]:not([data-after])")).to_have_count(0)
    bars = page.locator("[data-guess]").evaluate_all(LINES)
    assert dict(bars) == pytest.approx(dict(shipped_head.labels(off) or []), abs=1e-5)  # type: ignore[arg-type]
    page.get_by_role("button", name="All on again").click()
    page.get_by_role("button", name="Hide dinner").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Without “dinner”, “good” falls from 81")
    masked = shipped_head.trace(DINNER.replace("dinner", "[MASK]"))
    bars = page.locator("[data-guess]").evaluate_all(LINES)
    assert dict(bars) == pytest.approx(dict(shipped_head.labels(masked) or []), abs=1e-5)  # type: ignore[arg-type]


def test_a_hidden_word_is_brought_back_by_itself_by_undo_and_by_all_on_again(shown: Shown) -> None:
    """Two words are hidden, held against the run of both, and each way back leads to the sentence before."""
    page = shown("what_if")
    head, hidden = page.get_by_role("heading", level=1), "We had a [MASK] [MASK] in a cold room."

    def press(name: str, sentence: str) -> None:
        page.get_by_role("button", name=name).click()
        page.wait_for_function("sentence => store.get().sentence === sentence", arg=sentence)
        expect(page.locator(".wi-sentence")).to_have_text(sentence)

    press("Hide dinner", DINNER.replace("dinner", "[MASK]"))
    press("Hide delicious", hidden)
    expect(head).to_contain_text("Without “delicious” and “dinner”, “bad” comes first, with 76")
    press("Bring back dinner", DINNER.replace("delicious", "[MASK]"))
    expect(head).to_contain_text("Without “delicious”, “good” falls from 81")
    press("Undo", hidden)
    press("All on again", DINNER)
    expect(head).to_contain_text("Everything is on")
    press("Undo", hidden)


@pytest.mark.parametrize(("name", "size"), [("shipped", DESK), ("tagger", PHONE)])
def test_nine_pages_open_and_none_speaks_of_guesses(
    shown: Shown, shipped_head: TextEncoder, name: str, size: dict[str, int]
) -> None:
    encoder = shipped_head if name == "shipped" else trained(name)
    for key in DRAWN if name == "shipped" else ("start", "heads", "output", "what_if", "compare"):
        page = shown(key, encoder, other="We had a delicious dinner in a warm room.")
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.wait_for_function(f"() => !document.querySelector('{WAITING}, [aria-busy=true]')")
        assert not overflows(page), key
        text = page.evaluate(TEXTS).replace("What the model guesses", "")  # the foot, which is shut
        assert not re.search(r"guess|NaN|undefined", text), (key, re.findall(r".*(?:guess|NaN|undefined).*", text))


def test_a_tagger_labels_each_word_and_says_why_for_the_chosen_one(shown: Shown) -> None:
    encoder = trained("tagger")
    page, trace = shown("output", encoder, word=5), encoder.trace(DINNER)
    labels: Any = encoder.labels(trace)
    under = page.locator(".word-row button").evaluate_all(UNDER)
    names = ["O", "B-PER", "<b>x</b>", "O (3)"]
    best = [names[int(trace["classifier.logits"][i].argmax())] for i in answers(encoder.config).places(trace, [])]
    assert under == best and len(labels) == len(best)
    expect(page.get_by_role("heading", level=1)).to_contain_text("“dinner” is “")
    total = float(page.locator(".ws-words .is-sum").get_attribute("data-share") or "")
    first, second = trace["classifier.logits"][5].topk(2).values.tolist()
    assert total == pytest.approx(first - second, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "headline", "below"),
    [
        ("regression", rf"“how good” is {MINUS}?[\d.]+: “.+” adds most, \+", "This head gives numbers, no shares"),
        ("several", r"“\w+”, [\d.]+ %", "Several of these labels may hold at once"),
        ("single", "“yes” is the only label of this model", "One of these labels holds"),
    ],
)
def test_other_problems_are_said_as_what_they_are(shown: Shown, name: str, headline: str, below: str) -> None:
    page = shown("output", trained(name))
    expect(page.locator(".lb-below")).to_contain_text(below)
    page.wait_for_function(HERE)
    assert re.match(headline, title(page)), title(page)
    assert page.locator(".ws-words").count() == (name != "single")
    assert ("%" in (page.locator(".lb-bars").text_content() or "")) == (name != "regression")


def test_a_regression_says_its_number_and_what_it_becomes(shown: Shown) -> None:
    encoder = trained("regression")

    def value(trace: Trace) -> str:
        return f"{float(trace['classifier.logits']):.3g}".replace("-", MINUS)

    now = value(encoder.trace(DINNER))
    page = shown("start", encoder)
    assert title(page).startswith(f"“how good” is {now}. What does “")
    page = shown("what_if", encoder)
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"“how good” is {now}. Everything is on.")
    page.locator('[data-cell="1,2"]').click()
    off = value(encoder.trace(DINNER, edits=text_to_edits("layers.1.attention.heads:zero:h=2")))
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"“how good” goes from {now} to {off}.")


def test_start_says_which_label_comes_first_without_a_head_and_which_word_the_arcs_are_of(
    shown: Shown, shipped_head: TextEncoder
) -> None:
    text = "The plot was dull, but the actors were so good that I'd watch it again."
    page = shown("start", sentence=text)
    off = shipped_head.trace(text, edits=text_to_edits("layers.5.attention.heads:zero:h=5"))
    shares = off["classifier.probabilities"].flatten().tolist()
    labels = label_names(shipped_head)
    bad, good = (f"{100 * shares[labels.index(name)]:.0f}" for name in ("bad", "good"))
    said = page.locator("[data-claim]")
    expect(said).to_contain_text(
        re.compile(f"Without it, “bad” comes first, with {bad}\\s%: “good” goes from 55\\s% to {good}\\s%")
    )
    expect(page.locator(".enc-stage")).to_contain_text(
        "The label is of all words; arcs: where this head looks from “it”."
    )


def test_a_head_that_was_never_taught_says_so(shown: Shown) -> None:
    page = shown("output", TextEncoder.from_config(replace(SMALL, classifier=HEADS["several"]), seed=3))
    expect(page.get_by_role("heading", level=1)).to_contain_text("This head was not taught")
    expect(page.locator(".lb-below")).to_contain_text("The weights of this head are random")


WRITTEN, HORRIBLE = "layers.{}.attention.heads", DINNER.replace("delicious", "horrible")
BOARD = "all => all.map(one => [one.dataset.headRow, Number(one.dataset.value)])"
ARROWS = "all => all.map(one => [one.dataset.edge, Number(one.dataset.share)])"


def patched(encoder: TextEncoder, a: Trace, b: Trace, heads: list[tuple[int, int]], reads: range) -> Trace:
    """A with what heads write where the label is read taken from B, one edit a head."""
    edits = [Edit(WRITTEN.format(layer), "patch", (head,), tuple(reads), b) for layer, head in heads]
    return encoder.trace(a.inputs, edits=edits)


def test_the_figures_of_compare_are_those_of_runs_patched_by_hand(shown: Shown, shipped_head: TextEncoder) -> None:
    page, a, b = shown("compare", other=HORRIBLE), shipped_head.trace(DINNER), shipped_head.trace(HORRIBLE)
    expect(page.locator(".cc-name").first).to_be_visible()
    flip, words = lead(a) - lead(b), range(1, 10)  # a label is read from the words, without [CLS], "." and [SEP]

    def share(run: Trace) -> float:
        return (lead(a) - lead(run)) / flip

    every = {(layer, head) for layer in range(6) for head in range(8)}
    words = range(1, len(a.tokens) - 1)
    for place, value in page.locator(".cc-board [data-head-row]").evaluate_all(BOARD):
        layer, head = map(int, place.split(","))
        assert value == pytest.approx(share(patched(shipped_head, a, b, [(layer, head)], words)), abs=2e-4)
        every.remove((layer, head))
    assert not every
    few = page.locator(".cc-board button.is-set").evaluate_all("all => all.map(one => one.dataset.headRow)")
    heads = [(int(layer), int(head)) for layer, head in (place.split(",") for place in few)]
    together = share(patched(shipped_head, a, b, heads, words))
    change = f"the best 4 together carry {round(100 * together)} % of the change in score."
    assert title(page) == f"It takes many heads to turn good towards bad: {change}"
    all_heads = share(patched(shipped_head, a, b, [(i, j) for i in range(6) for j in range(8)], words))
    own = (page.locator(".cc-itself").text_content() or "").replace("\u00a0", " ")
    carried = round(100 * all_heads)
    assert own == f"All 48 heads: {carried} %; the other {100 - carried} % comes along the word\u2019s own path."
    arrows = page.locator(".cc-name").evaluate_all(ARROWS)
    assert 1 <= len(arrows) <= 6
    for spelled, value in arrows:
        layer, number_of, source, target = map(int, re.split(r"[.:-]", spelled))
        reads = words if target == len(a.tokens) else [target]
        others = tuple(i for i in range(len(a.tokens)) if i not in reads)
        edits = [Edit(f"layers.{layer}.attention.v", "patch", (number_of,), (source,), b)]
        edits += [Edit(WRITTEN.format(layer), "patch", (number_of,), others, a)] if others else []
        assert value == pytest.approx(share(shipped_head.trace(DINNER, edits=edits)), abs=2e-4)
    page.locator(".cc-name").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("from “delicious”: good goes from 81")


def test_b_is_filled_by_a_change_that_turns_the_label(shown: Shown, shipped_head: TextEncoder) -> None:
    page = shown("compare")
    expect(page.locator(".cc-guess")).to_be_visible()
    other = str(page.evaluate("store.get().other"))
    differ = [(one, two) for one, two in zip(DINNER.split(), other.split(), strict=True) if one != two]
    before, after = (shipped_head.labels(shipped_head.trace(text))[0][0] for text in (DINNER, other))  # type: ignore[index]
    assert len(differ) == 1 and (before, after) == ("good", "bad")


def test_a_label_that_many_heads_turn_has_its_sentence_and_a_bar_that_adds_up(shown: Shown) -> None:
    page = shown("compare", sentence=WAITER, other=WAITER.replace("cold", "warm"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("B still says bad, but less surely: 90")
    together = re.search(r"The best 4 heads carry (\d+) %", title(page))
    assert together and int(together[1]) < 50
    expect(page.locator(".cc-words")).to_contain_text("waiter")
    expect(page.locator(".cc-name").first).to_be_visible()
    parts = page.locator(".cc-whole li").evaluate_all("all => all.map(one => Number(one.dataset.share))")
    assert sum(parts) == pytest.approx(1, abs=1e-3)
    assert sum(parts[:-1]) == pytest.approx(int(together[1]) / 100, abs=0.006)
    # Of the board of heads no two numbers share a colour, and both ends are said.
    cells = page.locator(".cc-board [data-head-row]")
    expect(cells.first).to_be_visible()
    told = cells.evaluate_all("all => all.map(one => [one.innerText, getComputedStyle(one).backgroundColor])")
    colours = {number: colour for number, colour in told if number}
    assert min(map(number, colours)) < 0 and len(set(colours.values())) == len(colours)
    ends = page.locator(".cc-scale > span").all_inner_texts()[:2]
    assert number(ends[0].split("\u00a0")[0]) == -number(ends[1].split("\u00a0")[0])
    heard = " ".join(cells.evaluate_all("all => all.map(one => one.getAttribute('aria-label'))"))
    assert "almost nothing" in heard and not re.search("over|under", heard)


def test_a_tagger_compares_the_label_of_the_chosen_word(shown: Shown) -> None:
    encoder = trained("tagger")
    page, a, b = shown("compare", encoder, word=5, other=HORRIBLE), encoder.trace(DINNER), encoder.trace(HORRIBLE)
    expect(page.locator(".cc-guess")).to_be_visible()
    expect(page.get_by_role("heading", name="The label of “dinner”")).to_be_visible()
    for i, run in ((0, a), (-1, b)):
        bars = page.locator(".cc-guess .cc-bars")
        shares = bars.nth(i if i == 0 else bars.count() - 1).locator("li").evaluate_all(LINES)
        first = max(shares, key=lambda one: one[1])
        assert first[1] == pytest.approx(float(run["classifier.logits"][5].softmax(-1).max()), abs=1e-4)
    page.get_by_role("group", name="Whose label").get_by_role("button", name="cold").click()
    expect(page.get_by_role("heading", name="The label of “cold”")).to_be_visible()


@pytest.mark.parametrize(
    ("name", "says"),
    [("regression", "gives numbers, not labels"), ("several", "may hold at once"), ("single", "has one label only")],
)
def test_what_has_no_labels_to_compare_says_so(shown: Shown, name: str, says: str) -> None:
    page = shown("compare", trained(name), other=HORRIBLE)
    expect(page.get_by_role("heading", level=1)).to_contain_text(says)
    expect(page.locator(".cp-heads")).to_be_visible()
    assert page.locator(".cc-board, .cc-bars").count() == 0


def fine_tuned(base: TextEncoder) -> TextEncoder:
    """A model whose weights are another's but for those of its last layer's attention, which are others."""
    torch.manual_seed(1)
    encoder = TextEncoder.from_config(base.config, seed=3, tokenizer=base.tokenizer)
    encoder.model.load_state_dict(base.model.state_dict())
    with torch.no_grad():
        encoder.model.layers[2].attention.w_o.weight.add_(torch.randn(64, 64))
    return encoder


@pytest.mark.parametrize("alike", [False, True])
def test_two_models_are_said_to_part_where_they_do(mounted: Mounted, alike: bool) -> None:
    base = trained("tagger")
    other = base if alike else fine_tuned(base)
    models = {"mine": other, "old": base}

    def make(asked: dict[str, Any]) -> bytes:
        if asked["level"] == 14:
            return level_14(*(models[name].trace(asked["sentence"]) for name in (asked["model"], asked["other"])))
        return packet(models[asked["model"]], asked)

    at = {"sentence": DINNER, "other": HORRIBLE, "model": "mine", "other_model": "old"}
    page = mounted("compare", make, first=at, keys=DRAWN, models=("mine", "old"))
    section = page.get_by_role("region", name="Two models")
    if alike:
        expect(section.locator(".tm-said")).to_contain_text("mine and old do not part")
        return
    expect(section.locator(".tm-said")).to_contain_text("mine and old part in layer 2")
    ours, theirs = other.trace(DINNER), base.trace(DINNER)
    steps = ["embedding.output", *(f"layers.{layer}.output" for layer in range(3))]
    apart = section.locator("[data-share]").evaluate_all("all => all.map(one => Number(one.dataset.share))")
    for step, value in zip(steps, apart, strict=True):
        moved = (theirs[step] - ours[step]).norm(dim=-1) / ours[step].norm(dim=-1)
        assert value == pytest.approx(float(moved.mean()), abs=1e-5), step
    cosine = torch.nn.functional.cosine_similarity(ours["output"], theirs["output"], dim=-1)
    assert f"the cosine of their vectors is {float(cosine.mean()):.2f}".replace("-", MINUS) in (
        section.locator(".tm-said").text_content() or ""
    )
    expect(section).to_contain_text("The heads of mine were not examined yet.")
