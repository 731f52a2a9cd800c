"""When grammar is born: numbers of the shipped count and of the snapshots, what is said of them, and the page."""

import asyncio
import base64
import gzip
import json
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from page_tools import bar, happen, healthy, open_app, page_shown, said
from shared_models import treebanks
from streamlit.testing.v1 import AppTest
from visits import link

from encoder import Edit, EncoderError, TextEncoder
from encoder.checkpoint import BUNDLED
from encoder.exam import ExamError, Treebank
from encoder.exam.constructed_sentences import NOUNS, agreeing, constructed_sentences
from encoder.exam.links import GAPS, JUDGED, relations
from encoder.exam.moments import (
    DRAWS,
    PERMUTED,
    TREES,
    MomentCounter,
    Moments,
    bundled_moments,
    moments_file,
    permuted,
    questions,
    read_moments,
    training_moments,
)
from encoder.exam.relation_curve import (
    AGREEMENT,
    EXAMPLES,
    KEYS,
    RelationCurve,
    best,
    every_head,
    headline,
    relation_curve,
    whole,
)
from encoder.experiments.circuit import circuits_by_content, phenomenon, training_circuit
from encoder.packet.after_layers import level_5
from encoder.packet.run import level_1, level_2
from encoder.pictures.ask import model_called
from encoder.support.formatting import percent
from encoder.tasks import kept_moments
from encoder.tasks.kept_moments import gap_moments, word_moments
from pages.front.packets import Packets
from pages.front.request_fields import RunRequest, wanted

pytestmark = pytest.mark.slow

STEPS = (0, 10, 30, 100, 300, 1000, 3000, 10_000, 20_000)
MAN = "The old man carried a very heavy bag."
MOMENTS = bundled_moments("small")
assert MOMENTS is not None


def sent(app: AppTest) -> dict[str, Any]:
    """What the film was sent."""
    films = [json.loads(part.proto.json) for part in app.get("bidi_component") if part.proto.id.endswith("-grammar")]
    data: dict[str, Any] = films[0]
    return data


def guesses(data: dict[str, Any], moment: int) -> list[tuple[str, float]]:
    """What a film that was sent shows as the guesses of a moment."""
    guess = data["guess"]
    return [(guess["vocabulary"][word], guess["guessed"][word][moment]) for word in guess["tops"][moment]]


def counter_of(encoder: TextEncoder, bank: Treebank) -> MomentCounter:
    """What counts the subjects of gaps with a noun between: few enough to run here."""
    counter = MomentCounter(encoder, bank.name, questions(encoder, bank, [JUDGED]))
    counter.gap_sentences = []  # agreement has a test of its own
    return counter


def test_two_relations_are_counted_again_from_snapshots_and_trees() -> None:
    """Subjects of gaps with a noun between, and objects by the fixed distance: both small enough to run here."""
    bank = treebanks()[0]
    counter = counter_of(late := kept_moments.at("small", 20_000), bank)
    right = counter.count(late).right
    assert counter.links[JUDGED] == MOMENTS.links[JUDGED] == 104
    assert np.abs(np.array(right[JUDGED]) - MOMENTS.right[20_000][JUDGED]).max() <= 2
    early = kept_moments.at("small", 1000)
    near = counter_of(early, bank).count(early).near
    assert np.abs(np.array(near[JUDGED]) - MOMENTS.near[1000][JUDGED]).max() <= 2 and np.any(near[JUDGED])


def test_what_was_counted_before_is_what_is_shipped() -> None:
    """Shares in percent that other code had measured, the best fixed distances, and how many links there are."""
    known = {
        ("obj", 2, 0): (6.2, 5.6, 6.4, 3.6, 6.2, 39.2, 71.3, 86.9, 88.8),
        ("det", 3, 2): (6.8, 6.8, 7.2, 4.2, 4.1, 30.2, 64.8, 75.2, 78.3),
        ("case", 3, 2): (8.7, 8.9, 9.4, 5.3, 5.5, 16.5, 51.1, 65.6, 72.6),
    }
    apart = dict[str, Counter[int]]()
    for sentence in relations(treebanks()[0]):
        for kind, source, target in sentence.links:
            apart.setdefault(kind, Counter())[target - source] += 1
    assert {kind: count for kind, count in MOMENTS.links.items() if kind not in GAPS} == {
        kind: counts.total() for kind, counts in apart.items()
    }
    for place, shares in known.items():
        assert [100 * share for share in MOMENTS.shares(*place).values()] == pytest.approx(shares, abs=1)
        rule = MOMENTS.rules[place[0]]
        assert (rule.distance, rule.right) == apart[place[0]].most_common(1)[0]
    for wrong in (("none", 0, 0), ("obj", 4, 0), ("obj", 0, -1)):
        with pytest.raises(ExamError, match="has no"):
            MOMENTS.shares(*wrong)
    made = constructed_sentences("[MASK]", DRAWS)
    many = {noun.split()[1] for noun in NOUNS}
    nearest = [next(word for word in one.words[one.gap :: -1] if word in " ".join(NOUNS).split()) for one in made]
    tempted = sum((noun in many) == (one.numbers[0] == 1) for noun, one in zip(nearest, made, strict=True))
    agreement = MOMENTS.agreement
    assert (agreement.made, agreement.nearest, agreement.best_right) == (len(made), tempted, len(made))
    assert MOMENTS.rules["obj"].best == "the nearest verb before, else after"
    before = sum(
        next((at for at in range(link.source - 1, -1, -1) if sentence.tags[at] == "VERB"), None) == link.target
        for sentence in relations(treebanks()[0])
        for link in sentence.links
        if link.kind == "obj"
    )
    assert before <= MOMENTS.rules["obj"].best_right <= before + 10  # of those that have no verb before them


def test_agreement_is_whether_the_right_form_is_likelier() -> None:
    encoder, right = kept_moments.at("small", 1000), 0
    sentences = constructed_sentences("[MASK]", DRAWS)[::7]
    for one in sentences:
        trace = encoder.trace(" ".join(one.words))
        at = trace.tokens.index("[MASK]")
        shares = [float(trace["mlm.probabilities"][at, encoder.word_id(trace, at, form)]) for form in ("is", "are")]
        right += shares[one.numbers[0]] > shares[1 - one.numbers[0]]
    assert abs(right - agreeing(encoder, sentences)) <= 1 and 0 < right < len(sentences)


def test_the_control_has_the_same_distances_and_no_grammar() -> None:
    """Each sentence gets the links of another of its length, and no head is certainly above the rule at any moment."""
    encoder, bank = kept_moments.at("small", 20_000), treebanks()[0]
    asked = questions(encoder, bank, ["obj", "gap:between"])
    mixed = permuted(asked)
    by_words = {(one.words, one.number): one for one in asked}
    assert len(mixed) > 0.9 * len(asked)
    for one in mixed:
        own = by_words[one.words, one.number]
        assert all(max(link.source, link.target) < len(own.words) for link in one.links)
    assert sum(one.links == by_words[one.words, one.number].links for one in mixed) < 0.1 * len(mixed)
    control = bundled_moments("small", PERMUTED)
    assert control is not None
    for relation in ("obj", "det", "case", JUDGED):
        flat = relation_curve(control, relation)
        assert flat.leaves is flat.passes is None and max(flat.shares.values()) < flat.fixed + 0.02
        assert "does no better than a rule" in headline(flat, "it")


def test_the_second_treebank_has_the_same_birth() -> None:
    """And is chosen on the page, as the control is."""
    web = bundled_moments("small", "en_ewt")
    assert web is not None and web.treebank == "en_ewt"
    for relation, step in (("obj", 3000), ("case", 3000)):
        one = relation_curve(web, relation)
        assert one.place == relation_curve(MOMENTS, relation).place and one.steps[one.leaves or 0] == step
    for trees in TREES[1:]:
        counted = bundled_moments("small", trees)
        assert counted is not None
        app = open_app("training", born_trees=trees, model="small")
        assert header_of(app) == headline(relation_curve(counted, "obj"), "a head of the small model")
        shares = sent(app)["curves"][0]["shares"]
        assert shares == pytest.approx(list(relation_curve(counted, "obj").shares.values()), abs=1e-5)


def curve(
    shares: list[float], fixed: float, n: int = 1000, near: list[float] | None = None, rule: float = 0.9
) -> RelationCurve:
    steps = range(len(shares))
    dicts = dict(zip(steps, shares, strict=True)), dict(zip(steps, near or [], strict=False))
    return RelationCurve("obj", (0, 1), n, rule, "the nearest verb before", fixed, -2, *dicts)


def test_a_curve_leaves_its_rule_where_it_stays_above_it() -> None:
    assert curve([0.1, 0.6, 0.2, 0.55, 0.7], 0.4).leaves == 3
    assert curve([0.1, 0.45, 0.49], 0.4).leaves is None, "nine points above are not enough"
    assert curve([0.1, 0.3, 0.6], 0.4, n=10).leaves is None, "nor are six of ten"
    flat = headline(curve([0.1, 0.45, 0.49], 0.4), "this head")
    assert flat == "This head does no better than a rule: 49 % at step 2, the rule “two words back” gets 40 %."
    assert curve([0.2, 0.7], 0.4, near=[0.8, 0.5]).counted and not curve([0.2, 0.7], 0.4, near=[0.3, 0.5]).counted


def test_to_begin_and_to_pass_a_rule_are_told_apart() -> None:
    """It begins where it is surely above where it was at first, whatever the rules are, and passes either later."""
    slow = curve([0.05, 0.06, 0.3, 0.6, 0.9], 0.4, rule=0.7)
    assert (slow.begins, slow.leaves, slow.passes) == (2, 3, 4)
    said = whole(slow, "small")
    dated = "From step 1 to 3 head 1 of layer 0 learns to find the verb: 6 % → 60 % right."
    assert said.startswith(dated)
    once = headline(curve([0.05, 0.06, 0.6, 0.9], 0.4), "it")
    assert once == "From step 1 to 2 it learns to find the verb: 6 % → 60 % right."
    assert "From step 3 on it is at least 10 points above the best fixed distance (40 %), from step 4 on" in said
    assert "at no step above the best simple rule (95 %)" in whole(curve([0.05, 0.6], 0.4, rule=0.95), "small")
    assert "not 10 points above the best simple rule (55 %)" in whole(curve([0.05, 0.6], 0.4, rule=0.55), "small")
    assert curve([0.3, 0.31, 0.32], 0.1, n=100).begins is None, "one of a hundred more is no beginning"


def test_what_is_said_of_small() -> None:
    one = relation_curve(MOMENTS, "obj")
    assert (one.place, one.leaves, STEPS[6]) == ((2, 0), 6, 3000)
    assert whole(one, "small") == (
        "From step 300 to 3,000 head 0 of layer 2 learns to find the verb: 6 % → 71 % right. From step 3,000 on it is "
        "at least 10 points above the best fixed distance "
        "(39 %), but at no step above the best simple rule (95 %)."
    )
    agreed = relation_curve(MOMENTS, AGREEMENT)
    assert [agreed.steps[at or 0] for at in (agreed.begins, agreed.leaves)] == [3000, 10_000] and not agreed.passes
    assert best(MOMENTS, "obj")[-1] == (2, 0)
    every = every_head(MOMENTS, "obj")
    assert every.shape == (16, 9) and every[8].tolist() == list(MOMENTS.shares("obj", 2, 0).values())
    with pytest.raises(ExamError, match="no relation 'nothing'"):
        relation_curve(MOMENTS, "nothing")


def test_the_arcs_are_a_trace_of_the_snapshots_word_by_word() -> None:
    encoders = {step: kept_moments.at("small", step) for step in (300, 3000)}
    text = "The old keys dishwashers carried."
    seen = word_moments(encoders, text, 2, 0)
    assert seen.words == ("The", "old", "keys", "dishwashers", "carried", ".")
    for at, encoder in enumerate(encoders.values()):
        trace = encoder.trace(text)
        weights, words = trace["layers.2.attention.weights"][0], trace.tokenization
        for i, a in enumerate(seen.words):
            for j, b in enumerate(seen.words):
                rows, columns = words.find(a), words.find(b)
                expected = sum(float(weights[r, c]) for r in rows for c in columns) / len(rows)
                assert float(seen.weights[at, i, j]) == pytest.approx(expected, abs=1e-5)
    assert torch.allclose(seen.weights.sum(-1) + seen.parked, torch.ones(2, 6), atol=1e-5)
    with pytest.raises(EncoderError, match="layer is 4"):
        word_moments(encoders, text, 4, 0)


def test_guesses_are_those_of_the_snapshots() -> None:
    encoders = {step: kept_moments.at("small", step) for step in (1000, 3000)}
    seen = gap_moments(encoders, KEYS, ("is", "are"))
    assert [row[0][0] for row in seen.guesses] == ["is", "are"]
    assert seen.forms[0, 0] > seen.forms[1, 0] and seen.forms[1, 1] > seen.forms[0, 1]
    assert seen.guesses[0][0][1] == pytest.approx(float(seen.forms[0, 0]))
    with pytest.raises(EncoderError, match=r"the text has no \[MASK\]"):
        gap_moments(encoders, MAN, ("is",))


def lead(encoder: TextEncoder, text: str, edits: list[Edit]) -> float:
    """How far "are" lies above "is" at the gap of a whole run."""
    trace = encoder.trace(text, edits=edits)
    logits = trace["mlm.logits"][trace.tokens.index("[MASK]")].double()
    return float(logits[encoder.tokenizer.token_to_id("are")] - logits[encoder.tokenizer.token_to_id("is")])


@pytest.mark.nightly
def test_what_heads_carry_at_a_moment_is_what_whole_runs_give(small: TextEncoder) -> None:
    circuit, pairs = training_circuit(small), phenomenon("number").pairs
    shipped, encoder = circuit.constructed, kept_moments.at("small", 3000)
    sets = [circuit.heads, *((head,) for head in circuit.heads)]
    flip, fallen = 0.0, np.zeros(len(sets))
    for pair in pairs:
        gap = encoder.tokenize(pair.a).tokens.index("[MASK]")
        before = lead(encoder, pair.a, [])
        flip += before - lead(encoder, pair.b, [])
        for i, some in enumerate(sets):
            edits = [Edit(f"layers.{at}.attention.heads", "patch", (head,), (gap,), pair.b) for at, head in some]
            fallen[i] += before - lead(encoder, pair.a, edits)
    assert (shipped.pairs, shipped.flips[3000]) == (len(pairs), pytest.approx(flip / len(pairs), abs=1e-3))
    assert shipped.shares[3000] == pytest.approx(fallen / flip, abs=1e-3)


def test_a_job_changes_hands(small: TextEncoder) -> None:
    circuit = training_circuit(small)
    assert circuit.heads == ((3, 3), (2, 0), (3, 0)) and circuit.constructed.hands == (3000, 1, 0)
    assert circuit.natural.hands == (1000, 1, 0) and circuit.natural.shares[20_000][1] > 0.6
    known = circuits_by_content(small.source.fingerprint)
    assert known is not None and circuit.natural.pairs == known.natural.pairs
    assert circuit.natural.flips[20_000] == pytest.approx(known.natural.flip, abs=1e-3)
    for of in (circuit.constructed, circuit.natural):
        assert of.steps == list(STEPS) and of.drawn == [step for step, flip in of.flips.items() if flip >= 0.5]
        assert of.lines[:, -1].tolist() == [*of.shares[20_000][1:], of.shares[20_000][0]]
        assert np.isnan(of.lines).all(0).tolist() == [step not in of.drawn for step in STEPS]
    with pytest.raises(EncoderError, match="not measured over the training of small"):
        training_circuit(kept_moments.at("small", 300))


def test_the_page_draws_what_heads_carry_as_one_curve_with_its_numbers(small: TextEncoder) -> None:
    app = open_app("training", born_carried="1", born="gap:between", born_more="1", model="small")
    constructed = training_circuit(small).constructed
    data = sent(app)
    assert data["chosen"] == len(data["curves"]) - 1 and data["steps"] == constructed.steps
    together = [constructed.shares[step][0] if step in constructed.drawn else None for step in STEPS]
    assert data["curves"][-1]["shares"] == pytest.approx(together, abs=1e-5)
    names = ["head 3 of layer 3", "head 0 of layer 2", "head 0 of layer 3"]
    assert [line["title"] for line in data["dashed"]] == names and not data["lines"]
    ends = [line["shares"][-1] for line in data["dashed"]]
    assert ends == pytest.approx(constructed.shares[20_000][1:], abs=1e-5)
    shares = " → ".join(percent(constructed.shares[step][0], 1) for step in (3000, 20_000))
    header = header_of(app)
    carry = "From step 3,000 to 20,000 three heads of the small model carry the number of the subject to the verb"
    assert header.split(";")[0] == f"{carry}: {shares}"
    assert header.endswith("head 0 of layer 2 hands over to head 3 of layer 3.")
    then, now = (constructed.shares[step] for step in (3000, 20_000))
    assert (
        "The job changes hands: at step 3,000 head 0 of layer 2 and head 3 of layer 3 carry "
        f"{percent(then[2])} and {percent(then[1])} of the change from one to many, at the end {percent(now[2])} and "
        f"{percent(now[1])}. All 3 heads together carry {percent(then[0])} of it, at the end {percent(now[0])}. "
        "Before, the change is too small to share out, and nothing is drawn." in texts(app)
    )
    assert "arXiv 2309.07311" in texts(app)


def header_of(app: AppTest) -> str:
    """The headline of the page."""
    return str(app.title[0].value).replace("\\", "").replace("\u00a0", " ")


def texts(app: AppTest) -> str:
    """The words on the page that Streamlit draws."""
    return " ".join(part.value for part in [*app.markdown, *app.caption]).replace("\\", "")


def test_the_page_opens_on_the_film_with_the_shipped_numbers(small: TextEncoder) -> None:
    app = open_app("training", born_more="1")
    finding = headline(relation_curve(MOMENTS, "obj"), "a head of the small model")
    assert header_of(app) == finding
    assert "at no step above the best simple rule (95 %)" in texts(
        app
    ) and "The share of 877 hand-marked examples" in texts(app)
    data = sent(app)
    assert tuple(data["steps"]) == STEPS and (data["start"], data["chosen"]) == (6, 0)
    assert data["who"] == "Head 0 of layer 2."
    assert data["note"] == "“base” was not filmed: this is “small”."
    for place, each in zip(((2, 0), (3, 2), (3, 2), (3, 3)), data["curves"], strict=False):
        relation = next(key for key, example in EXAMPLES.items() if example.title == each["title"])
        assert each["shares"] == pytest.approx(list(MOMENTS.shares(relation, *place).values()), abs=1e-5)
    agreed = [right / MOMENTS.agreement.made for right in MOMENTS.agreement.right.values()]
    assert data["curves"][4]["shares"] == pytest.approx(agreed, abs=1e-5)
    assert [line["share"] for line in data["lines"]] == [
        MOMENTS.rules["obj"].right / MOMENTS.links["obj"],
        MOMENTS.rules["obj"].best_right / MOMENTS.links["obj"],
    ]
    assert data["words"] == ["The", "old", "man", "carried", "a", "very", "heavy", "bag", "."]
    assert (data["from"], data["gold"], bar(app)["sentence"]) == (7, [7, 3], MAN)
    of_words = word_moments({0: small}, MAN, 2, 0)
    packed = np.frombuffer(base64.b64decode(data["weights"]), "<u2").reshape(9, 9, 9) / 65535
    np.testing.assert_allclose(packed[-1], of_words.weights[0].numpy(), atol=2e-5)
    parked = np.frombuffer(base64.b64decode(data["parked"]), "<u2").reshape(9, 9) / 65535
    np.testing.assert_allclose(parked[-1], of_words.parked[0].numpy(), atol=2e-5)
    assert (data["guess"]["hidden"], data["guess"]["around"]) == ("carried", ["The old man ", " a very heavy bag."])
    for moment, step in ((3, 100), (8, 20_000)):
        encoder = kept_moments.at("small", step)
        trace = encoder.trace(MAN.replace("carried", "[MASK]"))
        right = (encoder.predict(trace, 5, [trace.tokens.index("[MASK]")]) or [])[0]
        assert [word for word, _ in guesses(data, moment)] == [word for word, _ in right]
        assert [share for _, share in guesses(data, moment)] == pytest.approx([share for _, share in right], abs=1e-5)
        shares = trace["mlm.probabilities"][trace.tokens.index("[MASK]")]
        every = [float(shares[encoder.tokenizer.token_to_id(word)]) for word in data["guess"]["vocabulary"]]
        assert [shares[moment] for shares in data["guess"]["guessed"]] == pytest.approx(every, abs=1e-5)


@pytest.mark.nightly
def test_the_example_comes_into_the_bar_and_a_sentence_of_ones_own_stays() -> None:
    own = "The dogs near the house [MASK] loud [MASK] today."
    app = open_app("training", sentence=own)
    data = sent(app)
    assert bar(app)["sentence"] == own and data["words"][data["from"]] == "[MASK]" and data["gold"] is None
    assert data["guess"]["around"] == ["The dogs near the house ", " loud [MASK] today."]
    happen(app, "grammar", "word", 7)
    assert sent(app)["guess"]["around"] == ["The dogs near the house [MASK] loud ", " today."]
    happen(app, "grammar", "curve", 2)
    assert bar(app)["sentence"] == own and link(app)["born"] == "case"
    for wrong in (99, "1", None, -1):
        happen(app, "grammar", "curve", wrong)
        assert link(app)["born"] == "case"
    happen(app, "around", "set", {"sentence": "The cat chased the mouse."})
    assert sent(app)["words"][0] == "The" and sent(app)["words"][sent(app)["from"]] == "mouse"
    happen(app, "grammar", "curve", 3)
    assert bar(app)["sentence"] == KEYS and sent(app)["gold"] == [5, 1]


def test_a_model_whose_training_was_not_counted_is_told_and_small_is_shown() -> None:
    app = open_app("training", model="moment:small,300")
    assert (sent(app)["who"], sent(app)["note"]) == ("Head 0 of layer 2.", "")
    app = open_app("training", model="learned:task=shift")
    assert sent(app)["note"].endswith("” was not filmed: this is “small”.") and tuple(sent(app)["steps"]) == STEPS


def test_every_page_that_the_browser_draws_has_the_numbers_of_the_snapshot() -> None:
    """Stop, walk, guess: they are drawn from packets, and these are made of a trace of the very snapshot."""
    encoder = kept_moments.at("small", 3000)
    trace, layer = encoder.trace(KEYS), 2
    make: dict[int, Callable[[], bytes]] = {
        1: lambda: level_1(encoder, trace),
        2: lambda: level_2(trace, layer),
        5: lambda: level_5(encoder, trace),
    }
    for level, made in make.items():
        fields = {"level": level, "sentence": KEYS} | ({"layer": layer} if level == 2 else {})
        packets = [
            gzip.decompress(
                asyncio.run(Packets().get(wanted(RunRequest, fields | {"model": f"moment:small,{step}"}), ""))
            )
            for step in (3000, 1000)
        ]
        assert packets[0] == made() != packets[1], level


def test_a_moment_is_a_model_in_all_pages() -> None:
    name = "moment:small,3000"
    encoder, same = model_called(name), TextEncoder.from_pretrained("small", step=3000)
    first, second = (one.trace(MAN)["output"] for one in (encoder, same))
    assert torch.equal(first, second) and not torch.equal(first, model_called("small").trace(MAN)["output"])
    app = open_app("heads", model=name)
    assert link(app)["model"] == name and page_shown(app) == "heads"
    for wrong in ("moment:small,7", "moment:base,0", "moment:small", "moment:../x,0", "moment:paper,0"):
        assert "The link asks for model" in said(healthy(open_app(model=wrong)))
    assert percent(0.5) == "50 %"


def planted(right: int) -> Moments:
    """Counts of two moments of one head, of which so many are right at the end."""
    at = {relation: [[right]] for relation in MOMENTS.links}
    start = {relation: [[0]] for relation in MOMENTS.links}
    links, near = dict.fromkeys(MOMENTS.links, 100), {0: {"obj": [[0]]}, 500: {"obj": [[0]]}}
    agreement = replace(MOMENTS.agreement, right={0: 0, 500: 280})
    rules = {relation: replace(rule, right=40, best_right=50) for relation, rule in MOMENTS.rules.items()}
    return replace(
        MOMENTS, model="own", links=links, rules=rules, agreement=agreement, near=near, right={0: start, 500: at}
    )


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of models with a training of one's own, of which two snapshots were examined."""
    folder = tmp_path / "mine"
    shutil.copytree(BUNDLED / "small", folder, ignore=shutil.ignore_patterns("snapshots", "*.npz", "atlas*"))
    (folder / "snapshots").mkdir()
    for was, step in ((0, 0), (300, 500)):
        name = "snapshots/step-{:06d}.safetensors"
        shutil.copy(BUNDLED / "small" / name.format(was), folder / name.format(step))
    moments_file(folder).write_text(planted(90).to_json(), encoding="utf-8")
    monkeypatch.setenv("ENCODER_MODELS", str(tmp_path))
    return folder


def test_a_training_of_ones_own_has_its_film_and_its_moments_are_models(own: Path) -> None:
    app = open_app("training", model="folder:mine", born="det")
    header = header_of(app)
    assert header == "From step 0 to 500 a head of the own model learns to find the noun: under 1 % → 90 % right."
    assert len(sent(app)["curves"]) == 5, "what heads carry was not measured there"
    assert tuple(sent(app)["steps"]) == (0, 500) and sent(app)["guess"]["hidden"]
    app = open_app("training", model="folder:mine", born="gap:between")
    early = guesses(sent(app), 1)[0][0]
    encoder = kept_moments.at("small", 300)
    assert early == gap_moments({300: encoder}, KEYS, ("is",)).guesses[0][0][0]
    app = open_app("heads", model="moment:folder:mine,500")
    assert page_shown(app) == "heads" and link(app)["model"] == "moment:folder:mine,500"
    for wrong in ("moment:folder:mine,7", "moment:folder:../mine,500", "moment:folder:none,0"):
        assert "The link asks for model" in said(healthy(open_app(model=wrong)))


def test_two_trainings_stand_beside_each_other(own: Path) -> None:
    app = open_app("training", model="folder:mine", born_beside="small", born_more="1")
    beside = sent(app)["beside"]
    assert beside["steps"] == list(STEPS)
    assert beside["shares"] == pytest.approx(list(relation_curve(MOMENTS, "obj").shares.values()), abs=1e-5)
    assert headline(relation_curve(MOMENTS, "obj"), "head 0 of layer 2") in texts(app)


def test_a_damaged_file_of_moments_is_refused_in_a_sentence(own: Path) -> None:
    good = planted(90).to_json()
    for content in (
        "",
        "[]",
        "{}",
        planted(101).to_json(),
        planted(-1).to_json(),
        good.replace("[[90]]", "[90]"),
        good.replace('"right": 40', '"right": 101'),
        good.replace("500", "-5"),
        good.replace('"links"', '"x"'),
        "[" * 100_000,
    ):
        moments_file(own).write_text(content, encoding="utf-8")
        with pytest.raises(ExamError, match=r"moments\.json holds no counts of moments"):
            read_moments(moments_file(own))


def test_moments_of_other_snapshots_are_not_shown(own: Path) -> None:
    assert training_moments(TextEncoder.from_pretrained(own)) is not None
    (own / "snapshots" / "step-000500.safetensors").unlink()
    assert training_moments(TextEncoder.from_pretrained(own)) is None
