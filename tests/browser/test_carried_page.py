"""What is carried, on Compare: figures are those of runs patched by hand, arrows are cut; what is no pair says so."""

import re
from typing import Any

import pytest
from browser_tools import NEXT_FRAMES, barriers
from made_once import level_1, level_13
from mounted import PHONE, Mounted, overflows, seen
from playwright.sync_api import Locator, Page, expect
from tiers import mostly_nightly

from encoder import Edit, EncoderConfig, TextEncoder, Trace
from encoder.experiments.circuit import Board, Edge, Edges, HeadSet, MinimalPair, circuits_by_content, run_pair, study
from encoder.support.errors import EncoderError
from encoder.support.formatting import percent
from encoder.support.screening import is_fit

KEYS, KEY = "The keys to the cabinet [MASK] on the table.", "The key to the cabinet [MASK] on the table."
SET, BOARD = ".cc-board button.is-set", ".cc-board [data-head-row]"
ARROWS = "all => all.map(one => [one.dataset.edge, Number(one.dataset.share)])"
SHARES = "all => all.map(one => [one.dataset.guess, Number(one.dataset.share)])"
WRITTEN = "layers.{}.attention.heads"


def opened(mounted: Mounted, base: TextEncoder, a: str = KEYS, b: str = KEY, **first: object) -> Page:
    """Open the page; packets are made as the server makes them, by the model that is asked for."""
    models = {"base": base, **first.pop("models", {})}  # type: ignore[dict-item]

    def make(asked: dict[str, Any]) -> bytes:
        encoder = models[asked["model"]]
        if asked["level"] == 13:
            pair = asked["sentence"], asked.get("other", "")
            return level_13(encoder, *pair, asked["step"], asked.get("index", ()), asked.get("words", ()))
        if asked["level"] != 1:
            raise EncoderError("this test has no such packet")
        return level_1(encoder, encoder.trace(asked["sentence"]), off=False)

    state = {"sentence": a, "other": b, "model": "base", **first}
    return mounted("compare", make, first=state, models=tuple(models), keys=("training",))


def words(at: Locator) -> str:
    return " ".join((at.text_content() or "").replace("\u00a0", " ").replace("\u2212", "-").split())


def title(page: Page) -> str:
    return words(page.get_by_role("heading", level=1))


def patched(encoder: TextEncoder, a: Trace, b: Trace, heads: list[tuple[int, int]], gap: int) -> Trace:
    """A with what heads write at the gap taken from B, one edit a head."""
    edits = [Edit(WRITTEN.format(layer), "patch", heads=(head,), positions=(gap,), value=b) for layer, head in heads]
    return encoder.trace(a.inputs, edits=edits)


def lead(encoder: TextEncoder, trace: Trace, gap: int, pair: tuple[str, str]) -> float:
    first, second = (encoder.word_id(trace, gap, word) for word in pair)
    return float(trace["mlm.logits"][gap, first] - trace["mlm.logits"][gap, second])


def cut_by_hand(encoder: TextEncoder, a: Trace, b: Trace, edge: Edge) -> Trace:
    """A where a head reads what stands at the source in B, and only the target sees it."""
    layer, head = edge.head
    others = tuple(i for i in range(len(a.tokens)) if i != edge.target)
    edits = [
        Edit(f"layers.{layer}.attention.v", "patch", heads=(head,), positions=edge.sources, value=b),
        Edit(WRITTEN.format(layer), "patch", heads=(head,), positions=others, value=a),
    ]
    return encoder.trace(a.inputs, edits=edits)


def test_every_figure_is_that_of_a_run_patched_by_hand(mounted: Mounted, base: TextEncoder) -> None:
    page = opened(mounted, base)
    expect(page.locator(".cc-name").first).to_be_visible()
    runs = base.trace(KEYS), base.trace(KEY)
    gap = runs[0].tokens.index("[MASK]")
    bars = page.locator(".cc-guess .cc-bars")
    told = [bars.nth(i).locator("li").evaluate_all(SHARES) for i in range(3)]
    first, second = (name for name, _ in told[0][:2])
    assert (first, second) == ("are", "is")
    leads = [lead(base, run, gap, (first, second)) for run in runs]
    flip = leads[0] - leads[1]
    for layer in range(6):
        for head in range(8):
            cell = page.locator(f"{BOARD[:-15]}[data-head-row='{layer},{head}']")
            after = lead(base, patched(base, *runs, [(layer, head)], gap), gap, (first, second))
            assert float(cell.get_attribute("data-value") or "nan") == pytest.approx(
                (leads[0] - after) / flip, abs=2e-4
            )
    named = page.locator(SET).evaluate_all("all => all.map(one => one.dataset.headRow.split(',').map(Number))")
    heads = [(layer, head) for layer, head in named]
    together = patched(base, *runs, heads, gap)
    share = (leads[0] - lead(base, together, gap, (first, second))) / flip
    assert percent(share) in title(page) and share > 0.8
    numbers = re.findall(r"(heads? [^l]+) of layer (\d)", title(page).lower())
    assert {(int(layer), int(head)) for some, layer in numbers for head in re.findall(r"\d", some)} == set(heads)
    for run, shown in zip((runs[0], together, runs[1]), told, strict=True):
        for word, value in shown[:2]:
            entry = base.word_id(run, gap, word)
            assert value == pytest.approx(float(run["mlm.probabilities"][gap, entry]), abs=1e-4)
    arrows = page.locator(".cc-name").evaluate_all(ARROWS)
    assert 1 <= len(arrows) <= 6
    for spelled, value in arrows:
        head, _, way = spelled.partition(":")
        layer, number = map(int, head.split("."))
        source, target = map(int, way.split("-"))
        edge = Edge((layer, number), runs[0].tokenization.word_of(source), target)
        after = lead(base, cut_by_hand(base, *runs, edge), gap, (first, second))
        assert value == pytest.approx((leads[0] - after) / flip, abs=2e-4) and value >= 0.05


def test_a_cut_is_one_run_and_the_guess_the_bars_and_the_way_are_its_own(mounted: Mounted, base: TextEncoder) -> None:
    page = opened(mounted, base)
    arrow = page.locator(".cc-name[data-edge='5.6:2-6']")
    expect(arrow).to_be_visible()
    expect(page.locator(".cc-name", has_text="Cut it")).to_contain_text("from keys")
    asked = page.evaluate("asked.length")
    arrow.click()
    expect(arrow).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Cut what head 6 of layer 5 takes from “keys”")
    assert page.evaluate("asked.length") == asked + 1
    a, b = base.trace(KEYS), base.trace(KEY)
    by_hand = cut_by_hand(base, a, b, Edge((5, 6), (2,), 6))["mlm.probabilities"][6]
    are, is_ = (float(by_hand[base.word_id(a, 6, word)]) for word in ("are", "is"))
    assert title(page) == (
        f"Cut what head 6 of layer 5 takes from “keys”: are goes from 85 % to {percent(are)}, is to {percent(is_)}."
    )
    assert dict(page.locator(".cc-guess .cc-bars").nth(1).locator("li").evaluate_all(SHARES)) == pytest.approx(
        {"are": are, "is": is_}, abs=1e-4
    )
    expect(page.locator(".cc-box")).to_have_text(f"are {percent(are, 1)}".replace(" %", "\u00a0%"))
    assert page.evaluate("store.get().cut") == "5.6:2-6"
    page.locator(".cc-name[data-edge='4.1:2-6']").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("With 2 arrows cut are goes from 85")
    expect(page.locator(".cc-box")).to_have_attribute("data-colour", "second")  # “is” is first now
    page.get_by_role("button", name="Mend all").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("of the change in score from are to is")
    assert page.evaluate("store.get().cut") == ""
    # An address opens with its cuts; one that names no arrow of these cuts nothing.
    page = opened(mounted, base, cut="5.6:2-6,9.9:1-2,x")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Cut what head 6 of layer 5 takes from “keys”")


def test_arrows_are_walked_cut_and_mended_by_keys(mounted: Mounted, base: TextEncoder) -> None:
    page = opened(mounted, base)
    first = page.locator(".cc-name").first
    expect(first).to_have_attribute("tabindex", "0")
    first.focus()
    expect(page.locator(".cc-line")).to_contain_text("looks")
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    here = page.locator(".cc-name:focus")
    name = here.get_attribute("data-edge")
    for key, pressed in (("x", "true"), ("x", "false"), ("Enter", "true"), (" ", "false"), ("x", "true")):
        page.keyboard.press(key)
        expect(page.locator(f".cc-name[data-edge='{name}']")).to_have_attribute("aria-pressed", pressed)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Cut what")
    page.keyboard.press("Escape")
    expect(page.locator(".cc-name[aria-pressed=true]")).to_have_count(0)
    assert page.locator(".cc-name:focus").count() == 1
    assert barriers(page) == []


def test_nothing_is_cut_or_covered_on_a_phone_whatever_the_sentence(mounted: Mounted, base: TextEncoder) -> None:
    long = (
        "While much of the old house is gone by now, the tall towers behind the garden of the king [MASK] there still."
    )
    for a, b in ((KEYS, KEY), (long, long.replace("towers", "tower")), ("The keys [MASK].", "The key [MASK].")):
        page = opened(mounted, base, a, b)
        seen(page, PHONE, "dark")
        expect(page.locator(".cc-name").first).to_be_visible()
        expect(page.locator(".cc-box")).to_be_visible()
        assert not overflows(page)
        boxes = page.locator(".cc-name").evaluate_all(
            "all => all.map(one => one.getBoundingClientRect()).map(box => [box.left, box.right, box.top, box.bottom])"
        )
        wide = page.evaluate("innerWidth")
        for i, (left, right, top, bottom) in enumerate(boxes):
            assert 0 <= left < right <= wide
            for other in boxes[:i]:
                assert left >= other[1] or right <= other[0] or top >= other[3] or bottom <= other[2]
        if a == long:
            expect(page.locator(".cc-skipped").first).to_contain_text("words …")
            field = page.get_by_role("textbox", name="Sentence B")
            expect(field).to_have_value(b)
            whole = "one => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1"
            assert field.evaluate(whole)
        names = page.locator(".cc-of-word")  # an arrow has the name of its head
        expect(names.first).to_be_visible()
        on, listed = " ".join(names.all_text_contents()), page.locator(".cc-name b").all_text_contents()
        assert {*re.findall(r"\d\.\d", on)} == {*listed}
        assert barriers(page) == []


def test_no_line_from_a_word_runs_through_the_name_of_a_layer(mounted: Mounted, base: TextEncoder) -> None:
    page = opened(mounted, base)
    page.set_viewport_size({"width": 1024, "height": 768})
    page.evaluate(NEXT_FRAMES)
    names, lines = page.locator(".cc-layer"), page.locator(".cc-way")
    expect(names.first).to_have_text("layer 3")
    end = max(names.evaluate_all("all => all.map(one => one.getBoundingClientRect().right)"))
    assert end < min(lines.evaluate_all("all => all.map(one => one.getBoundingClientRect().left)"))


def test_b_of_an_own_sentence_is_filled_and_another_may_be_tried(mounted: Mounted, base: TextEncoder) -> None:
    page = opened(mounted, base, "My dog ___ every morning.", "")
    field = page.get_by_role("textbox", name="Sentence B")
    expect(field).to_have_value("My dogs ___ every morning.")
    expect(page.get_by_role("heading", level=1)).to_contain_text("barks")
    field.fill("My dog ___ every morning.")
    field.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("A and B are the same so far: change one word of B.")
    expect(field).to_have_value("My dog ___ every morning.")
    page = opened(
        mounted, base, "The keys to the cabinet [MASK] on the table.", "The keys to the house [MASK] on a table."
    )
    tries = page.get_by_role("group", name="Sentences to compare with").get_by_role("button")
    expect(tries.first).to_have_text("key for keys")
    expect(page.locator(".cc-why")).to_contain_text("A and B differ in 2 tokens (cabinet / house, the / a)")
    assert page.locator(".cc-both li").count() == 6  # both guesses stay in sight
    tries.first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("of the change in score from are to is")
    assert page.evaluate("store.get().other") == ""  # it is the usual one


def test_where_no_word_moves_the_guess_that_is_said_once_and_in_plain_words(
    mounted: Mounted, base: TextEncoder
) -> None:
    page = opened(mounted, base, "It was [MASK].", "")
    none = "No single word that was tried changes what the model says: change one in B yourself."
    expect(page.get_by_role("heading", level=1)).to_have_text(none)
    assert page.locator(".cc-why").count() == 0
    page = opened(mounted, base, "The keys [MASK] old.", "The keys [MASK] red.")
    shares = [base.predict(base.trace(text), 1)[3][0][1] for text in ("The keys [MASK] old.", "The keys [MASK] red.")]
    before, after = (percent(share, 0) for share in shares)
    assert title(page) == f"Too small a change to follow: are {before} in A, are {after} in B."
    assert page.locator(".cc-why").count() == 0 and "nats" not in words(page.locator(".cp"))


def test_in_front_of_a_class_the_picture_is_on_the_screen_with_what_it_needs(
    mounted: Mounted, base: TextEncoder, small: TextEncoder
) -> None:
    angry = "The angry man shouted at the [MASK]."
    for a, b in ((KEYS, KEY), (angry, angry.replace("man", "men"))):
        page = opened(mounted, base, a, b, models={"small": small})
        page.set_viewport_size({"width": 1366, "height": 768})
        expect(page.locator(".cc-name").first).to_be_visible()
        page.keyboard.press("p")
        expect(page.locator(".enc-present")).to_have_count(1)
        expect(page.locator(".cc-box")).to_be_in_viewport(ratio=1)
        expect(page.get_by_label("Model B")).to_be_visible()


def test_where_b_says_what_a_says_that_is_the_headline(mounted: Mounted, base: TextEncoder) -> None:
    lake = "In winter the lake is covered with [MASK]."
    page = opened(mounted, base, lake, lake.replace("lake", "pond"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("B still says snow, but less surely: 58")
    assert re.search(r"of the change in score towards \w+\.$", title(page))


def test_what_is_guessed_after_a_cut_has_the_colour_of_its_bar(mounted: Mounted, base: TextEncoder) -> None:
    a = "The man who sold the cars [MASK] rich."  # then neither “is” nor “were” comes first, which compete
    page = opened(mounted, base, a, a.replace("man", "men"))
    box, bar = page.locator(".cc-box"), page.locator(".cc-bars .is-first i").nth(1)
    colour, fill = "one => getComputedStyle(one).borderTopColor", "one => getComputedStyle(one).backgroundColor"
    expect(page.locator(".cc-name").first).to_be_visible()
    for _ in range(page.locator(".cc-name").count()):
        page.locator(".cc-name[aria-pressed=false]").first.click()
        page.wait_for_function("!document.querySelector('.cc-box.cp-old')")
        page.wait_for_timeout(400)  # until the colour has gone over
        assert box.evaluate(colour) == bar.evaluate(fill), box.inner_text()
        guess, mend = (one.bounding_box() or {} for one in (box, page.locator(".cc-mend")))
        assert mend["x"] + mend["width"] <= guess["x"] or guess["x"] + guess["width"] <= mend["x"]
    expect(box).to_contain_text("are")


@pytest.mark.parametrize(
    ("b", "said"),
    [
        ("The mousetraps to the cabinet [MASK] on the table.", "the places do not match"),
        ("The key to the cabinet is on the table.", "B needs its gap at the same word"),
        (KEYS.lower(), "A and B are the same to the model"),
    ],
)
def test_what_is_no_pair_says_why(mounted: Mounted, base: TextEncoder, b: str, said: str) -> None:
    page = opened(mounted, base, KEYS, b)
    expect(page.locator(".cc-why")).to_contain_text(said)
    assert page.locator(".cc-name").count() == 0
    if "gap" in said:
        page.get_by_role("button", name="Put the gap there in B").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("of the change in score from are to is")


def test_without_a_gap_a_word_is_hidden_by_a_tap(mounted: Mounted, base: TextEncoder) -> None:
    page = opened(mounted, base, "The animals slept in the garden.", "")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Which word should the model guess?")
    page.get_by_role("group", name="Hide a word").get_by_role("button", name="slept").click()
    assert page.evaluate("store.get().sentence") == "The animals [MASK] in the garden."
    expect(page.locator(".cc-guess")).to_be_visible()


def test_where_a_few_heads_carry_half_their_arrows_are_drawn(mounted: Mounted, base: TextEncoder) -> None:
    page = opened(mounted, base, "Keys [MASK].", "Key [MASK].")
    expect(page.get_by_role("heading", level=1)).to_contain_text(
        "It takes many heads to turn me towards please: the best 4 together carry"
    )
    expect(page.locator(".cc-name").first).to_be_visible()
    expect(page.locator(".cc-lower .cc-board")).to_be_visible()


def test_an_untrained_model_has_no_arrows(mounted: Mounted, base: TextEncoder) -> None:
    sizes = {"n_layers": 2, "n_heads": 2, "d_model": 16, "d_ff": 8, "mlm_head": True}
    random = TextEncoder.from_config(EncoderConfig(vocab_size=16384, **sizes), 3, name="random")
    page = opened(mounted, base, models={"random": random}, model="random")
    expect(page.get_by_role("heading", level=1)).to_contain_text(
        "how it reacts to “key” in place of “keys” means nothing"
    )
    assert page.locator(".cc-name, .cc-board").count() == 0
    assert page.locator(".cc-guess .cc-bars").count() == 2
    page.get_by_role("link", name="See how a model comes to react").click()
    assert page.evaluate("led.at(-1)[0]") == "training"


def test_two_models_say_what_each_carries(mounted: Mounted, base: TextEncoder, small: TextEncoder) -> None:
    page = opened(mounted, base, models={"small": small}, other_model="small")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("in small")
    expect(page.locator(".cc-other .cc-board")).to_be_visible()
    runs = small.trace(KEYS), small.trace(KEY)
    said = page.locator(".cc-other .is-set").evaluate_all("all => all.map(one => one.dataset.cell)")
    heads = [tuple(map(int, one.split(","))) for one in said]
    leads = [lead(small, run, 6, ("are", "is")) for run in (*runs, patched(small, *runs, heads, 6))]  # type: ignore[arg-type]
    assert percent((leads[0] - leads[2]) / (leads[0] - leads[1])) in title(page)
    # Where heads look cannot be subtracted in models of other shapes; what each carries stays.
    page.get_by_role("radio", name="where they look").click()
    expect(heading).to_contain_text("Model A has 6 layers")
    expect(page.locator(".cc-other")).to_be_visible()


def test_each_dot_is_a_sentence_that_opens_as_a_pair_unless_no_class_is_shown_it(
    mounted: Mounted, base: TextEncoder
) -> None:
    found = circuits_by_content(base.source.fingerprint)
    assert found is not None
    page = opened(mounted, base)
    strip = page.get_by_role("slider", name="What 4.1 and 5.6 carry, sentence by sentence")
    expect(strip).to_be_visible()
    assert page.locator(".ds-dots.is-own circle").count() == page.locator(".ds-dots.is-control circle").count() == 304
    assert "304 sentences that people wrote" in words(page.locator(".cc-many"))
    natural = found.natural
    figures = f"{percent(natural.share, 1)}, two random heads at most {percent(max(natural.random), 1)}"  # as on Start
    said = f"All sentences together: {figures}. More than half in {round(natural.over_half * 304)} of 304."
    assert said in words(page.locator(".cc-many"))
    order = sorted(natural.of_pairs, key=lambda pair: pair.share)
    # One with a vulgar, sexual or insulting word counts, and says so.
    (unfit,) = [i for i, pair in enumerate(order) if not is_fit(pair.a, pair.b)]
    strip.press("Home")
    for _ in range(unfit):
        strip.press("ArrowRight")
    told = page.locator(".cc-sentence")
    expect(told).to_contain_text("A sentence with a vulgar, sexual or insulting word, not shown")
    assert percent(order[unfit].share, 1) in words(told) and order[unfit].a.split()[2] not in words(told)
    before = page.evaluate("store.get().sentence")
    strip.press("Enter")
    assert page.evaluate("store.get().sentence") == before and not told.get_by_role("button").count()
    strip.press("End")
    strip.press("ArrowLeft")
    chosen = order[-2]
    expect(page.locator(".cc-sentence")).to_contain_text(f"[{chosen.words[0]}]")
    assert percent(chosen.share, 1) in words(page.locator(".cc-sentence"))
    strip.press("Enter")
    expect(page.get_by_role("textbox", name="Sentence B")).to_have_value(chosen.b)
    state = page.evaluate("store.get()")
    assert (state["sentence"], state["guess"], state["over"]) == (chosen.a, *chosen.words)
    expect(page.locator(".cc-guess .bar-name").first).to_have_text(chosen.words[0])


def test_how_it_was_computed_has_the_checks_and_the_call(mounted: Mounted, base: TextEncoder) -> None:
    page = opened(mounted, base)
    page.get_by_role("button", name="How 88 % was computed").click()
    dialog = page.get_by_role("dialog")
    for said in (
        "All 48 heads at the gap from B: 100.0 %. None: 0.0 %.",
        "20 random sets",
        "not that it is the only one",
    ):
        expect(dialog).to_contain_text(said.replace(" %", "\u00a0%"))
    expect(dialog).to_contain_text(f'MinimalPair("{KEYS}"')


def test_arrows_have_one_colour_and_are_pointed_at_and_pressed_as_dots_are(mounted: Mounted, base: TextEncoder) -> None:
    page = opened(mounted, base)
    corner = page.locator(".cc-arrow[data-edge='5.6:2-6'] circle")
    expect(page.locator(".cc-arrow").first).to_be_visible()
    drawn = page.locator(".cc-arrow").evaluate_all(
        "all => all.map(one => [one.dataset.edge.split('-').pop(), getComputedStyle(one).color])"
    )
    to_gap, further = ({colour for to, colour in drawn if (to == "6") is gap} for gap in (True, False))
    assert len(to_gap) == 1 and not to_gap & further
    assert bool(further) == ("Pale: to a word that a later head reads" in words(page.locator(".cc-legend")))
    corner.hover()
    expect(page.locator(".cc-line")).to_contain_text("Head 6 of layer 5 looks from the gap at “keys” with 89")
    corner.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Cut what head 6 of layer 5 takes from “keys”")
    page.get_by_role("button", name="Mend it").click()
    before = words(page.locator(".cc-sentence"))
    page.locator(".ds-dots.is-own circle").nth(7).hover()
    expect(page.locator(".cc-sentence")).not_to_have_text(before)


QUEEN = "The queen said that [MASK] was hungry."
STUDIED = (Board, HeadSet, Edges)


def test_every_head_of_the_headline_is_in_the_picture_and_its_parts_add_up(mounted: Mounted, base: TextEncoder) -> None:
    """A head that takes a little from each of many words has no arrow to cut, and is there all the same."""
    other = QUEEN.replace("that", "those")
    page = opened(mounted, base, QUEEN, other)
    expect(page.locator(".cc-whole")).to_be_visible()
    pair = MinimalPair(QUEEN, other)
    results = list(study(base, run_pair(base, pair)))
    board, heads, ways = (next(one for one in reversed(results) if isinstance(one, kind)) for kind in STUDIED)
    with_arrow = {edge.head for edge in ways.shares}
    several = {f"{layer}.{head}": board.each[layer, head] for layer, head in set(heads.heads) - with_arrow}
    assert several
    told = page.locator(".cc-several").evaluate_all(
        "all => all.map(one => [one.querySelector('b').innerText, +one.dataset.share])"
    )
    assert dict(told) == pytest.approx(several, abs=1e-4)
    assert page.locator(".cc-spread").count() == len(several)
    parts = page.locator(".cc-whole li").evaluate_all("all => all.map(one => +one.dataset.share)")
    assert parts == pytest.approx([ways.together, heads.share - ways.together, 1 - heads.share], abs=1e-4)
    assert barriers(page) == []


GUESTS = "The waiters near the window [MASK] the guests."
BARS = {  # A and B: what the headline says, and a part that takes back
    "more than all": (GUESTS, GUESTS.replace("guests", "guest"), "more than all of the change in score", "all else -"),
    "past the heads": (KEYS, KEY, "carry 88 % of the change", "to other heads, or from other words -"),
}


@pytest.mark.parametrize("kind", mostly_nightly(BARS, ["past the heads"]))
def test_the_bar_adds_up_to_the_headline_with_what_takes_back(mounted: Mounted, base: TextEncoder, kind: str) -> None:
    a, b, said, back = BARS[kind]
    page = opened(mounted, base, a, b)
    expect(page.locator(".cc-whole")).to_be_visible()
    assert said in title(page)
    parts = [words(page.locator(".cc-whole li").nth(i)) for i in range(page.locator(".cc-whole li").count())]
    numbers = [int(text.split()[-2]) for text in parts]
    assert sum(numbers) == 100 and back in words(page.locator(".cc-whole li.is-less").last)
    carried = sum(number for number, text in zip(numbers, parts, strict=True) if "all else" not in text)
    assert f"{carried} %" in title(page) or carried > 100
    # The drawn parts end where all of the change does.
    edges = page.locator(".cc-parts i").evaluate_all(
        "all => all.map(one => [one.getBoundingClientRect().width, one.className === 'is-less'])"
    )
    whole = page.locator(".cc-parts").evaluate("one => one.getBoundingClientRect().width")
    forward, taken = (sum(wide for wide, less in edges if less is kind) for kind in (False, True))
    long = sum(number for number in numbers if number > 0)
    assert forward == pytest.approx(whole, abs=6)
    assert taken == pytest.approx(whole * (long - 100) / long, abs=6)
    each = [int(words(page.locator(".cc-name > span").nth(i))[:-2]) for i in range(page.locator(".cc-name").count())]
    together = next(number for number, text in zip(numbers, parts, strict=True) if text.startswith("all arrows"))
    line = words(page.locator(".cc-line"))
    assert ("these need not add up" in line) == (sum(each) != together)
    assert ("More than all" in line) == (kind == "more than all")
