"""Tokenizers on disk: older files give the very tokens that their own libraries give."""

import json
from pathlib import Path
from typing import Any

import pytest
import transformers
from in_turn import in_turn
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer
from twins import MINILM, roberta_tokenizer

from encoder import CheckpointError
from encoder.checkpoint.tokenizer_files import SpecialTokens, read_tokenizer, special_tokens
from encoder.metrics import SENTENCES

pytestmark = pytest.mark.slow

ODD = ["Ünïcödé naïve Ångström", "日本語 text", "a\u0301 tab\there", "don't!  two  spaces", "[MASK] [CLS] x", ""]
SETTINGS = ({}, {"do_lower_case": False}, {"strip_accents": False}, {"tokenize_chinese_chars": False})
BERT = SpecialTokens("[PAD]", "[MASK]", "[CLS]", "[SEP]")
ROBERTA = SpecialTokens("<pad>", "<mask>", "<s>", "</s>")


@in_turn("settings", SETTINGS)
def test_a_vocab_txt_reads_as_transformers_reads_it(settings: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes((MINILM / "vocab.txt").read_bytes())
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer", **settings}))
    ours, special = read_tokenizer(tmp_path, 30_522)
    theirs = transformers.BertTokenizer(str(tmp_path / "vocab.txt"), **settings)
    assert special == BERT
    texts = [*SENTENCES[:20], *ODD]
    assert [ours.encode(text).ids for text in texts] == [theirs(text)["input_ids"] for text in texts]
    pair = theirs("the cat", "the mouse")
    assert (ours.encode("the cat", "the mouse").ids, ours.encode("the cat", "the mouse").type_ids) == (
        pair["input_ids"],
        pair["token_type_ids"],
    )


def test_a_vocab_txt_is_the_tokenizer_json_beside_it(tmp_path: Path) -> None:
    for name in ("vocab.txt", "tokenizer_config.json", "special_tokens_map.json"):
        (tmp_path / name).write_bytes((MINILM / name).read_bytes())
    older, newer = read_tokenizer(tmp_path, 30_522), read_tokenizer(MINILM, 30_522)
    assert older[1] == newer[1] == BERT
    assert [older[0].encode(text).ids for text in ODD] == [newer[0].encode(text).ids for text in ODD]


def test_byte_pairs_read_as_transformers_reads_them(tmp_path: Path) -> None:
    trained = Tokenizer(BPE())
    trained.pre_tokenizer = ByteLevel(add_prefix_space=False)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = ByteLevel.alphabet()
    trainer = BpeTrainer(vocab_size=500, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
    trained.train_from_iterator(SENTENCES, trainer)
    trained.model.save(str(tmp_path))
    ours, found = read_tokenizer(tmp_path, 500)
    vocabulary = json.loads((tmp_path / "vocab.json").read_text())
    merges = [tuple(line.split(" ")) for line in (tmp_path / "merges.txt").read_text().splitlines()[1:]]
    theirs = transformers.RobertaTokenizer(
        vocab=vocabulary, merges=merges, mask_token=AddedToken("<mask>", lstrip=True)
    )
    assert found == ROBERTA
    texts = [*SENTENCES[:20], *ODD[:4], "the <mask> sat", ""]
    assert [ours.encode(text).ids for text in texts] == [theirs(text)["input_ids"] for text in texts]
    assert ours.encode("the cat", "a mouse").ids == theirs("the cat", "a mouse")["input_ids"]


def test_special_tokens_are_those_that_settings_name() -> None:
    tokenizer = roberta_tokenizer()
    assert special_tokens(tokenizer) == ROBERTA
    told = {"pad_token": {"content": "w1"}, "mask_token": "w2", "cls_token": "not there", "sep_token": 3}
    assert special_tokens(tokenizer, told) == SpecialTokens("w1", "w2", "<s>", "</s>")
    assert special_tokens(tokenizer, {}, told).pad == "w1"
    assert special_tokens(Tokenizer(BPE())) == SpecialTokens()


@in_turn(
    ("files", "said"),
    [
        ({}, "has no tokenizer.json; it must hold tokenizer.json, or vocab.txt, or vocab.json and merges.txt"),
        ({"vocab.json": "{}"}, "has no tokenizer.json"),
        ({"vocab.txt": "a\nb"}, "vocab.txt is not a tokenizer: its vocabulary has none of [CLS], <s>"),
        ({"vocab.txt": "[CLS]\n[SEP]\n[UNK]\na\nb\nc"}, "vocab.txt has 6 pieces, more than the vocab_size 5"),
        ({"vocab.json": "[]", "merges.txt": ""}, "vocab.json is not a tokenizer"),
        ({"vocab.txt": "[CLS]\n[SEP]", "tokenizer_config.json": "[]"}, "tokenizer_config.json holds a list"),
        (
            {"vocab.txt": "[CLS]\n[SEP]", "tokenizer_config.json": '{"do_lower_case": "x"}'},
            "vocab.txt is not a tokenizer",
        ),
        (
            {"tokenizer.json": " " * (40 * 2**20 + 1)},
            "tokenizer.json has 41,943,041 bytes; at most 41,943,040 are read",
        ),
    ],
)
def test_what_cannot_be_read(files: dict[str, str], said: str, tmp_path: Path) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(CheckpointError) as error:
        read_tokenizer(tmp_path, 5)
    assert said in str(error.value)


def test_an_id_beyond_the_table_is_refused(tmp_path: Path) -> None:
    tokenizer = roberta_tokenizer()
    raw = json.loads(tokenizer.to_str())
    raw["model"]["vocab"]["w47"] = 99
    (tmp_path / "tokenizer.json").write_text(json.dumps(raw))
    with pytest.raises(CheckpointError, match="has 100 pieces, more than the vocab_size 53 of the model"):
        read_tokenizer(tmp_path, 53)
