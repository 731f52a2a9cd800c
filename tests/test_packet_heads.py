"""Level 6 says of heads what the examination, its treebanks and the atlas say, and nothing where there is none."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from in_turn import in_turn
from shared_models import pretrained
from shipped.head_examples import FEW, head_examples, surest

from encoder import EncoderConfig, TextEncoder
from encoder.atlas.atlas_folders import shelf
from encoder.edits.edit import Edit
from encoder.exam import bundled_exam, bundled_treebanks
from encoder.exam.example_answers import example_answers_of
from encoder.exam.examples import examples
from encoder.exam.simple_rules import RULES
from encoder.exam.treebank import Treebank
from encoder.experiments.circuit import MinimalPair, check_reacts, phenomena, run_pair
from encoder.packet.format import unpack
from encoder.packet.heads_level import level_6, shares_carried
from encoder.packet.levels import MORE
from encoder.support.errors import EncoderError
from encoder.trace.words import places


def other_of(figures: list[dict[str, Any]]) -> dict[str, Any]:
    """The figure of the text that confirms the first."""
    (_, other) = figures
    return other


@in_turn("model", ["base", "small"])
def test_where_a_head_is_said_to_look_most_no_other_place_that_is_named_gets_more(model: str) -> None:
    """From the columns of the atlas, whatever label is on the head: special tokens are [CLS] and [SEP] together."""
    encoder = pretrained(model)
    atlas = shelf(encoder.source).atlases[0]
    survey = known(encoder)["survey"]
    assert survey["over"] == atlas.card.scope
    rows = atlas.heads.to_pylist()
    unclear = 0
    for row, (label, where, share) in zip(rows, survey["heads"], strict=True):
        named = {place: row[place] for place in ("self", "previous", "next", "punctuation", "special")}
        assert abs(row["special"] - row["cls"] - row["sep"]) < 1e-4
        assert share == pytest.approx(row[where], abs=1e-5) and share >= max(named.values()) - 1e-5, row
        assert label == {"cls": "special", "sep": "special"}.get(row["label"], row["label"])
        assert label == where or label not in named, "a clear label is where most goes"
        unclear += label != where
    assert unclear
    if model == "base":
        said = {(layer, head): survey["heads"][8 * layer + head][1:] for layer, head in ((5, 0), (2, 2), (5, 6))}
        shares = {place: (where, round(100 * share)) for place, (where, share) in said.items()}
        assert shares == {(5, 0): ("special", 45), (2, 2): ("special", 74), (5, 6): ("special", 31)}


def known(encoder: TextEncoder) -> dict[str, Any]:
    level, about, arrays = unpack(MORE[6](encoder, encoder.trace("The cat."), -1))
    assert (level, arrays) == (6, {})
    return about["heads"]


@in_turn("model", ["base", "small"])
def test_all_that_was_found_of_the_heads_of_a_bundled_model_is_told(model: str) -> None:
    encoder, exam = pretrained(model), bundled_exam(model)
    assert exam is not None
    said = known(encoder)
    shares = {(one["layer"], one["head"], one["job"]): one["figures"] for one in said["jobs"]}
    for row in exam.jobs():
        (figures,) = [
            figures
            for (layer, head, _), figures in shares.items()
            if (layer, head) == row.place and figures[0]["share"] == row.accuracy
        ]
        other = other_of(figures)
        assert (figures[0]["count"], figures[0]["rule"], figures[0]["how"]) == (row.n, row.rule_accuracy, row.rule)
        assert (figures[0]["fixed"], other_of(figures)["fixed"]) == (
            row.distance_accuracy,
            row.second_distance_accuracy,
        )
        assert (other["share"], other["count"]) == (row.second_accuracy, row.second_n)
        assert other["rule"] == row.second_rule_accuracy
    made = [frame for frame in exam.frames if frame.frame == "all frames" and frame.beyond_distance]
    assert len(shares) == len(exam.jobs()) + len(made)
    assert [(one["passed"], bool(one["why"])) for one in said["jobs"]] == [(False, True)] * len(shares)
    near = {row.place for row in exam.jobs()}
    total = encoder.config.n_layers * encoder.config.n_heads
    assert said["passed"].startswith(
        f"None of {total} heads passed on real text, held against {len(RULES)} simple rules"
    )
    more = f"{len(near)} on real text{' and 1 on constructed sentences only' if made else ''}."
    assert said["passed"].endswith(more)
    assert [one["made"] for one in said["jobs"] if one["made"]] == [True] * len(made)
    weak = {(one["layer"], one["head"], one["figure"]["share"]) for one in said["tried"]}
    assert weak and not weak & {(*row.place, row.accuracy) for row in exam.jobs()}
    assert all(one["figure"]["share"] > one["figure"]["fixed"] and one["why"] for one in said["tried"])
    assert {(one["layer"], one["head"]) for one in said["examples"]} == {place for place, _, _ in surest(exam)}
    for one in said["examples"]:
        assert one["count"] > 20 and 0 < one["cost"] < 1
        assert {each["answer"] == each["gold"] for each in one["some"]} == {True, False}
        assert len(level_6(encoder, encoder.trace("A dog."))) < 40_000


def test_of_a_model_that_nobody_examined_nothing_is_told() -> None:
    config = EncoderConfig(n_layers=1, n_heads=1, d_model=8, d_ff=8, vocab_size=16384, max_positions=64)
    encoder = TextEncoder.from_config(config, 1, name="random")
    assert known(encoder) == {
        "exam": "",
        "passed": "",
        "jobs": [],
        "tried": [],
        "examples": [],
        "survey": None,
        "carries": [],
    }


@pytest.mark.nightly
@pytest.mark.slow
def test_shipped_examples_are_real_answers_in_sentences_of_the_treebank() -> None:
    """Those of one head are made again from the trees."""
    encoder, exam = pretrained("small"), bundled_exam("small")
    assert exam is not None
    place, relation, direction = surest(exam)[0]
    (shipped,) = [one for one in example_answers_of(encoder.source.fingerprint) if (one.layer, one.head) == place]
    bank = bundled_treebanks()[0]
    now = head_examples(encoder, bank, place, relation, direction)
    assert replace(now, cost=shipped.cost) == shipped and now.cost == pytest.approx(shipped.cost, abs=1e-3)
    assert (shipped.n, shipped.right / shipped.n) == pytest.approx(
        (exam.row(relation).n, exam.row(relation).accuracy), abs=1e-4
    )
    for one in shipped.some:
        tree = bank.trees[one.sentence]
        assert tree.words == one.words and one.sentence % 2 == 1
        assert (tree.heads[one.source], tree.relations[one.source]) == (one.gold, relation)


def test_examples_are_a_few_of_each_kind_and_of_a_sentence_only_one() -> None:
    for name in ("base", "small"):
        for head in example_answers_of(pretrained(name).source.fingerprint):
            for right in (True, False):
                numbers = [one.sentence for one in head.some if one.right == right]
                assert 1 <= len(numbers) <= FEW and len(set(numbers)) == len(numbers)


def test_the_answers_of_a_few_trees_can_be_asked_alone() -> None:
    encoder, bank = pretrained("small"), bundled_treebanks()[0]
    few = Treebank(bank.name, bank.trees[:30])
    made = head_examples(encoder, few, (2, 0), "obj", "row")
    answers = examples(encoder, few, "obj", 2, 0)
    moved = list[float]()
    off = Edit("layers.2.attention.heads", "zero", heads=(0,))
    for answer in answers:
        text = " ".join(answer.words)
        before, after = (encoder.trace(text, edits=edits)["output"].double() for edits in ((), (off,)))
        pieces = places(encoder.tokenize(text).spans, answer.words)[answer.source]
        moved.append(float(((after - before).norm(dim=1) / before.norm(dim=1))[pieces].mean()))
    assert made.cost == pytest.approx(np.mean(moved), abs=1e-4)
    assert set(made.some) <= set(answers) and made.n == len(answers) and made.right == sum(one.right for one in answers)


def test_what_a_head_carries_is_what_the_guess_loses_of_the_change_when_it_comes_from_the_other_sentence() -> None:
    base = pretrained("base")
    carries = known(base)["carries"]
    said = {(one["what"], one["natural"]): one for one in carries}
    gender, number = said["gender", False], said["number", True]
    ((*place, share),) = gender["heads"]
    assert place == [5, 5] and gender["share"] == pytest.approx(share) and share > 0.9
    assert number["count"] == 304 and [head[:2] for head in number["heads"]] == [[4, 1], [5, 6]]
    assert number["share"] == pytest.approx(0.86, abs=0.02)
    assert all(one["random"] < 0.1 for one in carries) and [one["what"] for one in carries if not one["small"]] == [
        "this or these"
    ]
    for one in carries:  # each example is a pair to whose difference the model reacts
        check_reacts(run_pair(base, MinimalPair(one["a"], one["b"], tuple(one["words"]))), 1.0)
    # A few constructed pairs again, each patch by hand: what the head writes at the gap is taken from the other run.
    moved = whole = 0.0
    for pair in phenomena()["gender"].pairs[:6]:
        a, b = (base.trace(text.replace("___", "[MASK]")) for text in (pair.a, pair.b))
        gap = a.tokens.index("[MASK]")
        one, other = (base.tokenizer.token_to_id(word) for word in pair.answers or ())
        patch = Edit("layers.5.attention.heads", "patch", heads=(5,), positions=(gap,), value=b)
        patched = base.trace(a.inputs, edits=(patch,))
        before, after, there = (float(t["mlm.logits"][gap, one] - t["mlm.logits"][gap, other]) for t in (a, patched, b))
        moved, whole = moved + before - after, whole + before - there
    assert moved / whole == pytest.approx(share, abs=0.08)
    other = TextEncoder.from_config(base.config, 1)
    assert not known(other)["carries"]
    with pytest.raises(EncoderError, match="the model “base” has them"):
        shares_carried(other)
