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
from page_tools import healthy, open_app, page_shown, said
from shared_models import treebanks
from streamlit.testing.v1 import AppTest
from visits import link

from encoder import Edit, EncoderError, TextEncoder
from encoder.checkpoint import BUNDLED
from encoder.exam import ExamError, Treebank
from encoder.exam.frames import NOUNS, agreeing, made_sentences
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
from encoder.exam.rise import AGREEMENT, EXAMPLES, KEYS, Rise, best, every_head, headline, rise, whole
from encoder.experiments.circuit import circuits_by_content, phenomenon, training_circuit
from encoder.packet.after_layers import level_5
from encoder.packet.block_level import level_3
from encoder.packet.embedding import level_4
from encoder.packet.run import level_1, level_2
from encoder.packet.what_if_level import level_7
from encoder.pictures.ask import model_called
from encoder.support.formatting import percent
from encoder.tasks import kept_moments
from encoder.tasks.kept_moments import gap_moments, word_moments
from pages.front.packets import Packets
from pages.front.request_fields import wanted

pytestmark = pytest.mark.slow

STEPS = (0, 10, 30, 100, 300, 1000, 3000, 10_000, 20_000)
MAN = "The old man carried a very heavy bag."
MOMENTS = bundled_moments("small")
assert MOMENTS is not None


def sent(app: AppTest, key: str) -> dict[str, Any]:
    """What the part of that key on the page was sent."""
    found = [json.loads(one.proto.json) for one in app.get("bidi_component") if one.proto.id.endswith(f"-{key}")]
    data: dict[str, Any] = found[0]
    return data


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
    made = made_sentences("[MASK]", DRAWS)
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


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.nightly)])
def test_agreement_is_whether_the_right_form_is_likelier(every: int) -> None:
    encoder, right = kept_moments.at("small", 1000), 0
    sentences = made_sentences("[MASK]", DRAWS)[::every]
    for one in sentences:
        trace = encoder.trace(" ".join(one.words))
        at = trace.tokens.index("[MASK]")
        shares = [float(trace["mlm.probabilities"][at, encoder.word_id(trace, at, form)]) for form in ("is", "are")]
        right += shares[one.numbers[0]] > shares[1 - one.numbers[0]]
    assert abs(right - agreeing(encoder, sentences)) <= 1 and 0 < right < len(sentences)
    assert every > 1 or abs(right - MOMENTS.agreement.right[1000]) <= 1


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
        flat = rise(control, relation)
        assert flat.leaves is flat.passes is None and max(flat.shares.values()) < flat.fixed + 0.02
        assert "does not rise above the best fixed distance" in headline(flat, "small")


def test_the_second_treebank_has_the_same_birth() -> None:
    """And is chosen on the page, as the control is."""
    web = bundled_moments("small", "en_ewt")
    assert web is not None and web.treebank == "en_ewt"
    for relation, step in (("obj", 3000), ("case", 3000)):
        one = rise(web, relation)
        assert one.place == rise(MOMENTS, relation).place and one.steps[one.leaves or 0] == step
    for trees in TREES[1:]:
        counted = bundled_moments("small", trees)
        assert counted is not None
        app = open_app("training", born_trees=trees)
        assert app.header[0].value.replace("\\", "") == headline(rise(counted, "obj"), "small")
        shares = sent(app, "grammar")["curves"][0]["shares"]
        assert shares == pytest.approx(list(rise(counted, "obj").shares.values()), abs=1e-5)


@pytest.mark.nightly
def test_the_second_treebank_is_counted_again() -> None:
    web, bank, encoder = bundled_moments("small", "en_ewt"), treebanks()[1], kept_moments.at("small", 3000)
    right = counter_of(encoder, bank).count(encoder).right[JUDGED]
    assert web is not None and np.abs(np.array(right) - web.right[3000][JUDGED]).max() <= 1


def curve(shares: list[float], fixed: float, n: int = 1000, near: list[float] | None = None, rule: float = 0.9) -> Rise:
    steps = range(len(shares))
    dicts = dict(zip(steps, shares, strict=True)), dict(zip(steps, near or [], strict=False))
    return Rise("obj", (0, 1), n, rule, "the nearest verb before", fixed, -2, *dicts)


def test_a_curve_leaves_its_rule_where_it_stays_above_it() -> None:
    assert curve([0.1, 0.6, 0.2, 0.55, 0.7], 0.4).leaves == 3
    assert curve([0.1, 0.45, 0.49], 0.4).leaves is None, "nine points above are not enough"
    assert curve([0.1, 0.3, 0.6], 0.4, n=10).leaves is None, "nor are six of ten"
    assert "does not rise above the best fixed distance: 49 % at step 2, “two words back” 40 %" in headline(
        curve([0.1, 0.45, 0.49], 0.4), "small"
    )
    assert curve([0.2, 0.7], 0.4, near=[0.8, 0.5]).counted and not curve([0.2, 0.7], 0.4, near=[0.3, 0.5]).counted


def test_to_begin_and_to_pass_a_rule_are_told_apart() -> None:
    """It begins where it is surely above where it was at first, whatever the rules are, and passes either later."""
    slow = curve([0.05, 0.06, 0.3, 0.6, 0.9], 0.4, rule=0.7)
    assert (slow.begins, slow.leaves, slow.passes) == (2, 3, 4)
    said = whole(slow, "small")
    assert "Between step 1 and 2 head 1 of layer 0 begins to look at the verb: 6 % → 30 %." in said.replace("6.0", "6")
    assert "From step 3 on it is 10 points above the best fixed distance (40 %), from step 4 on" in said
    assert "at no step above the best simple rule (95 %)" in whole(curve([0.05, 0.6], 0.4, rule=0.95), "small")
    assert "not 10 points above the best simple rule (55 %)" in whole(curve([0.05, 0.6], 0.4, rule=0.55), "small")
    assert curve([0.3, 0.31, 0.32], 0.1, n=100).begins is None, "one of a hundred more is no beginning"


def test_what_is_said_of_small() -> None:
    one = rise(MOMENTS, "obj")
    assert (one.place, one.leaves, STEPS[6]) == ((2, 0), 6, 3000)
    assert whole(one, "small") == (
        "Between step 300 and 1,000 head 0 of layer 2 begins to look at the verb: 6.2 % → 39 %. From step 3,000 on it "
        "is 10 points above the best fixed distance (39 %), but at no step above the best simple rule (95 %)."
    )
    agreed = rise(MOMENTS, AGREEMENT)
    assert [agreed.steps[at or 0] for at in (agreed.begins, agreed.leaves)] == [3000, 10_000] and not agreed.passes
    assert best(MOMENTS, "obj")[-1] == (2, 0)
    every = every_head(MOMENTS, "obj")
    assert every.shape == (16, 9) and every[8].tolist() == list(MOMENTS.shares("obj", 2, 0).values())
    with pytest.raises(ExamError, match="no relation 'nothing'"):
        rise(MOMENTS, "nothing")


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


def test_the_page_draws_what_heads_carry_with_its_numbers(small: TextEncoder) -> None:
    app, constructed = open_app("training"), training_circuit(small).constructed
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    drawn = {line["name"]: line for line in figure["data"]}
    assert list(drawn) == ["head 3 of layer 3", "head 0 of layer 2", "head 0 of layer 3", "together"]
    text = " ".join(one.value for one in [*app.markdown, *app.caption]).replace("\\", "")
    then, now = (constructed.shares[step] for step in (3000, 20_000))
    assert (
        "The job changes hands: at step 3,000 head 0 of layer 2 and head 3 of layer 3 carry "
        f"{percent(then[2])} and {percent(then[1])} of the change from one to many, at the end {percent(now[2])} and "
        f"{percent(now[1])}. All 3 heads together carry {percent(then[0])} of 2.38 nats" in text
    )
    assert "the change is below 0.5 nats, and nothing is drawn" in text and "arXiv 2309.07311" in text


def test_the_page_opens_on_the_film_with_the_shipped_numbers(small: TextEncoder) -> None:
    app = open_app("training", born_heads="1")
    assert app.header[0].value.replace("\\", "") == headline(rise(MOMENTS, "obj"), "small")
    words = " ".join(one.value for one in app.caption).replace("\\", "")
    count = sum(one.numel() for one in small.model.parameters()) / 1e6
    assert f"This is small, {count:.1f} M parameters, while the bar says base" in words and "was not examined" in words
    data = sent(app, "grammar")
    assert tuple(data["steps"]) == STEPS and data["start"] == 5 and data["chosen"] == 0
    for place, each in zip(((2, 0), (3, 2), (3, 2), (3, 3)), data["curves"], strict=False):
        relation = next(key for key, example in EXAMPLES.items() if example.title == each["title"])
        assert each["shares"] == pytest.approx(list(MOMENTS.shares(relation, *place).values()), abs=1e-5)
    line = sent(app, "grammar_arcs")
    assert line["words"] == ["The", "old", "man", "carried", "a", "very", "heavy", "bag", "."]
    assert (line["from"], line["gold"]) == (7, [7, 3])
    packed = np.frombuffer(base64.b64decode(line["weights"]), "<u2").reshape(9, 9, 9) / 65535
    np.testing.assert_allclose(packed[-1], word_moments({0: small}, MAN, 2, 0).weights[0].numpy(), atol=2e-5)
    assert [row[0][0] for row in sent(app, "grammar_guess")["guesses"]][5:7] == ["is", "are"]
    heads = sent(app, "grammar_heads")
    assert len(heads["shares"]) == 16 and heads["best"][-1] == 8 and "L2H0" not in said(app)


@pytest.mark.nightly
def test_every_relation_has_its_film_and_a_sentence_of_ones_own_no_gold() -> None:
    for relation, example in EXAMPLES.items():
        app = open_app("training", born=relation)
        line = sent(app, "grammar_arcs")
        source, target = line["gold"]
        assert (line["words"][source], line["words"][target]) == (example.source, example.target)
        assert headline(rise(MOMENTS, relation), "small") in app.header[0].value.replace("\\", "")
    assert "the work of the whole model" in " ".join(one.value for one in app.caption)
    app = open_app("training", born_text="Dogs chase cats in many very long gardens")
    line = sent(app, "grammar_arcs")
    assert line["gold"] is None and line["words"][line["from"]] == "gardens"
    assert "Nobody marked the grammar" in " ".join(one.value for one in app.caption)


def test_a_model_whose_training_was_not_counted_is_said_and_small_is_shown() -> None:
    app = open_app("training", model="small")
    assert "while the bar says" not in " ".join(one.value for one in app.caption)
    for model in ("learned:task=shift", "moment:small,300", "pre-norm"):
        app = open_app("training", model=model)
        assert "This is small, 1.9 M" in " ".join(one.value for one in app.caption).replace("\\", "")
        assert tuple(sent(app, "grammar")["steps"]) == STEPS


def test_every_page_that_the_browser_draws_has_the_numbers_of_the_snapshot() -> None:
    """Stop, walk, guess: they are drawn from packets, and these are made of a trace of the very snapshot."""
    encoder = kept_moments.at("small", 3000)
    trace, layer = encoder.trace(KEYS), 2
    make: dict[int, Callable[[], bytes]] = {
        1: lambda: level_1(encoder, trace),
        2: lambda: level_2(trace, layer),
        3: lambda: level_3(encoder, trace, layer),
        4: lambda: level_4(encoder, trace),
        5: lambda: level_5(encoder, trace),
        7: lambda: level_7(encoder, trace),
    }
    for level, made in make.items():
        fields = {"level": level, "sentence": KEYS} | ({"layer": layer} if level in (2, 3) else {})
        packets = [
            gzip.decompress(asyncio.run(Packets().get(wanted(fields | {"model": f"moment:small,{step}"}), "")))
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
    header = app.header[0].value.replace("\\", "")
    assert "Between step 0 and 500 head 0 of layer 0 begins to look at the noun: 0 % → 90 %" in header
    text = " ".join(one.value for one in app.caption).replace("\\", "")
    assert "This is own, 1.9 M parameters." in text and not app.get("plotly_chart")
    assert tuple(sent(app, "grammar")["steps"]) == (0, 500) == tuple(sent(app, "grammar_guess")["steps"])
    early = sent(app, "grammar_guess")["guesses"][1][0][0]
    encoder = kept_moments.at("small", 300)
    assert early == gap_moments({300: encoder}, KEYS, ("is",)).guesses[0][0][0]
    app = open_app("heads", model="moment:folder:mine,500")
    assert page_shown(app) == "heads" and link(app)["model"] == "moment:folder:mine,500"
    for wrong in ("moment:folder:mine,7", "moment:folder:../mine,500", "moment:folder:none,0"):
        assert "The link asks for model" in said(healthy(open_app(model=wrong)))


def test_two_trainings_stand_beside_each_other(own: Path) -> None:
    app = open_app("training", model="folder:mine", born_beside="small")
    beside = sent(app, "grammar")["beside"]
    assert beside["steps"] == list(STEPS)
    assert beside["shares"] == pytest.approx(list(rise(MOMENTS, "obj").shares.values()), abs=1e-5)
    text = " ".join(one.value for one in app.caption).replace("\\", "")
    assert headline(rise(MOMENTS, "obj"), "small") in text


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
