"""What a word answers is what was recorded: in several models, of pieces and words, padded, edited, and in pairs."""

import base64
import math
from pathlib import Path

import numpy as np
import pytest
import twins
from answers import answer
from tiny import SENTENCE, TINY, tiny

from encoder import Edit, TextEncoder, Trace
from encoder.figures import ask
from encoder.figures.living_map_packet import unpacked
from encoder.metrics import asked
from encoder.metrics.asking import NOBODY, WAYS, Asked, fact, opened
from encoder.metrics.kinds import token_kinds
from encoder.pictures.registry.sentence import ASK
from encoder.selection import selection

ANIMAL = "The animal didn't cross the street because it was too wide."
PIECES = "The purring cat, unfathomable, sat."
IT, STREET = 8, 6


@pytest.fixture(scope="module")
def traces(base: TextEncoder, small: TextEncoder, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trace]:
    """Runs in which something is different each time."""
    folder: Path = tmp_path_factory.mktemp("twin")
    twins.saved(folder, twins.MODELS["roberta"])
    off = Edit("layers.2.attention.heads", "zero", heads=(1,))
    return {
        "base": base.trace(ANIMAL),
        "pieces": base.trace(PIECES),
        "mask": base.trace("The capital of France is [MASK]."),
        "small": small.trace("Keys on the table belong to Sara."),
        "edited": base.trace(ANIMAL, edits=(off, Edit("embedding.positions", "zero"))),
        "hidden": base.trace(ANIMAL, hidden=(2,)),
        "pair": base.trace(("The cat chased the mouse.", "It purred.")),
        "padded": base.trace(["The cat sat.", "The animal didn't cross the street."])[0],
        "roberta": TextEncoder.from_pretrained(folder).trace("w1 w2 w3 w2"),
        "tiny": tiny(TINY).trace(SENTENCE),
    }


NAMES = ("base", "pieces", "mask", "small", "edited", "hidden", "pair", "padded", "roberta", "tiny")


def recorded(trace: Trace) -> np.ndarray:
    return np.stack(
        [trace[f"layers.{i}.attention.weights"].numpy().astype(np.float64) for i in range(trace.config.n_layers)]
    )


def written(weight: float) -> str:
    """A weight in whole percents, as a person rounds it."""
    whole = math.floor(100 * weight + 0.5)
    return f"{whole} %" if whole else "under 1 %"


@pytest.mark.parametrize("name", NAMES)
def test_every_percent_that_is_sent_is_that_of_the_recorded_weight(traces: dict[str, Trace], name: str) -> None:
    trace = traces[name]
    about, arrays = unpacked(ask.packet(asked(trace)))
    weights = recorded(trace)
    assert about["at_once"] and about["names"] == [
        t if len(t) < 15 else about["names"][i] for i, t in enumerate(trace.tokens)
    ]
    whole = (arrays["weights"].astype(int) + 1) // 2
    np.testing.assert_array_equal(whole.reshape(weights.shape), np.floor(100 * weights + 0.5))


@pytest.mark.parametrize("name", NAMES)
def test_the_word_said_to_get_most_does_and_what_is_parked_adds_up(traces: dict[str, Trace], name: str) -> None:
    trace = traces[name]
    run = asked(trace)
    weights, words = recorded(trace), [i for i, kind in enumerate(token_kinds(trace)) if kind != "special"]
    assert list(run.drawn.at) == words
    _, arrays = unpacked(ask.packet(run))
    for way, seen in (("from", weights), ("to", weights.swapaxes(2, 3))):
        best = arrays[f"best_{way}"].reshape(-1, *weights.shape[:2]).astype(int)
        for word in words:
            others = [i for i in words if i != word]
            most = np.take_along_axis(seen[:, :, word], best[word][..., None], -1)[..., 0]
            np.testing.assert_array_equal(most, seen[:, :, word][..., others].max(-1))
            assert (best[word] != word).all()
    for word in words:
        parked = 1 - weights[:, :, word][..., words].sum(-1)
        np.testing.assert_allclose(run.parked(word), parked, atol=1e-5)
        near = (arrays["parked"][word].reshape(parked.shape).astype(int) + 1) // 2
        assert np.abs(near - 100 * parked).max() <= 0.5 + 1e-3


def test_the_sentence_says_the_number_of_the_run(traces: dict[str, Trace]) -> None:
    run, weights = asked(traces["base"]), recorded(traces["base"])
    share = written(weights[4, 1, IT, 2])
    assert fact(run, 4, 1, IT, "from") == f"“it” looks most at “animal”: {share}, in layer 4, head 1."
    said = fact(run, 4, 1, 2, "to")
    assert said == f"“animal” is looked at most by “it”, which gives it {share} of its attention, in layer 4, head 1."
    street = written(weights[3, 7, IT, STREET])
    said = f"“it” looks at “street” with {street} of its attention, in layer 3, head 7."
    assert fact(run, 3, 7, IT, "from", STREET) == fact(run, 3, 7, STREET, "to", IT) == said
    assert "“The” (" not in fact(run, 0, 0, 1, "from") and fact(run, 0, 0, NOBODY, "from") == ""


def test_a_word_that_stands_twice_is_told_apart(traces: dict[str, Trace]) -> None:
    run = asked(traces["tiny"])
    assert (run.called(2), run.called(4), run.called(1)) == ("“w2” (2)", "“w2” (4)", "“w1”")


def test_pieces_of_a_word_are_asked_as_one(traces: dict[str, Trace]) -> None:
    trace = traces["pieces"]
    run, weights = asked(trace, merged=True), recorded(trace)
    word = next(group for group in trace.tokenization.words if len(group) > 1)
    at = run.groups.index(word)
    assert run.names[at] == "purring" and run.word_at(word[1]) == at
    other = run.groups.index((trace.tokens.index("cat"),))
    np.testing.assert_allclose(
        run.weights[..., at, other], weights[:, :, word, run.groups[other][0]].mean(-1), atol=1e-12
    )
    np.testing.assert_allclose(
        run.weights[..., other, at], weights[:, :, run.groups[other][0], word].sum(-1), atol=1e-12
    )
    np.testing.assert_allclose(run.weights.sum(-1), 1, atol=1e-5)
    head, i, j = opened(trace, run, 3, 2, at, other)
    assert head == 2 and weights[3, 2, i, j] == weights[3, 2, word, run.groups[other][0]].max() and i in word


def test_punctuation_is_left_out_by_choice_and_a_typed_mask_is_a_word(traces: dict[str, Trace]) -> None:
    trace = traces["mask"]
    assert [trace.tokens[i] for i in asked(trace).drawn.at][-2:] == ["[MASK]", "."]
    run = asked(trace, "letters")
    assert run.drawn.left_out == ("[CLS]", ".", "[SEP]") and run.word_at(0) == run.word_at(7) == NOBODY
    assert run.word_at(6) == 6 and run.word_at(99) == NOBODY


def test_both_sentences_of_a_pair_are_told_apart_and_padding_is_no_word(traces: dict[str, Trace]) -> None:
    about, _ = unpacked(ask.packet(asked(traces["pair"])))
    assert about["segments"] == list(traces["pair"].tokenization.segments) and set(about["segments"]) == {0, 1}
    assert traces["padded"].padding and asked(traces["padded"]).drawn.left_out == ("[CLS]", "[SEP]", "[PAD]")


def test_the_table_holds_the_recorded_numbers(small: TextEncoder, traces: dict[str, Trace]) -> None:
    trace = traces["small"]
    for way in WAYS:
        header, *found = answer(ASK, small, trace, ask_word="4", ask_way=way).rows()
        assert header[:4] == ("layer", "head", "0 [CLS]", "1 keys")
        weights = recorded(trace)
        for number, (layer, head, *row) in enumerate(found):
            assert (layer, head) == (f"{number // 4} layer {number // 4}", f"{number % 4} head {number % 4}")
            layer, head = divmod(number, 4)
            np.testing.assert_array_equal(row, weights[layer, head, 4] if way == "from" else weights[layer, head, :, 4])
        assert len(found) == 16


def test_a_large_run_sends_small_maps_and_the_answers_to_one_word() -> None:
    """24 layers of 16 heads over 64 tokens, drawn at random: each half fits a budget of 500 KB as text."""
    weights = np.random.default_rng(0).dirichlet(np.ones(64), (24, 16, 64)).astype(np.float32)
    names = tuple(["[CLS]", *(f"w{i}" for i in range(62)), "[SEP]"])
    kinds = ("special", *(["word"] * 62), "special")
    drawn = selection(names, kinds, "words")
    run = Asked(tuple((i,) for i in range(64)), names, kinds, (0,) * 64, drawn, weights)
    whole = ask.packet(run)
    about, arrays = unpacked(whole)
    assert not about["at_once"] and about["every"] == 4 and arrays["maps"].shape == (384, 16, 16)
    assert (arrays["maps"][5, 0, 1] + 1) // 2 == int(np.floor(100 * weights[0, 5, 1:5, 5:9].max() + 0.5))
    for way, row in (("from", weights[:, :, 7]), ("to", weights[..., 7])):
        one = ask.answer(run, 7, way)
        assert len(base64.b64encode(whole)) + len(base64.b64encode(one)) < 500_000
        about, found = unpacked(one)
        assert (about["word"], about["way"]) == (7, way)
        np.testing.assert_array_equal((found["row"].astype(int) + 1) // 2, np.floor(100.0 * row.reshape(384, 64) + 0.5))


def test_the_largest_run_of_the_bundled_model_is_sent_within_budget(base: TextEncoder) -> None:
    trace = base.trace("the cat " * 31)
    assert len(trace.tokens) == 64
    assert len(base64.b64encode(ask.packet(asked(trace)))) < 500_000


def test_what_is_no_number_is_said(traces: dict[str, Trace]) -> None:
    run = asked(traces["tiny"])
    run.weights[0, 0, 1] = np.nan
    assert fact(run, 0, 0, 1, "from") == "There is no number in layer 0, head 0."
    assert unpacked(ask.packet(run))[1]["weights"][0, 1].tolist() == [255] * 7
