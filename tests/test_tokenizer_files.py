"""Special tokens of a tokenizer, and what is said of folders without one that can be used."""

import json
from pathlib import Path

import pytest
from in_turn import in_turn
from tokenizers import Tokenizer
from tokenizers.models import BPE
from twins import MODELS, fields, roberta_tokenizer, saved

from encoder import CheckpointError, TextEncoder
from encoder.checkpoint.tokenizer_files import SpecialTokens, special_tokens

pytestmark = pytest.mark.slow


def test_special_tokens_are_those_that_settings_name() -> None:
    tokenizer = roberta_tokenizer()
    assert special_tokens(tokenizer) == SpecialTokens("<pad>", "<mask>", "<s>", "</s>")
    told = {"pad_token": "w1", "mask_token": "w2", "cls_token": "not there", "sep_token": None}
    assert special_tokens(tokenizer, told) == SpecialTokens("w1", "w2", "<s>", "</s>")
    assert special_tokens(Tokenizer(BPE())) == SpecialTokens()


@in_turn(
    ("files", "said"),
    [
        ({}, "has no tokenizer: none of tokenizer.json, vocab.txt, vocab.json, merges.txt, spm.model"),
        ({"vocab.txt": "\n".join(map(str, range(99)))}, "vocab.txt has 99 pieces, more than the vocab_size 53"),
        ({"vocab.json": "{}", "merges.txt": ""}, "is a BertTokenizer, which needs a tokenizer.json, or vocab.txt"),
        ({"vocab.txt": "[CLS]\n[SEP]", "tokenizer_config.json": "[]"}, "tokenizer_config.json holds a list"),
        ({"tokenizer.json": " " * (40 * 2**20 + 1)}, "has 41,943,041 bytes; at most 41,943,040 are read here"),
        ({"spm.model": "no such model"}, "is not one that the package sentencepiece reads here"),
    ],
)
def test_what_cannot_be_read(files: dict[str, str], said: str, tmp_path: Path) -> None:
    saved(tmp_path, MODELS["deberta-v3" if "spm.model" in files else "bert"])
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).unlink()
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(CheckpointError) as error:
        TextEncoder.from_pretrained(tmp_path)
    assert said in str(error.value) and str(tmp_path) in str(error.value)


def test_an_id_beyond_the_table_is_refused(tmp_path: Path) -> None:
    saved(tmp_path, MODELS["bert"])
    raw = json.loads((tmp_path / "tokenizer.json").read_text())
    raw["model"]["vocab"]["w47"] = 99
    (tmp_path / "tokenizer.json").write_text(json.dumps(raw))
    with pytest.raises(CheckpointError, match="has 100 pieces, more than the vocab_size 53 of the model"):
        TextEncoder.from_pretrained(tmp_path)


def test_a_tokenizer_written_in_python_is_refused_by_its_name(tmp_path: Path) -> None:
    saved(tmp_path, MODELS["bert"])
    fields(tokenizer_class="CanineTokenizer")(tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).unlink()
    (tmp_path / "vocab.txt").write_text("[CLS]\n[SEP]\n[UNK]\n[PAD]\n[MASK]\na")
    with pytest.raises(CheckpointError, match="its tokenizer is a CanineTokenizer, which is written in Python"):
        TextEncoder.from_pretrained(tmp_path)
