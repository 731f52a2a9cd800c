"""Why a label: sums over words and parts, what heads and words cost, and what packets tell, held against real runs."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from in_turn import in_turn
from pyarrow.parquet import read_table
from shared_models import pretrained
from tiny import SENTENCE, VARIANTS, tiny
from torch import Tensor

from encoder import Edit, EncoderError, TextEncoder, Trace
from encoder.checkpoint import BUNDLED
from encoder.experiments.attributions.contributions import REST, StreamPart, logits_by_part
from encoder.experiments.attributions.target import Target
from encoder.experiments.attributions.units import unit_sum
from encoder.experiments.attributions.word_sums import REST as LEFT
from encoder.experiments.attributions.word_sums import added_by_word, sum_over_words
from encoder.metrics.answer import SENTENCE as WHOLE
from encoder.metrics.answer import answer_after_layers, answers, label_names
from encoder.packet.cost_level import level_12
from encoder.packet.format import unpack
from encoder.packet.run import level_1, opening
from encoder.packet.sum_level import level_10
from encoder.packet.what_if_level import level_7
from encoder.pictures.lists import main, measure
from encoder.pictures.registry import picture
from encoder.pictures.scene import Scene
from encoder.pictures.view import View

HEADED = [name for name, config in VARIANTS.items() if config.classifier and not config.mlm_head]
EXACT = 1e-4
DINNER = "We had a delicious dinner in a cold room."


def places(encoder: TextEncoder, trace: Trace) -> list[int]:
    """Where a model of labels answers."""
    return answers(encoder.config).places(trace, [])


def asked(encoder: TextEncoder, place: int, last: str = "logits") -> tuple[str, tuple[int, ...]]:
    """The step and the index of an answer, as a packet is asked for it."""
    return f"classifier.{last}", () if place == WHOLE else (place,)


def meant(encoder: TextEncoder, scores: Tensor) -> Tensor:
    """What scores mean, worked out here."""
    head = encoder.config.classifier
    assert head is not None
    return {"single_label": scores.softmax(-1), "multi_label": scores.sigmoid(), "regression": scores}[head.problem]


@in_turn("name", HEADED)
def test_units_of_all_tokens_that_a_label_is_read_from_add_up_to_what_their_feed_forward_adds(name: str) -> None:
    encoder = tiny(VARIANTS[name])
    trace = encoder.trace(SENTENCE, hidden=(2,))
    for place in places(encoder, trace)[:2]:
        (whole,) = logits_by_part(encoder, trace, place, (0,))
        for layer in range(encoder.config.n_layers):
            each = [
                unit_sum(encoder, trace, Target(place, 0), layer, token).total
                for token in answers(encoder.config).read(trace, place)
            ]
            assert sum(each) == pytest.approx(whole.of(StreamPart("feed-forward", layer)), abs=EXACT)


@in_turn("name", HEADED)
@in_turn("run", ["plain", "pair", "hidden", "padded", "edited"])
def test_words_and_parts_add_up_to_every_label(name: str, run: str) -> None:
    encoder = tiny(VARIANTS[name])
    edits = (Edit("layers.0.attention.heads", "zero", heads=(1,)),) if run == "edited" else ()
    text: Any = (SENTENCE, "w3 w1") if run == "pair" else SENTENCE
    trace = encoder.trace([text, f"{SENTENCE} w5 w6"], hidden=(2,) * (run == "hidden"), edits=edits)[0]
    assert bool(trace.padding) == (run != "pair")
    for place in places(encoder, trace)[:2]:
        every = range(encoder.config.n_labels)
        scores = trace["classifier.logits"] if place == WHOLE else trace["classifier.logits"][place]
        words, parts = sum_over_words(encoder, trace, place, every), logits_by_part(encoder, trace, place, every)
        torch.testing.assert_close(words.adds.sum(-1), scores, atol=EXACT, rtol=0)
        torch.testing.assert_close(words.read.sum(-1), answer_after_layers(encoder, trace, place), atol=EXACT, rtol=0)
        assert float(words.adds[:, LEFT].abs().max()) < EXACT or run == "edited"
        for part, score in zip(parts, scores.tolist(), strict=True):
            assert part.total == pytest.approx(score, abs=EXACT)
            assert abs(part.of(REST)) < EXACT or run == "edited"
        lead = Target(place, 0, 1)
        assert float(added_by_word(encoder, trace, lead).sum()) == pytest.approx(
            float(scores[0] - scores[1]), abs=EXACT
        )


@in_turn("name", HEADED)
def test_what_a_packet_says_of_labels_is_what_runs_give(name: str) -> None:
    """Without a head, without a word, and what each label is; of any problem, reading and place."""
    encoder = tiny(VARIANTS[name])
    trace, head = encoder.trace(SENTENCE), VARIANTS[name].classifier
    assert head is not None
    names = label_names(encoder)
    assert len(set(names)) == len(names) == len(head.labels) and all(names)
    _, about, arrays = unpack(level_1(encoder, trace))
    place = places(encoder, trace)[0]
    assert about["gap"] == place and about["answer"]["labels"] == names and about["answer"]["problem"] == head.problem

    def scores_of(run: Trace) -> Tensor:
        return run["classifier.logits"] if place == WHOLE else run["classifier.logits"][place]

    off = encoder.trace(SENTENCE, edits=(Edit("layers.1.attention.heads", "zero", heads=(1,)),))
    if head.problem == "regression":
        assert about["guesses"] == {} and "moved" in arrays
        assert about["answer"]["values"][str(place)] == pytest.approx(scores_of(trace).tolist(), abs=1e-6)
    else:
        shares = dict(about["guesses"][str(place)])
        assert shares == pytest.approx(
            dict(zip(names, meant(encoder, scores_of(trace)).tolist(), strict=True)), abs=1e-6
        )
        without = dict(zip(about["off"]["words"], arrays["off"].values[1, 1].tolist(), strict=True))
        assert without == pytest.approx(
            dict(zip(names, meant(encoder, scores_of(off)).tolist(), strict=True)), abs=1e-5
        )
        costs = arrays["off"].values[..., 0]
        assert opening(about, arrays) == divmod(int(costs.argmin()), costs.shape[1])
        _, costs_of, parts = unpack(level_12(encoder, trace, *asked(encoder, place, "probabilities")))
        assert costs_of["words"] == [next(iter(shares))]
        assert float(parts["off"].values[1, 1, 0]) == pytest.approx(without[costs_of["words"][0]], abs=1e-6)
        changed = unpack(level_7(encoder, off))[1]
        after = dict(zip(changed["words"], changed["after"], strict=True))
        assert after == pytest.approx(without, abs=1e-5)
    _, about, arrays = unpack(level_10(encoder, trace, *asked(encoder, place)))
    some = [names.index(label) for label in about["words"]]
    torch.testing.assert_close(torch.tensor(arrays["adds"].values).sum(-1), scores_of(trace)[some], atol=EXACT, rtol=0)
    assert (about["pair"][1] == -1) == (head.problem != "single_label")
    i = next(i for i, (at, count) in enumerate(about["places"]) if count == 1 and at == 2)
    masked = encoder.trace(SENTENCE.replace("w2", "[MASK]", 1)) if " w2 " in f" {SENTENCE} " else None
    if masked is not None and masked.tokens[2] == "[MASK]":
        lost = (scores_of(trace) - scores_of(masked))[some]
        torch.testing.assert_close(torch.tensor(arrays["lost"].values[:, i]), lost, atol=1e-5, rtol=0)
    if head.problem != "regression":
        assert "without" not in arrays  # level 1 has it
        if place == WHOLE:
            return
        place = places(encoder, trace)[1]
        _, about, arrays = unpack(level_10(encoder, trace, *asked(encoder, place)))
        some = [names.index(label) for label in about["words"]]
    torch.testing.assert_close(torch.tensor(arrays["without"].values[1, 1]), scores_of(off)[some], atol=1e-5, rtol=0)


def test_a_label_is_chosen_by_its_name_and_a_strange_place_is_refused() -> None:
    encoder = pretrained("good-or-bad")
    trace = encoder.trace(DINNER)
    for words, pair in (((), ["good", "bad"]), (("bad", ""), ["bad", "good"]), (("", "bad"), ["good", "bad"])):
        about = unpack(level_10(encoder, trace, "classifier.logits", (), words))[1]
        assert [about["words"][i] for i in about["pair"]] == pair
    for step, index, words in (
        ("mlm.logits", (), ()),
        ("classifier.logits", (1,), ()),
        ("classifier.logits", (), ("fine", "")),
        ("classifier.logits", (), ("good", "good")),
    ):
        with pytest.raises(EncoderError):
            level_10(encoder, trace, step, index, words)
    with pytest.raises(EncoderError, match="whose place is -1"):
        sum_over_words(encoder, trace, 3, (0, 1))
    with pytest.raises(EncoderError, match="labels go from 0 to 1"):
        sum_over_words(encoder, trace, WHOLE, (2,))


def test_the_sentence_of_the_shipped_head_is_told_as_it_was_drawn() -> None:
    """Of “We had a delicious dinner in a cold room.”: dinner, which the head never saw, says most."""
    encoder = pretrained("good-or-bad")
    trace = encoder.trace(DINNER)
    _, about, arrays = unpack(level_10(encoder, trace, "classifier.logits", ()))
    lead = arrays["adds"].values[0] - arrays["adds"].values[1]
    rounded = {name: round(float(value), 1) for name, value in zip(about["names"], lead, strict=False)}
    assert (rounded["dinner"], rounded["cold"], rounded["delicious"]) == (2.0, -1.6, 0.8)
    good, bad = trace["classifier.logits"].tolist()
    assert float(lead.sum()) == pytest.approx(good - bad, abs=EXACT) == pytest.approx(1.44, abs=0.005)
    lines = json.loads((BUNDLED / "good-or-bad" / "taught.json").read_text(encoding="utf-8"))
    assert about["taught"]["judged"] == lines and about["taught"]["seen"]["dinner"] == [0, 0]
    for word in ("cold", "a", "We"):
        there = [
            sum(word.lower() in text.lower().rstrip(".").split() for text, of, _ in lines if of == i) for i in (0, 1)
        ]
        assert about["taught"]["seen"][word] == there
    assert (
        "taught"
        not in unpack(
            level_10(tiny(VARIANTS["labels"]), tiny(VARIANTS["labels"]).trace(SENTENCE), "classifier.logits", ())
        )[1]
    )


def test_a_list_has_of_each_sentence_the_label_and_the_word_that_speaks_for_it_most(tmp_path: Path) -> None:
    encoder, out = pretrained("good-or-bad"), tmp_path / "labels.csv"
    lines = [DINNER, "", "مرحبا, \u202eabc", "=1+1", 'The "film" was boring.']
    (tmp_path / "list.txt").write_text("\n".join(lines), encoding="utf-8")
    assert main([str(tmp_path / "list.txt"), "--out", str(out)]) == 0
    with out.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["sentence"]) for row in rows] == [0, 2, 3, 4]
    for row in rows:
        trace = encoder.trace(lines[int(row["sentence"])])
        best = (encoder.labels(trace) or [])[0]
        assert (row["label"], float(row["share"])) == (best[0], pytest.approx(best[1], abs=1e-6))
        first = label_names(encoder).index(row["label"])
        adds = added_by_word(encoder, trace, Target(WHOLE, first, 1 - first))[:-1]
        assert float(row["adds"]) == pytest.approx(float(adds.max()), abs=1e-5)
    assert (rows[0]["text"], rows[0]["word"], rows[0]["label"]) == (DINNER, "dinner", "good")
    assert rows[1]["text"] == lines[2]
    with pytest.raises(EncoderError, match="names no labels"):
        measure(pretrained("small"), [DINNER], ["labels"])
    tagger = measure(tiny(VARIANTS["labels-of-tokens"]), [SENTENCE, ""], ["labels"]).table("label").columns
    assert tagger["of word"].tolist() == SENTENCE.split() and set(tagger["sentence"]) == {0}
    parquet, two = tmp_path / "labels.parquet", tmp_path / "two.csv"
    assert main([str(tmp_path / "list.txt"), "--out", str(parquet)]) == 0
    columns = read_table(parquet).to_pydict()
    assert columns["text"] == [lines[i] for i in (0, 2, 3, 4)] and columns["label"] == [row["label"] for row in rows]
    assert main([str(tmp_path / "list.txt"), "labels", "measured?measure=entropy", "--out", str(two)]) == 0
    assert {path.name for path in tmp_path.glob("two*")} == {"two-label.csv", "two-layer-head.csv"}


PICTURES = ("why_sum", "why_parts", "why_words", "why_deleted", "race")


@in_turn("key", PICTURES)
@in_turn("name", ["labels", "labels-of-tokens"])
def test_pictures_of_labels_are_of_their_run(key: str, name: str) -> None:
    encoder = tiny(VARIANTS[name])
    trace = encoder.trace(SENTENCE)
    answer = picture(key).of(Scene(View(sentence=trace.text), encoder, trace))
    place = places(encoder, trace)[0]
    scores = trace["classifier.logits"] if place == WHOLE else trace["classifier.logits"][place]
    first, second = scores.topk(2).indices.tolist()
    lead = float(scores[first] - scores[second])
    values = answer.numbers.array
    if key == "why_sum":
        assert float(values.sum()) == pytest.approx(lead, abs=1e-4)
    if key == "why_parts":
        parts = logits_by_part(encoder, trace, place, [first, second])
        by_hand = parts[0].grid(encoder.config) - parts[1].grid(encoder.config)
        assert torch.allclose(torch.tensor(values).float().nan_to_num(), by_hand.float().nan_to_num(), atol=1e-4)
    if key == "why_deleted":
        assert float(values[0]) == pytest.approx(lead, abs=1e-4)
    if key == "race":
        assert values[-1].tolist() == list(range(1, 1 + values.shape[1]))
    assert label_names(encoder)[first] in answer.alt or key in ("why_words", "why_deleted")
