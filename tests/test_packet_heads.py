"""Level 6 says of heads what the examination, its treebanks and the atlas say, and nothing where there is none."""

from typing import Any

import pytest
from in_turn import in_turn
from shared_models import pretrained

from encoder import EncoderConfig, TextEncoder
from encoder.atlas.atlas_folders import shelf
from encoder.exam import bundled_exam, bundled_treebanks
from encoder.exam.examples import examples
from encoder.exam.few import FEW, few_by_content, head_examples, surest
from encoder.exam.treebank import Treebank
from encoder.packet.format import unpack
from encoder.packet.heads_level import level_6
from encoder.packet.levels import MORE


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
    for row in exam.licences():
        (figures,) = [
            figures
            for (layer, head, _), figures in shares.items()
            if (layer, head) == row.place and figures[0]["share"] == row.accuracy
        ]
        other = figures[1]
        assert (figures[0]["count"], figures[0]["rule"]) == (row.n, row.distance_accuracy)
        assert (other["share"], other["count"]) == (row.second_accuracy, row.second_n)
        assert other["rule"] == row.second_distance_accuracy
    made = [frame for frame in exam.frames if frame.frame == "all frames" and frame.licensed]
    assert len(shares) == len(exam.licences()) + len(made)
    assert [one["made"] for one in said["jobs"] if one["made"]] == [True] * len(made)
    weak = {(one["layer"], one["head"], one["figure"]["share"]) for one in said["tried"]}
    assert weak and not weak & {(*row.place, row.accuracy) for row in exam.licences()}
    assert all(one["figure"]["share"] > one["figure"]["rule"] and one["why"] for one in said["tried"])
    atlas = shelf(encoder.source).atlases[0]
    assert said["survey"]["over"] == atlas.card.scope
    assert [one[0] for one in said["survey"]["heads"]] == atlas.heads["label"].to_pylist()
    assert {(one["layer"], one["head"]) for one in said["examples"]} == {place for place, _, _ in surest(exam)}
    for one in said["examples"]:
        assert {each["answer"] == each["gold"] for each in one["some"]} == {True, False}
        assert len(level_6(encoder, encoder.trace("A dog."))) < 40_000


def test_of_a_model_that_nobody_examined_nothing_is_told() -> None:
    config = EncoderConfig(n_layers=1, n_heads=1, d_model=8, d_ff=8, vocab_size=16384, max_positions=64)
    encoder = TextEncoder.from_config(config, 1, name="random")
    assert known(encoder) == {"exam": "", "jobs": [], "tried": [], "examples": [], "survey": None}


@pytest.mark.slow
def test_shipped_examples_are_real_answers_in_sentences_of_the_treebank() -> None:
    """Those of one head are made again from the trees."""
    encoder, exam = pretrained("small"), bundled_exam("small")
    assert exam is not None
    place, relation, direction = surest(exam)[0]
    (shipped,) = [one for one in few_by_content(encoder.source.fingerprint) if (one.layer, one.head) == place]
    bank = bundled_treebanks()[0]
    assert head_examples(encoder, bank, place, relation, direction) == shipped
    assert (shipped.n, shipped.right / shipped.n) == pytest.approx(
        (exam.row(relation).n, exam.row(relation).accuracy), abs=1e-4
    )
    for one in shipped.some:
        tree = bank.trees[one.sentence]
        assert tree.words == one.words and one.sentence % 2 == 1
        assert (tree.heads[one.source], tree.relations[one.source]) == (one.gold, relation)


def test_examples_are_a_few_of_each_kind_and_of_a_sentence_only_one() -> None:
    for name in ("base", "small"):
        for head in few_by_content(pretrained(name).source.fingerprint):
            for right in (True, False):
                numbers = [one.sentence for one in head.some if one.right == right]
                assert 1 <= len(numbers) <= FEW and len(set(numbers)) == len(numbers)


def test_the_answers_of_a_few_trees_can_be_asked_alone() -> None:
    encoder, bank = pretrained("small"), bundled_treebanks()[0]
    few = Treebank(bank.name, bank.trees[:30])
    made = head_examples(encoder, few, (2, 0), "obj", "row")
    answers = examples(encoder, few, "obj", 2, 0)
    assert set(made.some) <= set(answers) and made.n == len(answers) and made.right == sum(one.right for one in answers)
