"""What Start and Compare say of any sentence, each number and claim found again in runs."""

import re
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pytest
import torch
from browser_tools import barriers
from made_once import level_1, level_7
from mounted import Answer, Mounted
from ordinals import nth
from playwright.sync_api import Page, expect
from shared_models import pretrained
from tiers import mostly_nightly

from encoder import PRESETS, TextEncoder, Trace
from encoder.edits.edit_text import text_to_edits
from encoder.experiments.attributions.contributions import StreamPart, logit_attribution
from encoder.experiments.attributions.target import Target
from encoder.experiments.circuit.shipped_circuits import circuits_by_content
from encoder.packet.format import WHOLE

SMALL_SIZE = {"n_layers": 2, "d_model": 48, "n_heads": 3, "d_ff": 60, "vocab_size": 16384, "mlm_head": True}
RANDOM = {
    "untrained": replace(PRESETS["paper"], **SMALL_SIZE),
    "pre-norm": replace(PRESETS["pre-norm"], **SMALL_SIZE),
    "no words": replace(PRESETS["paper"], **SMALL_SIZE | {"mlm_head": False}),
}
NOISE, LITTLE = 0.1, 0.02
BIRDS, SOFA = "Why do birds [MASK] south in winter?", "My dog sleeps on the sofa."
WATER = "The [MASK] of the river was wide and the water [MASK] cold."
THANKS = "Thank you very [MASK]."
DAILY = [f"small: {WATER}", f"small: {SOFA}", f"base: {BIRDS}"]
# What has one word or none, unknown words, or the same one again and again; and models whose weights are random
ODD = ["[MASK]", ", . ; [MASK] !", "- - -", "to to to to", "我喜欢 [MASK] 苹果", "the the the [MASK] the the"]
NIGHTLY = [*(f"small: {text}" for text in ODD), f"base: {THANKS}", f"untrained: {BIRDS}", f"pre-norm: {SOFA}"]
STARTS = mostly_nightly([*DAILY, *NIGHTLY, f"no words: {WATER}"], [*DAILY, f"no words: {WATER}"])
NUMBER = r"(?:under |over )?\d[\d.]*(?:e-\d+)? %"
WRONG = re.compile(r"(?<!“)“”|\bgap gap\b|undefined|NaN")  # of no sentence, whatever the run
CHANGES = re.compile(
    r"(Head|Of the heads that (?:a guess needs|move the words most), head) (\d+) of layer (\d+) changes most"
    r"(?:: in B (.*?) gives (.*?) ([\d.]+) points? (more|less)"
    r"|, and that is little: ([\d.]+|under 0.01) points? from (.*?) to (.*?))\.(?: The guess|$)"
)
GUESSES = re.compile(
    rf"The guess (?:stays “(.*?)”: ({NUMBER}) in A, ({NUMBER}) in B"
    rf"|goes from “(.*?)” \(({NUMBER})\) to “(.*?)” \(({NUMBER})\))"
)
Place = tuple[int, int]


@cache
def model(name: str) -> TextEncoder:
    return TextEncoder.from_config(RANDOM[name], 3, name=name) if name in RANDOM else pretrained(name)


@lru_cache(maxsize=4)
def run(name: str, sentence: str, edits: str = "") -> Trace:
    return model(name).trace(sentence, edits=text_to_edits(edits))


@lru_cache(maxsize=200)
def ends(name: str, sentence: str, edits: str = "") -> tuple[torch.Tensor, dict[int, torch.Tensor]]:
    """What a run ends with: the vector of each token, and at each gap the shares of all words."""
    trace, mask = run(name, sentence, edits), model(name).mask_token
    gaps = [i for i, token in enumerate(trace.tokens) if token == mask and "mlm.probabilities" in trace]
    return trace["output"].clone(), {gap: trace["mlm.probabilities"][gap].clone() for gap in gaps}


def off(layer: int, head: int) -> str:
    return f"layers.{layer}.attention.heads:zero:h={head}"


def short_of(page: Page, selector: str = "h1") -> str:
    text = page.locator(selector).first.text_content() or ""
    text = " ".join(re.sub("[\u2068\u2069]", "", text).replace("\u2212", "-").split())  # no marks of direction
    return re.sub(r"([<>]) (?=\d)", lambda sign: "over " if sign[1] == ">" else "under ", text)


def shows(text: str, value: float, within: float = 0) -> bool:
    """Whether a share is written as a text, within half of its last digit; `within` is what a sum may be off by."""
    digits = text.removesuffix(" %").removeprefix("under ").removeprefix("over ")
    number, value = float(digits), 100 * value
    if text.startswith(("under", "over")):
        return value < number if text.startswith("under") else value > number
    mantissa, _, power = digits.partition("e")
    step = 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
    half = 0.5001 * max(step, 10.0 ** np.floor(np.log10(abs(number) or 1) - 1))
    return abs(value - number) <= half + 1e-5 + 100 * within


class Seen:
    """A run as a person reads it: words with the places of their tokens, gaps, guesses."""

    def __init__(self, name: str, sentence: str, edits: str = "") -> None:
        self.name, self.sentence, self.edits = name, sentence, edits
        self.encoder, self.trace = model(name), run(name, sentence, edits)
        pieces = self.trace.tokenization
        mask = self.encoder.mask_token
        self.gaps = [i for i, token in enumerate(self.trace.tokens) if token == mask]
        self.words = [
            (word, "" if word[0] in self.gaps else pieces.spelled(word))
            for word in pieces.words
            if word[0] in self.gaps or not pieces.special[word[0]]
        ]
        self.guesses = "mlm.probabilities" in self.trace

    def called(self, place: int) -> str:
        """How a sentence is to speak of the word at a place."""
        name = self.words[place][1]
        alike = [i for i, (_, other) in enumerate(self.words) if other.lower() == name.lower()]
        shown, at = f"“{name}”" if name else "gap", alike.index(place)
        if (
            name
            and (
                filled := next(
                    (i for i, (_, other) in enumerate(self.words) if not other and self.fills(i, name)), None
                )
            )
            is not None
        ):
            alike = [i for i in alike if (i > filled) == (place > filled)]
            same = sum(self.words[i][1] == name for i in alike)
            of = shown if same < 2 else f"the {nth(alike.index(place))} {shown}"
            return f"{of} {'after' if place > filled else 'before'} {self.called(filled)}"
        if sum(self.words[i][1] == name for i in alike) < 2:
            return shown if name else "the gap"
        return f"the {nth(at)} {shown}"

    def fills(self, place: int, name: str) -> bool:
        """Whether the first guess at a gap is a word that stands in the sentence too."""
        return self.guesses and self.word(int(self.shares(self.words[place][0][0]).argmax())) == name

    def place(self, called: str) -> int:
        """The word that a sentence means."""
        return [self.called(i) for i in range(len(self.words))].index(called)

    def looks(self, layer: int, head: int, place: int) -> tuple[np.ndarray, float]:
        """The shares of each word from a word, and what goes to tokens that are none."""
        rows = self.trace.array(f"layers.{layer}.attention.weights")[head].astype(np.float64)[
            list(self.words[place][0])
        ]
        row = rows.mean(0)
        to = np.array([row[list(tokens)].sum() for tokens, _ in self.words])
        return to, float(row.sum() - to.sum())

    def shares(self, gap: int, edits: str = "") -> torch.Tensor:
        both = ";".join(filter(None, (self.edits, edits)))
        return ends(self.name, self.sentence, both)[1][gap].double()

    @property
    def first(self) -> int:
        return int(self.shares(self.gaps[0]).argmax())

    def word(self, token: int) -> str:
        return str(self.encoder.tokenizer.id_to_token(token))

    def heads(self) -> list[Place]:
        config = self.encoder.config
        return [(i, j) for i in range(config.n_layers) for j in range(config.n_heads)]

    def costs(self) -> dict[Place, float]:
        """How much of the first guess's share is lost without each head."""
        gap, first = self.gaps[0], self.first
        now = float(self.shares(gap)[first])
        return {place: now - float(self.shares(gap, off(*place))[first]) for place in self.heads()}

    def needed(self) -> list[Place]:
        """The heads that cost the first guess more than noise."""
        now = float(self.shares(self.gaps[0])[self.first])
        return [place for place, cost in self.costs().items() if cost >= NOISE * now]

    def moves(self, place: int) -> dict[Place, float]:
        """How far the last vectors of a word's tokens move without each head, on average."""
        tokens = list(self.words[place][0])
        before = self.trace["output"][tokens].double()
        far = {}
        for head in self.heads():
            after = ends(self.name, self.sentence, off(*head))[0][tokens].double()
            far[head] = float(((after - before).norm(dim=-1) / before.norm(dim=-1)).mean())
        return far


def made(name: str) -> Answer:
    """What answers a page: packets of the sentence that it asks for."""

    def make(asked: dict[str, Any]) -> bytes:
        trace = run(name, asked["sentence"], asked["edits"] or "")
        return {1: level_1, 7: level_7}[asked["level"]](model(name), trace)

    return make


def opened(mounted: Mounted, page: str, case: str, **state: object) -> tuple[Page, Seen]:
    name, sentence = case.split(": ", 1)
    tab = mounted(page, made(name), first={"sentence": sentence, "model": name, **state}, models=[name])
    return tab, Seen(name, sentence)


def true_change(said: str, seen: Seen, gap: int, edits: str, *, first_alone: bool = False) -> None:
    """What is said of the guess at a gap, or of its first word alone, against the run with these edits."""
    before, after = seen.shares(gap), seen.shares(gap, edits)
    first, now = int(before.argmax()), int(after.argmax())
    if little := re.search(rf"“([^“”]*)” (?:hardly changes: ({NUMBER}) →|stays at) ({NUMBER})", said):
        assert little[1] == seen.word(first) and shows(little[3], float(after[first])), said
        assert shows(little[2] or little[3], float(before[first])), said
        assert abs(after[first] - before[first]) < 1.01 * LITTLE * before[first] and (first_alone or now == first)
        return
    told = re.search(rf"“([^“”]*)” (falls|rises|goes) from ({NUMBER}) to ({NUMBER})", said)
    assert told, said
    word, verb, a, b = told.groups()
    assert word == seen.word(first) and a != b, said
    assert shows(a, float(before[first])) and shows(b, float(after[first])), (said, before[first], after[first])
    assert verb != "falls" or after[first] < before[first]
    assert verb != "rises" or after[first] > before[first]
    assert (now != first and not first_alone) == ("comes first" in said), said
    if turned := re.search(rf"“([^“”]*)” comes first, with ({NUMBER})", said):
        assert turned[1] == seen.word(now) and shows(turned[2], float(after[now]))
    if rises := re.search(rf", “([^“”]*)” rises to ({NUMBER})", said):
        token = seen.encoder.tokenizer.token_to_id(rises[1])
        assert shows(rises[2], float(after[token])) and after[token] > before[token], said


def true_rank(said: str, values: dict[Place, float], own: Place) -> None:
    """How many heads do more than one, and which most."""
    more = [place for place in values if values[place] > values[own] * (1 + 1e-5) + 1e-9]
    about = [place for place in values if values[place] > values[own] * (1 - 1e-5) - 1e-9]
    if re.search(r"no head changes it more|biggest fall of any head", said):
        assert not more, said
        return
    if found := re.search(r"only (?:without )?head (\d+) of layer (\d+)", said):
        count = 1
        head, layer = map(int, found.groups())
    else:
        most = r"(?:most of all|furthest without) head (\d+) of layer (\d+)"
        found = re.search(rf"(\d+) of the (\d+) heads.*, {most}", said)
        assert found, said
        count, total, head, layer = map(int, found.groups())
        assert total == len(values)
    assert len(more) <= count < len(about) + 1, (said, len(more))
    assert values[layer, head] == pytest.approx(max(values.values()), rel=1e-4)


def decided(seen: Seen, gap: int) -> bool:
    """Whether the loss of some head costs the first guess more than noise."""
    return max(seen.costs().values()) >= NOISE * float(seen.shares(gap)[seen.first])


def test_a_text_that_is_too_long_opens_on_the_head_that_adds_most(mounted: Mounted) -> None:

    def untried(asked: dict[str, Any]) -> bytes:
        return level_1(model("base"), run("base", BIRDS), off=False)

    page, seen = mounted("start", untried, first={"sentence": BIRDS, "model": "base"}), Seen("base", BIRDS)
    claim = short_of(page, "[data-claim]")
    parts = logit_attribution(seen.encoder, seen.trace, Target(seen.gaps[0], seen.first))
    adds = {place: parts.of(StreamPart("head", *place)) for place in seen.heads()}
    most = max(adds, key=adds.__getitem__)
    assert short_of(page) == "What does the gap look at?"
    assert page.locator("[data-switch=head]").count() == 0
    told = re.search(rf"It adds ([\d.]+) to the score of “{seen.word(seen.first)}”: no other head adds more", claim)
    assert told and float(told[1]) == pytest.approx(adds[most], rel=1e-3)
    assert claim.endswith("This text is too long to try what its loss costs.")
    page.evaluate("([layer, head]) => store.set({ layer, head })", list(min(adds, key=adds.__getitem__)))
    rank = re.search(r"(\d+) of the (\d+) heads add more, most of all head", short_of(page, "[data-claim]"))
    assert rank and (int(rank[1]), int(rank[2])) == (len(adds) - 1, len(adds))


def test_without_a_gap_words_are_offered_to_hide_where_the_model_can_guess(mounted: Mounted) -> None:
    page, seen = opened(mounted, "start", f"base: {SOFA}")
    offered = page.locator("[data-hide]")
    assert offered.all_inner_texts() == ["dog", "sleeps", "sofa"]
    assert barriers(page) == []
    offered.nth(1).click()
    expect(page.locator("h1")).to_have_text(re.compile("^(Why does|The model says)"))
    assert page.evaluate("store.get().sentence") == "My dog [MASK] on the sofa."
    page.locator(f"[data-word='{seen.words[5][0][0]}']").click()
    expect(page.get_by_role("button", name="Hide “sofa”")).to_be_visible()
    assert barriers(page) == []
    page.get_by_role("button", name="Hide “sofa”").click()
    expect(page.locator(".enc-game")).to_contain_text("The model fills 2 gaps")
    assert page.evaluate("store.get().sentence") == "My dog [MASK] on the [MASK]."
    assert page.get_by_role("button", name="Hide").count() == 0  # at a gap
    page, _ = opened(mounted, "start", f"no words: {SOFA}")
    page.locator("[data-word='2']").click()
    assert page.locator("[data-hide], .enc-hide button").count() == 0
    page, _ = opened(mounted, "start", f"base: {SOFA}")
    page.evaluate("again({ closed: true })")
    expect(page.locator(".enc-game")).to_have_text("See where a word looks: press a word or a head.")


def test_a_head_that_nobody_chose_is_not_chosen_on_the_way_back(mounted: Mounted) -> None:
    page, _ = opened(mounted, "start", f"base: {THANKS}")
    chosen = page.locator("[data-head-row][aria-selected=true]")
    expect(page.locator("[data-claim]")).to_contain_text("Choose a head")
    page.get_by_role("button", name="All 48 heads").click()  # a choice, but of no head
    page.evaluate("again({ page: 'attention' })")
    page.get_by_role("radio", name="share, softmax").click()
    page.evaluate("again({ page: 'start' })")
    expect(page.locator("[data-claim]")).to_contain_text("Choose a head")
    assert chosen.count() == 0
    page.evaluate("again({ page: 'attention' })")
    page.get_by_role("radio", name="head 1", exact=True).click()
    page.evaluate("again({ page: 'start' })")
    expect(chosen).to_have_count(1)


def test_a_word_that_a_gap_is_filled_with_too_is_called_by_its_side(mounted: Mounted) -> None:
    page, seen = opened(mounted, "start", "base: She had a dog and he [MASK] a cat that had kittens.")
    assert seen.word(seen.first) == "had"
    expect(page.locator("[data-claim]")).to_contain_text("looks at “had” before the gap: ")
    page.locator("[data-word]", has_text="had").last.click()
    expect(page.locator("h1")).to_have_text("What does “had” after the gap look at?")


def test_where_the_guess_changes_the_new_one_stands_first_in_the_bars(mounted: Mounted) -> None:
    page, _ = opened(mounted, "start", "base: The old baker from the village sold fresh [MASK].", off=True)
    lines = page.locator(".enc-guess [data-guess]")
    shares = [float(one.get_attribute("data-share") or "") for one in lines.all()]
    assert shares == sorted(shares, reverse=True)
    word = lines.first.get_attribute("data-guess")
    expect(page.locator("h1")).to_have_text(f"Without this head the model says “{word}”.")
    expect(lines.first).to_have_class(re.compile("is-first"))


def test_of_two_gaps_each_has_its_guesses(mounted: Mounted) -> None:
    page, seen = opened(mounted, "start", f"base: {WATER}")
    for gap in seen.gaps:
        page.locator(f"[data-word='{gap}']").click()
        best = seen.shares(gap).topk(2)
        bars = page.locator(".enc-guess [data-guess]").evaluate_all(
            "all => all.map(one => [one.dataset.guess, Number(one.dataset.share)])"
        )
        assert [name for name, _ in bars[:2]] == [seen.word(int(i)) for i in best.indices]
        assert [share for _, share in bars[:2]] == pytest.approx(best.values.tolist(), abs=1e-5)
    expect(page.locator("[data-claim]")).to_contain_text("Heads can be switched off at the first gap: tap it.")


def looks_far(seen: Seen, place: Place, asked: int) -> bool:
    """Whether a head surely looks most at a word that is neither the one asked nor beside it."""
    to, rest = seen.looks(*place, asked)
    far = [share for i, share in enumerate(to) if abs(i - asked) > 1]
    near = [share for i, share in enumerate(to) if abs(i - asked) <= 1]
    return max(far) > max(*near, rest) + 1e-3


def true_carriers(page: Page, seen: Seen, claim: str) -> None:
    """What heads carry is what is shipped of the model, and the head that is shown is one of them."""
    said = re.fullmatch(
        rf"\w+ small parts? of the model, heads? ([\d., and]+?), pass(?:es)? on wh.*: ({NUMBER}) of it in (\d+) "
        r"((?:constructed )?sentences)\.",
        claim,
    )
    assert said, claim
    shipped = circuits_by_content(seen.encoder.source.fingerprint)
    assert shipped is not None
    of = list(shipped.constructed.values()) if "constructed" in said[4] else [shipped.natural]
    heads = [tuple(map(int, name.split("."))) for name in re.findall(r"\d+\.\d+", said[1])]
    (circuit,) = [
        one for one in of if [*one.heads] == heads and one.pairs == int(said[3]) and shows(said[2], one.share)
    ]
    assert circuit.small
    costs, (layer, head) = seen.costs(), page.evaluate("[store.get().layer, store.get().head]")
    assert (layer, head) in heads and costs[layer, head] == pytest.approx(max(costs.values()), rel=1e-4)
    assert f"{layer}.{head}, head {head} of layer {layer}" in short_of(page, "[data-rest]")


@pytest.mark.parametrize("case", STARTS)
def test_start_says_what_the_run_shows(mounted: Mounted, case: str) -> None:
    page, seen = opened(mounted, "start", case)
    title, claim = short_of(page), short_of(page, "[data-claim]")
    if not seen.words:
        assert title == "There is no word here to look from."
        return
    assert not WRONG.search(f"{title} {claim}"), (title, claim)
    gap = seen.gaps[0] if seen.gaps and seen.guesses else None
    told = short_of(page, ".enc-game")
    if not seen.guesses:
        does = "A word is hidden, but this model guesses none" if seen.gaps else "See where a word looks"
        assert told == f"The weights of this model are random. {does}: press a word or a head."
    elif seen.gaps:
        count = "gaps. " if len(seen.gaps) == 1 else f"{len(seen.gaps)} gaps: tap one. "
        assert told.startswith(f"The model fills {count}"), told
        assert ("Switch off parts" in told) == (page.locator("[data-switch=head]").count() == 1)
    if gap is not None and not decided(seen, gap):
        assert page.locator("[data-head-row][aria-selected=true], .enc-arcs path, [data-switch=head]").count() == 0
        now, worst = float(seen.shares(gap)[seen.first]), max(seen.costs().values())
        if seen.name in RANDOM:
            assert title.startswith("What does the") and "weights of this model are random" in claim
        else:
            assert title == f"The model says “{seen.word(seen.first)}”: no head alone decides that."
            kept = re.search(rf"Without any one of them, “.*” keeps at least ({NUMBER}) of its share", claim)
            assert kept and shows(kept[1], min(1, 1 - worst / now)), claim
        assert claim.endswith("Choose a head to see where it looks.") and barriers(page) == []
        page.evaluate("word => store.set({ word })", seen.words[0][0][0])
        page.locator("[data-head-row]").nth(1).click()
        assert short_of(page, "[data-claim]").startswith("Head 1 of layer 0 ")
        return
    if claim.startswith("No head that"):
        asked = seen.place(title.removeprefix("What does ").removesuffix(" look at?"))
        assert claim.startswith(f"No head that {seen.called(asked)} needs looks beyond the words beside it.")
        assert page.locator("[data-head-row][aria-selected=true], .enc-arcs path").count() == 0 and gap is None
        assert not any(looks_far(seen, place, asked) for place, far in seen.moves(asked).items() if far >= NOISE)
        return
    if " small part" in claim:
        true_carriers(page, seen, claim)
        return
    found = re.match(rf"Head (\d+) of layer (\d+) (.*?): ({NUMBER})", claim)
    assert found, claim
    head, layer, does, share = int(found[1]), int(found[2]), found[3], found[4]
    position = int(page.locator(".enc-asked").get_attribute("data-word") or -1)
    asked = next(i for i, (tokens, _) in enumerate(seen.words) if tokens[0] == position)
    to, rest = seen.looks(layer, head, asked)
    if does.startswith("gives most to"):
        outside = len(seen.trace.tokens) - sum(len(tokens) for tokens, _ in seen.words)
        within = outside * 0.5 / WHOLE  # the page adds up their shares, each of which is sent in steps of 1 / WHOLE
        assert rest >= to.max() - 1e-4 and shows(share, rest, within), claim
        then = re.search(rf", then to (.*?): ({NUMBER})", claim)
        assert bool(then) is bool(to.max() >= 0.05) or abs(to.max() - 0.05) < 1e-4, claim
        assert not then or (to[seen.place(then[1])] >= to.max() - 1e-4 and shows(then[2], to.max())), claim
    else:
        called = seen.called(asked) if does.startswith("stays at") else re.split(r"looks at |, to ", does)[1]
        top = seen.place(called.removesuffix(" itself"))
        assert to[top] >= max(to.max(), rest) - 1e-4 and shows(share, to[top]), claim
    if gap is None:
        assert title == f"What does {seen.called(asked)} look at?"
        far, moved = seen.moves(asked), re.search(rf"Without it the last vector of (.*) changes by ({NUMBER})", claim)
        assert moved and seen.place(moved[1]) == asked and shows(moved[2], far[layer, head]), (claim, far[layer, head])
        true_rank(claim, far, (layer, head))
        if any(
            abs(i - asked) > 1 for i in range(len(seen.words))
        ):  # of heads that look at no neighbour the one that moves it most
            assert abs(top - asked) > 1 and far[layer, head] >= NOISE
            ahead = [place for place in far if far[place] > far[layer, head] * (1 + 1e-4)]
            assert not any(looks_far(seen, place, asked) for place in ahead), claim
        return
    costs, now = seen.costs(), float(seen.shares(gap)[seen.first])
    worst = max(costs.values())
    assert costs[layer, head] == pytest.approx(worst, rel=1e-4, abs=1e-9), "the head without which most is lost"
    if seen.name in RANDOM:
        assert title.startswith("What does the") and "weights of this model are random" in claim
        return
    assert f"hy does the model say “{seen.word(seen.first)}”" in title and worst >= NOISE * now
    if len(seen.gaps) > 1:
        assert "at the first gap" in title
    if after := re.match("After “(.*)”, ", title):
        assert after[1] == seen.words[asked - 1][1] and after[1] in {"student", "car", "cabinet"}
        assert seen.word(seen.first) in {"is", "are", "was", "were", "has", "have"}
    true_change(claim, seen, gap, off(layer, head), first_alone=True)
    true_rank(claim, costs, (layer, head))
    if beside := re.search(r"It mostly looks one (ahead|back): (\d+) of (\d+)", claim):
        step = 1 if beside[1] == "ahead" else -1
        looks = [seen.looks(layer, head, i) for i in range(len(seen.words))]
        steps = [int(to.argmax()) - i for i, (to, rest) in enumerate(looks) if rest <= to.max()]
        assert (steps.count(step), len(looks)) == (int(beside[2]), int(beside[3])) and does.startswith("looks")
    page.get_by_role("radio", name="off", exact=True).check()
    expect(page.locator(".enc-silent")).to_have_count(1)
    without = seen.shares(gap, off(layer, head))
    still = "still " if int(without.argmax()) == seen.first else ""
    assert short_of(page) == f"Without this head the model {still}says “{seen.word(int(without.argmax()))}”."
    true_change(short_of(page, "[data-claim]"), seen, gap, off(layer, head))
    page.get_by_role("radio", name="on", exact=True).check()
    for other in sorted(costs, key=lambda place: costs[place])[:1]:  # a head that the guess would be better without
        page.evaluate("([layer, head]) => store.set({ layer, head })", list(other))
        said = short_of(page, "[data-claim]")
        assert said.startswith(f"Head {other[1]} of layer {other[0]} ")
        true_change(said, seen, gap, off(*other), first_alone=True)
    kept_head = page.evaluate("[store.get().layer, store.get().head]")
    for word in seen.words[:2]:  # another word leaves the head as it is
        page.evaluate("word => store.set({ word })", word[0][0])
        assert page.evaluate("[store.get().layer, store.get().head]") == kept_head


@pytest.mark.parametrize("case", [f"small: {WATER}", f"small: {SOFA}"])
def test_compare_says_what_the_runs_show(mounted: Mounted, case: str) -> None:
    """B is A with one word more in the place of its longest: all other words stand side by side."""
    name, sentence = case.split(": ", 1)
    words = sentence.split()
    long = max(range(len(words)), key=lambda i: (words[i].isalpha(), len(words[i])))
    other = " ".join([*words[:long], "green", *words[long + 1 :]])
    page, a = opened(mounted, "compare", case, other=other, view="look")
    b = Seen(name, other)
    expect(page.locator("h1")).to_contain_text("changes most", timeout=60_000)
    title = short_of(page)
    assert not WRONG.search(title), title
    same = [i for i, (x, y) in enumerate(zip(a.words, b.words, strict=True)) if x[1] == y[1]]

    def changes(layer: int, head: int) -> np.ndarray:
        return np.array([b.looks(layer, head, i)[0] - a.looks(layer, head, i)[0] for i in same])

    largest = {place: np.abs(changes(*place)).max() for place in a.heads()}
    found = CHANGES.match(title)
    assert found, title
    head, layer = int(found[2]), int(found[3])
    among = a.heads()
    if "needs" in found[1]:
        among = [place for one in (a, b) for place in one.needed()]
    elif "move" in found[1]:
        far = [one.moves(i) for one in (a, b) for i in range(len(a.words))]
        among = [max(one, key=one.__getitem__) for one in far]
        assert not (a.gaps and a.guesses)
    assert (layer, head) in among and largest[layer, head] >= max(largest[place] for place in among) - 1e-4, title
    size = found[6] or found[8]
    assert size.startswith("under") or shows(f"{size} %", float(largest[layer, head])), (title, largest[layer, head])
    query, word = (found[4], found[5]) if found[4] else (found[9], found[10])
    row = a.place(query)
    names = [(a.called(i), f"“{mine[1]}/{b.words[i][1]}”") for i, mine in enumerate(a.words)]
    column = row if word == "itself" else next(i for i, both in enumerate(names) if word in both)
    signed = changes(layer, head)[same.index(row)][column]
    assert abs(signed) == pytest.approx(largest[layer, head], abs=2e-4)
    assert found[7] != "more" or signed > 0
    assert found[7] != "less" or signed < 0
    if guess := GUESSES.search(title):
        ours, theirs = a.shares(a.gaps[0]), b.shares(b.gaps[0])
        now, then = int(ours.argmax()), int(theirs.argmax())
        assert (guess[1] or guess[4], guess[1] or guess[6]) == (a.word(now), b.word(then))
        assert shows(guess[2] or guess[5], float(ours[now])) and shows(guess[3] or guess[7], float(theirs[then]))
