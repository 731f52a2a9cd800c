"""Pictures over whole lists: each sentence has the numbers that it has alone, and what cannot be measured is said."""

import io
from functools import partial

import numpy as np
import pandas as pd
import pytest
import torch

from encoder import EncoderError, TextEncoder
from encoder.experiments.attributions.contributions import logit_attribution
from encoder.experiments.attributions.target import Target
from encoder.metrics import js_distance, survey
from encoder.pictures.lists import fitting, measure

LIST = (
    "The cat sat on the mat.",
    "Keys on the table belong to Sara.",
    "</script><script>alert(1)</script> مرحبا \x00 =1+1 \u202eabc",
    "a",
)
same_to_rounding = partial(np.testing.assert_allclose, rtol=1e-4, atol=1e-6)
MEASURES = [f"measured?measure={name}" for name in ("normalized_entropy", "distance", "previous", "self", "sep")]


def test_every_sentence_has_the_numbers_that_it_has_alone(small: TextEncoder) -> None:
    both = measure(small, LIST, [*MEASURES, "arcs", "mixing", "rollout"])
    heads = both.table("layer", "head").columns
    assert heads["sentence"].tolist() == sorted(heads["sentence"].tolist()), "in the order of the list"
    for number, sentence in enumerate(LIST):
        trace = small.trace(sentence)
        here, n = heads["sentence"] == number, len(trace.tokens)
        weights = np.concatenate([trace[f"layers.{i}.attention.weights"].numpy() for i in range(4)]).astype(np.float64)
        away = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        expected = {
            "normalized_entropy": -(weights * np.log(weights + 1e-30)).sum(-1).mean(-1) / np.log(n),
            "distance": (weights * away).sum(-1).mean(-1),
            "previous": np.diagonal(weights, -1, 1, 2).mean(-1),
            "self": np.diagonal(weights, 0, 1, 2).mean(-1),
            "sep": weights[:, :, [token == "[SEP]" for token in trace.tokens]].sum(-1).mean(-1),
        }
        for name, values in expected.items():
            np.testing.assert_allclose(heads[f"measured?measure={name}"][here], values, rtol=1e-5, atol=1e-6)
        assert heads["layer"][here].tolist() == [i for i in range(4) for _ in range(4)]
        alone = measure(small, [sentence], [*MEASURES, "arcs", "mixing", "rollout"])
        for one, many in zip(alone.tables, both.tables, strict=True):
            rows = many.columns["sentence"] == number
            for name in one.columns.keys() - {"sentence"}:
                compare = np.testing.assert_array_equal if one.columns[name].dtype.kind == "U" else same_to_rounding
                compare(one.columns[name], many.columns[name][rows])
    pairs = both.table("layer", "query", "key").columns
    assert pairs["query name"][pairs["sentence"] == 1][:9:8].tolist() == ["[CLS]", "[CLS]"]
    assert (both.cut, both.left_out) == ((), {})


def test_sentences_of_one_length_run_together_and_are_told_apart(small: TextEncoder) -> None:
    texts = [f"The {noun} {verb} on the mat." for noun in ("cat", "dog", "man") for verb in ("sat", "ran")] * 4
    both = measure(small, [*texts, "", *LIST], [*MEASURES, "likeness"])
    heads, pairs = both.table("layer", "head").columns, both.table("any head", "other head").columns
    for number in (0, 5, 17, 23, 25):
        text = [*texts, "", *LIST][number]
        weights = torch.cat([small.trace(text)[f"layers.{i}.attention.weights"] for i in range(4)])
        alone = survey(small, [text])
        for name in MEASURES:
            expected = alone.measures[name.partition("=")[2]].flatten()
            same_to_rounding(heads[name][heads["sentence"] == number], expected)
        same_to_rounding(pairs["likeness"][pairs["sentence"] == number], js_distance(weights).flatten(), atol=1e-5)
    assert list(both.left_out) == [24]


def test_pictures_of_words_and_of_all_tokens_have_a_table_each(small: TextEncoder) -> None:
    both = measure(small, LIST, ["arcs", "head_lengths"])
    for dim, name in (("word", "arcs"), ("token", "head_lengths")):
        here, alone = both.table("layer", "head", dim).columns, measure(small, LIST, [name]).tables[0].columns
        np.testing.assert_array_equal(here[name], alone[name])
        assert here[f"{dim} name"].tolist() == alone["word name"].tolist()


def test_both_sums_of_a_guess_are_rows_that_add_up_to_its_logit(small: TextEncoder) -> None:
    gaps = [f"The {noun} [MASK] on the table." for noun in ("keys", "cat")]
    both = measure(small, [*gaps, LIST[0]], ["why_sum", "why_parts"])
    words, parts = both.table("word").columns, both.table("layer", "block").columns
    for number, text in enumerate(gaps):
        trace = small.trace(text)
        logit = float(trace["mlm.logits"][trace.tokens.index("[MASK]")].max())
        here = words["sentence"] == number
        assert words["why_sum"][here].sum() == pytest.approx(logit, abs=1e-4)
        assert words["word name"][here].tolist()[-1] == "biases"
        at, guess = trace.tokens.index("[MASK]"), int(trace["mlm.logits"][trace.tokens.index("[MASK]")].argmax())
        grid = logit_attribution(small, trace, Target(at, guess)).grid(small.config)
        np.testing.assert_allclose(parts["why_parts"][parts["sentence"] == number], grid.flatten().numpy(), atol=1e-5)


def test_files_hold_what_was_measured(small: TextEncoder) -> None:
    table = measure(small, LIST, ["arcs", *MEASURES[:1]]).table("layer", "head", "word")
    read = {
        "csv": pd.read_csv(io.StringIO(table.csv()), keep_default_na=False),
        "parquet": pd.read_parquet(io.BytesIO(table.parquet())),
        "npz": pd.DataFrame(dict(np.load(io.BytesIO(table.npz()), allow_pickle=False))),
    }
    for kind, frame in read.items():
        assert list(frame) == ["sentence", "layer", "head", "word", "word name", "arcs"] and len(frame) == len(table)
        np.testing.assert_allclose(frame["arcs"], table.columns["arcs"], rtol=0 if kind != "csv" else 1e-8)
        assert frame["word"].tolist() == table.columns["word"].tolist()
    assert read["parquet"]["word name"].tolist() == table.columns["word name"].tolist()
    assert "'=" in table.csv() or "=" not in {name[:1] for name in table.columns["word name"]}, "no cell is a formula"


def test_what_cannot_be_measured_is_said_and_the_others_are(small: TextEncoder) -> None:
    heard = list[tuple[int, int]]()
    found = measure(
        small, ["", LIST[0], "word " * 600], ["moves"], hear=lambda done, total: heard.append((done, total))
    )
    assert list(found.left_out) == [0] and found.cut == (2,) and heard == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert set(found.table("layer", "word").columns["sentence"]) == {1, 2}
    with pytest.raises(EncoderError, match="there is layer, word"):
        found.table("query", "key")
    found = measure(small, LIST[:1], ["measured?measure=entropi"])
    assert (
        "measure is 'entropi'; it must be one of normalized_entropy, entropy" in found.left_out[0] and not found.tables
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("nothing", "no picture is called 'nothing'"),
        ("weights_a", "does not give numbers of one sentence"),
        ("lens", "does not give numbers of one sentence"),
        ("measured?size=2", "has no choice 'size'; it has atlas_of, measure, over"),
        ("mixing?size=2", "it has none"),
    ],
)
def test_a_picture_that_is_of_no_sentence_is_refused_before_any_run(small: TextEncoder, asked: str, said: str) -> None:
    with pytest.raises(EncoderError, match=said.replace("?", r"\?")):
        measure(small, LIST, ["arcs", asked], hear=lambda done, total: pytest.fail("a sentence was measured"))


def test_work_ends_where_who_hears_of_it_says_so_and_where_it_is_too_much(small: TextEncoder) -> None:
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        measure(small, LIST, MEASURES, hear=stop)
    with pytest.raises(EncoderError, match="with 3 of 4 sentences, the tables have more than 40 rows"):
        measure(small, LIST, MEASURES, most_rows=40)


OF_OTHERS = {"between": "need a pair", "gate_signs": "gate", "gate_units": "gate"}  # what these sentences or model lack


@pytest.mark.parametrize("key", [each.key for each in fitting() if not each.heavy])
def test_every_picture_of_one_run_can_be_measured_over_a_list(small: TextEncoder, key: str) -> None:
    found = measure(small, LIST[:2], [key])
    if key in OF_OTHERS:
        assert found.tables == () and OF_OTHERS[key] in found.left_out[1]
        return
    assert not found.left_out
    for table in found.tables:
        assert len({len(values) for values in table.columns.values()}) == 1 and len(table)
