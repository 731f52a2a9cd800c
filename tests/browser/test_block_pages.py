"""Add & norm and Feed-forward as the browser draws them: every number is the run's, by pointer and by keys alone."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
from browser_tools import barriers
from made_once import level_1, packet_of
from mounted import OF_LAYER, PHONE, Bench, Mounted, overflows, seen
from playwright.sync_api import Locator, Page, expect
from shared_models import pretrained

from encoder import PRESETS, Edit, TextEncoder, Trace
from encoder.atlas.atlas_folders import atlas_of
from encoder.experiments.attributions.target import Target
from encoder.experiments.attributions.units import unit_sum
from encoder.metrics.answer import SENTENCE as WHOLE
from encoder.packet.format import pack, unpack
from encoder.packet.levels import MORE
from encoder.packet.rival import rival_of
from encoder.support.formatting import percent

SENTENCE = "The keys to the cabinet [MASK] on the table."
LAYERS, GAP, KEYS = 6, 6, 2
NUMBER = r"[\u2212-]?\d[\d.,]*(?:e[\u2212-]?\d+)?"
STEPS_OF_UNITS = ("feed_forward.hidden", "feed_forward.activation", "feed_forward.output", "add_norm_2.sum")
CELLS = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
Opened = Callable[..., Page]
Packets = dict[Any, bytes]


@pytest.fixture(scope="module")
def trace(base: TextEncoder) -> Trace:
    return base.trace(SENTENCE)


@pytest.fixture(scope="module")
def packets(base: TextEncoder, trace: Trace) -> Packets:
    return packed(base, trace)


def packed(encoder: TextEncoder, trace: Trace) -> Packets:
    layers = range(encoder.config.n_layers)
    return {"run": level_1(encoder, trace), **{layer: MORE[3](encoder, trace, layer) for layer in layers}}


@pytest.fixture
def opened(mounted: Mounted, packets: Packets) -> Opened:
    """Opens the page with a state."""

    def show(name: str, runs: Packets | None = None, lost: Any = (), **first: object) -> Page:
        keys = ["add_norm", "feed_forward"]
        return mounted(name, runs or packets, first=first, named=OF_LAYER, lost=lost, keys=keys, more=True)

    return show


@pytest.fixture
def opened_live(mounted: Mounted) -> Opened:
    """Opens Feed-forward, or another page, with a run whose packets are made as they are asked for."""

    def show(
        encoder: TextEncoder, trace: Trace, apart: bool = False, name: str = "feed_forward", **state: object
    ) -> Page:
        runs = partial(packet_of, encoder, trace)
        return mounted(name, runs, first={"sentence": trace.text, **state}, apart=apart)

    return show


def number(text: str) -> float:
    return float(text.replace("\u2212", "-").replace(",", ""))


def close(text: str, value: float, digits: int = 3) -> bool:
    """Whether a text is the number, written with so many digits."""
    return abs(number(text) - value) <= 0.51 * 10.0 ** (np.floor(np.log10(max(abs(value), 1e-3))) - digits + 1)


def numbers_of(line: Locator) -> list[float]:
    """The numbers of a line of arithmetic, in order."""
    return [number(one) for one in re.findall(NUMBER, line.inner_text())]


def spelled(share: float) -> str:
    """A share as it stands in a headline."""
    return percent(share).replace(" %", "\u00a0%")


def title(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def length(trace: Trace, step: str, at: int) -> float:
    return float(trace[step][at].norm())


def chosen(page: Page, position: int) -> Locator:
    return page.locator(f".word-row [data-word='{position}']")


def test_the_headline_says_what_comes_of_the_guess_and_elsewhere_what_share_was_added(
    opened: Opened, base: TextEncoder, trace: Trace
) -> None:
    page = opened("add_norm", layer=4)
    gap, are = trace["mlm.probabilities"][GAP], base.tokenizer.token_to_id("are")
    for layer, after, sublayer in ((4, "after attention", "attention"), (2, "after feed-forward", "feed_forward")):
        page.get_by_role("radio", name=f"layer {layer}", exact=True).click()
        page.get_by_role("radio", name=after).click()
        without = base.trace(SENTENCE, edits=(Edit(f"layers.{layer}.{sublayer}.output", "zero"),))
        now = float(without["mlm.probabilities"][GAP, are])
        expect(title(page)).to_have_text(
            f"Adding the {sublayer.replace('_', '-')} of layer {layer} lifts “are” from {percent(now)} to "
            f"{percent(float(gap[are]))}."
        )
    chosen(page, KEYS).click()  # the guess is the gap's alone
    whole, added = (trace[f"layers.2.{name}"][KEYS].double() for name in ("add_norm_2.sum", "feed_forward.output"))
    share = percent(float(added @ whole / (whole @ whole)))
    expect(title(page)).to_have_text(f"Feed-forward added {share} of the sum at “keys”.")
    assert page.evaluate("window.store.get().word") == KEYS
    # Where a step hardly matters the headline is of the picture, and says so.
    page.evaluate("word => store.set({ word, layer: 0, step: 'add_norm_1.sum' })", GAP)
    name, before = "layers.0.attention.output", float(gap[are])
    now = float(base.trace(SENTENCE, edits=(Edit(name, "zero"),))["mlm.probabilities"][GAP, are])
    whole, added = (trace[step][GAP].double() for step in ("layers.0.add_norm_1.sum", name))
    assert abs(before - now) < 0.1 * before
    share = percent(float(added @ whole / (whole @ whole)))
    expect(title(page)).to_have_text(
        f"Attention added {share} of the sum at the gap. It hardly matters for “are”: "
        f"{percent(now)} without, {percent(before)} with it."
    )


@pytest.mark.parametrize(("layer", "n", "sublayer"), [(5, 1, "attention"), (2, 2, "feed_forward")])
def test_the_bars_are_what_came_in_and_what_was_added(
    opened: Opened, base: TextEncoder, trace: Trace, layer: int, n: int, sublayer: str
) -> None:
    """Both parts along the sum; and each for itself through the norm, whose spread is held as it was."""
    at = f"layers.{layer}.add_norm_{n}"
    page = opened("add_norm", layer=layer, step=f"add_norm_{n}.sum")
    norm = base.model.get_submodule(f"layers.{layer}.norm{n}")
    gamma, beta = (norm.get_parameter(name).detach().double().numpy() for name in ("weight", "bias"))
    for position in (GAP, KEYS, 0):
        chosen(page, position).click()
        kept, added, whole, after = (
            trace[step][position].double().numpy()
            for step in (f"{at}.residual", f"layers.{layer}.{sublayer}.output", f"{at}.sum", f"{at}.output")
        )
        along, spread = whole / np.linalg.norm(whole), np.sqrt(whole.var() + base.config.norm_eps)
        through = [(part - part.mean()) / spread * gamma @ after / np.linalg.norm(after) for part in (kept, added)]
        rows = {
            "The sum at": [kept @ along, added @ along, np.linalg.norm(whole)],
            "After the norm": [*through, beta @ after / np.linalg.norm(after), np.linalg.norm(after)],
        }
        for name, values in rows.items():
            stack, after_norm = page.locator(".an-stack").filter(has_text=name), name == "After the norm"
            last = stack.locator(".an-parts").last
            expect(last.locator("strong")).to_have_text(f"length {values[-1]:.3g}")
            text = last.locator("span:has([data-part])").inner_text()
            signed = re.sub("\u2212 ([a-z ]+ )", "\\1\u2212", text)
            said = [number(one) for one in re.findall(r"[\u2212-]?\d[\d.]*", signed)]
            np.testing.assert_allclose(said, 100 * np.array(values[:-1]) / values[-1], atol=1)
            assert sum(said) == 100  # as they are written
            if after_norm:
                spread_ = float((trace[f"{at}.variance"][position] + base.config.norm_eps) ** 0.5)
                said_ = f"dividing by its spread, {spread_:.3g}, makes it 22.6 (√512), as every word"
                learned = f"the learned gamma and beta make it {values[-1]:.3g} and change the parts"
                expect(last.locator(".an-makes")).to_have_text(f"{said_}; {learned}")
            wide = stack.locator(".an-bar i").evaluate_all("all => all.map(one => parseFloat(one.style.width))")
            shares = np.abs(values[:-1]) / np.abs(values[:-1]).sum()
            np.testing.assert_allclose(sorted(wide), sorted(shares * sum(wide)), atol=0.05)
            # One scale for all words, but for those far longer than the others.
            ends = [
                max(length[length <= 4 * length.sort().values[len(length) // 2]].max(), *np.cumsum(row_[:-1]))
                for length, row_ in zip(
                    (trace[f"{at}.{step}"].norm(dim=-1) for step in ("sum", "output")), rows.values(), strict=True
                )
            ]
            own = max(ends) > 10 * min(ends)
            assert page.get_by_text("Each bar has a scale of its own here").count() == own
            end = float(ends[after_norm] if own else max(ends))
            assert sum(wide) == pytest.approx(100 * np.abs(values[:-1]).sum() / end, rel=0.01)
    expect(page.locator(".an-parts .enc-term")).to_have_text(["beta", "spread", "gamma"])
    makes = "FeedForward" if sublayer == "feed_forward" else "Attention"
    formulas = [f"x + {makes}(x)", f"LayerNorm(x + {makes}(x))"]
    assert page.locator(".an-title > span").all_inner_texts() == formulas
    bars = page.locator(".an-bar").evaluate_all("all => all.map(one => one.offsetHeight)")
    assert len(bars) == 2 and min(bars) >= 40
    both = (trace[step][0].double().norm() for step in (f"{at}.residual", f"layers.{layer}.{sublayer}.output"))
    long = [f"{float(one):.3g}" for one in both]
    said = f"shorter than {long[0]} + {long[1]}: they do not point the same way"
    expect(page.locator(".an-makes").first).to_have_text(said)


def test_the_table_and_the_arithmetic_of_a_number_are_of_the_run_and_keys_lead_on(
    opened: Opened, base: TextEncoder, trace: Trace
) -> None:
    page = opened("add_norm", layer=3, step="add_norm_2.output", cell=f"layers.3.add_norm_2.output:{KEYS},7")
    table = {line[0]: line[1:] for line in page.locator(".an-table tr").evaluate_all(CELLS)}
    for row, step in enumerate(("add_norm_2.residual", "feed_forward.output", "add_norm_2.sum", "add_norm_2.output")):
        values = trace[f"layers.3.{step}"][KEYS]
        assert abs(number(table["number 7"][row]) - float(values[7])) < 5e-3
        assert close(table["variance"][row], float(values.var(correction=0)), 2)
    page.evaluate("cell => store.set({ cell, step: 'add_norm_1.output' })", f"layers.3.add_norm_1.output:{KEYS},17")
    at = "layers.3.add_norm_1"
    x, mean, variance, y = (
        float(trace[f"{at}.{name}"][place])
        for name, place in (("sum", (KEYS, 17)), ("mean", KEYS), ("variance", KEYS), ("output", (KEYS, 17)))
    )
    norm = base.model.get_submodule("layers.3.norm1")
    learned = [float(norm.get_parameter(name)[17]) for name in ("weight", "bias")]
    sums, normed = page.locator(".vs-worked").all()
    added = float(trace["layers.3.attention.output"][KEYS, 17])
    expected = [float(trace[f"{at}.residual"][KEYS, 17]), added, x]
    np.testing.assert_allclose(numbers_of(sums), expected, rtol=2e-3, atol=1e-5)
    expected = [x, mean, variance, base.config.norm_eps, *learned, y]
    np.testing.assert_allclose(numbers_of(normed), expected, rtol=2e-3, atol=1e-5)
    for line in (sums, normed):
        tick = line.locator("[data-agrees=true]")
        expect(tick).to_have_attribute("title", re.compile(r"all 512 agree, this one to \d digits$"))
    slider = page.get_by_role("slider")
    slider.focus()
    for key in ("ArrowRight", "ArrowRight", "PageUp", "ArrowLeft"):
        page.keyboard.press(key)
    expect(slider).to_have_attribute("aria-valuenow", "28")
    page.keyboard.press("End")
    assert page.evaluate("window.store.get().cell") == f"layers.3.add_norm_1.output:{KEYS},511"
    box = slider.bounding_box()
    assert box
    slider.click(position={"x": box["width"] * 100.5 / 512, "y": 40})
    expect(slider).to_have_attribute("aria-valuenow", re.compile("^(99|100|101)$"))
    pressed = slider.get_attribute("aria-valuenow")
    chosen(page, KEYS).focus()
    page.keyboard.press("ArrowRight")
    expect(chosen(page, KEYS + 1)).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("[store.get().word, store.get().layer]") == [KEYS + 1, 3]
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert page.evaluate("window.store.get().cell") == f"layers.3.add_norm_1.output:0,{pressed}"
    assert barriers(page) == []


def test_what_a_change_made_is_told_apart(opened: Opened, base: TextEncoder) -> None:
    def changed(step: str, kind: str = "zero", **more: Any) -> Page:
        trace = base.trace(SENTENCE, edits=(Edit(step, kind, **more),))
        return opened("add_norm", runs=packed(base, trace), layer=3, word=GAP, step="add_norm_1.sum")

    page = changed("layers.3.attention.output")
    expect(title(page)).to_have_text("Attention added nothing to the gap.")
    expect(page.locator(".an-parts [data-part=added]")).to_have_count(0)
    page = changed("layers.3.add_norm_1.sum")
    expect(page.locator(".an-stack").first).to_have_text(re.compile("The sum at the gap.*Nothing is left.", re.DOTALL))
    expect(title(page)).to_have_text("Nothing is left at the gap: the sum is zero.")
    expect(page.locator(".vs-worked [data-agrees=false]")).to_contain_text("this run was changed on the way")
    page = changed("layers.3.add_norm_1.output", "scale", value=2.0)
    expect(page.locator(".an-parts [data-part='the change']")).to_have_count(1)
    expect(page.locator(".an-makes").last).to_contain_text("; the learned gamma and beta and the change make it ")


def test_a_model_without_a_norm_at_first_and_with_norms_before(opened: Opened) -> None:
    config = dict(d_model=48, n_heads=4, n_layers=2, d_ff=66, vocab_size=16384, max_positions=64, norm="rms_norm")
    encoder = TextEncoder.from_config(PRESETS["modern"].__class__(**{**vars(PRESETS["modern"]), **config}), 1)
    trace = encoder.trace("The cat sat.")
    page = opened("add_norm", runs=packed(encoder, trace), layer=0, word=2, step="add_norm_1.output")
    expect(page.locator(".at-what")).to_contain_text("This model has no norm here")
    expect(page.locator(".an-how").first).to_contain_text("No norm stands on this path: the sum keeps its length.")
    assert page.locator(".an-stack h2").all_inner_texts() == ["The sum at “cat”"]
    page.get_by_role("radio", name="after feed-forward").click()
    headings = ["What feed-forward reads, after the norm", "The sum at “cat”"]
    assert page.locator(".an-stack h2").all_inner_texts() == headings
    expect(page.locator(".an-makes").first).to_contain_text("dividing by the root of its mean square, ")
    formulas = ["RMSNorm(x)", "x + FeedForward(RMSNorm(x))"]
    assert page.locator(".an-title > span").all_inner_texts() == formulas
    read = length(trace, "layers.0.add_norm_2.output", 2)
    expect(page.locator(".an-parts").first).to_contain_text(f"length {read:.3g}")
    expect(page.locator(".vs-worked [data-agrees=true]")).to_have_count(2)
    expect(page.locator(".an-how").first).to_contain_text("No norm stands on this path")
    page.get_by_role("radio", name="layer 1", exact=True).click()  # the last one, and a final norm
    expect(page.locator(".an-how").first).to_contain_text("The norm after the last layer comes next.")
    page = opened("feed_forward", runs=packed(encoder, trace), layer=1, word=2)
    gated = trace["layers.1.feed_forward.gated"][2]
    unit = int(gated.abs().argmax())
    expect(page.locator(".at-beside h2").first).to_contain_text(f"Unit {unit} fires most for “cat”")
    expect(page.locator(".an-formula").nth(1)).to_have_text("times its gate")
    after, up = (float(trace[f"layers.1.feed_forward.{name}"][2, unit]) for name in ("activation", "up"))
    gate = [number(one) for one in re.findall(NUMBER, page.locator(".an-line").nth(1).inner_text())]
    np.testing.assert_allclose(gate, [after, up, after * up], rtol=2e-3)
    expect(page.locator(".ff-proof").first).to_have_attribute("title", re.compile("all 66 agree"))


def test_what_no_script_can_draw_is_said(opened: Opened, packets: Packets, bench: Bench) -> None:
    level, about, arrays = unpack(packets[3])
    unknown = pack(level, about | {"units": about["units"] | {"activation": "nobody's"}}, arrays)
    page = opened("feed_forward", packets | {3: unknown}, layer=3, word=KEYS)
    expect(page.get_by_role("alert").first).to_contain_text("Something on this page could not be drawn")
    assert bench.errors
    bench.errors.clear()
    page.evaluate("store.set({ layer: 2 })")
    expect(page.get_by_role("alert").first).to_be_hidden()


def test_the_units_of_a_word_are_those_of_the_run(opened: Opened, trace: Trace) -> None:
    page = opened("feed_forward", layer=3, word=KEYS)
    after = trace["layers.3.feed_forward.activation"]
    firing, unit = int((after[KEYS] > 0).sum()), int(after[KEYS].argmax())
    expect(title(page)).to_have_text(f"{firing} of 2,048 units fire for “keys”.")
    expect(page.locator(".at-beside h2").first).to_have_text(
        f"Unit {unit} fires most for “keys”: {float(after[KEYS].max()):.3g}"
    )
    listed = page.get_by_role("listbox", name="The strongest units").get_by_role("option")
    best = after[KEYS].topk(6)
    expect(listed).to_have_count(6)
    for i, (one, value) in enumerate(zip(best.indices.tolist(), best.values.tolist(), strict=True)):
        expect(listed.nth(i).locator(".bar-name")).to_have_text(f"unit {one}")
        assert abs(number(listed.nth(i).locator(".bar-said").inner_text()) - value) < 0.0051
    listed.nth(2).click()
    third = int(best.indices[2])
    assert numbers_of(page.locator(".an-line").first)[-1] == pytest.approx(float(after[KEYS, third]), rel=1e-3)
    expect(page.locator(".an-line").first).to_contain_text(f"unit {third}: max(0, ")
    expect(page.locator(".an-formula")).to_have_count(1)  # of the unit on the other side of zero
    expect(page.locator(".ff-proof")).to_have_attribute("title", re.compile("all 2,048 agree"))
    row = page.locator(".tr-value").all_inner_texts()
    assert all(close(text, float(after[i, third]), 2) for i, text in enumerate(row))
    corpus = page.locator(".ff-corpus")
    expect(corpus).to_have_text(f"Unit {third} in many sentences ↓")
    href = parse_qs(str(corpus.get_attribute("href")).removeprefix("?"))
    assert (href["atlas_unit"], href["more"], href["layer"]) == ([str(third)], ["corpus"], ["3"])
    corpus.click()
    assert page.evaluate("[store.get().more, store.choices()]") == ["corpus", {}]


def test_words_and_units_by_keys(opened: Opened, trace: Trace) -> None:
    page = opened("feed_forward", layer=3)
    page.locator(".tr").get_by_role("option", selected=True).focus()
    page.keyboard.press("Home")
    expect(title(page)).to_contain_text("units fire for [CLS]")
    for _ in range(KEYS):
        page.keyboard.press("ArrowRight")
    expect(title(page)).to_contain_text("units fire for “keys”")
    assert page.evaluate("window.store.get().word") == KEYS
    slider, before = page.get_by_role("slider"), trace["layers.3.feed_forward.hidden"][KEYS]
    slider.focus()
    page.keyboard.press("Home")
    least = int(before.argmin())
    expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^unit {least}: .* becomes 0$"))
    assert page.evaluate("window.store.get().cell") == f"layers.3.feed_forward.activation:{KEYS},{least}"
    page.locator(".tr").get_by_role("option").nth(GAP).click()
    assert page.evaluate("window.store.get().cell").endswith(f":{GAP},{least}")  # a unit that was chosen stays


def test_a_layer_and_those_beside_it_are_loaded_and_what_does_not_come_is_asked_again(opened: Opened) -> None:
    page = opened("feed_forward", layer=2, lost=(5,))
    page.wait_for_function("window.asked.length >= 4")
    assert page.evaluate("window.asked.slice(0, 4)") == ["run", "2", "1", "3"]
    page.get_by_role("radio", name="layer 3", exact=True).click()
    page.locator("[data-word]").first.click()
    assert page.evaluate("window.asked.filter(one => one === '3').length") == 1
    tall = page.evaluate("document.querySelector('section.at').offsetHeight")
    page.get_by_role("radio", name="layer 5", exact=True).click()
    expect(page.get_by_role("alert").last).to_contain_text("The line is cut: try again.")
    assert page.evaluate("document.querySelector('section.at').offsetHeight") >= tall  # what stands below stays there
    page.evaluate("window.lost.clear()")
    page.locator(".at-trouble button").click()
    expect(page.locator(".cv-slider").first).to_be_visible()


def stop(page: Page, label: str) -> None:
    page.get_by_role("radiogroup", name="Stop").get_by_role("radio").filter(has_text=re.compile(f"^{label}$")).click()


def all_numbers(page: Page, place: str) -> list[float]:
    text = page.locator(place).first.inner_text()
    return [number(one.rstrip(".")) for one in re.findall(NUMBER, re.sub("([\u2212+]) ", r"\1", text))]


def share_without(encoder: TextEncoder, trace: Trace, layer: int, at: int, word: int) -> float:
    """The share of a word in a run in which a layer's feed-forward gives zeros."""
    edit = Edit(f"layers.{layer}.feed_forward.output", "zero")
    return float(encoder.trace(trace.inputs, edits=(edit,))["mlm.probabilities"][at, word])


def test_the_headline_says_what_the_guess_does_without_the_units_and_how_many_fire(
    opened_live: Opened, base: TextEncoder, trace: Trace
) -> None:
    gap = trace.tokens.index("[MASK]")
    guess = int(trace["mlm.probabilities"][gap].argmax())
    before, after = float(trace["mlm.probabilities"][gap, guess]), share_without(base, trace, 1, gap, guess)
    page = opened_live(base, trace, layer=1)
    firing = int((trace["layers.1.feed_forward.activation"][gap] > 0).sum())
    falls = f"“{base.tokenizer.id_to_token(guess)}” falls from {spelled(before)} to {spelled(after)}"
    expect(title(page)).to_have_text(f"Without these units {falls}; {firing} of 2,048 fire for the gap.")
    expect(page.locator(".enc-spine-says")).to_have_text(f"Without the feed-forward of layer 1 {falls}.")
    word = page.locator(".tr").get_by_role("option").nth(KEYS)
    word.click()  # where the guess is not, nothing is lost
    firing = int((trace["layers.1.feed_forward.activation"][KEYS] > 0).sum())
    expect(title(page)).to_have_text(f"{firing} of 2,048 units fire for “keys”.")


def test_a_unit_adds_what_is_left_of_its_row_when_it_comes_to_the_guess(
    opened_live: Opened, base: TextEncoder, trace: Trace
) -> None:
    """By hand, in the last layer: its norm and the head's follow, with the spreads and factors of the run."""
    page = opened_live(base, trace, layer=5)
    at, block, head = "layers.5.", base.model.layers[5], base.model.mlm_head
    values = trace[f"{at}feed_forward.activation"][GAP].double()
    first, second = (base.tokenizer.token_to_id(word) for word in ("are", "is"))
    table = base.model.embedding.tokens.weight.detach().double()

    def normed(vectors: Any, norm: Any, variance: Any) -> Any:
        spread = (variance[GAP].double() + base.config.norm_eps).sqrt()
        return (vectors - vectors.mean(-1, keepdim=True)) / spread * norm.weight.detach().double()

    written = values[:, None] * block.feed_forward.w_2.weight.detach().double().T  # [d_ff, d_model]
    inner = normed(written, block.norm2, trace[f"{at}add_norm_2.variance"])
    inner = inner @ head.transform.weight.detach().double().T
    inner = inner * (trace["mlm.activation"][GAP].double() / trace["mlm.transform"][GAP].double()).nan_to_num()
    adds = normed(inner, head.norm, trace["mlm.norm.variance"]) @ (table[first] - table[second])
    options = page.get_by_role("listbox", name="The units that add most").get_by_role("option")
    best = int(adds.abs().argmax())
    for i, unit in enumerate(adds.abs().topk(6).indices.tolist()):
        text = options.nth(i).locator(".bar-said").last.inner_text()
        assert abs(number(text) - float(adds[unit])) < 6e-4, unit
        colour = "second" if adds[unit] < 0 else "accent"
        expect(options.nth(i).locator(".bar-room").last).to_have_attribute("data-colour", colour)
        expect(options.nth(i).locator(".bar-name")).to_have_text(f"unit {unit}")
    expect(options.and_(page.locator("[aria-selected=true]")).locator(".bar-name")).to_have_text(f"unit {best}")
    assert adds[best] > 0
    expect(page.locator(".at-beside h2").first).to_have_text(
        f"Unit {best}, at {float(values[best]):.3g}, pushes hardest: towards “are”, by {float(adds[best]):.3f} in score"
    )
    for texts in (page.locator(".tr-value").all_inner_texts(), page.locator(".ff .bar-said").all_inner_texts()):
        assert len({len(text.partition(".")[2]) for text in texts if text != "0"}) == 1, texts  # as many places
    said = page.locator(".ff-adds")
    expect(said).to_contain_text("At the gap all 2,048 units together, with their bias, add +1.54 in score: for “are”.")
    expect(said).not_to_contain_text("The strip above")  # both say the same
    page.locator(".tr").get_by_role("option").nth(KEYS).click()
    expect(said).to_have_text("What a unit adds to the guess is shown at the gap.")
    strongest = trace[f"{at}feed_forward.activation"][KEYS].max(dim=-1)
    expect(page.locator(".at-beside h2").first).to_contain_text(
        f"Unit {int(strongest.indices)} fires most for “keys”: "
    )


@pytest.mark.parametrize("name", ["base", "modern"])
def test_every_stop_has_its_operands_and_comes_to_what_was_recorded(
    opened_live: Opened, base: TextEncoder, trace: Trace, name: str
) -> None:
    encoder, run, layer = base, trace, 3
    if name == "modern":
        sizes = dict(d_model=48, n_heads=4, n_layers=2, d_ff=66, vocab_size=16384, max_positions=64)
        encoder = TextEncoder.from_config(PRESETS["modern"].__class__(**{**vars(PRESETS["modern"]), **sizes}), 1)
        run, layer = encoder.trace(SENTENCE), 1
    at, block = f"layers.{layer}.", encoder.model.layers[layer]
    value = run[f"{at}feed_forward.{'gated' if encoder.config.gated else 'activation'}"][KEYS]
    unit = int(value.abs().argsort(descending=True)[2])
    page = opened_live(encoder, run, layer=layer, cell=f"{at}feed_forward.activation:{KEYS},{unit}")
    slider, close_to = page.get_by_role("slider"), partial(np.testing.assert_allclose, rtol=5e-3, atol=2e-3)

    stop(page, "read W₁")
    x = run[f"{at}add_norm_2.{'output' if encoder.config.norm_first else 'residual'}"][KEYS]
    w = block.feed_forward.w_1.weight.detach()[unit]
    d = int((x * w).abs().argmax())
    expect(slider).to_have_attribute("aria-valuenow", str(d))
    spoken = re.findall(NUMBER, str(slider.get_attribute("aria-valuetext")))
    close_to([number(one) for one in spoken[-1:]], [float(x[d] * w[d])])
    hidden, bias = float(run[f"{at}feed_forward.hidden"][KEYS, unit]), block.feed_forward.w_1.bias.detach()[unit]
    wanted = [hidden] if name == "modern" else [float(x @ w), float(bias), hidden]
    close_to(numbers_of(page.locator(".an-line").first), wanted)
    expect(page.locator(".row-check")).to_have_count(0)  # nothing that does not agree
    if name == "modern":
        up = float(run[f"{at}feed_forward.up"][KEYS, unit])
        assert all_numbers(page, ".an-line >> nth=1") == pytest.approx([up], rel=2e-3)

    stop(page, "write W₂")
    output, row = run[f"{at}feed_forward.output"][KEYS], block.feed_forward.w_2.weight.detach()[:, unit]
    d = int(output.abs().argmax())
    expect(slider).to_have_attribute("aria-valuenow", str(d))
    close_to(
        numbers_of(page.locator(".an-line").first), [float(v) for v in (value[unit], row[d], value[unit] * row[d])]
    )
    first, *terms, whole = all_numbers(page, ".cv-said")
    assert (first, whole) == (d, pytest.approx(float(output[d]), rel=5e-3))
    best = value.abs().topk(4).indices.tolist()
    each = [float(value[one] * block.feed_forward.w_2.weight[d, one]) for one in best]
    close_to(terms, [*each, float(output[d]) - sum(each)])

    stop(page, r"add \+")
    residual, total = (float(run[f"{at}add_norm_2.{step}"][KEYS, d]) for step in ("residual", "sum"))
    close_to(numbers_of(page.locator(".an-line").first), [residual, float(output[d]), total])
    slider.focus()
    page.keyboard.press("End")
    last = encoder.config.d_model - 1
    assert page.evaluate("window.store.get().cell") == f"{at}add_norm_2.sum:{KEYS},{last}"
    stop(page, "write W₂")  # the number that was chosen stays, and so does the unit
    assert page.evaluate("window.store.get().cell") == f"{at}feed_forward.output:{KEYS},{last}"
    expect(page.locator(".an-formula")).to_have_text(f"number {last}: what unit {unit} writes there")
    for label in ("read W₁", "write W₂", r"add \+"):
        stop(page, label)
        assert barriers(page) == []
    seen(page, PHONE, "dark")
    assert not overflows(page)


def test_what_units_add_is_explained_where_their_loss_says_the_opposite_and_left_out_where_it_is_next_to_nothing(
    opened_live: Opened, base: TextEncoder
) -> None:
    text = "The farmer milked the [MASK]."
    trace = base.trace(text)
    gap, layer = trace.tokens.index("[MASK]"), 3
    first = int(trace["mlm.logits"][gap].argmax())
    rival = rival_of(base, trace, gap)
    shares = [
        float(base.trace(text, edits=edits)["mlm.probabilities"][gap, first])
        for edits in ((), (Edit(f"layers.{layer}.feed_forward.output", "zero"),))
    ]
    totals = {at: unit_sum(base, trace, Target(gap, first, rival), at).total for at in range(LAYERS)}
    total = totals[layer]
    assert (shares[0] - shares[1]) * total < 0 and abs(shares[0] - shares[1]) > 0.02
    page = opened_live(base, trace, layer=layer)
    expect(page.locator(".ff-adds")).to_contain_text(
        "The strip above says the opposite, and both are true: in a run without them later layers respond to that."
    )
    for at, adds in totals.items():
        page.evaluate("layer => store.set({ layer })", at)
        expect(page.get_by_role("radio", name=f"layer {at}", exact=True)).to_be_checked()
        expect(page.locator(".cv-canvas")).to_be_visible()
        expect(page.locator(".ff-adds")).to_have_count(int(abs(adds) >= 0.05))


def test_with_labels_it_says_what_a_unit_adds_to_the_label_at_each_word(opened_live: Opened) -> None:
    encoder = pretrained("good-or-bad")
    trace = encoder.trace("The soup was cold and the waiter rude.")
    page = opened_live(encoder, trace, layer=5, word=2)
    found = unit_sum(encoder, trace, Target(WHOLE, 1, 0), 5, 2)
    unit = int(found.adds.abs().argmax())
    expect(page.locator(".at-beside h2").first).to_have_text(
        re.compile(rf"^Unit {unit}, at .*, pushes hardest: towards “bad”, by {float(found.adds[unit]):.4f} in score$")
    )
    expect(page.locator(".ff-adds")).to_contain_text(
        f"At “soup” all 2,048 units together, with their bias, add {found.total:+.4f} in score: for “bad”."
    )


def test_what_a_unit_fires_at_most_stands_beside_it(opened_live: Opened, base: TextEncoder, trace: Trace) -> None:
    page = opened_live(base, trace, layer=1)
    unit = int(trace["layers.1.feed_forward.activation"][GAP].argmax())
    atlas = atlas_of(base)
    firings = sorted(atlas.unit_firings(1, unit, "top"), key=lambda firing: -firing.value)
    wanted = list(dict.fromkeys(firing.sentence for firing in firings))[:3]
    lines = page.locator(".ff-contexts li")
    expect(lines).to_have_text([str(atlas.texts([one])[one]) for one in wanted])
    word = next(firing.position for firing in firings if firing.sentence == wanted[0])
    tokens = base.tokenize(str(atlas.texts([wanted[0]])[wanted[0]]))
    expect(lines.first.locator("b")).to_have_text(tokens.spelled(tokens.word_of(word)))
    page.get_by_role("listbox", name="The strongest units").get_by_role("option").nth(1).click()
    expect(page.locator(".ff-contexts h2")).not_to_contain_text(f"unit {unit} fires strongest at")
    expect(lines).to_have_count(3)


@pytest.mark.parametrize(
    ("unit", "said"),
    [(1419, "“are”"), (54, "full stops: what do these sentences share?"), (1200, "“paints”, “swam” and “counted”")],
)
def test_what_the_places_have_in_common_at_which_a_unit_fires_most_is_said(
    opened_live: Opened, base: TextEncoder, trace: Trace, unit: int, said: str
) -> None:
    page = opened_live(base, trace, layer=5, cell=f"layers.5.feed_forward.activation:{GAP},{unit}")
    expect(page.locator(".ff-contexts h2")).to_have_text(
        f"In many other sentences unit {unit} fires strongest at {said}"
    )
    words = {text.lower() for text in page.locator(".ff-contexts b").all_inner_texts()}
    assert len(words) == 1 or all(f"“{word}”" in said for word in words)


def test_in_front_of_a_class_the_picture_is_on_the_screen(opened_live: Opened, base: TextEncoder, trace: Trace) -> None:
    for name, steps, last in (
        ("add_norm", ["add_norm_1.sum", "add_norm_2.sum"], ".an-makes >> nth=-1"),
        ("feed_forward", STEPS_OF_UNITS, ".cv-slider, .vs-slider"),
    ):
        page = opened_live(base, trace, name=name, layer=5, step=steps[0])
        page.set_viewport_size({"width": 1366, "height": 768})
        page.keyboard.press("p")
        expect(page.locator(".enc-present")).to_have_count(1)
        for step in steps:
            page.evaluate("step => store.set({ step })", step)
            expect(page.locator(last)).to_be_in_viewport(ratio=1)


def test_on_a_phone_what_plays_is_in_sight(opened_live: Opened, base: TextEncoder, trace: Trace) -> None:
    page = opened_live(base, trace, apart=True, layer=5)
    seen(page, PHONE, "light")
    page.get_by_role("button", name="Play").click()
    for drawn in (".vs-slider", ".cv-slider", ".vs-slider", ".vs-slider"):
        expect(page.locator(drawn)).to_be_in_viewport(ratio=0.9)
        page.keyboard.press("PageDown")


def test_the_units_stand_beside_the_steps_on_a_wide_screen(
    opened_live: Opened, base: TextEncoder, trace: Trace
) -> None:
    for text in (SENTENCE, SENTENCE.replace("cabinet", "old cabinet in the room of the teachers")):
        page = opened_live(base, base.trace(text), layer=5)
        left, right = (page.locator(one).bounding_box() for one in (".ff .at-left", ".ff .at-beside"))
        play, row = (page.locator(one).bounding_box() for one in (".rail", ".tr"))
        assert left and right and play and row
        assert left["x"] + left["width"] < right["x"] < 1440
        if text == SENTENCE:
            assert abs(right["y"] - play["y"]) < 20
        else:  # a long sentence has the whole width
            assert row["width"] > 1000 and row["y"] + row["height"] <= right["y"]


def test_what_moves_comes_together_and_ends_where_it_stands_without_motion(
    opened_live: Opened, base: TextEncoder, trace: Trace
) -> None:
    page = opened_live(base, trace, apart=True, layer=3)
    page.emulate_media(reduced_motion="no-preference")
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    said, x = page.locator(".cv-said"), trace["layers.3.add_norm_2.residual"][GAP]
    unit = int(page.locator(".ff .bars [aria-selected=true]").get_attribute("data-cell") or "")
    products = x * base.model.layers[3].feed_forward.w_1.weight.detach()[unit]
    stop(page, "read W₁")
    expect(said).to_contain_text("The first ")
    page.clock.run_for(1200)
    count, of, total = all_numbers(page, ".cv-said")
    assert 0 < count < of == 512 and total == pytest.approx(float(products[: int(count)].sum()), abs=0.02)
    page.clock.run_for(3000)
    expect(said).to_contain_text(f"All 512 products add up to {float(products.sum()):.3g}"[:-1])
    stop(page, "write W₂")
    page.clock.run_for(1400)
    _, *some, so_far = all_numbers(page, ".cv-said")
    page.clock.run_for(5000)
    first, *terms, whole = all_numbers(page, ".cv-said")
    assert 0 < len(some) < len(terms) and some == terms[: len(some)]  # those that have come, and their sum
    assert so_far == pytest.approx(sum(some), abs=0.01) and so_far != whole
    assert whole == pytest.approx(float(trace["layers.3.feed_forward.output"][GAP, int(first)]), rel=5e-3)
