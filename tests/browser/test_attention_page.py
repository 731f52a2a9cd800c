"""The Attention page that is drawn in the browser: every number on it is the run's, by pointer and by keys alone."""

import re
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import pytest
import torch
from browser_tools import barriers
from made_once import level_1
from mounted import PHONE, SIZES, Mounted, overflows, seen
from playwright.sync_api import FloatRect, Locator, Page, ViewportSize, expect

from encoder import Edit, TextEncoder, Trace
from encoder.packet.block_level import level_3
from encoder.packet.embedding import level_4
from encoder.packet.format import pack, shares, unpack
from encoder.packet.run import level_2
from encoder.packet.step_numbers import level_9
from encoder.support.formatting import percent as spelled

SENTENCE = "The keys to the cabinet [MASK] on the table."
LAYERS, GAP, KEYS = 6, 6, 2
STEPS = ("input", "q", "k", "v", "scores", "scaled", "masked", "weights", "heads", "concat", "output")
OWN = ("q", "k", "v", "scores", "scaled", "masked", "weights", "heads")
GRIDS = ("scores", "scaled", "masked", "weights")
NAMED = "({ level, layer }) => ({ 1: 'run', 3: `block ${layer}`, 4: 'whole' })[level] ?? layer"
CANVAS = "canvas => canvas.toDataURL()"
# Chooses something, and reads at once what the page says of it
STOP = """changes => {
  store.set(changes)
  const cell = document.querySelector('[role=gridcell]'), check = document.querySelector('.row-check')
  return {
    cell: cell.dataset.cell, says: cell.ariaLabel, agrees: check?.dataset.agrees, check: check?.textContent,
    lines: [...document.querySelectorAll('.row-table tr[data-line]')].map(
      tr => [Number(tr.dataset.line), [...tr.cells].map(one => one.textContent)]),
  }
}"""
OPENS = "all => all.map(one => [one.textContent, one.dataset.number])"
EVERY_STOP = """() => {
  const stops = [...document.querySelectorAll('[aria-label=Stop] [role=radio]')], drawn = new Set()
  for (let i = 0; i < 110; i++) {
    stops[(i * 7) % 10].click()
    drawn.add(document.querySelector('.picture-canvas').toDataURL())
  }
  return drawn.size
}"""
Opened = Callable[..., Page]
Packets = dict[Any, bytes]


@pytest.fixture(scope="module")
def trace(base: TextEncoder) -> Trace:
    return base.trace(SENTENCE)


@pytest.fixture(scope="module")
def packets(base: TextEncoder, trace: Trace) -> Packets:
    return packed(base, trace)


def packed(encoder: TextEncoder, trace: Trace) -> Packets:
    layers = {layer: level_2(trace, layer) for layer in range(LAYERS)}
    return {"run": level_1(encoder, trace), "whole": level_4(encoder, trace), **layers} | {
        f"block {layer}": level_3(encoder, trace, layer) for layer in range(LAYERS)
    }


@pytest.fixture
def opened(mounted: Mounted, packets: Packets) -> Opened:
    """Opens the page with a state."""

    def show(runs: Any = None, numbers: bool = False, apart: bool = False, **first: Any) -> Page:
        held, lost = (first.pop(name, ()) for name in ("held", "lost"))
        at = {"layer": 5, "head": 6, **first}
        page = mounted("attention", runs or packets, first=at, named=NAMED, held=held, lost=lost, apart=apart)
        if numbers:
            page.locator(".at-numbers summary").press("Enter")  # the pointer stays where it is
        return page

    return show


def named(trace: Trace, i: int) -> str:
    """A token as a sentence calls it."""
    tokens, place = trace.tokens, ("first", "second", "third")
    name = tokens[i] if trace.tokenization.special[i] else f"“{tokens[i]}”"
    alike = [j for j, token in enumerate(tokens) if token == tokens[i]]
    if tokens[i] == "[MASK]":
        return "the gap"
    return name if len(alike) == 1 else f"the {place[alike.index(i)]} {name}"


def cell(page: Page) -> Locator:
    return page.get_by_role("gridcell")


def drawer(page: Page) -> Locator:
    return page.locator(".enc-number")


def title_of(page: Page) -> Locator:
    """What is open in the drawer."""
    return drawer(page).get_by_role("heading", level=2)


def title(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def number(text: str) -> float:
    """A number as the page writes it."""
    plain = text.replace("\u2212", "-").replace("\u00a0", " ")
    match = re.search(r"-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?(?= ?%|$)|-?∞", plain)
    assert match, text
    value = float(match[0].replace(",", "").replace("∞", "inf"))
    return value / 100 if "%" in plain else value


def close(text: str, true: float, digits: int = 3, least: float = 5.1e-3) -> bool:
    """Whether a text writes a number: to so many digits, or two places behind the point as a column does."""
    if "under" in text or "<" in text:
        return true < 0.01 + 1e-6
    if "over" in text or ">" in text:
        return true > 0.99
    return abs(number(text) - true) <= max(0.6 * 10 ** (1 - digits) * abs(true), 5.1e-3 if "%" in text else least)


def step(page: Page, name: str, **more: object) -> dict[str, Any]:
    """Choose a stop, and return what the page says there."""
    shown: dict[str, Any] = page.evaluate(STOP, {"step": f"attention.{name}", "cell": "", **more})
    return shown


def percent(trace: Trace, layer: int, head: int, row: int, column: int) -> str:
    return whole(float(trace[f"layers.{layer}.attention.weights"][head, row, column]))


def whole(share: float) -> str:
    """A share as every text of the page has it, in a cell too: in whole percents."""
    return spelled(share, 1).replace(" %", "\u00a0%").replace("under ", "<\u00a0").replace("over ", ">\u00a0")


def test_every_stop_says_the_numbers_of_the_run(opened: Opened, trace: Trace) -> None:
    for layer, head, row in ((5, 6, 6), (2, 4, 11)):
        page = opened(numbers=True, layer=layer, head=head, step="attention.q")
        expect(cell(page)).to_be_visible()
        stops = page.get_by_role("radiogroup", name="Stop").get_by_role("radio")
        expect(stops).to_have_text(
            [
                "input x",
                "query Q",
                "key K",
                "value V",
                "score QKᵀ",
                "scale ÷ 8",
                "share softmax",
                "mix × V",
                "join concat",
                "write W_O",
            ]
        )
        expect(page.locator(".rail-groups span")).to_have_text(["ask and offer", "compare", "share out", "collect"])
        expect(stops.nth(6)).to_have_accessible_name("share, softmax: Softmax: turn scores into shares (share out)")
        for name in (one for one in STEPS if one != "masked"):  # nothing is hidden from anybody
            values = trace[f"layers.{layer}.attention.{name}"]
            mine = (values[head] if name in OWN else values)[row]
            column = (row * 5 + head) % 12 if name in GRIDS else int(mine.abs().argmax())
            index = f"{head},{row},{column}" if name in OWN else f"{row},{column}"
            shown = step(page, name, cell=f"layers.{layer}.attention.{name}:{index}")
            assert shown["cell"] == f"{row},{column}"
            assert close(shown["says"].rpartition(":")[2], float(mine[column])), (name, shown)
            assert named(trace, row) in shown["says"].replace("The ", "the ")
            # A cell and the table are of the same number; more lines are of the others of its row.
            lines: dict[int, list[str]] = dict(shown["lines"])
            for at, (_, *texts) in lines.items():
                if name in ("input", "q", "k", "v", "output"):
                    true = [float(mine[at])]
                elif name == "heads":
                    share = float(trace[f"layers.{layer}.attention.weights"][head, row, at])
                    length = float(trace[f"layers.{layer}.attention.v"][head, at].norm())
                    true = [share, length]
                    assert abs(number(texts[2]) - share * length) < 6e-3, texts
                elif name == "concat":
                    texts, true = texts[2:], [float(trace[f"layers.{layer}.attention.heads"][at // 64, row].norm())]
                elif name == "scaled":
                    true = [float(trace[f"layers.{layer}.attention.scores"][head, row, at]), 8, float(mine[at])]
                elif name == "weights":
                    scaled = trace[f"layers.{layer}.attention.scaled"][head, row]
                    assert abs(number(texts[1]) - float((scaled[at] - scaled.max()).exp())) < 1.1e-3, texts
                    texts, true = [texts[0], texts[2]], [float(scaled[at]), float(mine[at])]
                else:
                    texts, true = texts[2:], [float(mine[at])]
                assert all(close(text, value) for text, value in zip(texts, true, strict=False)), (name, texts, true)
            assert len(lines) == 8 and (column in lines or name == "concat" or name == "heads")
            assert shown["agrees"] == "true"
            assert "✓" in shown["check"] or name not in ("scores", "scaled", "weights", "heads", "concat")


def test_the_headline_says_where_the_head_looks_and_what_it_costs_and_one_press_leads_to_who_looks_there_most(
    opened: Opened, base: TextEncoder, trace: Trace
) -> None:
    page = opened()
    guess = int(trace["mlm.probabilities"][GAP].argmax())
    before = spelled(float(trace["mlm.probabilities"][GAP, guess]))
    for head in (6, 1):
        page.get_by_role("radiogroup", name="head").get_by_role("radio", name=f"head {head}", exact=True).click()
        most = int(trace["layers.5.attention.weights"][head, GAP].argmax())
        share = percent(trace, 5, head, GAP, most)
        off = base.trace(SENTENCE, edits=(Edit("layers.5.attention.heads", "zero", heads=(head,)),))
        after = spelled(float(off["mlm.probabilities"][GAP, guess]))
        costs = f"hardly changes: {before} → {after}" if head == 1 else f"falls from {before} to {after}"
        said = f"This head looks from the gap at {named(trace, most)} ({share}); without this head “are” {costs}."
        assert (title(page).text_content() or "").replace("\u00a0", " ") == said.replace("\u00a0", " ")
    step(page, "weights", cell="layers.5.attention.weights:1,2,0")  # of another row than the gap's
    expect(title(page)).to_have_text(
        f"This head looks from “keys” at {named(trace, int(trace['layers.5.attention.weights'][1, 2].argmax()))} "
        f"({percent(trace, 5, 1, 2, int(trace['layers.5.attention.weights'][1, 2].argmax()))})."
    )
    weights, to = trace["layers.5.attention.weights"][1, GAP], 3  # another token than the one that gets most
    step(page, "weights", cell=f"layers.5.attention.weights:1,{GAP},{to}")
    most = int(weights.argmax())
    expect(title(page)).to_have_text(
        f"This head looks from the gap at {named(trace, to)} with {percent(trace, 5, 1, GAP, to)}, most at "
        f"{named(trace, most)} ({percent(trace, 5, 1, GAP, most)})."
    )
    step(page, "weights")
    page.get_by_role("radio", name="QKᵀ").click()
    scores = trace["layers.5.attention.scores"][1, GAP]
    expect(title(page)).to_contain_text(f"scores highest with {named(trace, int(scores.argmax()))}")
    assert close((title(page).text_content() or "").rstrip("."), float(scores.max()))

    step(page, "weights", layer=1, head=0, cell=f"layers.1.attention.weights:0,{GAP},{KEYS}")
    every = torch.stack([trace[f"layers.{layer}.attention.weights"][:, GAP, KEYS] for layer in range(LAYERS)])
    layer, head = divmod(int(every.argmax()), every.shape[1])
    link = page.get_by_role("button", name="looks there most")
    share = percent(trace, layer, head, GAP, KEYS)
    expect(link).to_have_text(f"Of all 48 heads, head {head} of layer {layer} looks there most: {share} →")
    link.click()
    state = page.evaluate("window.store.get()")
    assert (state["layer"], state["head"]) == (layer, head)
    assert state["cell"] == f"layers.{layer}.attention.weights:{head},{GAP},{KEYS}"
    expect(page.locator(".at-most")).to_have_text("None of the 48 heads looks there more.")
    step(page, "scores")
    expect(page.locator(".at-most")).to_be_hidden()


def test_pointing_shows_a_row_and_a_click_keeps_a_cell(opened: Opened, trace: Trace) -> None:
    page = opened(numbers=True)
    box, chosen = page.locator(".picture-canvas").bounding_box(), cell(page).bounding_box()
    assert box and chosen
    x, y = chosen["x"] + chosen["width"] * 3.5, chosen["y"] - chosen["height"] * 1.5  # three columns on, two rows up
    page.mouse.move(x, y)
    expect(page.locator(".row-table thead th").first).to_have_text("the second “the” looks at")
    expect(page.locator(".row-table .is-chosen th")).to_have_text("cabinet")
    every = torch.stack([trace[f"layers.{layer}.attention.weights"][:, 4, 5] for layer in range(LAYERS)])
    layer, head = divmod(int(every.argmax()), every.shape[1])
    best = f"Of all 48 heads, head {head} of layer {layer} looks there most: {whole(float(every.max()))} →"
    expect(page.locator(".at-most")).to_have_text(best)  # of the cell that is pointed at
    expect(cell(page)).to_have_attribute("data-cell", f"{GAP},{KEYS}")
    page.mouse.move(x, box["y"] - 30)
    expect(page.locator(".row-table thead th").first).to_have_text("the gap looks at")
    page.mouse.click(x, y)
    expect(cell(page)).to_have_attribute("data-cell", "4,5")
    expect(cell(page)).to_be_focused()
    assert page.evaluate("window.store.get().cell") == "layers.5.attention.weights:6,4,5"
    expect(page.get_by_role("status").last).to_have_text(
        f"The second “the” looks at “cabinet”: {percent(trace, 5, 6, 4, 5)}"
    )


def test_what_is_masked_is_said_not_to_be_looked_at(opened: Opened, base: TextEncoder) -> None:
    page = opened(runs=packed(base, base.trace(SENTENCE, hidden=(KEYS,))), numbers=True, step="attention.masked")
    expect(cell(page)).to_be_visible()
    expect(page.get_by_role("radiogroup", name="Stop").get_by_role("radio", checked=True)).to_have_text("hide mask")
    legend = page.locator(".picture-legend").get_by_text("not looked at")
    for name, texts in (("masked", ["hidden", "\u2212∞"]), ("weights", ["\u2212∞", "0.000", "0\u00a0%"])):
        shown = step(page, name, cell=f"layers.5.attention.{name}:6,{GAP},{KEYS}")
        assert shown["says"] == "The gap does not look at “keys”: it is hidden" and shown["agrees"] == "true"
        expect(legend).to_be_visible()
        assert dict(shown["lines"])[KEYS][2 if name == "masked" else 1 :][: len(texts)] == texts
    page.get_by_role("button", name="Open this number").click()
    expect(drawer(page)).to_contain_text("Attention weights, head 6 of layer 5, “[MASK]” (6) → “keys” (2) = 0")
    drawer(page).locator(".on-operands button").first.click()
    expect(drawer(page)).to_contain_text("This key is masked: the score is replaced, so that its share becomes 0.")
    page.keyboard.press("Escape")
    step(page, "scaled")
    expect(legend).to_be_hidden()

    padded = base.trace([SENTENCE, "The cat sat."])[1]
    page = opened(runs={"run": level_1(base, padded, off=False), "5": level_2(padded, 5)}, step="attention.masked")
    expect(checked_stop(page)).to_have_text("hide padding mask")
    step(page, "masked", cell=f"layers.5.attention.masked:6,1,{len(padded.tokens) - 1}")
    expect(page.locator(".op-sum tfoot th")).to_have_text("padding")
    expect(page.locator(".op-total")).to_have_text("\u2212∞")

    trace = base.trace(SENTENCE, edits=(Edit("layers.0.attention.masked", "replace", value=-inf, positions=(GAP,)),))
    page = opened(runs=packed(base, trace), layer=0, step="attention.masked")
    for name in ("masked", "weights"):
        step(page, name)
        expect(title(page)).to_have_text("The gap may look at no token.")
    page.get_by_role("radiogroup", name="layer").get_by_role("radio", name="layer 1", exact=True).click()
    expect(title(page)).to_have_text("The gap has no numbers here: a step before gave none.")


def test_by_keys_alone(opened: Opened) -> None:
    page = opened()
    chosen = page.get_by_role("radiogroup", name="layer").get_by_role("radio", checked=True)
    chosen.focus()
    page.keyboard.press("ArrowLeft")
    expect(chosen).to_have_text("4")
    expect(chosen).to_be_focused()
    stop = page.get_by_role("radiogroup", name="Stop").get_by_role("radio", checked=True)
    stop.focus()
    for keys, text in ((("ArrowRight",), "mix × V"), (("Home",), "input x"), (("End", "ArrowLeft"), "join concat")):
        for key in keys:
            page.keyboard.press(key)
        expect(stop).to_have_text(text)
        expect(stop).to_be_focused()
    step(page, "weights")
    cell(page).focus()
    for key in ("ArrowUp", "ArrowRight", "Home", "ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
    expect(cell(page)).to_have_attribute("data-cell", f"{GAP},0")
    expect(cell(page)).to_be_focused()
    assert page.evaluate("window.store.get().cell") == f"layers.4.attention.weights:6,{GAP},0"
    page.keyboard.press("Enter")
    expect(drawer(page).get_by_role("heading", level=2)).to_be_focused()
    page.keyboard.press("Escape")
    expect(cell(page)).to_be_focused()


def checked_stop(page: Page) -> Locator:
    return page.get_by_role("radiogroup", name="Stop").get_by_role("radio", checked=True)


def stopped_clock(opened: Opened) -> Page:
    """The page with a clock that goes on by what is said alone."""
    page = opened(apart=True)
    page.clock.install(time=0)
    page.clock.pause_at(1)
    return page


def test_play_waits_at_each_stop_for_four_and_a_half_seconds_or_a_press(opened: Opened) -> None:
    page = stopped_clock(opened)
    play, stop = page.locator(".rail-play"), checked_stop(page)
    play.click()
    for name in ("input x", "query Q", "key K"):
        expect(stop).to_have_text(name)
        expect(play).to_have_text("Pause")
        page.clock.run_for(3900)
        expect(stop).to_have_text(name)
        page.clock.run_for(1100 - 500 * (name != "input x"))
    expect(stop).to_have_text("value V")
    kept = cell(page).get_attribute("data-cell")
    page.locator(".picture-canvas").hover()
    page.clock.run_for(100)
    expect(play).to_have_text("Pause")  # who points at it does not stop it
    page.locator(".picture-canvas").click()
    expect(stop).to_have_text("score QKᵀ")
    page.locator(".op-canvas").click()
    expect(stop).to_have_text("scale ÷ 8")
    assert cell(page).get_attribute("data-cell") != kept and page.evaluate("store.get().cell") == ""
    page.keyboard.press("Escape")
    expect(play).to_have_text("Go on")
    page.clock.run_for(9000)
    expect(stop).to_have_text("scale ÷ 8")
    assert page.evaluate("store.get().step") == "attention.scaled"
    play.click()
    for name in ("share softmax", "mix × V", "join concat", "write W_O"):
        expect(stop).to_have_text(name)
        page.clock.run_for(4600)
    expect(stop).to_have_text("write W_O")
    expect(play).to_have_text(re.compile(r"^Play all \d+$"))


def test_keys_step_it_wherever_the_focus_is_once_it_has_played_but_where_they_are_needed(opened: Opened) -> None:
    page = stopped_clock(opened)
    play, stop = page.locator(".rail-play"), checked_stop(page)
    page.keyboard.press("PageDown")
    expect(stop).to_have_text("share softmax")  # before it has played, keys scroll
    play.click()
    page.evaluate("document.activeElement.blur()")
    for key, name in (("PageDown", "query Q"), (" ", "key K"), ("ArrowRight", "value V"), ("ArrowDown", "score QKᵀ")):
        page.keyboard.press(key)
        expect(stop).to_have_text(name)
        expect(play).to_have_text("Pause")
    for key, name in (("PageUp", "value V"), ("ArrowLeft", "key K"), ("ArrowUp", "query Q"), ("PageDown", "key K")):
        page.keyboard.press(key)
        expect(stop).to_have_text(name)
        expect(play).to_have_text("Go on")
    page.clock.run_for(9000)
    expect(stop).to_have_text("key K")
    # A clicker steps it also from a cell and a slider; the arrow keys are theirs.
    step(page, "scaled", cell="layers.5.attention.scaled:6,6,2")
    cell(page).focus()
    page.keyboard.press("ArrowRight")
    expect(cell(page)).to_have_attribute("data-cell", "6,3")
    page.keyboard.press("PageDown")
    expect(stop).to_have_text("share softmax")
    page.get_by_role("slider", name="Temperature").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".at-heat output")).to_have_text("1.1")
    page.keyboard.press("PageDown")
    expect(stop).to_have_text("mix × V")
    page.get_by_role("button", name="Open this number").focus()
    page.keyboard.press("ArrowRight")
    expect(stop).to_have_text("join concat")
    page.get_by_role("button", name="Open this number").press(" ")
    expect(drawer(page)).to_be_visible()
    page.keyboard.press("PageDown")  # in the drawer it scrolls
    page.keyboard.press("Escape")
    expect(stop).to_have_text("join concat")
    sentence = page.locator(".enc-sentence").first
    sentence.focus()
    for key in ("PageUp", "ArrowLeft", " "):
        sentence.press(key)
    expect(stop).to_have_text("join concat")
    page.locator("h1").focus()
    page.keyboard.press("Escape")  # gives the keys back
    page.keyboard.press("PageUp")
    expect(stop).to_have_text("join concat")


def test_a_stop_moves_from_its_operands_to_its_result_unless_motion_is_reduced(opened: Opened, trace: Trace) -> None:
    page = stopped_clock(opened)
    play, paper, total = (page.locator(one) for one in (".rail-play", ".op-canvas", ".op-total"))
    for still in (False, True):
        page.emulate_media(reduced_motion="reduce" if still else "no-preference")
        step(page, "scores", cell=f"layers.5.attention.scores:6,{GAP},{KEYS}")
        at_once = paper.evaluate(CANVAS)
        assert close(total.inner_text(), float(trace["layers.5.attention.scores"][6, GAP, KEYS]))
        play.click()
        for _ in range(4):
            page.keyboard.press("PageDown")
        expect(checked_stop(page)).to_have_text("score QKᵀ")
        page.clock.run_for(500)
        early, first = paper.evaluate(CANVAS), total.inner_text()
        expect(page.locator(".op-proof")).to_be_visible(visible=still)  # nothing is ticked before it is there
        page.clock.run_for(400)
        later, second = paper.evaluate(CANVAS), total.inner_text()
        page.clock.run_for(900)
        assert paper.evaluate(CANVAS) == at_once
        assert (early == at_once) is still and (later == early) is still and (first == second) is still
        assert close(total.inner_text(), float(trace["layers.5.attention.scores"][6, GAP, KEYS]))
        page.keyboard.press("Escape")
        step(page, "weights")


SUMS = """() => ({
  lines: [...document.querySelectorAll('.op-sum tbody tr')].map(tr => [...tr.cells].map(one => one.textContent)),
  total: document.querySelector('.op-total').textContent, proof: Boolean(document.querySelector('.op-proof')),
  label: document.querySelector('.op-canvas').ariaLabel,
})"""


def test_each_number_stands_below_its_operands_which_add_up_to_it(
    mounted: Mounted, base: TextEncoder, trace: Trace, packets: Packets
) -> None:
    """The largest terms with their factors, what is left, and the sum: all of them from the trace and the weights."""

    def packet(asked: dict[str, Any]) -> bytes:
        if asked["level"] == 9:
            return level_9(base, trace, asked["step"], asked["index"])
        return packets["run" if asked["level"] == 1 else asked["layer"]]

    layer, head, row, size = 5, 6, GAP, 64
    at = f"layers.{layer}.attention."
    page = mounted("attention", packet, first={"layer": layer, "head": head, "step": "attention.input"})
    model = base.model.layers[layer].attention
    for name, key in (("q", "w_q"), ("k", "w_k"), ("v", "w_v"), ("output", "w_o"), ("scores", ""), ("heads", "")):
        values = trace[at + name]
        column = KEYS if name == "scores" else 19
        true = float((values[head] if name in OWN else values)[row, column])
        index = f"{head},{row},{column}" if name in OWN else f"{row},{column}"
        step(page, name, cell=f"{at}{name}:{index}")
        expect(page.locator(".op-sum tbody tr")).to_have_count(5)
        expect(page.locator(".op-proof")).to_be_visible()  # what a product with a matrix was made of is asked for
        shown = page.evaluate(SUMS)
        assert close(shown["total"], true) and shown["proof"], (name, shown)
        if key:
            read = trace[at + ("concat" if name == "output" else "input")][row]
            weights = getattr(model, key).weight[column + (0 if name == "output" else head * size)]
            factors = [(float(a), float(b)) for a, b in zip(read, weights, strict=True)]
        elif name == "scores":
            q, k = trace[f"{at}q"][head, row], trace[f"{at}k"][head, column]
            factors = [(float(a), float(b)) for a, b in zip(q, k, strict=True)]
        else:
            shares = trace[f"{at}weights"][head, row]
            factors = [(float(a), float(b)) for a, b in zip(shares, trace[f"{at}v"][head, :, column], strict=True)]
        order = sorted(
            range(len(factors)), key=lambda i: -abs(factors[i][0] * (factors[i][1] if name != "heads" else 1))
        )
        for i, (said, how, value) in zip(order, shown["lines"][:4], strict=False):
            assert (trace.tokens[i] in said) if name == "heads" else f"number {i}" in said, (name, i, said)
            one, other = how.split(" × ")
            assert close(one, factors[i][0]) and close(other, factors[i][1], least=6e-4), (how, factors[i])
            assert abs(number(value) - factors[i][0] * factors[i][1]) < 0.06, (name, value)
        assert str(len(factors) - 4) in shown["lines"][4][0]
        assert abs(sum(number(line[2]) for line in shown["lines"]) - number(shown["total"])) < 0.31
        assert shown["total"] in shown["label"] and shown["lines"][0][0] in shown["label"]
    step(page, "input", cell=f"{at}input:{row},9")
    assert close(page.locator(".op-total").inner_text(), float(trace[f"{at}input"][row, 9]))
    expect(page.locator(".op-note")).to_have_text("It is what layer 4 gave.")


def test_temperature_is_softmax_of_the_divided_scores(opened: Opened, trace: Trace) -> None:
    page = opened(numbers=True)
    slider = page.get_by_role("slider", name="Temperature")
    for warmth in (0.5, 2.5):
        slider.fill(str(warmth))
        shown = page.evaluate(STOP, {})
        true = torch.softmax(trace["layers.5.attention.scaled"][6, GAP] / warmth, -1)
        assert len(shown["lines"]) == 8 and all(close(texts[3], float(true[at])) for at, texts in shown["lines"])
        assert close(shown["says"].rpartition(":")[2], float(true[KEYS]))
        assert "1.0 is the model's own" in shown["check"]
        expect(page.locator(".at-warm")).to_contain_text("instead of 89\u00a0%")
        share = whole(float(true.max()))
        said = f"At a temperature of {warmth}, the gap would give {share} of its attention to “keys”."
        expect(title(page)).to_have_text(said)
    slider.fill("1")
    expect(title(page)).to_contain_text("This head looks from the gap at “keys” (89\u00a0%)")
    expect(page.locator(".row-check")).to_contain_text("✓")
    expect(page.locator(".at-warm")).to_be_hidden()


def test_a_number_is_led_back_to_the_embedding_without_a_server(
    opened: Opened, base: TextEncoder, trace: Trace
) -> None:
    """One click a step; every number that is said is the run's, and where it stands is said as the app says it."""
    page = opened(step="attention.output")
    page.get_by_role("button", name="Open this number").click()
    titles = []
    for _ in range(60):
        expect(title_of(page)).not_to_have_text("An opened number")
        titles.append(title_of(page).inner_text())
        where = page.evaluate("window.store.get().number")
        name, _, index = where.partition(":")
        _, about, _ = unpack(level_9(base, trace, name, [int(one) for one in index.split(",")]))
        said, _, value = titles[-1].rpartition(" = ")
        assert said == about["place"]
        assert close(value, float(trace[name][tuple(about["index"])]))
        if not re.search("learned|position alone|masked|gamma", drawer(page).locator("p").first.inner_text()):
            expect(drawer(page)).to_contain_text(about["words"].removesuffix(", plus the bias."))
        for text, place in drawer(page).locator("[data-number]").evaluate_all(OPENS):
            step_, _, at = place.partition(":")
            there = trace[step_][tuple(int(one) for one in at.split(","))]
            assert close(text.rpartition("=")[2], float(there)), (text, place)
        for check in drawer(page).locator(".on-check").all_inner_texts():
            assert "They agree" in check
        shown = page.evaluate("({ number, cell, layer }) => [number === cell, layer]", page.evaluate("store.get()"))
        if name.startswith("layers.") and name.split(".", 2)[2].startswith("attention."):
            assert shown == [True, int(name.split(".")[1])]  # the picture shows what is open
        terms = drawer(page).locator(".row-table tbody tr:first-child button, .on-operands button")
        if not terms.count():
            break
        terms.first.click()
        expect(title_of(page)).not_to_have_text(titles[-1])
    assert titles[-1].startswith("Token embedding")
    expect(drawer(page)).to_contain_text("Nothing comes before it")
    assert len(titles) >= 8 and len(set(titles)) == len(titles)
    trail = drawer(page).get_by_role("navigation", name="Opened before").get_by_role("button")
    assert trail.count() == len(titles) - 1
    trail.nth(1).click()
    expect(title_of(page)).to_have_text(titles[1])
    drawer(page).get_by_role("button", name="Close").click()
    expect(drawer(page)).to_be_hidden()
    expect(page.get_by_role("button", name="Open this number")).to_be_focused()
    assert page.evaluate("window.store.get().layer") == 5
    assert page.evaluate("window.store.get().step") == "attention.output"  # where it was opened


def test_what_is_open_follows_what_is_chosen_and_is_closed_by_what_plays(opened: Opened, trace: Trace) -> None:
    page = opened(step="attention.weights")
    page.get_by_role("button", name="Open this number").click()
    expect(title_of(page)).to_contain_text("head 6 of layer 5, “[MASK]” (6) → “keys” (2)")
    cell(page).press("ArrowLeft")
    expect(title_of(page)).to_contain_text("head 6 of layer 5, “[MASK]” (6) → “the” (1)")
    for group, name, said in (("head", "head 1", "head 1 of layer 5"), ("layer", "layer 2", "head 1 of layer 2")):
        page.get_by_role("radiogroup", name=group).get_by_role("radio", name=name, exact=True).click()
        expect(title_of(page)).to_contain_text(f"{said}, “[MASK]” (6) → “the” (1)")
    value = float(trace["layers.2.attention.weights"][1, GAP, 1])
    assert close(title_of(page).inner_text().rpartition("=")[2], value, 4, 4e-4)
    page.keyboard.press("Escape")
    assert page.evaluate("[store.get().layer, store.get().head]") == [2, 1]  # what was chosen meanwhile stays
    page.get_by_role("button", name="Open this number").click()
    expect(drawer(page)).to_be_visible()
    page.locator(".rail-play").click()
    expect(drawer(page)).to_be_hidden()  # what plays is not what it explains


def test_vectors_are_loaded_for_the_layer_then_its_neighbours_and_the_last_one_asked_for_wins(opened: Opened) -> None:
    page = opened(held=(0, 1, 3), layer=5)
    waits = page.locator(".at-waiting")
    page.wait_for_function("window.asked.length === 3")
    assert page.evaluate("window.asked") == ["run", "5", "4"]
    for layer in (1, 3):
        page.evaluate("layer => store.set({ step: 'attention.q', cell: '', layer })", layer)
        expect(waits).to_have_text(f"Loading the vectors of layer {layer} …")
        expect(page.locator(".picture")).to_be_hidden()
    page.wait_for_function("Boolean(window.waiting[1] && window.waiting[3])")
    page.evaluate("window.free('3')")
    expect(cell(page)).to_be_visible()
    label = cell(page).get_attribute("aria-label") or ""
    page.evaluate("window.free('1')")
    expect(waits).to_be_hidden()
    expect(cell(page)).to_have_attribute("aria-label", label)
    # A neighbour that is on its way is not asked for a second time.
    step(page, "q", layer=1)
    page.wait_for_function("Boolean(window.waiting[0])")
    before = page.evaluate("window.asked.length")
    step(page, "q", layer=0)
    expect(waits).to_have_text("Loading the vectors of layer 0 …")
    page.evaluate("window.free('0')")
    expect(cell(page)).to_be_visible()
    assert page.evaluate("window.asked.length") == before

    page = opened(lost=(5,), step="attention.v")
    expect(page.get_by_role("alert").last).to_contain_text("The line is cut: try again.")
    page.evaluate("window.lost.clear()")
    page.locator(".at-trouble button").click()
    expect(cell(page)).to_be_visible()
    expect(page.locator(".at-trouble")).to_be_hidden()


def within(box: FloatRect | None, size: ViewportSize) -> bool:
    return box is not None and box["x"] + box["width"] <= size["width"] and box["y"] + box["height"] <= size["height"]


def test_it_fits_axe_finds_nothing_and_canvases_are_drawn_at_once_and_sharp(opened: Opened) -> None:
    page = opened()
    page.wait_for_function("window.asked.length === 3")
    assert page.evaluate(EVERY_STOP) == 10  # of ten stops
    assert page.evaluate("window.asked") == ["run", "5", "4"]
    for size, scheme in (*SIZES, (ViewportSize(width=1280, height=720), "light")):
        seen(page, size, scheme)
        for name in STEPS if size is PHONE else ("input", "scores", "weights", "output"):
            step(page, name)
            assert not overflows(page), name
            canvas, table = (page.locator(one).first.bounding_box() for one in (".picture-canvas", ".op-sum"))
            assert canvas and table
            if size is PHONE:
                sentence = page.locator(".enc-bar .enc-sentence").bounding_box()  # as many lines as it needs
                assert sentence and canvas["y"] - sentence["height"] < 300
                assert table["y"] > canvas["y"] + canvas["height"]
            else:
                assert table["x"] > canvas["x"] + canvas["width"] / 2
                for one in (".picture", ".op-sum"):
                    assert within(page.locator(one).bounding_box(), size), name
        step(page, "weights")
    page.get_by_role("button", name="Open this number").click()
    assert barriers(page, every=True) == []
    # A canvas has as many pixels as the screen has for it, which a class sees larger.
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1366, "height": 768})
    page.keyboard.press("p")
    for one in (".picture-canvas", ".op-canvas"):
        expect(page.locator(one)).to_be_visible()
        page.wait_for_function(
            "one => { const canvas = document.querySelector(one), box = canvas.getBoundingClientRect();"
            " return canvas.currentCSSZoom > 1 && Math.abs(canvas.width - box.width) < 2 }",
            arg=one,
        )


def test_many_layers_heads_and_tokens_have_room(opened: Opened) -> None:
    """A made-up run of 24 layers of 16 heads over 64 tokens: lists to open, and a grid that fits."""
    n, layers, heads = 64, 24, 16
    tokens = [f"token{i}" for i in range(n)]
    model = {"name": "base", "digest": "", "layers": layers, "heads": heads, "d_model": 64, "d_head": 4, "d_ff": 4}
    about = {"sentence": "", "second": "", "tokens": tokens, "kinds": ["word"] * n, "words": [[i, 1] for i in range(n)]}
    about |= {"names": tokens, "hidden": [], "edits": "", "model": model, "rows": list(range(n)), "gap": -1}
    even = pack(1, about | {"guesses": {}}, {"weights": shares(np.full((layers, heads, n, n), 1 / n))})
    page = opened(runs={"run": even}, lost=tuple(range(layers)), layer=20, head=15)
    expect(page.get_by_role("combobox", name="layer")).to_have_value("20")
    page.get_by_role("combobox", name="head").select_option("9")
    assert page.evaluate("window.store.get().head") == 9
    expect(title(page)).to_contain_text("(2\u00a0%)")
    canvas, scroll = page.locator(".picture-canvas").bounding_box(), page.locator(".picture-scroll").bounding_box()
    assert canvas and scroll and canvas["width"] <= scroll["width"] + 1
    assert not overflows(page)
