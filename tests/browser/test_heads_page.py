"""The page Heads: the maps are the run's, the figures those of the examination, the arrows real answers of a head."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_once import level_1
from mounted import DESK, PHONE, Mounted, coded, overflows, random_model
from playwright.sync_api import Locator, Page, expect

from encoder import Edit, TextEncoder, Trace
from encoder.edits.edit_text import edits_to_text
from encoder.exam import bundled_exam
from encoder.exam.example_answers import example_answers_of
from encoder.exam.links import GAPS
from encoder.experiments.circuit import circuits_by_content
from encoder.packet.heads_level import level_6
from encoder.support.formatting import percent, points

SENTENCE, HEBREW = "The keys to the cabinet [MASK] on the table.", "שלום לכולם בבית הגדול הזה היום."
# The columns of each row of a head's map by how dark they are painted, the darkest first.
DARKEST = """(canvas, [rows, columns]) => {
  const pen = canvas.getContext('2d'), wide = canvas.width / columns, high = canvas.height / rows
  const at = (place, size) => Math.floor((place + 0.5) * size)
  const dark = (row, column) => pen.getImageData(at(column, wide), at(row, high), 1, 1).data.slice(0, 3)
    .reduce((a, b) => a + b)
  return [...Array(rows).keys()].map(row => [...Array(columns).keys()].sort((a, b) => dark(row, a) - dark(row, b))[0])
}"""
NO_BREAK = "\u00a0"
Opened = Callable[..., Page]
Packets = dict[int, bytes]

PLACES = "all => all.map(one => one.dataset.headMap)"


@pytest.fixture(scope="module")
def trace(base: TextEncoder) -> Trace:
    return base.trace(SENTENCE)


@pytest.fixture(scope="module")
def packets(base: TextEncoder, trace: Trace) -> Packets:
    return packed(base, trace)


def packed(encoder: TextEncoder, trace: Trace, **more: Any) -> Packets:
    return {1: level_1(encoder, trace, **more), 6: level_6(encoder, trace)}


@pytest.fixture
def opened(mounted: Mounted, packets: Packets) -> Opened:
    """Opens the page with a state."""

    def show(runs: Packets | None = None, held: Any = (), lost: Any = (), **first: object) -> Page:
        keys = ["attention", "what_if", "compare"]
        ready = "[data-head-map]" if first.setdefault("view", "look") == "look" else "[data-phenomenon]"
        some = {"keys": keys, "held": held, "lost": lost, "more": True, "ready": ready}
        return mounted("heads", runs or packets, first=first, **some)

    return show


def replaced(encoder: TextEncoder) -> TextEncoder:
    """The same model as if its weights were others, which nobody examined."""
    source = replace(encoder.source, sha256="0" * 12)
    return TextEncoder(encoder.model, encoder.tokenizer, source, encoder.special)


def cell(page: Page, layer: int, head: int) -> Locator:
    return page.locator(f"[data-head-map='{layer},{head}']")


def plain(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u2212", "-")


def test_every_map_is_the_run_and_says_the_job_of_its_head(opened: Opened, base: TextEncoder, trace: Trace) -> None:
    page = opened()
    page.locator(".is-named").first.wait_for()
    n = len(trace.tokens)
    for layer, head in ((0, 0), (2, 3), (4, 0), (5, 7)):
        recorded = trace[f"layers.{layer}.attention.weights"][head].numpy()
        darkest = cell(page, layer, head).locator("canvas").evaluate(DARKEST, [n, n])
        peaks = recorded.max(1)
        assert all(recorded[row, darkest[row]] >= peaks[row] - 0.01 for row in range(n)), (layer, head)
    named = {tuple(map(int, at.split(","))) for at in page.locator(".is-named").evaluate_all(PLACES)}
    exam = bundled_exam("base")
    assert exam is not None
    tried = {one.place for one in exam.jobs()} | {(f.layer, f.head) for f in exam.frames if f.beyond_distance}
    carriers = circuits_by_content(base.source.fingerprint)
    assert carriers is not None
    assert not named & (tried | {*carriers.natural.heads}), "what did not pass, or is carried, has no name among maps"
    assert (page.locator(".hd-frames").text_content() or "").count(".") == 1  # no frames to learn
    cell(page, *exam.row("obj").place).click()
    expect(page.get_by_text("None of 48 heads passed on real text")).to_contain_text(
        f"{len(tried) - 1} on real text and 1 on constructed sentences only."
    )
    assert "previous word" in cell(page, 2, 3).inner_text() and "next word" in cell(page, 1, 7).inner_text()
    assert not cell(page, 0, 0).inner_text().strip()  # a head without a job is quiet


def test_the_chosen_head_has_its_finding_its_figures_and_real_examples(opened: Opened, base: TextEncoder) -> None:
    page = opened(layer=4, head=0)
    exam = bundled_exam("base")
    assert exam is not None
    row, other = exam.row("obj"), exam.row("obj", "en_ewt")
    share = percent(row.accuracy)[:2]
    rule = percent(row.rule_accuracy)[:2]
    expect(page.locator("h1")).to_have_text(
        re.compile(
            f"^Head 0 of layer 4 perhaps finds the verb of an object: right in {share}.% of {row.n} cases .*, "
            f"but a simple rule in {rule}.%\\.$"
        )
    )
    page.locator(".hd-examples").wait_for()
    page.get_by_text("How it was examined").click()
    table = plain(page.locator(".hd-figures").first.inner_text())
    for one in (row, other):
        assert f"{percent(one.accuracy)} of {one.n}" in table and percent(one.rule_accuracy) in table
    assert f"{row.rule}. The best fixed distance" in page.locator("details div.hd-notes").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the name of a rule is wrapped"
    verdict = (
        f"Right in {percent(row.accuracy)} of {row.n} cases (news and Wikipedia); "
        f"the best simple rule, which knows no grammar, in {percent(row.rule_accuracy)}: it did not pass."
    )
    assert verdict in plain(page.locator(".hd-verdict").inner_text())

    (few,) = [one for one in example_answers_of(base.source.fingerprint) if (one.layer, one.head) == row.place]
    seen = set[str]()
    for _ in range(3):
        for name, right in (("right", True), ("wrong", False)):
            box = page.locator(f"[data-example={name}]")
            source, answer, gold = map(int, (box.locator("svg").get_attribute("data-arrows") or "").split())
            words = box.locator(".hd-word").all_inner_texts()
            assert any(
                (list(one.words), one.source, one.answer, one.gold) == (words, source, answer, gold) for one in few.some
            )
            assert (answer == gold) is right
            said = box.locator(".hd-said").inner_text()
            assert all(words[at] in said for at in (source, answer, gold))
            seen.add(" ".join(words))
            tips = box.locator(".hd-tip").evaluate_all(
                "all => all.map(one => { const b = one.getBoundingClientRect(); return b.x + b.width / 2 })"
            )
            for tip, at in zip(tips, (gold, answer), strict=True):
                word = box.locator(".hd-word").nth(at).bounding_box()
                assert word and abs(word["x"] + word["width"] / 2 - tip) < 2
        page.get_by_role("button", name="Another example").click()
    assert len(seen) >= 5
    assert page.evaluate("asked") == ["1", "6"]


def test_it_opens_on_a_head_whose_job_is_found_in_the_sentence(opened: Opened, base: TextEncoder) -> None:
    exam = bundled_exam("base")
    assert exam is not None
    chosen, none = "[data-head-map][aria-selected=true]", "[data-none]"
    frame = next(one for one in exam.frames if one.frame == "all frames")
    page = opened()
    expect(page.locator(chosen)).to_have_attribute("data-head-map", f"{frame.layer},{frame.head}")
    expect(page.locator(none)).to_be_hidden()

    run = base.trace("My dog sleeps on the sofa.")
    layer, head = exam.row("det").place
    page = opened(runs=packed(base, run))
    aim, spine = (page.locator(one).first.inner_text() for one in (".hd-aim", ".enc-spine-says"))
    word = re.search("“(.+?)”", spine)
    assert word and aim.startswith(f"From {word[0]} it looks most at ")  # the word that all pages speak of

    run = base.trace("Birds")
    page = opened(runs=packed(base, run))
    expect(page.locator(none)).to_have_text(re.compile("^None of the jobs"))
    expect(page.locator(none)).to_be_visible()
    cell(page, layer, head).click()
    expect(page.locator(none)).to_be_hidden()


def test_what_carries_most_to_the_gap_is_named_in_the_table_and_where_it_looks(
    opened: Opened, small: TextEncoder
) -> None:
    shipped = circuits_by_content(small.source.fingerprint)
    assert shipped is not None
    natural = shipped.natural
    layer, head = most = max(natural.each, key=natural.each.__getitem__)
    assert most in natural.heads and natural.each[most] > 0.5
    page = opened(runs=packed(small, small.trace(SENTENCE)))
    expect(page.locator("[data-head-map]")).to_have_count(small.config.n_layers * small.config.n_heads)
    page.evaluate("place => store.set(place)", {"layer": layer, "head": head, "view": "carried"})
    page.locator("[data-phenomenon]").first.wait_for()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        re.compile(f"^In {natural.pairs} pairs that people wrote, head {head} of layer {layer} alone carries")
    )
    expect(page.locator(".hd-one > h2")).to_have_text(f"Head {head} of layer {layer}")
    page.evaluate("place => store.set(place)", {"layer": layer, "head": head, "view": "look"})
    run = small.trace(SENTENCE)
    gap, keys = (run.tokens.index(token) for token in ("[MASK]", "keys"))
    looks = percent(float(run[f"layers.{layer}.attention.weights"][head, gap, keys]), 1)
    expect(page.get_by_role("heading", level=1)).to_have_text(
        f"Head {head} of layer {layer} carries whether the subject is one or many: "
        f"here it looks from the gap at “keys” ({looks.replace(' ', NO_BREAK)})."
    )
    carried = plain(page.locator(".hd-carries").inner_text())
    assert (
        f"whether the subject is one or many {percent(natural.each[most], 1)}" in carried
        and f"{natural.pairs} pairs that people wrote" in carried
    )


def test_it_opens_on_the_head_that_the_guess_needs_most_and_on_the_best_row_of_what_they_carry(
    opened: Opened, base: TextEncoder
) -> None:
    run = base.trace("When Anna saw the bear, [MASK] ran away.")
    gap = run.tokens.index("[MASK]")
    she = int(run["mlm.probabilities"][gap].argmax())
    left = {}
    for layer, head in np.ndindex(base.config.n_layers, base.config.n_heads):
        without = base.trace(run.inputs, edits=[Edit(f"layers.{layer}.attention.heads", "zero", heads=(head,))])
        left[layer, head] = float(without["mlm.probabilities"][gap, she])
    layer, head = min(left, key=left.__getitem__)
    before = percent(float(run["mlm.probabilities"][gap, she]))
    shipped = circuits_by_content(base.source.fingerprint)
    assert shipped is not None
    _, carrier = max((one.each[at], at) for one in (shipped.natural, *shipped.constructed.values()) for at in one.heads)
    page = opened(runs=packed(base, run))
    heading, chosen = page.get_by_role("heading", level=1), page.locator("[data-head-map][aria-selected=true]")
    falls = f"without it “she” falls from {before} to {percent(left[layer, head])}."
    expect(heading).to_have_text(
        re.compile(rf"^Head {head} of layer {layer} looks from the gap at “Anna” here \(\d+.%\); {falls}$")
    )
    expect(chosen).to_have_attribute("data-head-map", f"{layer},{head}")
    expect(page.locator("[data-none]")).to_be_hidden()
    expect(page.locator(".hd-aim")).to_have_count(1)  # what the headline says is not said again
    cell(page, 0, 0).click()
    said = f"“she” needs head {head} of layer {layer} most: without it {before} becomes {percent(left[layer, head])}."
    page.get_by_role("button", name=said.replace(" %", f"{NO_BREAK}%")).click()
    expect(chosen).to_have_attribute("data-head-map", f"{layer},{head}")
    page = opened(runs=packed(base, run))
    page.get_by_text("what they carry", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(
        f"head {carrier[1]} of layer {carrier[0]} alone carries"
    )


def test_beside_a_head_stands_what_its_loss_does_over_the_examples_of_its_job(
    opened: Opened, base: TextEncoder
) -> None:
    page = opened(layer=4, head=0)
    for few in example_answers_of(base.source.fingerprint):
        page.evaluate("place => store.set(place)", {"layer": few.layer, "head": few.head})
        expect(page.locator(".hd-one > h2")).to_have_text(f"Head {few.head} of layer {few.layer}")
        page.locator(".hd-examples").wait_for()
        if few.relation in GAPS:
            said = f"Without it the first guess loses {points(few.cost)} on average, over {few.n} masked verbs"
        else:
            said = f"by {percent(few.cost)} on average, over {few.n} cases"
        assert said in plain(page.locator(".hd-beyond > .hd-notes").first.inner_text())


def test_a_choice_paints_and_asks_for_nothing(opened: Opened, trace: Trace) -> None:
    page = opened()
    page.locator(".is-named").first.wait_for()
    cell(page, 3, 2).click()
    weights = trace["layers.3.attention.weights"][2].numpy()
    rows = [i for i, token in enumerate(trace.tokens) if token not in ("[CLS]", "[SEP]")]
    special = [i for i in range(len(trace.tokens)) if i not in rows]
    resting = sum(weights[i, special].sum() > weights[i, rows].max() for i in rows)
    expect(page.locator("h1")).to_contain_text(
        f"Here {resting} of {len(rows)} words look most at [CLS] and [SEP] in head 2 of layer 3."
    )
    expect(page.locator(".hd-examples")).to_be_hidden()
    cell(page, 2, 3).click()
    expect(page.locator("h1")).to_contain_text("Head 3 of layer 2 looks at the previous word: here with")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(cell(page, 3, 4)).to_have_attribute("aria-selected", "true")
    expect(page.locator("h1")).to_contain_text("ead 4 of layer 3")
    cell(page, 3, 4).focus()
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    expect(cell(page, 0, 0)).to_have_attribute("aria-selected", "true")
    for layer, head in ((4, 0), (3, 6), (0, 1), (5, 6), (4, 7), (2, 2), (1, 1)):
        page.evaluate("place => store.set(place)", {"layer": layer, "head": head})
        expect(cell(page, layer, head)).to_have_attribute("aria-selected", "true")
        expect(page.locator("h1")).to_contain_text(f"ead {head} of layer {layer}")
    # A weak finding is said to be weak.
    page.evaluate("store.set({ layer: 3, head: 4 })")
    row = bundled_exam("base").row("compound")  # type: ignore[union-attr]
    assert row.place == (3, 4) and not row.passed
    line = page.get_by_text("more often than any other head")
    assert f"right in {percent(row.accuracy)} of {row.n}" in plain(line.inner_text())
    assert row.verdict in line.inner_text()
    assert page.evaluate("asked") == ["1", "6"]


def test_before_what_is_known_comes_and_where_it_never_does_the_run_is_there(opened: Opened) -> None:
    page = opened(held=[6], layer=4, head=0)
    expect(page.locator("h1")).to_contain_text("perhaps finds the verb of an object")
    page.evaluate("free('6')")
    expect(page.locator(".hd-examples")).to_be_visible()
    # Its links carry the head, and the edit that switches it off.
    for name in ("Step by step", "In many sentences", "Examine", "Switch it off"):
        page.get_by_role("link", name=name).click()
    led: list[Any] = page.evaluate("led")
    assert [key for key, _ in led] == ["attention", "what_if"]
    assert all((query["layer"], query["head"]) == ("4", "0") for _, query in led)
    assert led[1][1]["edits"] == "layers.4.attention.heads:zero:h=0" and "edits" not in led[0][1]
    assert page.evaluate("store.get().more") == "contexts,jobs"
    page = opened(lost=[6], layer=4, head=0)
    expect(page.get_by_role("alert")).to_have_text("The line is cut: try again.")
    expect(page.locator("h1")).to_contain_text("perhaps finds the verb of an object")


def test_all_maps_of_a_usual_model_are_on_a_projector_and_a_phone_names_the_jobs(opened: Opened) -> None:
    page = opened(model="base")
    page.locator(".is-named").first.wait_for()
    for width, height in ((1366, 768), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        expect(page.locator("[data-named]")).to_have_count(1)
        page.wait_for_function(
            "document.querySelector('[data-head-map=\"5,7\"]').getBoundingClientRect().bottom <= innerHeight"
        )
        box = cell(page, 5, 7).locator("canvas").bounding_box()
        assert box and box["width"] >= 76 and box["height"] >= 42, "a projector shows it"
    page.set_viewport_size({"width": 1366, "height": 768})
    page.keyboard.press("p")
    expect(page.locator(".enc-present [data-named]")).to_have_count(1)
    expect(page.locator(".hd-label:not(:empty)").first).to_be_visible()  # names stay in front of a class
    page.keyboard.press("p")
    page.set_viewport_size(PHONE)
    page.get_by_role("button", name=re.compile("^2.3 previous word")).click()
    expect(page.locator("h1")).to_contain_text("Head 3 of layer 2 looks at the previous word")
    grid, one = (page.locator(name).bounding_box() for name in (".hd-grid", ".hd-one"))
    assert grid and one and grid["y"] < 300 < one["y"], "the maps come first"
    cell(page, 5, 5).click()
    expect(page.locator("h1")).to_contain_text("Head 5 of layer 5 carries whether it is “man” or “woman”: in 56 ")
    assert not overflows(page)


def test_the_sentence_beside_has_arcs_to_where_the_head_looks(opened: Opened, trace: Trace) -> None:
    page = opened(layer=5, head=6)
    row = trace["layers.5.attention.weights"][6]
    for width, wraps, at in ((1366, True, trace.tokens.index("[MASK]")), (700, False, trace.tokens.index("cabinet"))):
        page.set_viewport_size({"width": width, "height": 768})
        page.locator(f".hd-here [data-word='{at}']").click()
        words = page.locator(".hd-here [data-word]")
        shares = dict(words.evaluate_all("all => all.map(one => [+one.dataset.word, +one.dataset.share])"))
        assert shares == pytest.approx({to: float(row[at, to]) for to in shares}, abs=0.002)
        expect(page.locator(".hd-here .is-from")).to_have_attribute("data-word", str(at))
        expect(page.locator(".hd-here [data-wraps]")).to_have_count(int(wraps))
        drawn = page.locator(".hd-here path").evaluate_all("all => all.map(one => +one.dataset.to)")
        arcs = {to for to, share in shares.items() if share >= 0.01 and to != at}
        assert set(drawn) == (set() if wraps else arcs)  # over two lines they would run through other words
        tints = words.evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)")
        assert (len({*tints}) > 3) == wraps


def test_the_chosen_head_is_large_and_a_row_of_it_chooses_its_word(opened: Opened, trace: Trace) -> None:
    page, n = opened(layer=5, head=6), len(trace.tokens)
    weights = trace["layers.5.attention.weights"][6].numpy()
    sheet = page.get_by_role("img", name="The map of head 6 of layer 5")
    darkest = sheet.locator("canvas").evaluate(DARKEST, [n, n])
    assert all(weights[row, darkest[row]] >= weights[row].max() - 0.01 for row in range(n))
    gap, cabinet = trace.tokens.index("[MASK]"), trace.tokens.index("cabinet")
    framed = sheet.locator("text.is-mine")
    expect(framed).to_have_text("gap")
    box = sheet.locator("canvas").bounding_box()
    assert box and box["height"] >= 200
    at = {"x": box["x"] + (cabinet + 0.5) * box["width"] / n, "y": box["y"] + (cabinet + 0.5) * box["height"] / n}
    page.mouse.move(**at)
    share = percent(float(weights[cabinet, cabinet]), 1)
    expect(page.locator(".hd-read")).to_have_text(f"cabinet → cabinet: {share.replace(' ', NO_BREAK)}")
    page.mouse.click(**at)
    expect(framed).to_have_text("cabinet")
    assert page.evaluate("store.get().word") == cabinet != gap


def test_the_page_speaks_of_one_head(opened: Opened, base: TextEncoder) -> None:
    """Without a gap nothing is carried here: the table opens on the head that carries most, as does all beside it."""
    shipped = circuits_by_content(base.source.fingerprint)
    assert shipped is not None
    found = (shipped.natural, *shipped.constructed.values())
    alone = [(one.each[head], head) for one in found for head in one.heads]
    page = opened(runs=packed(base, base.trace("I walked to the shop.")), view="carried")
    heading, beside = page.get_by_role("heading", level=1), page.locator(".hd-one > h2")
    _, (layer, head) = max(alone)
    expect(heading).to_contain_text(f"head {head} of layer {layer} alone carries")
    expect(beside).to_have_text(f"Head {head} of layer {layer}")
    page.get_by_role("link", name="Step by step").click()
    assert [(query["layer"], query["head"]) for _, query in page.evaluate("led")] == [(str(layer), str(head))]
    page.evaluate("store.set({ layer: 1, head: 2 })")
    expect(heading).to_have_text("Head 2 of layer 1 carries none of these changes, alone or in a small set.")
    expect(beside).to_have_text("Head 2 of layer 1")


def test_what_heads_carry_is_a_table_whose_pairs_open_on_compare(opened: Opened, base: TextEncoder) -> None:
    shipped = circuits_by_content(base.source.fingerprint)
    assert shipped is not None
    page = opened(view="carried")
    rows = page.locator(".hd-phenomena tbody tr")
    expect(rows).to_have_count(1 + len(shipped.constructed))
    gender = shipped.constructed["gender"]
    said = plain(page.locator("[data-phenomenon=gender]").inner_text())
    for part in ("man / woman", "his / her", f"5.5 {percent(gender.each[5, 5], 1)}", percent(gender.share, 1), "56 "):
        assert part in said, part
    weak = plain(page.locator("[data-phenomenon='this or these']").inner_text())
    assert "no small set carries it" in weak and percent(shipped.constructed["determiner"].share, 1) in weak
    assert "304 pairs that people wrote" in plain(rows.first.inner_text())
    assert not overflows(page)
    page.get_by_role("button", name=re.compile("^head 5 of layer 5")).first.click()
    expect(page.locator("h1")).to_have_text(re.compile("head 5 of layer 5 alone carries 94.% of what turns “his” into"))
    page.locator("[data-phenomenon=gender] .hd-pair").click()
    ((key, query),) = page.evaluate("led")
    assert key == "compare" and query["view"] == "carried"
    assert (query["sentence"], query["other"]) == ("The man took off [MASK] hat.", "The woman took off [MASK] hat.")
    assert (query["guess"], query["over"]) == ("his", "her")


def test_a_model_that_was_not_examined_says_so_and_offers_it(opened: Opened) -> None:
    encoder = random_model(2, 4)
    run = encoder.trace(SENTENCE)
    page = opened(runs=packed(encoder, run), layer=1, head=2)
    expect(page.get_by_text("No names: this model was not examined")).to_be_visible()
    expect(page.get_by_role("link", name="Examine")).to_be_visible()
    expect(page.locator("h1")).to_have_text(re.compile("^Here .*head 2 of layer 1"))
    expect(page.locator(".hd-cell.is-named")).to_have_count(0)
    expect(page.get_by_text("passed on real text")).to_have_count(0)


def test_an_examination_that_is_made_below_is_shown_above(opened: Opened, base: TextEncoder) -> None:
    exam = bundled_exam("base")
    assert exam is not None
    encoder = replaced(base)
    run = encoder.trace(SENTENCE)
    page = opened(runs=packed(encoder, run), layer=4, head=0)
    asked = "window.asked.filter(level => level === '6').length"
    measured = "document.dispatchEvent(new CustomEvent('encoder:measured'))"
    cell(page, 4, 1).click()
    cell(page, 4, 0).click()
    expect(page.get_by_text("No names: this model was not examined")).to_be_visible()
    assert page.evaluate(asked) == 1
    page.evaluate("packet => { packets[6] = packet }", coded(level_6(encoder, run, exam=exam)))
    page.evaluate(measured)
    expect(page.get_by_text("No names: this model was not examined")).to_have_count(0)
    expect(page.locator("h1")).to_have_text(re.compile("^Head 0 of layer 4 perhaps finds the verb of an object"))
    expect(page.get_by_text("did not pass").first).to_be_visible()
    cell(page, 4, 1).click()
    assert page.evaluate(asked) == 2  # what is known is asked for no more


def test_all_sizes_of_models_fit(opened: Opened) -> None:
    for layers, heads in ((24, 16), (1, 1)):
        encoder = random_model(layers, heads)
        page = opened(runs=packed(encoder, encoder.trace(SENTENCE), off=False))
        for size in (DESK, PHONE):
            page.set_viewport_size(size)
            assert page.locator("[data-head-map]").count() == layers * heads
            assert not overflows(page)
            box = cell(page, layers - 1, heads - 1).bounding_box()
            assert box and box["width"] >= 12 and box["x"] + box["width"] <= size["width"]


def test_columns_are_in_the_order_of_the_tokens_in_any_script_and_painted_for_another_theme(
    opened: Opened, base: TextEncoder
) -> None:
    run = base.trace(HEBREW)
    page = opened(runs=packed(base, run))
    n, weights = len(run.tokens), run["layers.2.attention.weights"][3].numpy()
    canvas = cell(page, 2, 3).locator("canvas")
    darkest = canvas.evaluate(DARKEST, [n, n])
    assert all(weights[row, darkest[row]] >= weights[row].max() - 0.02 for row in range(n))
    before = canvas.evaluate("canvas => canvas.toDataURL()")
    page.evaluate("document.querySelector('#front').dataset.theme = 'dark'; store.set({ layer: 1, head: 0 })")
    assert canvas.evaluate("canvas => canvas.toDataURL()") != before


def test_a_long_run_says_which_rows_there_are(opened: Opened, base: TextEncoder) -> None:
    run = base.trace("The quick brown fox jumps over the lazy dog and " * 6)
    page = opened(runs=packed(base, run, off=False, most_bytes=60_000), layer=2, head=3)
    expect(page.locator("[data-window]")).to_have_text(re.compile(r"these are rows \d+ to \d+ of"))
    expect(page.locator("h1")).to_contain_text("Head 3 of layer 2")


def test_what_is_no_number_has_a_colour_of_its_own(opened: Opened, base: TextEncoder) -> None:
    edit = Edit("layers.2.output", "scale", value=3e38)
    run = base.trace(SENTENCE, edits=(edit,))
    assert np.isnan(run["layers.5.attention.weights"].numpy()).any()
    runs = packed(base, run)
    page = opened(runs=runs, layer=5, head=0, edits=edits_to_text((edit,)))
    pixel = "canvas => [...canvas.getContext('2d').getImageData(2, 2, 1, 1).data].join()"
    lost, kept = (cell(page, layer, 0).locator("canvas").evaluate(pixel) for layer in (5, 0))
    assert lost != kept
    expect(page.locator("h1")).to_contain_text("head 0 of layer 5", ignore_case=True)


def test_names_above_maps_say_that_they_come_from_test_sentences_and_which_are_at_work_here(
    opened: Opened, base: TextEncoder
) -> None:
    page = opened(runs=packed(base, base.trace("The old baker from the village sold fresh [MASK].")))
    page.locator(".is-named").first.wait_for()
    assert plain(page.locator(".hd-frames").inner_text()).startswith(
        "Names come from test sentences; in blue: at work here too."
    )
    expect(cell(page, 2, 3)).to_have_class(re.compile("is-seen"))  # the words of this sentence look one back


def test_where_a_head_costs_more_than_its_whole_layer_the_headline_says_that_the_others_push_back(
    opened: Opened, base: TextEncoder
) -> None:
    text, word = "My mother went to the [MASK].", "hospital"
    run = base.trace(text)
    gap, number = run.tokens.index("[MASK]"), base.tokenizer.token_to_id(word)

    def left(*edits: Edit) -> str:
        return percent(float(base.trace(text, edits=edits)["mlm.probabilities"][gap, number]))

    alone, whole = Edit("layers.5.attention.heads", "zero", heads=(5,)), Edit("layers.5.attention.output", "zero")

    page = opened(runs=packed(base, run))
    push = f"The others in layer 5 push the other way: with all its attention off it is {left(whole)}."
    expect(page.get_by_role("heading", level=1)).to_have_text(
        re.compile(f"^Head 5 of layer 5 looks .*; without it “{word}” falls from {left()} to {left(alone)}\\.$")
    )
    expect(page.locator(".hd-aim").last).to_have_text(push)
    cell(page, 0, 0).click()
    expect(page.locator(".hd-needed")).to_have_text(
        f"“{word}” needs head 5 of layer 5 most: without it {left()} becomes {left(alone)}. {push}"
    )
