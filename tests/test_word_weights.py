"""Where words look, the pieces of each taken as one: what the recorded weights come to, summed by hand."""

import numpy as np
from in_turn import in_turn

from encoder import TextEncoder, Trace
from encoder.metrics import between_words, from_word, sentence_of_words

PIECES = "The purring cat, unfathomable, sat."
PAIR = ("The purring cat chased the mouse.", "It purred.")


def by_hand(trace: Trace, layer: int) -> np.ndarray:
    """Columns of a word's pieces summed, rows averaged."""
    weights, words = trace.array(f"layers.{layer}.attention.weights").astype(float), trace.tokenization.words
    columns = np.stack([weights[:, :, list(word)].sum(-1) for word in words], -1)
    return np.stack([columns[:, list(word)].mean(1) for word in words], 1)


@in_turn("text", [PIECES, "The capital of France is [MASK].", PAIR])
def test_pieces_of_a_word_are_one_and_every_row_still_adds_up(base: TextEncoder, text: str | tuple[str, str]) -> None:
    trace = base.trace(text)
    assert any(len(word) > 1 for word in trace.tokenization.words) or text not in (PIECES, PAIR)
    for layer in range(trace.config.n_layers):
        found = between_words(trace, layer).numpy()
        np.testing.assert_allclose(found, by_hand(trace, layer), atol=1e-12)
        np.testing.assert_allclose(found.sum(-1), 1, atol=1e-5)


def test_a_word_looks_at_words_alone_whichever_of_its_pieces_is_asked(base: TextEncoder) -> None:
    trace = base.trace(PIECES)
    word = next(group for group in trace.tokenization.words if len(group) > 1)
    words = trace.tokenization.words
    drawn = [i for i, group in enumerate(words) if not trace.tokenization.special[group[0]]]
    for piece in word:
        np.testing.assert_allclose(
            from_word(trace, 3, piece).numpy(), by_hand(trace, 3)[:, words.index(word), drawn], atol=1e-12
        )


def test_words_of_a_pair_are_told_apart(base: TextEncoder) -> None:
    trace = base.trace(PAIR)
    found = sentence_of_words(trace)
    firsts = [word[0] for word in trace.tokenization.words]
    assert [found[firsts.index(i)] for i in (1, trace.tokenization.second)] == [0, 1]
    assert set(sentence_of_words(base.trace(PIECES))) == {0}
