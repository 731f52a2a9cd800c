"""The packet of what would be said after each layer holds the lens's words, shares and ranks, and the vectors' way."""

import numpy as np
import pytest
import torch
from in_turn import in_turn
from packet_runs import CONFIGS, encoder_of, trace_of

from encoder import EncoderError, TextEncoder
from encoder.metrics import final_answer, lens_words, logit_lens, stream
from encoder.packet.after_layers import WORDS, level_5
from encoder.packet.format import unpack

RUNS = ("plain", "masked", "pair", "hidden", "edited", "padded")


@in_turn("model", ["small", "T5"])
@in_turn("run", RUNS)
def test_words_shares_and_ranks_are_those_of_the_lens(model: str, run: str) -> None:
    encoder, trace = encoder_of(model), trace_of(model, run)
    level, about, arrays = unpack(level_5(encoder, trace))
    assert level == 5 and about["why"] == "" and about["vocab_size"] == encoder.config.vocab_size
    n = len(trace.tokens) - trace.padding
    assert about["positions"] == list(range(n))
    lens = logit_lens(encoder, trace)
    words, first = (arrays[name].values for name in ("words", "first"))
    share, rank = (arrays[name].numbers for name in ("share", "rank"))
    true = lens_words(encoder, lens, WORDS)
    for layer in range(encoder.config.n_layers + 1):
        for at in range(n):
            leading = first[layer, at]
            said = [about["vocabulary"][words[at, i]] for i in leading]
            assert said == [word[:40] for word, _ in true[layer][at]]
            np.testing.assert_allclose(share[layer, at, leading], [p for _, p in true[layer][at]], rtol=1e-4)
    # The word that wins in the end is the first of each token, and is followed back through all layers.
    answer, probability, place = final_answer(lens)
    assert [about["vocabulary"][i] for i in words[:, 0]] == [encoder.tokenizer.id_to_token(int(i)) for i in answer]
    np.testing.assert_allclose(share[:, :, 0], probability.numpy(), rtol=1e-4)
    np.testing.assert_array_equal(rank[:, :, 0], place.numpy())
    # So is every word that leads after some layer.
    ids = {name: i for i, name in ((j, encoder.tokenizer.id_to_token(j)) for j in range(encoder.config.vocab_size))}
    for at in (0, n // 2):
        known = [name for name in (about["vocabulary"][i] for i in words[at] if i != 65535) if name in ids]
        chosen = torch.tensor([ids[name] for name in known])
        assert len(known) >= WORDS
        values = lens[:, at, chosen]
        places = (lens[:, at, None] > values[..., None]).sum(-1) + 1
        np.testing.assert_array_equal(rank[:, at, : len(known)], places.numpy())


@in_turn("model", ["base", "MiniLM"])
def test_lengths_and_cosines_are_of_every_vector_and_its_last(model: str) -> None:
    trace = trace_of(model, "masked")
    _, about, arrays = unpack(level_5(encoder_of(model), trace))
    vectors = stream(trace)
    np.testing.assert_allclose(arrays["length"].numbers, vectors.norm(dim=-1).numpy(), rtol=1e-5)
    unit = vectors / vectors.norm(dim=-1, keepdim=True)
    np.testing.assert_allclose(arrays["cosine"].numbers, (unit * unit[-1:]).sum(-1).numpy(), atol=1e-5)
    assert ("vocabulary" in about) == (model == "base")


@in_turn("model", ["MiniLM", "ModernBERT"])
def test_a_model_that_guesses_no_words_says_why(model: str) -> None:
    assert not CONFIGS[model].mlm_head
    _, about, arrays = unpack(level_5(encoder_of(model), trace_of(model, "plain")))
    assert about["why"] == "This model has no head that guesses words." and set(arrays) == {"length", "cosine"}


@in_turn("run", ["plain", "pair"])
def test_a_word_can_be_masked_by_its_span(run: str) -> None:
    trace = trace_of("base", run)
    _, about, _ = unpack(level_5(encoder_of("base"), trace))
    text = trace.tokenization
    words = [pieces for pieces in text.words if not text.special[pieces[0]]]
    for pieces, (side, start, end) in zip(words, about["spans"], strict=True):
        sentence = text.pair if side else text.text
        assert sentence[:start] + about["mask"] + sentence[end:] == text.replaced(pieces, "[MASK]")


def test_of_a_long_run_the_rows_of_the_first_packet_are_told_of_with_the_gap_among_them(base: TextEncoder) -> None:
    trace = base.trace("The cat saw the dog and the mouse. " * 40 + "The cat [MASK].")
    _, about, arrays = unpack(level_5(base, trace, most_bytes=2 * 48 * len(trace.tokens) * 5))
    gap = trace.tokens.index("[MASK]")
    assert len(about["positions"]) == 5 and gap in about["positions"]
    assert arrays["share"].values.shape[1] == 5 and arrays["cosine"].values.shape[1] == len(trace.tokens)
    at = about["positions"].index(gap)
    true = logit_lens(base, trace, [gap])[:, 0].exp()
    for layer in range(7):
        best = arrays["first"].values[layer, at, 0]
        assert arrays["share"].numbers[layer, at, best] == pytest.approx(float(true[layer].max()), rel=1e-4)


def test_many_tokens_are_read_in_parts_that_say_the_same(base: TextEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = trace_of("base", "masked")
    whole = unpack(level_5(base, trace))
    monkeypatch.setattr("encoder.packet.after_layers.AT_ONCE", 1)
    parts = unpack(level_5(base, trace))
    assert parts[1] == whole[1]
    for name, array in whole[2].items():
        np.testing.assert_allclose(parts[2][name].numbers, array.numbers, rtol=1e-4)


def test_a_run_of_another_model_is_refused() -> None:
    with pytest.raises(EncoderError):
        level_5(encoder_of("small"), trace_of("base", "masked"))
