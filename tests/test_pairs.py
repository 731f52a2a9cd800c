"""Pairs of sentences: their tokens, where they are cut, what the model gets, and everything that runs a pair again."""

from dataclasses import replace

import pytest
import torch
from in_turn import in_turn
from tiny import SENTENCE, TINY, VARIANTS, tiny
from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from twins import roberta_tokenizer

from encoder import Edit, TextEncoder, Trace
from encoder.experiments import scaling
from encoder.experiments.ablation import KNOCKED_OUT, ablate_each, knock_outs, outcomes
from encoder.experiments.compare import aligned_tokens, difference
from encoder.explain.cost import step_costs
from encoder.explain.number import explain
from encoder.explain.proof import checks
from encoder.metrics import WAYS, between, segment_mass, segments
from encoder.trace.tokens import Text
from encoder.trace.trace import Source
from encoder.trace.words import merge

PAIR = ("w1 w2 w3", "w4 w2")
SEGMENTED = VARIANTS["segments-embedding-norm"]
A, B = "The unbelievable cat isn't here.", "Nobody unfathomably saw it!"


def of_roberta() -> TextEncoder:
    """A tiny model with RoBERTa's special tokens."""
    return TextEncoder(tiny(TINY).model, roberta_tokenizer(), Source("roberta"))


# Tokens


def test_how_a_pair_is_closed(base: TextEncoder) -> None:
    """By the tokenizer's template; without one each sentence is closed, and RoBERTa closes the first one twice."""
    pieces = tiny(TINY).tokenize(PAIR)
    assert " ".join(pieces.tokens) == "[CLS] w1 w2 w3 [SEP] w4 w2 [SEP]"
    assert pieces.segments == (0, 0, 0, 0, 0, 1, 1, 1)
    assert pieces.special == (True, False, False, False, True, False, False, True)
    assert (pieces.text, pieces.pair, pieces.inputs) == (*PAIR, PAIR)
    pieces = base.tokenize(("the cat", "a mouse"))
    assert " ".join(pieces.tokens) == "[CLS] the cat [SEP] a mouse [SEP]"
    assert pieces.segments == (0, 0, 0, 0, 1, 1, 1)
    encoder = of_roberta()
    pieces = encoder.tokenize(PAIR)
    assert " ".join(pieces.tokens) == "<s> w1 w2 w3 </s> </s> w4 w2 </s>"
    assert pieces.segments == (0, 0, 0, 0, 0, 0, 1, 1, 1)
    assert (encoder.mask_token, encoder.pad_id) == ("<mask>", 1)
    assert encoder.trace([PAIR, "w1"])[1].tokens[-1] == "<pad>"


@in_turn("encoder", [tiny(TINY), of_roberta()])
@in_turn("pair", [("", ""), ("w1", ""), ("", "w1"), ("w1", "w1")])
def test_an_empty_sentence_is_still_one_of_a_pair(encoder: TextEncoder, pair: Text) -> None:
    pieces = encoder.tokenize(pair)
    assert pieces.inputs == pair
    assert pieces.segments == tuple(sorted(pieces.segments)) and set(pieces.segments) == {0, 1}
    assert encoder.trace(pair).inputs == pair


@in_turn(
    ("lengths", "kept"),
    [
        ((20, 3), (13, 3)),
        ((3, 20), (3, 13)),
        ((20, 20), (8, 8)),
        ((9, 20), (8, 8)),
        ((8, 8), (8, 8)),
        ((1, 1), (1, 1)),
        ((20, 0), (16, 0)),
        ((0, 20), (0, 16)),
    ],
)
def test_the_longer_sentence_is_cut_first(lengths: tuple[int, int], kept: tuple[int, int]) -> None:
    texts = tuple(" ".join(f"w{i}" for i in range(n)) for n in lengths)
    pieces = tiny(TINY).tokenize((texts[0], texts[1]))  # reads 19 tokens, 3 of them special
    assert (pieces.dropped, pieces.pair_dropped) == (lengths[0] - kept[0], lengths[1] - kept[1])
    assert (len(pieces.text.split()), len(pieces.pair.split())) == kept
    assert (pieces.kept_characters, pieces.pair_kept_characters) == (len(pieces.text), len(pieces.pair))
    again = tiny(TINY).tokenize(pieces.inputs)
    assert pieces.inputs == texts and again == pieces  # run again it is cut again, and that is told again


def test_what_is_no_pair_is_refused() -> None:
    for text in (("a",), ("a", "b", "c"), ("a", 3), 7, None):
        with pytest.raises(ValueError, match=r"a text is a str, or a tuple of two for a pair of sentences"):
            tiny(TINY).trace(text)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="this takes 3 special tokens alone; 2 tokens or fewer are read"):
        tiny(replace(TINY, max_positions=2)).tokenize(PAIR)
    assert repr(tiny(TINY).trace(PAIR)).startswith("Trace(('w1 w2 w3', 'w4 w2'), model='tiny', 8 tokens")
    assert isinstance(tiny(TINY).trace([PAIR])[0], Trace)


# The run


def test_the_second_sentence_has_the_second_vector() -> None:
    encoder = tiny(SEGMENTED)
    trace = encoder.trace(PAIR)
    table = encoder.model.embedding.segments.weight
    assert trace.segments == [0, 0, 0, 0, 0, 1, 1, 1]
    assert torch.equal(trace["embedding.segments"], table[trace.segments])
    made = explain(encoder.model, trace, "embedding.segments", (6, 4))
    assert made.operands[0].index == (1, 4) and made.difference == 0
    assert "second sentence" in made.words


@in_turn("n_segments", [0, 1, 2])
def test_a_model_without_two_segments_runs_a_pair(n_segments: int) -> None:
    config = replace(TINY, n_segments=n_segments)
    trace = tiny(config).trace(PAIR)
    assert set(trace.segments) == ({0, 1} if n_segments == 2 else {0})
    assert trace.tokenization.segments[-1] == 1


def test_pairs_and_sentences_share_a_batch() -> None:
    encoder = tiny(SEGMENTED)
    asked: list[Text] = [PAIR, SENTENCE, ("w1", "w2")]
    for trace, text in zip(encoder.trace(asked), asked, strict=True):
        alone, n = encoder.trace(text), len(trace.tokens) - trace.padding
        assert trace.inputs == text and trace.tokenization.segments[n:] == (0,) * trace.padding
        assert torch.allclose(trace["output"][:n], alone["output"], atol=1e-5)


def test_every_step_of_a_pair_is_proven_and_counted() -> None:
    encoder = tiny(SEGMENTED)
    trace = encoder.trace(PAIR)
    assert all(check.difference < 1e-5 for step in encoder.steps for check in checks(encoder.model, trace, step))
    assert [cost.step.name for cost in step_costs(trace)] == list(trace)


@in_turn("step", ["embedding.tokens", "embedding.output", "layers.1.attention.heads"])
def test_many_runs_of_a_pair_are_those_of_one(step: str) -> None:
    encoder = tiny(SEGMENTED)
    trace = encoder.trace(PAIR)
    alone = encoder.trace(PAIR, edits=(Edit(step, "scale", value=0.5),))
    ((outcome,),) = outcomes(encoder, trace, [Edit(step, "scale", value=0.5)], None, 4)
    assert torch.allclose(outcome.output, alone["output"], atol=1e-5)
    assert not torch.allclose(trace["output"], alone["output"], atol=1e-3)


def test_what_runs_a_pair_again() -> None:
    encoder = tiny(VARIANTS["preset-bert-base"])
    trace = encoder.trace(PAIR)
    by_text, by_trace = (list(ablate_each(encoder, one))[-1] for one in (PAIR, trace))
    assert by_text == by_trace and by_text.done == len(knock_outs(encoder.config, KNOCKED_OUT))
    assert torch.equal(scaling(encoder, PAIR).with_entropy, scaling(encoder, trace).with_entropy)
    other = encoder.trace(("w1 w2 w3", "w9 w2"))
    assert [(pair.a, pair.same) for pair in aligned_tokens(trace, other)][5] == (5, False)
    assert torch.equal(difference(trace, trace, "output"), torch.zeros_like(trace["output"]))
    patched = encoder.trace(PAIR, edits=(Edit("embedding.output", "patch", value=other),))
    assert torch.equal(patched["output"], other["output"])


# From sentence to sentence


def test_shares_between_the_sentences_by_a_loop() -> None:
    trace = tiny(SEGMENTED).trace([PAIR, "w1 w2 w3 w4 w5 w6 w7 w8 w9"])[0]
    assert trace.padding > 0
    found = segment_mass(trace)
    kinds = [0, 0, 0, 0, 0, 1, 1, 1]
    assert segments(trace).tolist() == kinds
    for layer in range(2):
        weights = trace[f"layers.{layer}.attention.weights"]
        for head in range(3):
            for of in (0, 1):
                for to in (0, 1):
                    rows = [i for i in range(8) if kinds[i] == of]
                    sums = [sum(float(weights[head, i, j]) for j in range(8) if kinds[j] == to) for i in rows]
                    assert float(found[layer, head, of, to]) == pytest.approx(sum(sums) / len(sums), abs=1e-6)
    assert torch.allclose(found.sum(-1), torch.ones(2, 3, 2), atol=1e-6)


def test_the_four_ways_share_out_all_cells() -> None:
    masks = {way: between([0, 0, 1, 1, 1], way) for way in WAYS}
    assert torch.equal(torch.stack(list(masks.values())).sum(0), torch.ones(5, 5, dtype=torch.long))
    assert masks["A->B"].tolist() == [[False, False, True, True, True]] * 2 + [[False] * 5] * 3
    assert torch.equal(masks["B->A"], masks["A->B"].T)
    with pytest.raises(ValueError, match=r"way is 'A->C'; it must be one of A->A, A->B, B->A, B->B"):
        between([0, 1], "A->C")
    with pytest.raises(ValueError, match="shares between sentences need a pair"):
        segment_mass(tiny(SEGMENTED).trace(SENTENCE))


# Words


def grouped(encoder: TextEncoder, asked: Text) -> list[str]:
    pieces = encoder.tokenize(asked)
    return list(map(pieces.spelled, pieces.words))


def test_pieces_of_a_word_are_one_group_within_their_sentence(base: TextEncoder) -> None:
    groups = base.tokenize((A, B)).words
    assert [i for group in groups for i in group] == list(range(len(base.tokenize((A, B)).tokens)))
    words = "[CLS] The unbelievable cat isn't here . [SEP] Nobody unfathomably saw it ! [SEP]"
    assert " ".join(grouped(base, (A, B))) == words and max(map(len, groups)) > 1
    twice = grouped(base, ("unbelievable", "unbelievable"))
    assert " ".join(twice) == "[CLS] unbelievable [SEP] unbelievable [SEP]"
    assert " ".join(grouped(base, "cat cat [MASK] [MASK]")) == "[CLS] cat cat [MASK] [MASK] [SEP]"
    assert grouped(base, "") == ["[CLS]", "[SEP]"]


def test_byte_pairs_make_words_too() -> None:
    letters = sorted(ByteLevel.alphabet())
    tokenizer = Tokenizer(BPE({letter: i for i, letter in enumerate(letters)}, []))
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    config = replace(TINY, vocab_size=300, max_positions=60)
    encoder = TextEncoder(tiny(config).model, tokenizer, Source("bytes"))
    assert grouped(encoder, "the naïve cat") == ["the", "naïve", "cat"]


def test_padding_and_cut_words(base: TextEncoder) -> None:
    short = base.trace(["unbelievable", A])[0]
    groups = short.tokenization.words
    assert list(map(short.tokenization.spelled, groups))[:3] == ["[CLS]", "unbelievable", "[SEP]"]
    assert len(groups) == 3 + short.padding
    cut = base.tokenize("unbelievable " * 400)
    assert [i for group in cut.words for i in group] == list(range(512))


def test_weights_must_fit_their_groups() -> None:
    """What they come to is summed by hand in test_word_weights.py."""
    with pytest.raises(ValueError, match=r"weights are \[3, 4, 4\] for groups of 3 tokens; they must be"):
        merge(torch.zeros(3, 4, 4), ((0, 1), (2,)))
