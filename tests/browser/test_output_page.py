"""The Output page that is drawn in the browser: what would be said after each layer, by pointer and by keys alone."""

import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from browser_tools import barriers
from made_once import level_1, level_10
from mounted import DESK, PHONE, Mounted, overflows, seen
from playwright.sync_api import Locator, Page, expect

from encoder import PRESETS, TextEncoder
from encoder.experiments.attributions.contributions import BIAS, logit_attribution, logits_by_part
from encoder.experiments.attributions.gradients import knock_out_tokens
from encoder.experiments.attributions.target import Target, spearman
from encoder.experiments.attributions.word_sums import sum_over_words
from encoder.metrics import lens_words, logit_lens, race, stream
from encoder.model.steps.glossary import TERMS
from encoder.packet.after_layers import WORDS, level_5
from encoder.trace.trace import Trace

GAP_SENTENCE, CAT = "The keys to the cabinet [MASK] on the table.", "The cat chased the mouse."
MASKED_CAT = "The [MASK] chased the mouse."
LAYERS, GAP, ROWS = 6, 6, 5
NAMED = "({ level, sentence }) => `${level} ${sentence}`"
PARTS = """all => all.map(li => {
  const boxes = ['i', '.ws-name', 'b', '.ws-lost'].map(one => li.querySelector(one)?.getBoundingClientRect());
  const [bar, name, mark, lost = name] = boxes;
  const up = bar.bottom <= name.top + 1, at = mark && mark.bottom <= name.top + 2 ? name.top - mark.bottom : null;
  const text = li.querySelector('.ws-said').textContent.replace('\u2212', '-');
  const marked = mark ? at ?? lost.bottom - mark.top : null;
  return [li.querySelector('.ws-name').textContent, [Number(text), up ? bar.height : -bar.height, marked]];
})"""
LOST = "all => all.map(one => one.querySelector('.ws-lost')?.textContent ?? '')"
Opened = Callable[..., Page]


def show_costs(page: Page) -> None:
    """Opens the details under the sum and shows what hiding each word costs."""
    page.get_by_text("How a guess is a sum, and what hiding each word costs").click()
    page.get_by_label("what hiding each word costs").check()


def packed(encoder: TextEncoder, sentence: str) -> dict[str, bytes]:
    trace = encoder.trace(sentence)
    found = {f"1 {sentence}": level_1(encoder, trace, off=False), f"5 {sentence}": level_5(encoder, trace)}
    if encoder.model.mlm_head is not None:
        at = trace.tokens.index("[MASK]") if "[MASK]" in trace.tokens else 2
        found[f"10 {sentence}"] = level_10(encoder, trace, "mlm.logits", (at,))
    return found


@pytest.fixture(scope="module")
def packets(base: TextEncoder) -> dict[str, bytes]:
    made = [packed(base, sentence) for sentence in (GAP_SENTENCE, CAT, MASKED_CAT)]
    return {name: packet for each in made for name, packet in each.items()}


@pytest.fixture
def opened(mounted: Mounted, packets: dict[str, bytes]) -> Opened:
    """Opens the page with a state."""

    def show(runs: dict[str, bytes] | None = None, **options: Any) -> Page:
        waits = {name: options.pop(name, ()) for name in ("held", "lost")}
        waits["apart"] = options.pop("apart", False)
        at = {"sentence": GAP_SENTENCE, **options}
        return mounted("output", runs or packets, first=at, named=NAMED, **waits)

    return show


def cell(page: Page, column: int, row: int) -> Locator:
    return page.locator(f'[data-cell="{column},{row}"]')


def share(text: str | None) -> float:
    """A share as the page writes it where there is little room."""
    found = re.fullmatch(r"([<>]?)(\d+)\u00a0%", text or "")
    assert found, text
    return int(found[2]) / 100


def close(text: str | None, true: float) -> bool:
    if text and text[0] in "<>":
        return true < 0.01 if text[0] == "<" else true > 0.99
    return abs(share(text) - true) <= 0.00501


def shown_layer(page: Page) -> Locator:
    """The head of the column that is told of."""
    return page.locator(".ou-head.is-kept")


def title(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def finding(page: Page) -> Locator:
    """What is said of the pair of words."""
    return page.locator(".ou-lead")


def test_every_cell_and_bar_says_the_words_and_shares_of_the_lens(opened: Opened, base: TextEncoder) -> None:
    page = opened()
    trace = base.trace(GAP_SENTENCE)
    lens = logit_lens(base, trace, [GAP])
    true = lens_words(base, lens, WORDS)
    expect(title(page)).to_have_text(
        "“are” wins at the gap with 85\u00a0%, first from layer 4 on: after layer 3 “is” led with 84\u00a0%."
    )
    assert true[4][0][0] == ("is", pytest.approx(0.84, abs=5e-3))
    expect(finding(page)).to_have_text("“are” is 377 times as likely as “is”; “keys” speaks for it most.")
    assert true[-1][0][0] == ("are", pytest.approx(0.853, abs=5e-4))
    firsts = [layer[0][0][0] for layer in true]
    assert firsts[4] != "are" and firsts[5:] == ["are", "are"]
    for column in range(LAYERS + 1):
        for row, (word, p) in enumerate(true[column][0][:ROWS]):
            expect(cell(page, column, row).locator("bdi")).to_have_text(word.replace("##", "…"))
            assert close(cell(page, column, row).locator("small").text_content(), p), (column, row)
        cell(page, column, -1).click()
        expect(shown_layer(page)).to_have_text(f"layer {column - 1}" if column else "input")
        if column < LAYERS:
            expect(title(page)).to_contain_text(f"After layer {column - 1}" if column else "At the input")


def test_a_pointer_over_the_table_changes_nothing_until_it_presses(opened: Opened) -> None:
    page = opened()
    expect(page.locator(".ws-words")).to_be_visible()
    page.evaluate("() => document.fonts.ready")
    before = page.locator(".ou").inner_text()
    for column in range(LAYERS + 1):
        for row in (-1, 0, ROWS):
            cell(page, column, row).hover()
            assert page.locator(".ou").inner_text() == before, (column, row)
    cell(page, 2, -1).click()
    expect(page.locator(".ws")).to_contain_text("After layer 1, read as if it were the last layer")


def test_a_chosen_word_is_followed_through_all_layers(opened: Opened, base: TextEncoder) -> None:
    page = opened()
    lens = logit_lens(base, base.trace(GAP_SENTENCE), [GAP])[:, 0]
    for word, chosen in (("are", None), ("is", (4, 0))):
        if chosen:
            cell(page, *chosen).click()
        token = base.tokenizer.token_to_id(word)
        places = (lens > lens[:, token, None]).sum(-1) + 1
        expect(page.locator(".ou-row-name").nth(ROWS)).to_have_text(f"rank of {word}")
        for column, place in enumerate(places.tolist()):
            expect(cell(page, column, ROWS).locator("bdi")).to_have_text(f"{place:,}")
            assert close(cell(page, column, ROWS).locator("small").text_content(), float(lens[column, token].exp()))
            row = place - 1 if place <= ROWS else ROWS
            expect(page.locator(f".ou-cell.is-followed[data-column='{column}']")).to_have_attribute(
                "data-cell", f"{column},{row}"
            )
    expect(shown_layer(page)).to_have_text("layer 3")
    place = int(race(lens, 1)[1][4, 0])
    cell(page, 4, place - 1).click()
    expect(title(page)).to_contain_text(f"After layer 3, “are” ranks number {place} of 16,384 words")
    page.mouse.move(5, 5)
    expect(page.get_by_role("status").last).to_contain_text("After layer 3, “are”")


def test_a_link_shows_the_chosen_layer_and_the_word_that_is_followed(opened: Opened) -> None:
    page = opened()
    cell(page, 4, 0).click()
    told = page.evaluate("window.store.query()")
    assert told["after"] == "3" and told["guess"] == "is"
    other = opened(apart=True, **{name: told[name] for name in ("sentence", "after", "guess")})
    for one in (page, other):
        expect(shown_layer(one)).to_have_text("layer 3")
        expect(one.locator(".ou-row-name").nth(ROWS)).to_have_text("rank of is")
        expect(title(one)).to_contain_text("After layer 3, “is” ranks number 1 ")
    cell(other, 0, -1).click()
    assert other.evaluate("window.store.get().after") == "input"
    cell(other, LAYERS, -1).click()
    assert "after" not in other.evaluate("window.store.query()")
    # Another word is asked: what was followed there is no word here, the layer stays.
    page.locator("[data-word='5']").click()
    page.mouse.move(5, 5)
    expect(shown_layer(page)).to_have_text("layer 3")
    assert "guess" not in page.evaluate("window.store.query()")
    # What no page writes is the usual choice.
    page = opened(after="nine", guess="no such word")
    expect(shown_layer(page)).to_have_text("layer 5")
    expect(page.locator(".ou-row-name").nth(ROWS)).to_have_text("rank of are")


def test_a_word_that_is_read_is_said_to_be_and_one_button_masks_it(opened: Opened, base: TextEncoder) -> None:
    page = opened(sentence=CAT, word=2)
    expect(title(page)).to_contain_text("The model reads “cat” here and says it again, with")
    button = page.get_by_role("button", name="Hide it")
    button.click()
    expect(title(page)).to_contain_text("at the gap")
    assert page.evaluate("window.store.get().sentence") == MASKED_CAT and page.evaluate("window.store.get().word") == 2
    (best, p), *_ = lens_words(base, logit_lens(base, base.trace(MASKED_CAT), [2]), 1)[-1][0]
    weak = "leads at the gap with only" if p < 0.2 else "wins at the gap with"
    expect(title(page)).to_contain_text(f"“{best}” {weak} {100 * p:.2g}\u00a0%")
    expect(button).to_be_hidden()
    # Other words are asked by tapping them.
    page.locator("[data-word='5']").click()
    expect(title(page)).to_contain_text("The model reads “mouse” here")
    expect(button).to_be_visible()


def test_before_the_words_come_the_guess_is_there_and_a_cut_line_is_said(opened: Opened) -> None:
    page = opened(held=[f"5 {GAP_SENTENCE}"])
    expect(title(page)).to_have_text("The model's first guess is “are”: 85\u00a0%.")
    expect(page.locator(".ou-waiting")).to_be_visible()
    page.wait_for_function("Object.keys(window.waiting).length")
    page.evaluate("Object.keys(window.waiting).forEach(window.free)")
    expect(title(page)).to_contain_text("first from layer 4 on")
    page = opened(lost=[f"5 {GAP_SENTENCE}"])
    expect(page.locator(".ou-trouble")).to_contain_text("The line is cut: try again.")
    page.evaluate("window.lost.clear()")
    page.locator(".ou-trouble button").click()
    expect(title(page)).to_contain_text("first from layer 4 on")


def test_by_keys_alone_nothing_is_asked_for_a_choice(opened: Opened) -> None:
    page = opened()
    expect(cell(page, LAYERS, 0)).to_be_visible()
    cell(page, LAYERS, 0).focus()
    page.keyboard.press("ArrowLeft")
    expect(cell(page, LAYERS - 1, 0)).to_be_focused()
    expect(shown_layer(page)).to_have_text("layer 4")
    for key in ("ArrowLeft", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    expect(cell(page, LAYERS - 2, -1)).to_be_focused()
    page.keyboard.press("Home")
    expect(shown_layer(page)).to_have_text("input")
    words = page.get_by_role("toolbar").get_by_role("button")
    words.filter(has_text="[MASK]").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(title(page)).to_contain_text("At the input, “cabinet” ranks number 1 ")
    asked = "window.asked.map(one => one.split(' ')[0])"
    assert page.evaluate(asked) == ["1", "5", "10"]
    for column in range(LAYERS + 1):  # all that can be chosen is here
        cell(page, column, 0).click()
        expect(shown_layer(page)).to_have_text(f"layer {column - 1}" if column else "input")
    assert page.evaluate(asked) == ["1", "5", "10"]


def test_a_model_that_guesses_no_words_shows_how_its_vectors_come_to_their_end(opened: Opened) -> None:
    encoder = TextEncoder.from_config(PRESETS["paper"])
    page = opened(packed(encoder, CAT), sentence=CAT, word=2)
    vectors = stream(encoder.trace(CAT))
    unit = vectors / vectors.norm(dim=-1, keepdim=True)
    cosine = (unit * unit[-1:]).sum(-1)
    most = int(cosine[:, 2].diff().abs().argmax())
    expect(title(page)).to_contain_text(f"The vector of “cat” turns most in layer {most}")
    expect(page.locator(".ou-about")).to_have_text("This model has no head that guesses words.")
    expect(page.get_by_role("button", name="Hide it")).to_be_hidden()
    for column in range(LAYERS + 1):
        for row in range(len(vectors[0])):
            shown = float(cell(page, column, row).inner_text().replace("\u2212", "-"))
            assert shown == pytest.approx(float(cosine[column, row]), abs=0.006)
    cell(page, 3, 5).click()
    expect(title(page)).to_contain_text("The vector of “mouse” turns")
    assert page.evaluate("window.store.get().word") == 5
    assert barriers(page, every=True) == []


def test_a_long_sentence_says_what_is_left_out_and_that_it_is_not_added_up(opened: Opened, base: TextEncoder) -> None:
    long = "The cat saw the dog and the mouse. " * 8 + "The cat [MASK]."
    trace = base.trace(long)
    n, gap = len(trace.tokens), trace.tokens.index("[MASK]")
    most = 2 * 48 * n * 9
    runs = {
        f"1 {long}": level_1(base, trace, off=False, around=gap, most_bytes=most),
        f"5 {long}": level_5(base, trace, most),
    }
    page = opened(runs, sentence=long)
    expect(title(page)).to_contain_text("at the gap")
    expect(page.locator(".ou-sum")).to_have_text(
        f"Which words speak for the guess is shown for up to 64 tokens; this sentence has {n}."
    )
    assert page.evaluate("window.asked.map(one => one.split(' ')[0])") == ["1", "5"]
    expect(page.locator(".ou-part")).to_have_text(
        f"The sentence is long: tokens {n - 9} to {n - 1} of {n} can be asked."
    )
    expect(page.locator("[data-word='2']")).to_have_attribute("aria-disabled", "true")
    page.locator("[data-word='2']").dispatch_event("click")
    expect(title(page)).to_contain_text("at the gap")


def test_all_layers_are_seen_on_a_desk_and_the_chosen_one_whole_on_a_phone(opened: Opened) -> None:
    page = opened()
    bars, grid = page.locator(".ws-words").bounding_box(), page.locator(".ou-scroll").bounding_box()
    assert bars and grid
    assert grid["y"] + grid["height"] < bars["y"] and grid["y"] + grid["height"] < DESK["height"]
    assert bars["x"] >= 0 and bars["x"] + bars["width"] <= DESK["width"]
    # The layers stand below the headline, and the sum with its own below them.
    page.set_viewport_size({"width": 1366, "height": 768})
    parts_ = ("h1", ".ou-grid", ".ou-lead", ".ws-words")
    tops = [(page.locator(one).bounding_box() or {"y": -1})["y"] for one in parts_]
    assert tops == sorted(tops)
    expect(page.locator(".ou-grid")).to_be_in_viewport(ratio=1)
    size = "one => parseFloat(getComputedStyle(one).fontSize)"
    assert page.locator("h1").evaluate(size) > page.locator(".ou-lead").evaluate(size)
    seen(page, PHONE, "dark")
    assert not overflows(page)
    for column in (3, LAYERS, 0, 5):
        cell(page, column, 0).dispatch_event("click")
        names, head = page.locator(".ou-row-name").first.bounding_box(), cell(page, column, -1).bounding_box()
        assert names and head and names["x"] + names["width"] - 1 <= head["x"]
        assert head["x"] + head["width"] <= PHONE["width"], column
    assert barriers(page, every=True) == []


def straight_from_biases(base: TextEncoder, trace: Trace, words: tuple[int, int]) -> float:
    """What biases outside heads and feed-forwards add to the lead, as it is written."""
    one, other = logits_by_part(base, trace, GAP, words)
    return round(float(one.of(BIAS)) - float(other.of(BIAS)), 2)


def parts(page: Page) -> dict[str, tuple[float, float, float | None]]:
    """By name what each bar of the sum says, its height, below zero where it hangs, and that of its mark."""
    page.wait_for_function("!document.querySelector('.ws-words').getAnimations({ subtree: true }).length")
    return dict(page.locator(".ws-words > div").evaluate_all(PARTS))


def test_the_guess_is_the_sum_of_its_words_after_every_layer_and_of_every_pair(
    opened: Opened, base: TextEncoder
) -> None:
    page = opened()
    trace = base.trace(GAP_SENTENCE)
    are, is_ = (base.tokenizer.token_to_id(word) for word in ("are", "is"))
    found = sum_over_words(base, trace, GAP, (are, is_))
    section = page.get_by_role("region", name="The guess as a sum of its words")
    expect(section).to_be_visible()
    assert all(mark is None for *_, mark in parts(page).values())  # one measure at a time
    expect(page.locator(".ws-hide")).to_be_hidden()  # the sum is the one answer
    show_costs(page)
    contrary = page.locator(".ws-words > div:has(b)").evaluate_all(
        "all => all.filter(one => one.dataset.share * parseFloat(one.style.getPropertyValue('--at')) < 0).length"
    )
    expect(page.locator(".ws-contrary")).to_contain_text("so line and bar can differ")
    assert ("as at “" in page.locator(".ws-contrary").inner_text()) == (contrary > 0)
    lines = page.locator(".ws-words > div").evaluate_all(PARTS)
    names = ["[CLS]", "The", "keys", "to", "the", "cabinet", "[MASK]", "on", "the", "table", ".", "[SEP]", "built in"]
    assert [name for name, _ in lines] == [*names, "are"]
    total = float(trace["mlm.logits"][GAP, are] - trace["mlm.logits"][GAP, is_])
    lead = [*found.lead().tolist()[:-1], total]
    lost = knock_out_tokens(base, trace, Target(GAP, are, is_)).shares
    own = [i for i in range(1, len(trace.tokens) - 1) if i != GAP]
    per_nat = lines[2][1][1] / lead[2]
    says = [round(100 * value) for _, (value, *_) in lines]
    assert sum(says[:-1]) == says[-1]  # as they are written
    for i, ((name, (value, height, mark)), true) in enumerate(zip(lines, lead, strict=True)):
        assert value == pytest.approx(true, abs=0.0101 if i < len(lines) - 1 else 0.0051), name
        assert height == pytest.approx(per_nat * true, abs=1.1), name
        assert mark is None if i not in own else mark == pytest.approx(per_nat * float(lost[i]), abs=3.1), name
    for i, written in enumerate(page.locator(".ws-words > div").evaluate_all(LOST)):
        does = "costs" if i in own and lost[i] > 0 else "gains"
        assert written == (f"{does} {abs(float(lost[i])):.2f}" if i in own else ""), lines[i]
    alike = spearman(found.lead()[:-2][own], lost[own])
    expect(section).to_contain_text(f"orders that agree to {alike:.2f}: 1 is the same order, 0 none.")
    words, built, straight = sum(says[:-2]) / 100, says[-2] / 100, straight_from_biases(base, trace, (are, is_))
    told = (
        f"all words {words:+.2f}, built in {built:+.2f}, together {total:+.2f}. Built in is what comes from biases: "
        f"straight to the score {straight:+.2f}, through heads and feed-forwards, as this sentence opens them, "
        f"{built - straight:+.2f}."
    )
    expect(section).to_contain_text(told.replace("-", "\u2212").replace("feed\u2212f", "feed-f"))
    expect(section).to_contain_text("377 to 1")
    asked = page.evaluate("window.asked.length")
    for column in (0, 3):
        cell(page, column, -1).click()
        where = "At the input" if not column else f"After layer {column - 1}"
        expect(section).to_contain_text(f"{where}, read as if it were the last layer: a reading, not a belief.")
        at_layer = parts(page)
        assert at_layer["are"][0] == pytest.approx(
            float((found.read[column, 0] - found.read[column, 1]).sum()), abs=0.0051
        )
        assert all(mark is None for *_, mark in at_layer.values())  # what is really lost is of the end
    cell(page, LAYERS, -1).click()
    page.get_by_role("combobox", name="The word that it is held against").select_option("were")
    expect(finding(page)).to_contain_text("times as likely as “were”")
    page.mouse.move(5, 5)
    were = base.tokenizer.token_to_id("were")
    true = float(trace["mlm.logits"][GAP, are] - trace["mlm.logits"][GAP, were])
    assert parts(page)["are"][0] == pytest.approx(true, abs=0.0051)
    cell(page, LAYERS, 1).click()  # the other way round
    expect(title(page)).to_have_text("“were” ranks number 2 at the gap, with 13\u00a0%.")
    expect(finding(page)).to_contain_text(f"“were” is {math.exp(true):.1f} times less likely than “are”; “")
    assert page.evaluate("window.asked.length") == asked  # nothing was sent for any of them
    assert barriers(page) == []


def test_a_term_says_what_it_means_where_it_is_pointed_at_focused_or_tapped(opened: Opened) -> None:
    page = opened()
    tip, terms = page.get_by_role("tooltip"), page.locator(".ou-how .enc-term")
    means = {word: term.meaning for term in TERMS for word in term.words}
    assert [word.lower() for word in terms.all_inner_texts()] == ["vector", "layer", "logit"]
    for act in ("hover", "focus", "click"):
        for i, word in enumerate(("vector", "logit")):
            term = terms.nth(2 * i)
            getattr(term, act)()
            expect(tip).to_have_text(means[word])
            box = tip.bounding_box()
            assert box and box["x"] >= 0 and box["x"] + box["width"] <= DESK["width"]
        page.keyboard.press("Escape") if act == "focus" else page.mouse.move(5, 5)
        if act != "click":
            expect(tip).to_be_hidden()
        terms.first.evaluate("() => document.activeElement.blur()")
    terms.first.focus()
    assert barriers(page) == []


def test_a_typed_word_is_asked_for_followed_and_held_against_the_guess(mounted: Mounted, base: TextEncoder) -> None:
    trace = base.trace(GAP_SENTENCE)
    runs = packed(base, GAP_SENTENCE)
    runs[f"10 {GAP_SENTENCE} purple,"] = level_10(base, trace, "mlm.logits", (GAP,), ("purple", ""))
    named = "({ level, sentence, words }) => `${level} ${sentence}${words ? ` ${words}` : ''}`"
    page = mounted("output", runs, first={"sentence": GAP_SENTENCE}, named=named)
    word = page.get_by_role("combobox", name="The word", exact=True)
    word.select_option("another word …")
    page.get_by_role("textbox", name="The word: a word of the vocabulary").fill(" purple ")
    page.keyboard.press("Enter")
    purple, are = (base.tokenizer.token_to_id(one) for one in ("purple", "are"))
    true = float(trace["mlm.logits"][GAP, purple] - trace["mlm.logits"][GAP, are])
    expect(finding(page)).to_contain_text(
        f"{float(f'{math.exp(-true):.2g}'):,.0f} times less likely than “are”; “table” speaks against it most."
    )
    assert parts(page)["purple"][0] == pytest.approx(true, abs=0.0051)
    rank = int((trace["mlm.logits"][GAP] > trace["mlm.logits"][GAP, purple]).sum()) + 1
    expect(cell(page, LAYERS, ROWS).locator("bdi")).to_have_text(f"{rank:,}")
    assert page.evaluate("window.store.query().guess") == "purple"


def test_the_lead_is_a_sum_over_the_parts_of_the_model_too(opened: Opened, base: TextEncoder) -> None:
    page = opened()
    trace = base.trace(GAP_SENTENCE)
    are, is_ = (base.tokenizer.token_to_id(word) for word in ("are", "is"))
    true = logit_attribution(base, trace, Target(GAP, are, is_))
    summary = page.get_by_text("What each part adds: ")
    expect(summary).to_contain_text(f"head 6 of layer 5 +{float(true.grid(base.config)[5, 6]):.2f}, the feed-forward")
    summary.click()
    board = page.get_by_role("region", name="The guess as a sum of the model's parts")
    values = board.locator("[data-head-row]").evaluate_all(
        "all => all.map(one => [one.dataset.headRow, +one.dataset.value])"
    )
    grid = true.grid(base.config)
    assert len(values) == grid.numel()
    for place, value in values:
        layer, column = map(int, place.split(","))
        assert value == pytest.approx(float(grid[layer, column]), abs=1e-4), place
    biases = f"{true.of(BIAS):.2f}".replace("-", "\u2212")
    expect(board).to_contain_text(f"the biases outside heads and feed-forwards {biases}")
    expect(board.locator("[data-head-row='5,6']")).to_have_text(f"+{float(grid[5, 6]):.1f}")
    board.locator("[data-head-row='5,6']").click()
    assert page.evaluate("[window.store.get().layer, window.store.get().head]") == [5, 6]


def test_of_a_word_that_is_there_to_be_read_the_sum_is_made_when_it_is_asked_for(opened: Opened) -> None:
    page = opened(sentence=CAT, word=2)
    button = page.get_by_role("button", name="Which words speak for this?")
    expect(button).to_be_visible()
    assert "10" not in page.evaluate("window.asked.map(one => one.split(' ')[0])")
    button.click()
    expect(page.locator(".ws")).to_contain_text("its own part is large")
    values = {name: value for name, (value, *_) in parts(page).items()}
    first = page.locator(".ws-words .is-sum .ws-name").inner_text()
    assert max((value, i) for i, value in enumerate([*values.values()][:-1]))[1] == [*values].index("cat"), first


def test_of_a_long_sentence_the_words_that_add_most_stand_there_and_the_others_together(
    opened: Opened, base: TextEncoder
) -> None:
    text = "The keys to the old cabinet that the teachers near the river bought [MASK] on the table in the small room."
    trace = base.trace(text)
    at = trace.tokens.index("[MASK]")
    runs = packed(base, text)
    page = opened(runs, sentence=text)
    expect(page.locator(".ws-words > div")).to_have_count(12 + 3)
    left = page.locator(".ws-words .ws-name", has_text=" other words").inner_text()
    assert int(left.split()[0]) == len(trace.tokens) - 12
    numbers = page.locator(".ws-said").all_inner_texts()
    were, was = (base.tokenizer.token_to_id(word) for word in ("were", "was"))  # the other number of the verb
    assert int(trace["mlm.logits"][at].argmax()) == were
    lead = float(trace["mlm.logits"][at, were] - trace["mlm.logits"][at, was])
    assert float(numbers[-1]) == pytest.approx(lead, abs=0.0051)
    expect(page.locator(".word-row [data-word]").first).to_be_visible()  # every word can be asked
    page.get_by_role("button", name=left).click()
    expect(page.locator(".ws-words > div")).to_have_count(len(trace.tokens) + 2)
    assert "teachers" in page.locator(".ws-words .ws-name").all_inner_texts()


def test_all_labels_of_a_sum_have_one_size_and_long_words_stand_whole(opened: Opened, base: TextEncoder) -> None:
    text = "The unfriendly neighbour always [MASK] her homework before dinner."
    page = opened(packed(base, text), sentence=text)
    for size in (DESK, PHONE):
        page.set_viewport_size(size)
        sizes = page.locator(".ws-name").evaluate_all("all => all.map(one => getComputedStyle(one).fontSize)")
        assert len(sizes) > 8 and len({*sizes}) == 1, sizes
    gap = page.locator(".is-asked .ws-name").bounding_box() or {}
    assert gap["width"] < 90  # no wide empty box
    page.set_viewport_size(DESK)
    show_costs(page)
    cut = "all => all.map(one => one.parentElement).filter(one => one.scrollWidth > one.clientWidth).length"
    assert page.locator(".ws-name bdi").evaluate_all(cut) == 0
