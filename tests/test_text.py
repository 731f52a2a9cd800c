"""Whatever is typed becomes tokens that can be traced back to it, and masked words are guessed."""

import pytest
import torch
from in_turn import in_turn
from tiny import TINY, tiny

from encoder import EncoderConfig, TextEncoder
from encoder.trace.tokens import Tokens

LINE = "It was the best of times, it was the worst of times. "


def pairs(pieces: Tokens) -> list[tuple[str, str]]:
    """Each token beside what was typed for it, without [CLS] and [SEP]."""
    return [(token, pieces.typed(i)) for i, token in enumerate(pieces.tokens)][1:-1]


def assert_whole(pieces: Tokens) -> None:
    """What holds for any text: framed, aligned, in order, within the text, and not over the limit."""
    assert (pieces.tokens[0], pieces.tokens[-1]) == ("[CLS]", "[SEP]")
    assert (pieces.ids[0], pieces.ids[-1]) == (2, 3)
    assert 2 <= len(pieces.ids) <= 512
    assert len(pieces.ids) == len(pieces.tokens) == len(pieces.spans) == len(pieces.special)
    assert pieces.special == (True, *[False] * (len(pieces.ids) - 2), True)
    assert pieces.spans[0] == pieces.spans[-1] == (0, 0)
    starts = [start for start, _ in pieces.spans[1:-1]]
    assert starts == sorted(starts)
    assert all(start < end <= len(pieces.text) for start, end in pieces.spans[1:-1])
    assert len(pieces.text) == pieces.kept_characters
    pieces.text.encode()  # nothing that cannot be shown


def test_a_text_is_kept_whole_or_cut_where_it_says(base: TextEncoder) -> None:
    for count in (0, 1, 3, 40, 509, 510, 511, 600, 20_000):
        text, kept = " ".join(["cat"] * count), min(count, 510)
        pieces = base.tokenize(text)
        assert_whole(pieces)
        assert pairs(pieces) == [("cat", "cat")] * kept
        assert (pieces.text, pieces.dropped) == (" ".join(["cat"] * kept), count - kept)
        assert pieces.kept_characters == len(pieces.text)


def test_a_cut_text_runs_at_the_limit_and_both_lengths_are_told(
    small: TextEncoder, caplog: pytest.LogCaptureFixture
) -> None:
    trace, whole = small.trace("cat " * 600), small.trace("the cat")
    assert caplog.messages == ["The model reads 512 tokens and no more: 90 at the end are left out."]
    assert len(trace.tokens) == 512
    assert trace["layers.3.attention.weights"].shape == (4, 512, 512) and (trace.dropped, whole.dropped) == (90, 0)
    assert "512 tokens (90 more were left out)" in repr(trace) and "left out" not in repr(whole)
    assert small.trace(("cat " * 400, "dog " * 400)).dropped == 800 - 509
    assert bool(trace["output"].isfinite().all())


def test_the_models_own_limit_counts_where_it_is_lower() -> None:
    pieces = tiny(TINY).tokenize("w1 " * 30)
    assert len(pieces.ids) == TINY.max_positions == 19
    assert (pieces.tokens[-1], pieces.dropped, pieces.kept_characters) == ("[SEP]", 13, 17 * 3 - 1)


@in_turn(
    ("text", "expected"),
    [
        ("", []),
        ("   \n\t ", []),
        ("  two   words  ", [("two", "two"), ("words", "words")]),
        ("The CAT", [("the", "The"), ("cat", "CAT")]),
        ("unbelievably", [("unb", "unb"), ("##el", "el"), ("##iev", "iev"), ("##ably", "ably")]),
        ("Caf\u00e9", [("cafe", "Caf\u00e9")]),
        ("Stra\u00dfe", [("stra", "Stra"), ("##ss", "\u00df"), ("##e", "e")]),
        ("\u201chi\u201d", [('"', "\u201c"), ("hi", "hi"), ('"', "\u201d")]),
        ("no\u2026", [("no", "no"), *[(".", "\u2026")] * 3]),
        ("don't", [("don't", "don't")]),
        ("\U0001f600", [("[UNK]", "\U0001f600")]),
        ("a \U0001f469\u200d\U0001f52c", [("a", "a"), *[("[UNK]", c) for c in "\U0001f469\u200d\U0001f52c"]]),
        ("\u4f60\u597d\u4e16\u754c", [("[UNK]", "\u4f60\u597d\u4e16\u754c")]),
        ("\u0645\u0631\u062d\u0628\u0627 hi", [("[UNK]", "\u0645\u0631\u062d\u0628\u0627"), ("hi", "hi")]),
        ("$x$", [("$", "$"), ("x", "x"), ("$", "$")]),
        ("a\ud800b", [("a", "a"), ("[UNK]", "\ufffd"), ("b", "b")]),
        ("\udc00", [("[UNK]", "\ufffd")]),
        ("hi\ud83d", [("hi", "hi"), ("[UNK]", "\ufffd")]),
        ("\ud83d\ude00", [("[UNK]", "\U0001f600")]),
        ("\x00\x07\x7f", [("[UNK]", "\x00\x07\x7f")]),
        ("a\u200bb", [("a", "a"), ("[UNK]", "\u200b"), ("b", "b")]),
        ("\ufeffhi", [("[UNK]", "\ufeff"), ("hi", "hi")]),
        ("a [MASK] b", [("a", "a"), ("[MASK]", "[MASK]"), ("b", "b")]),
        ("a [SEP] b", [("a", "a"), ("[SEP]", "[SEP]"), ("b", "b")]),
        ("[mask]", [("[MASK]", "[mask]")]),
        ("[masks]", [("[UNK]", "["), ("masks", "masks"), ("[UNK]", "]")]),
    ],
)  # fmt: skip
def test_tokens_stand_beside_what_was_typed(base: TextEncoder, text: str, expected: list[tuple[str, str]]) -> None:
    pieces = base.tokenize(text)
    assert_whole(pieces)
    assert pairs(pieces) == expected
    assert pieces.dropped == 0
    trace = base.trace(text)
    assert trace.tokens == list(pieces.tokens)
    assert bool(trace["output"].isfinite().all())


def test_what_is_typed_is_read_as_typed(base: TextEncoder) -> None:
    pieces = base.tokenize("<b>x</b>")
    assert_whole(pieces)
    assert [typed for _, typed in pairs(pieces)] == list("<b>x</b>")
    pieces = base.tokenize("[MASK] [SEP] [CLS] [PAD] [UNK]")
    assert_whole(pieces)
    assert pieces.ids == (2, 4, 3, 2, 0, 1, 3)  # special tokens have their ids but are typed
    trace = base.trace("a [PAD] b")
    assert (trace.padding, trace.hidden) == (0, ())
    assert float(trace["layers.1.attention.weights"][..., 2].sum()) > 0
    for text in ("x" * 100_000, "\u4f60" * 100_000):
        pieces = base.tokenize(text)
        assert_whole(pieces)
        assert (pairs(pieces), pieces.dropped) == ([("[UNK]", text)], 0)


def test_a_word_is_replaced_with_all_its_pieces(base: TextEncoder) -> None:
    pieces = base.trace("Unbelievably old keys").tokenization
    word = pieces.find("Unbelievably")
    assert len(word) > 1 and pieces.replaced(word, "Some") == "Some old keys"
    assert pieces.replaced(pieces.find("keys"), "doors") == "Unbelievably old doors"
    assert pieces.replaced((0,), "Some") == "Unbelievably old keys"  # [CLS] was not typed


def test_a_paste_of_many_words_is_cut(base: TextEncoder) -> None:
    text = (LINE * 2000)[:100_000]
    pieces = base.tokenize(text)
    assert_whole(pieces)
    assert len(pieces.ids) == 512
    assert text.startswith(pieces.text)
    # a line is 14 tokens: 36 lines and 6 tokens are kept, 1886 whole lines and the start of another were read
    assert pieces.kept_characters == 36 * len(LINE) + len("It was the best of times")
    assert pieces.dropped == len(base.tokenizer.encode(text, add_special_tokens=False)) - 510


@in_turn(
    ("text", "tokens", "kept"),
    [
        ("x" * 300_000, 3, 100_000),
        ("\U0001f600" * 300_000, 512, 510),
        (" " * 300_000, 2, 0),
        ("hi" + " " * 300_000, 3, 2),
    ],
)
def test_characters_over_the_limit_are_not_read(base: TextEncoder, text: str, tokens: int, kept: int) -> None:
    pieces = base.tokenize(text)
    assert_whole(pieces)
    assert (len(pieces.ids), pieces.kept_characters) == (tokens, kept)


def test_what_was_not_read_is_counted(base: TextEncoder) -> None:
    more, all_read = base.tokenize("cat " * 75_000), base.tokenize("cat " * 25_000)
    assert (more.ids, more.spans, more.dropped) == (all_read.ids, all_read.spans, all_read.dropped)
    assert (more.unread, all_read.unread) == (200_000, 0)
    assert base.cut(more).endswith(": at least 24,490 at the end are left out.")
    assert base.cut(all_read).endswith(": 24,490 at the end are left out.")
    assert "200,000 at the end are left out" in base.cut(base.tokenize("hi" + " " * 299_998))


def test_the_models_guess_what_their_card_says(base: TextEncoder, small: TextEncoder) -> None:
    guesses = small.predict(small.trace("The capital of France is [MASK]."), k=4)[6]
    assert [word for word, _ in guesses] == ["great", "france", "russia", "paris"]  # it knows little of the world
    (word, share), *_ = base.predict(base.trace("The capital of France is [MASK]."))[6]
    assert word == "paris"
    assert share == pytest.approx(0.754, abs=0.005)
    guesses = base.predict(base.trace("The cat [MASK] the mouse."), k=5)[3]
    assert guesses[0][0] == "caught"
    assert guesses[0][1] == pytest.approx(0.354, abs=0.005)
    assert guesses[4][0] == "chased"


def test_guesses_are_the_recorded_probabilities_in_order(base: TextEncoder) -> None:
    trace = base.trace("The cat [MASK] the mouse.")
    guesses = base.predict(trace, k=3)
    assert len(guesses) == len(trace.tokens)
    assert base.predict(trace, 3, [3, 1]) == [guesses[3], guesses[1]]
    for position, row in enumerate(guesses):
        probabilities = trace["mlm.probabilities"][position]
        ids = [base.tokenizer.token_to_id(word) for word, _ in row]
        assert [share for _, share in row] == probabilities[ids].tolist()
        assert torch.equal(probabilities[ids], probabilities.sort(descending=True).values[:3])


def test_guesses_of_a_tiny_model_are_all_words_or_none() -> None:
    encoder = tiny(EncoderConfig(vocab_size=53, d_model=30, n_heads=3, n_layers=1, d_ff=8, mlm_head=True))
    (first, *_) = encoder.predict(encoder.trace("w1"), k=1000)
    assert len(first) == 53 and sum(share for _, share in first) == pytest.approx(1, abs=1e-6)
    assert tiny(TINY).predict(tiny(TINY).trace("w1 [MASK]")) is None
