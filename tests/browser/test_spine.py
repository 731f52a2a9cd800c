"""The spine under the bar: what each part costs the guess is that of a run without it, and leads to its page."""

import math

import numpy as np
import pytest
from browser_tools import barriers
from made_once import level_1
from mounted import PHONE, Mounted, overflows, seen
from playwright.sync_api import Page, expect

from encoder import Edit, EncoderConfig, TextEncoder, Trace
from encoder.packet.cost_level import level_12
from encoder.support.formatting import percent

KEYS, CAT = "The keys to the cabinet [MASK] on the table.", "The cat chased the mouse."
COSTS = "all => all.map(one => [one.dataset.part, Number(one.dataset.cost), one.ariaLabel])"
PAGES = ("embedding", "attention", "add_norm", "feed_forward", "output")


def opened(mounted: Mounted, encoder: TextEncoder, trace: Trace, page: str = "start", **first: object) -> Page:
    packets = {1: level_1(encoder, trace)}
    return mounted(page, packets, first={"sentence": trace.tokenization.text, **first}, keys=PAGES)


def without(encoder: TextEncoder, trace: Trace, part: str) -> Trace:
    """The run without a part, by an edit."""
    layer, block = map(int, part.split(","))
    name = "embedding.positions" if layer < 0 else f"layers.{layer}.{('attention', 'feed_forward')[block]}.output"
    return encoder.trace(trace.inputs, edits=(Edit(name, "zero"),))


def parts(page: Page) -> list[tuple[str, float, str]]:
    found: list[tuple[str, float, str]] = page.locator(".enc-spine [data-part]").evaluate_all(COSTS)
    return found


def test_every_column_is_the_share_that_a_run_without_the_part_loses(mounted: Mounted, base: TextEncoder) -> None:
    trace = base.trace(KEYS)
    page = opened(mounted, base, trace)
    expect(page.locator(".enc-spine-says")).to_have_text("What each part costs “are” (85\u00a0%)")
    names = page.locator(".enc-spine-parts small").all_inner_texts()
    assert names == ["position", "layer 0", "", "1", "", "2", "", "3", "", "4", "", "5", ""]
    shown, are = parts(page), base.tokenizer.token_to_id("are")
    assert [part for part, *_ in shown] == ["-1,0", *(f"{layer},{block}" for layer in range(6) for block in (0, 1))]
    before, fallen = float(trace["mlm.probabilities"][6, are]), []
    for part, cost, says in shown:
        after = float(without(base, trace, part)["mlm.probabilities"][6, are])
        fallen.append(round(float(percent(before).split()[0]) - float(percent(after).split()[0])))  # as they are told
        assert cost == pytest.approx(before - after, abs=2e-5), part
        assert percent(after) in says.replace("\u00a0", " "), says
    points = page.locator(".enc-spine-parts em").all_inner_texts()
    assert points == [f"{fall}".replace("-", "\u2212") for fall in fallen]
    tall = page.locator(".enc-spine-parts i").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    np.testing.assert_allclose(tall, [max(1, max(tall) * abs(fall) / max(fallen)) for fall in fallen], atol=0.6)
    expect(page.locator(".enc-spine-key")).to_contain_text("percentage points lost")
    assert dict((part, round(100 * cost)) for part, cost, _ in shown) | {"2,0": 14, "5,0": 27, "1,1": 21} == {
        part: round(100 * cost) for part, cost, _ in shown
    }  # what the page says of this sentence


@pytest.mark.parametrize("positions", ["learned", "rotary"])
def test_without_a_guess_it_says_how_far_the_chosen_word_moves(mounted: Mounted, positions: str) -> None:
    sizes = {"n_layers": 2, "n_heads": 2, "d_model": 16, "d_ff": 8}
    encoder = TextEncoder.from_config(EncoderConfig(vocab_size=16384, positions=positions, **sizes), 3, name="random")
    trace = encoder.trace(CAT)
    page = opened(mounted, encoder, trace, word=2)
    expect(page.locator(".enc-spine-says")).to_have_text(
        "How much the last vector of “cat” changes without each part, in %"
    )
    shown = parts(page)
    assert ("-1,0" in [part for part, *_ in shown]) is (positions == "learned")
    for part, cost, _ in shown:
        ours, theirs = trace["output"][2], without(encoder, trace, part)["output"][2]
        assert cost == pytest.approx(float((ours - theirs).norm() / ours.norm()), rel=1e-3), part
    page.locator("[data-word='5']").click()
    expect(page.locator(".enc-spine-says")).to_have_text(
        "How much the last vector of “mouse” changes without each part, in %"
    )


def test_a_column_leads_to_its_page_by_pointer_and_by_keys_and_says_where_one_is(
    mounted: Mounted, base: TextEncoder
) -> None:
    page = opened(mounted, base, base.trace(KEYS), "attention", layer=2, head=1)
    here = page.locator(".enc-spine [aria-current=step]")
    expect(here).to_have_attribute("data-part", "2,0")
    asked = page.evaluate("window.asked.length")
    here.focus()
    expect(page.locator(".enc-spine-says")).to_contain_text("Without the attention of layer 2 “are” falls from 85")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".enc-spine-says")).to_contain_text("Without the feed-forward of layer 2")
    page.keyboard.press("Enter")
    assert page.evaluate("window.led.at(-1)[0]") == "feed_forward"
    assert page.evaluate("window.led.at(-1)[1].layer") == "2"
    page.locator(".enc-spine [data-part='-1,0']").click()
    assert page.evaluate("window.led.at(-1)[0]") == "embedding"
    assert page.evaluate("window.asked.length") == asked  # all of it came with the run
    assert barriers(page) == []
    seen(page, PHONE, "dark")
    assert not overflows(page)
    assert page.locator(".enc-spine-parts").evaluate("one => one.scrollWidth > 300")


def test_where_the_parts_were_not_tried_there_is_no_spine(mounted: Mounted, base: TextEncoder) -> None:
    trace = base.trace(KEYS)
    page = mounted("start", {1: level_1(base, trace, off=False)}, first={"sentence": KEYS})
    expect(page.locator(".enc-spine")).to_be_hidden()


TWO = "The [MASK] to the cabinet [MASK] on the table."


def times(lead: float) -> str:
    ratio = math.exp(abs(lead))
    return f"{ratio:.1f}" if ratio < 10 else f"{round(ratio):,}"


def lead(trace: Trace, at: int, one: int, other: int) -> float:
    return float(trace["mlm.logits"][at, one] - trace["mlm.logits"][at, other])


def test_two_words_compete_and_a_part_costs_the_lead_of_one_over_the_other(mounted: Mounted, base: TextEncoder) -> None:
    trace = base.trace(KEYS)
    page = opened(mounted, base, trace, "attention", layer=5, head=6)
    are, is_ = (base.tokenizer.token_to_id(word) for word in ("are", "is"))
    page.locator(".enc-spine summary").click()
    page.get_by_role("combobox", name="The word that it is held against").select_option("is")
    own = without(base, trace, "5,0")
    expect(page.locator(".enc-spine-says")).to_have_text(
        f"Without the attention of layer 5 “are” is {times(lead(own, 6, are, is_))} times likelier than “is”, with it "
        f"{times(lead(trace, 6, are, is_))}."
    )
    for part, cost, says in parts(page):
        now, after = lead(trace, 6, are, is_), lead(without(base, trace, part), 6, are, is_)
        assert cost == pytest.approx(now - after, abs=2e-3), part
        assert f" {times(after)} times likelier" in says, says
        assert ("“is” is" in says) is (after < 0), says
    assert page.evaluate("window.store.query().over") == "is"
    assert not [one for one in page.evaluate("window.asked") if "12" in str(one)]  # the packet of the run has all
    page.keyboard.press("Escape")
    expect(page.get_by_role("combobox", name="The word", exact=True)).to_be_hidden()
    page.locator(".enc-spine summary").click()
    page.get_by_role("heading", level=1).click()  # a press elsewhere closes it, one on the menu too
    expect(page.get_by_role("combobox", name="The word", exact=True)).to_be_hidden()


def test_a_typed_word_and_a_second_gap_are_one_request(mounted: Mounted, base: TextEncoder) -> None:
    trace = base.trace(TWO)
    guess = base.tokenizer.id_to_token(int(trace["mlm.logits"][6].argmax()))
    packets = {
        "1 ": level_1(base, trace),
        "12 6 ,": level_12(base, trace, "mlm.probabilities", (6,), ("", "")),
        "12 6 purple,": level_12(base, trace, "mlm.probabilities", (6,), ("purple", "")),
    }
    named = "({ level, index, words }) => `${level} ${index ?? ''}${words ? ` ${words}` : ''}`"
    page = mounted("start", packets, first={"sentence": TWO, "word": 6}, keys=PAGES, named=named)
    expect(page.locator(".enc-spine-says")).to_contain_text(f"“{guess}”")
    for word in (guess, "purple"):
        token = base.tokenizer.token_to_id(word)
        if word == "purple":
            page.locator(".enc-spine summary").click()
            page.get_by_role("combobox", name="The word", exact=True).select_option("another word …")
            page.get_by_role("textbox").last.fill("purple")
            page.keyboard.press("Enter")
            expect(page.locator(".enc-spine-says")).to_contain_text("“purple”")
        before = float(trace["mlm.probabilities"][6, token])
        for part, cost, _ in parts(page):
            after = float(without(base, trace, part)["mlm.probabilities"][6, token])
            assert cost == pytest.approx(before - after, abs=2e-5), (word, part)
