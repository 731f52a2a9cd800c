"""Texts in any script: words without spaces, gaps by any name, and what is cut, unknown or left out is said."""

import io
import zipfile
from dataclasses import replace
from pathlib import Path

from in_turn import in_turn
from readers import BERT, READERS, reader
from tiny import TINY, tiny, tiny_model
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import BPE, Unigram, WordPiece
from tokenizers.normalizers import NFKC
from tokenizers.pre_tokenizers import BertPreTokenizer, ByteLevel, Metaspace, Sequence, WhitespaceSplit
from tokenizers.processors import RobertaProcessing
from tokenizers.trainers import BpeTrainer

from encoder import TextEncoder
from encoder.metrics.reading_notes import notes
from encoder.packet.format import unpack
from encoder.packet.run import level_1
from encoder.pictures.export.archive import to_csv_zip
from encoder.pictures.export.caption import About, caption
from encoder.pictures.printing import Sheet
from encoder.pictures.registry.steps import step_picture
from encoder.trace.scripts import is_unspaced, letters_of
from encoder.trace.trace import Source
from encoder.trace.words import word_groups
from encoder.train.__main__ import METRICS, read_metrics, save_metrics

ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
SPELLED = "今天 北京 天气 怎么样 ? 今日は 天気 が いい です ね 。 iP hone を 買 う ひ ら な ฉัน กิน ข้าว ส วั ด ี ครับ 我 爱"


def model(tokenizer: Tokenizer) -> TextEncoder:
    """A tiny model that reads with it."""
    config = replace(TINY, vocab_size=700, max_positions=64, mlm_head=True)
    return TextEncoder(tiny_model(config), tokenizer, Source("texts"))


def unigram(*, bytes_too: bool = False) -> Tokenizer:
    """The way of XLM-R and bge-m3: what stands between two spaces is one word for the tokenizer."""
    spelled = ["▁", *SPELLED.split()]
    known = [(name, 0.0) for name in ROBERTA] + [(piece, -3 - i / 100) for i, piece in enumerate(spelled)]
    known += [(f"<0x{i:02X}>", -20.0) for i in range(256)] * bytes_too
    tokenizer = Tokenizer(Unigram(known, 3, bytes_too))
    tokenizer.normalizer, tokenizer.pre_tokenizer = NFKC(), Sequence([WhitespaceSplit(), Metaspace()])
    tokenizer.add_special_tokens([AddedToken(name, special=True, lstrip=name == "<mask>") for name in ROBERTA])
    tokenizer.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0))
    return tokenizer


def byte_level() -> Tokenizer:
    """The way of RoBERTa, trained on so little that most letters are bytes."""
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(
        ["北京", "天气", "北京 天气"] * 9,
        BpeTrainer(
            vocab_size=300, special_tokens=[*ROBERTA], initial_alphabet=ByteLevel.alphabet(), show_progress=False
        ),
    )
    tokenizer.add_special_tokens([AddedToken("<mask>", special=True, lstrip=True)])
    tokenizer.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0))
    return tokenizer


def words(encoder: TextEncoder, text: str) -> list[str]:
    """The words of a text, without what the model adds."""
    pieces = encoder.tokenize(text)
    assert [i for word in pieces.words for i in word] == list(range(len(pieces.ids))), "every token is in one word"
    return [pieces.spelled(word) for word in pieces.words if not pieces.special[word[0]] or pieces.typed(word[0])]


# Words without spaces between them


@in_turn(
    ("text", "expected"),
    [
        ("今天北京天气怎么样\uff1f", ["今天", "北京", "天气", "怎么样", "\uff1f"]),
        ("今日は天気がいいですね。", ["今日は", "天気", "が", "いい", "です", "ね", "。"]),
        ("ฉันกินข้าว", ["ฉัน", "กิน", "ข้าว"]),
        ("สวัสดีครับ", ["สวัสดี", "ครับ"]),  # spelled out letter by letter, then a piece
        ("我爱北京", ["我", "爱", "北京"]),  # one Chinese letter may be a word
        ("ひらがな", ["ひらがな"]),
        ("iPhoneを買う。", ["iPhone", "を", "買", "う", "。"]),
        ("北京 天气", ["北京", "天气"]),
        ("北京___天气", ["北京", "<mask>", "天气"]),
    ],
)
def test_the_pieces_are_the_words_of_a_script_without_spaces(text: str, expected: list[str]) -> None:
    assert words(model(unigram()), text) == expected


def test_bytes_of_a_letter_are_never_apart() -> None:
    for tokenizer in (byte_level(), unigram(bytes_too=True)):
        encoder = model(tokenizer)
        assert words(encoder, "北京天气") == ["北京", "天气"]
        for text in ("北京ก็ได้", "漢字北京", "天气☃北京", "e\u0301北京"):
            for word in words(encoder, text):
                assert "\ufffd" not in word and word in text.replace(" ", ""), (text, word)
        pieces = encoder.tokenize("龍北京")
        (dragon,) = (word for word in pieces.words if pieces.spelled(word) == "龍")
        assert sum(pieces.typed(i) == "龍" for i in dragon) == 3 and pieces.spelled(pieces.find("北京")) == "北京"


def test_word_pieces_of_thai_and_kana_are_words_too() -> None:
    pieces = (*BERT, "です", "##か", "は", "##い", "##ฉัน", "ฉัน", "##กิน", "the", "cat", "##s")
    vocab = {name: i for i, name in enumerate(pieces)}
    tokenizer = Tokenizer(WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    assert words(model(tokenizer), "ですか ฉันกิน はい the cats") == ["です", "か", "ฉัน", "กิน", "はい", "the", "cats"]


def test_a_mark_belongs_to_the_letter_before_it() -> None:
    assert letters_of("สวัสดีครับ") == ["ส", "วั", "ส", "ดี", "ค", "รั", "บ"]
    assert word_groups([0, 0, 0], ["ดี", "้า", "ก"]) == ((0, 1), (2,))


def test_scripts_with_spaces_are_as_they_were() -> None:
    assert not any(map(is_unspaced, "aéЖשعहक한글1²"))
    assert all(map(is_unspaced, "北京ひカｶ々ーไລខမ་"))
    for name in READERS:
        assert words(reader(name), "I was born in Rome.")[-2:] == ["Rome", "."]


# Gaps


@in_turn("name", list(READERS))
def test_a_gap_is_the_models_own_mask_by_any_of_its_names(name: str) -> None:
    encoder = reader(name)
    own = encoder.mask_token
    assert own == ("[MASK]" if name == "cased" else "<mask>")
    for frame in (
        "The capital of France is {}.",
        "{}",
        "{}.",
        "{} is the capital of Italy",
        "I was born in ({}), and {} of Rome",
    ):
        right = encoder.tokenize(frame.format(own, own))
        for typed in ("___", "__", "_________", "[MASK]", "[mask]", "<mask>", "<MASK>", "[Mask]"):
            text = frame.format(typed, typed)
            pieces = encoder.tokenize(text)
            assert (pieces.ids, pieces.words, pieces.special) == (right.ids, right.words, right.special), text
            assert pieces.text == pieces.inputs == text, "what was typed stays as it was typed"
            gaps = [i for i, token in enumerate(pieces.tokens) if token == own]
            assert [pieces.typed(i) for i in gaps] == [typed] * frame.count("{}")
            for i, token in enumerate(pieces.tokens):
                if i not in gaps and not pieces.special[i]:
                    assert pieces.typed(i) == right.typed(i), (text, token)
            assert pieces.find(typed) == pieces.find(str(own)) == (gaps[0],) and pieces.spelled((gaps[0],)) == own
            assert pieces.replaced((gaps[0],), "Paris") == text.replace(typed, "Paris", 1)


@in_turn("text", ["____", " ___ ", "___.", "___ ?"])
def test_a_line_that_is_all_there_is_is_a_gap(small: TextEncoder, text: str) -> None:
    assert small.tokenize(text).tokens[1] == small.mask_token


@in_turn(
    "text",
    [
        "snake__case",
        "__init__",
        "the key___",
        "x2__ and __2x",
        "a _ b",
        "a_b",
        "... ____",
        "____ ____",
        "[ MASK ]",
        "<masks>",
        "mask",
    ],
)
def test_what_is_no_gap_stays_as_it_is_typed(small: TextEncoder, text: str) -> None:
    assert small.mask_token not in small.tokenize(text).tokens
    ids = small.tokenizer.encode(text).ids
    assert list(small.tokenize(text).ids) == ids


def test_both_sentences_of_a_pair_have_gaps_and_a_long_text_is_cut_after_one(small: TextEncoder) -> None:
    own, typed = ("the [MASK] sat", "a [MASK] ran"), ("the ___ sat", "a <mask> ran")
    assert small.tokenize(own).ids == small.tokenize(typed).ids
    pieces = small.tokenize("___ " * 600 + "x")
    assert pieces.ids == small.tokenize("[MASK] " * 600 + "x").ids
    assert pieces.text == ("___ " * 510).strip() and pieces.kept_characters == len(pieces.text)


def test_a_model_without_a_mask_says_so() -> None:
    vocab = {name: i for i, name in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "___"])}
    tokenizer = Tokenizer(WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    encoder = model(tokenizer)
    pieces = encoder.tokenize("the ___ cat")
    assert encoder.mask_token is None and pieces.tokens == ("the", "___", "cat")
    assert notes(encoder, pieces) == ["This model has no mask, so no word is hidden: it reads ___ as it is written."]
    assert notes(encoder, encoder.tokenize("the cat")) == []
    assert header(encoder, "the cat")["mask"] is None


def header(encoder: TextEncoder, text: str) -> dict[str, object]:
    """What a packet says of a text before its numbers."""
    return unpack(level_1(encoder, encoder.trace(text), off=False))[1]


def test_a_packet_names_the_mask_and_the_words() -> None:
    encoder = model(unigram())
    about = header(encoder, "今天___天气")
    assert about["mask"] == "<mask>" and about["sentence"] == "今天___天气"
    assert about["names"] == ["今天", "<mask>", "天气"] and about["kinds"].count("mask") == 1  # type: ignore[attr-defined]


# What is cut, unknown or left out


def test_a_run_made_again_has_the_same_tokens_and_tells_again_what_was_cut(small: TextEncoder) -> None:
    text = "unbelievably " * 300
    trace = small.trace(text)
    again = small.trace(trace.inputs)
    assert len(trace.tokens) == 512 and (again.ids, again.dropped) == (trace.ids, trace.dropped)
    assert f"{trace.dropped:,} tokens at the end are left out" in caption(About(trace))
    assert "left out" not in caption(About(small.trace("unbelievably")))


def test_whose_bound_it_is_is_said_as_it_is() -> None:
    encoder = tiny(replace(TINY, max_positions=8192))
    pieces = encoder.tokenize("w1 " * 600)
    assert (
        encoder.cut(pieces)
        == "At most 512 tokens are read here, though the model could read 8,192: 90 at the end are left out."
    )
    small = tiny(replace(TINY, max_positions=19))
    assert small.cut(small.tokenize("w1 " * 18)) == "The model reads 19 tokens and no more: 1 at the end is left out."
    pair = small.tokenize(("w1 " * 30, "w2"))
    assert small.cut(pair).endswith(f": {pair.dropped} at the end of the first sentence are left out.")
    both = small.tokenize(("w1 " * 30, "w2 " * 30))
    assert small.cut(both).endswith(": 44 at the ends of both sentences are left out.")


def test_letters_without_a_token_are_counted(small: TextEncoder) -> None:
    tokenizer = Tokenizer(BPE({"<mask>": 0, "a": 1, "b": 2, ".": 3}, []))  # what it does not know it leaves out
    tokenizer.pre_tokenizer = WhitespaceSplit()
    encoder = model(tokenizer)
    assert not any("left out" in note for note in notes(encoder, encoder.tokenize("ab. ba.")))
    lost = "3 signs of this text are left out, for want of a token in this vocabulary."
    assert lost in notes(encoder, encoder.tokenize("axb yz."))
    assert not any("left out" in note for note in notes(small, small.tokenize("Cafe\u0301 — naïve “x” ☃")))
    assert notes(small, small.tokenize("The cat sat here \u203d today")) == ["1 mark is unknown to the model."]
    assert notes(small, small.tokenize("The cat \u203d sat \u203d")) == ["2 marks are unknown to the model."]
    chinese = small.tokenize("今天天气很好\uff0c我们去公园吧。")  # each [UNK] counts
    assert chinese.tokens.count("[UNK]") == 4
    assert notes(small, chinese)[2:] == ["2 words and 2 marks are unknown to the model."]


def test_of_words_that_look_like_english_and_are_not_it_is_said_what_the_model_read(base: TextEncoder) -> None:
    (said,) = notes(base, base.tokenize("Le chat dort sur le [MASK] rouge."))
    assert said == "The model learned from English alone: what it does with this text says little."
    for english in (
        "Old dogs chase young cats.",
        "The zorblax ate my [MASK] before the party.",
        "Thank you very much.",
    ):
        assert notes(base, base.tokenize(english)) == []


# CSV


def test_every_csv_begins_with_a_byte_order_mark(small: TextEncoder) -> None:
    trace = small.trace("It\u2019s a naïve café.")
    picture = step_picture(small, trace, "layers.1.attention.weights")
    assert picture.csv().encode()[:3] == b"\xef\xbb\xbf" and picture.csv().count("\ufeff") == 1
    answer = Sheet([picture, picture])
    whole_sheet = answer.csv()
    assert whole_sheet.startswith("\ufeff") and whole_sheet.count("\ufeff") == 1
    file = io.BytesIO()
    to_csv_zip(trace, 1, file)
    with zipfile.ZipFile(file) as whole:
        tables = [name for name in whole.namelist() if name.endswith(".csv")]
        assert tables and all(whole.read(name)[:3] == b"\xef\xbb\xbf" for name in tables)


def test_what_training_writes_as_csv_is_read_again(tmp_path: Path) -> None:
    rows = [[step, *[1] * 7] for step in (100, 200)]
    save_metrics(tmp_path, rows)
    assert (tmp_path / METRICS).read_bytes()[:3] == b"\xef\xbb\xbf"
    assert read_metrics(tmp_path, 100) == [[str(cell) for cell in rows[0]]]
