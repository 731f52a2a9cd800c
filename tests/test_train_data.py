"""Lines, rows, masks and rates: what goes into training, and what is said of input that cannot."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from encoder import TextEncoder
from encoder.train.masked_rows import (
    Lines,
    TokenStream,
    Vocabulary,
    batches,
    choose,
    divided,
    encode,
    epoch_of,
    hide,
    hold_out,
    packed,
    read,
    segments,
)
from encoder.train.recipe import RECIPES
from encoder.train.vocabulary import TrainingError, learn

TEXTS = [
    " ".join(f"{a}{b}" for b in ("tion", "ing", "ness", "ed", "able")[: 1 + i % 5])
    for i, a in enumerate(["walk", "talk", "sing", "jump", "read", "paint"] * 60)
]
LINES = Lines(TEXTS, [i % 3 > 0 for i in range(len(TEXTS))])


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return learn(TEXTS, 60)


@pytest.fixture(scope="module")
def tokens(tokenizer: Tokenizer) -> TokenStream:
    return encode(LINES, tokenizer, 32)


def test_lines_are_read_with_their_paragraphs(tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes("One.\r\nTwo.\n\n  Three.  \n \nFour.".encode("utf-8-sig"))
    assert read(file) == Lines(["One.", "Two.", "Three.", "Four."], [False, True, False, False])


def test_a_corpus_that_cannot_be_learned_from_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    for content, sentence in (
        (b"good\nbad \xff here\n", r"text.txt is not UTF-8 in line 2; save the file as UTF-8"),
        (b"\n  \n\n", r"the corpus has 0 lines, too few to hold some out"),
    ):
        path.write_bytes(content)
        with pytest.raises(TrainingError, match=sentence):
            divided([path])


def test_held_out_lines_are_never_learned_from() -> None:
    lines = Lines([f"line {i % 90}" for i in range(100)], [True] * 100)
    learned, held = hold_out(lines)
    assert held == ["line 19", "line 39", "line 59", "line 79"], "line 99 is a copy of line 9"
    assert set(held) & set(learned.texts) == set() and len(learned.texts) == 95
    assert not learned.follows[19], "the line after a held-out one follows nothing"


def test_a_vocabulary_is_as_large_as_asked_or_refused(tokenizer: Tokenizer) -> None:
    assert tokenizer.get_vocab_size() == 60
    assert [tokenizer.id_to_token(i) for i in range(5)] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert tokenizer.encode("Walking “SINGING”").tokens[0] == "[CLS]"
    with pytest.raises(TrainingError, match=r"vocab_size is 5000, but this corpus supports \d+ pieces"):
        learn(TEXTS, 5000)


def test_a_learned_tokenizer_cuts_words_as_the_bundled_ones_do() -> None:
    bundled = Tokenizer.from_file(str(Path(__file__).parents[1] / "encoder" / "pretrained" / "base" / "tokenizer.json"))
    own = learn([*TEXTS, "x y z"], 60)
    for text in (
        "It\u2019s 5 o\u2019clock - didn't “Zoë” say 3.14%?",
        "Straße, naïve, 你好 😀 a_b",
        "won't can't I'll",
    ):
        words = [own, bundled]
        cut = [t.pre_tokenizer.pre_tokenize_str(t.normalizer.normalize_str(text)) for t in words]
        assert cut[0] == cut[1]


def test_every_line_stands_in_the_rows_once_and_whole(tokens: TokenStream, tokenizer: Tokenizer) -> None:
    whole = epoch_of(tokens, 32, 0.5, 3, 0)
    rows = packed(tokens, whole, 0, len(whole.rows) - 1, 32, Vocabulary(tokenizer))
    pieces = []
    for ids, numbers, places in zip(*rows, strict=True):
        for number in range(1, int(numbers.max()) + 1):
            own = ids[numbers == number].tolist()
            assert own[0] == 2 and own[-1] == 3 and not {0, 2, 3} & set(own[1:-1])
            assert places[numbers == number].tolist() == list(range(len(own)))
            pieces.append(own[1:-1])
        assert (ids[numbers == 0] == 0).all() and (numbers[numbers > 0].diff() >= 0).all()
    starts, lengths = segments(tokens, 30, 0.5, np.random.default_rng((3, 1, 0)))
    expected = [tokens.ids[s : s + n].tolist() for s, n in zip(starts, lengths, strict=True)]
    assert sorted(pieces) == sorted(expected)
    assert sum(map(len, pieces)) == len(tokens.ids)


def test_segments_are_single_lines_and_runs_within_a_paragraph(tokens: TokenStream) -> None:
    lines = tokens.starts[:-1].tolist()
    alone, _ = segments(tokens, 30, 0.0, np.random.default_rng(0))
    assert alone.tolist() == lines
    joined, lengths = segments(tokens, 30, 1.0, np.random.default_rng(0))
    assert lengths.max() <= 30 and len(joined) < len(lines)
    assert set(tokens.starts[:-1][~tokens.follows]) <= set(joined.tolist()), "a run never goes past a paragraph"
    half, _ = segments(tokens, 30, 0.5, np.random.default_rng(0))
    assert len(joined) < len(half) < len(lines)


def test_a_line_longer_than_a_row_is_cut(tokenizer: Tokenizer) -> None:
    cut = encode(Lines(["walking " * 50, "", "talked"], [False, False, True]), tokenizer, 16)
    assert cut.starts.tolist()[:2] == [0, 14] and len(cut.starts) == 3
    with pytest.raises(TrainingError, match="no token"):
        encode(Lines(["", "   "], [False, False]), tokenizer, 16)


def test_batches_go_on_where_they_stopped_and_differ_between_epochs(tokens: TokenStream, tokenizer: Tokenizer) -> None:
    recipe = replace(RECIPES["tiny"], row_length=32, rows=10, seed=7)
    epoch = (len(epoch_of(tokens, 32, recipe.joined, 7, 0).rows) - 1) // 10
    whole = list(islice(batches(tokens, tokenizer, recipe), 30))
    assert epoch < 17, "it goes on in a later epoch"
    for batch, again in zip(whole[17:], batches(tokens, tokenizer, recipe, 17), strict=False):
        assert all(map(torch.equal, batch, again))
    assert not torch.equal(whole[0].ids, whole[epoch].ids)
    with pytest.raises(TrainingError, match=r"fills \d+ rows of 32 tokens, and a step takes 999"):
        next(batches(tokens, tokenizer, replace(recipe, rows=999)))


def test_masks_take_whole_words_and_no_special_token(tokenizer: Tokenizer, tokens: TokenStream) -> None:
    """15 % of the words, of which 80 % become [MASK], 10 % another token and 10 % stay, within 4 standard errors."""
    words = Vocabulary(tokenizer)
    whole = epoch_of(tokens, 32, 0.5, 0, 0)
    ids = packed(tokens, whole, 0, len(whole.rows) - 1, 32, words)[0].repeat(60, 1)
    draw = np.random.default_rng(5)
    chosen = choose(ids, words, 0.15, draw)
    assert not chosen[words.special[ids]].any()
    later = words.goes_on[ids[:, 1:]]
    assert later.any() and torch.equal(chosen[:, 1:][later], chosen[:, :-1][later]), "all pieces of a word or none"
    starts = ~words.special[ids] & ~words.goes_on[ids]
    count = int(starts.sum())
    assert abs(float(chosen[starts].float().mean()) - 0.15) < 4 * (0.15 * 0.85 / count) ** 0.5
    hidden = hide(ids, chosen, words, draw)
    assert torch.equal(hidden[~chosen], ids[~chosen])
    masked, same = hidden[chosen] == words.mask, hidden[chosen] == ids[chosen]
    n = int(chosen.sum())
    for share, found in ((0.8, masked), (0.1 + 0.1 / 56, same), (0.1 * 55 / 56, ~masked & ~same)):
        assert abs(float(found.float().mean()) - share) < 4 * (share * (1 - share) / n) ** 0.5
    assert not words.special[hidden[chosen & (hidden != words.mask)]].any()


def test_at_least_one_word_is_hidden(tokenizer: Tokenizer) -> None:
    words, ids = Vocabulary(tokenizer), torch.tensor([[2, 30, 3, 0]])
    assert choose(ids, words, 1e-9, np.random.default_rng(0)).tolist() == [[False, True, False, False]]
    assert not choose(torch.tensor([[2, 3, 0, 0]]), words, 0.9, np.random.default_rng(0)).any()


def test_the_rate_rises_and_falls_in_straight_lines() -> None:
    recipe = replace(RECIPES["small"], steps=1000, warm_up=100, peak_rate=1.0)
    rates = [recipe.rate(step) for step in range(1000)]
    assert rates[0] == pytest.approx(0.01) and rates[49] == pytest.approx(0.5)
    assert max(rates) == rates[99] == rates[100] == 1.0
    assert rates[550] == pytest.approx(0.5) and rates[999] == pytest.approx(1 / 900) and recipe.rate(1000) == 0
    assert np.allclose(np.diff(rates[100:]), -1 / 900)


def test_settings_reach_the_recipe_and_the_shape_or_are_refused() -> None:
    recipe = RECIPES["small"].with_values(
        ["rows=8", "d_model=64", "snapshots=0,5", "norm_first=true", "peak_rate=1e-4"]
    )
    assert (recipe.rows, recipe.config.d_model, recipe.snapshots, recipe.peak_rate) == (8, 64, (0, 5), 1e-4)
    assert recipe.config.norm_first
    for setting, sentence in (
        ("rows=0", "rows is 0; it must be a whole number from 1"),
        ("rows=x", "rows is 'x'; it must be a value such as 512"),
        ("peak_rate=2", "peak_rate is 2.0; it must be a number from 1e-07 to 1.0"),
        ("row_length=513", "row_length is 513; it must be a whole number from 8 to 512"),
        ("max_positions=64", "row_length is 128; it must be at most 64"),
        ("mlm_head=false", "needs the head"),
        ("colour=3", "there is no setting 'colour'"),
        ("n_heads=3", "d_model 128 is not divisible by n_heads 3"),
    ):
        with pytest.raises(ValueError, match=sentence):
            RECIPES["small"].with_values([setting])


def test_the_presets_are_the_recipes_of_the_bundled_models() -> None:
    for name in ("base", "small"):
        bundled = TextEncoder.from_pretrained(name).config
        assert RECIPES[name].config == bundled
