"""The guess at one place: where it is read, its words, and what became of the guess before, against the raw numbers."""

import re

import pytest
from in_turn import in_turn
from tiny import SENTENCE, TINY, tiny

from encoder import Edit, TextEncoder
from encoder.metrics.guess import guess_place, word_guess

MASKED = "The capital of France is [MASK]."


def test_the_words_are_the_likeliest_and_beside_them_stands_what_they_had_before(base: TextEncoder) -> None:
    before = base.trace(MASKED)
    now = base.trace(MASKED, edits=(Edit("layers.5.feed_forward.output", "zero"),))
    guess = word_guess(base, now, 6, before)
    assert guess is not None
    shares, others = now.array("mlm.probabilities")[6], before.array("mlm.probabilities")[6]
    order = (-shares).argsort(kind="stable")[:5]
    assert guess.words == tuple(base.tokenizer.id_to_token(int(i)) for i in order)
    assert guess.now == pytest.approx(shares[order]) and guess.before == pytest.approx(others[order])
    assert f"“{guess.words[0]}”" in guess.sentence and guess.first_before == "paris"
    assert [float(found) for found in re.findall(r"([\d.]+) %", guess.sentence)] == [
        pytest.approx(100 * shares.max(), rel=0.02),
        pytest.approx(100 * others.max(), rel=0.02),
    ]


def test_without_another_run_nothing_is_said_of_one(base: TextEncoder) -> None:
    guess = word_guess(base, base.trace(MASKED), 6)
    assert guess is not None and guess.before == () and "without the changes" not in guess.sentence
    assert (guess.first_before, guess.share_before) == (guess.words[0], guess.now[0])
    with pytest.raises(ValueError, match="the other run reads"):
        word_guess(base, base.trace(MASKED), 6, base.trace("The capital of Spain is [MASK]."))


@in_turn("text", ["The cat chased the mouse.", "!!!", "Hello"])
def test_it_is_read_at_the_mask_or_at_the_word_that_is_the_least_sure(base: TextEncoder, text: str) -> None:
    assert guess_place(base.trace(MASKED), base.mask_token) == 6
    trace = base.trace(text)
    sure = trace.array("mlm.probabilities").max(-1)
    place = guess_place(trace, base.mask_token)
    words = [i for i, token in enumerate(trace.tokens) if token[0].isalnum()] or range(1, len(sure) - 1)
    assert place in words and sure[place] == min(sure[i] for i in words)


def test_a_model_without_a_head_guesses_nothing() -> None:
    encoder = tiny(TINY)
    trace = encoder.trace(SENTENCE)
    assert word_guess(encoder, trace, 0) is None and 0 <= guess_place(trace, encoder.mask_token) < len(trace.tokens)
