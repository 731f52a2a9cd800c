"""Checkpoint folders that somebody else has made: each opens and runs, or says which file is wrong and why.

What a tokenizer does with one sentence shows nothing of the next, so a folder that opens is asked to read several; what
it cannot read is a ValueError, which the pages show as a sentence.
"""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from folder_faults import text
from in_turn import in_turn
from safetensors.torch import load_file, save_file
from tiny import TINY, tiny_model, tiny_tokenizer
from twins import MODELS, fields, saved

from encoder import CheckpointError, TextEncoder, checkpoint
from encoder.support.errors import EncoderError

pytestmark = pytest.mark.slow

TEXTS = (
    "",
    "w1 w2",
    "unknown words",
    "[MASK] [CLS]",
    "z" * 3000,
    "b" * 3000,
    "\ufffd \u4f60\u597d \U0001f642",
    "w1 " * 900,
)
Told = dict[str, Any]


def folder_with(told: Told, folder: Path) -> Path:
    """A model in good order whose tokenizer.json says something else."""
    checkpoint.save(tiny_model(replace(TINY, mlm_head=True)), tiny_tokenizer(), folder)
    plain = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps(plain | told))
    return folder


def place(sequence: str) -> Told:
    return {"Sequence": {"id": sequence, "type_id": 0}}


def template(single: list[Told], special: Told) -> Told:
    return {
        "post_processor": {
            "type": "TemplateProcessing",
            "special_tokens": special,
            "single": single,
            "pair": [place("A"), place("B")],
        }
    }


def split(pattern: str) -> Told:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": False}


def replacing(pattern: Told, content: str) -> Told:
    return {"type": "Replace", "pattern": pattern, "content": content}


def ids(first: int, last: int, **more: Any) -> Told:
    return {"post_processor": {"sep": ["[SEP]", last], "cls": ["[CLS]", first], **more}}


CLS_900 = {"[CLS]": {"id": "[CLS]", "ids": [900], "tokens": ["[CLS]"]}}
LETTERS = {chr(i): i - 97 for i in range(97, 123)}
PADDING = {
    "strategy": {"Fixed": 0},
    "direction": "Right",
    "pad_to_multiple_of": None,
    "pad_id": 0,
    "pad_type_id": 0,
    "pad_token": "[PAD]",
}
GROWS = replacing({"String": "a"}, "aaaaaaaa")
NONE: Told = {"added_tokens": [], "post_processor": None}

REFUSED: dict[str, tuple[Told, str]] = {  # what a tokenizer.json says -> what is said of it
    "ids-of-bert": (ids(900, 901, type="BertProcessing"), "it gives the id 901, and its vocabulary ends at 52"),
    "ids-of-a-template": (template([{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, place("A")], CLS_900), "id 900"),
    "two-sentences-in-one": (template([place("B")], {}), "fails on a short text"),
    "no-unknown-word": (NONE | {"model": {"type": "WordLevel", "vocab": LETTERS, "unk_token": "?"}}, "fails on a"),
    "charsmap": (
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(b"\xff" * 40).decode()}},
        "tokenizer",
    ),
    "backtracks": ({"pre_tokenizer": split("(a+)+b")}, "fails on a short text"),
    "backtracks-normalizing": ({"normalizer": replacing({"Regex": "(a+)+b"}, "")}, "fails on a short text"),
    "many-expressions": (
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [split(f"(a+)+b{i}") for i in range(3000)]}},
        "more than 400 parts",
    ),
    "a-long-expression": ({"pre_tokenizer": split("|".join(f"(x{i}+)+y" for i in range(30_000)))}, "characters; at"),
    "grows": ({"normalizer": {"type": "Sequence", "normalizers": [GROWS] * 12}}, "it may make a text"),
}


@in_turn("name", REFUSED)
def test_a_tokenizer_that_fails_is_refused_with_its_file_and_its_cause(name: str, tmp_path: Path) -> None:
    told, said = REFUSED[name]
    folder = folder_with(told, tmp_path)
    with pytest.raises(CheckpointError) as error:
        TextEncoder.from_pretrained(folder)
    assert str(folder) in str(error.value) and "tokenizer" in str(error.value) and said in str(error.value)
    assert len(str(error.value)) < 700


USABLE: dict[str, Told] = {  # odd, and fit for some texts or all
    "fixed-padding-0": {"padding": PADDING},
    "truncation": {"truncation": {"direction": "Right", "max_length": 1, "strategy": "LongestFirst", "stride": 0}},
    "backtracks-on-some": {"pre_tokenizer": split("(z+)+q")},
    "backtracks-normalizing-some": {"normalizer": replacing({"Regex": "(b+)+q"}, "")},
    "grows-between-all": {"normalizer": {"type": "Sequence", "normalizers": [replacing({"Regex": ""}, "aaaaaaa")] * 2}},
    "removes-all": {"normalizer": replacing({"Regex": "."}, "")},
    "no-post-processor": {"post_processor": None},
    "types-of-a-pair": {
        "post_processor": {
            "type": "TemplateProcessing",
            "special_tokens": {},
            "single": [place("A")],
            "pair": [{"Sequence": {"id": "A", "type_id": 1}}, {"Sequence": {"id": "B", "type_id": 7}}],
        }
    },
}


@in_turn("name", USABLE)
def test_what_opens_reads_a_text_or_says_why_not(name: str, tmp_path: Path) -> None:
    encoder = TextEncoder.from_pretrained(folder_with(USABLE[name], tmp_path))
    read, pairs = 0, [(one, "w3") for one in ("", "w1 w2", "z" * 3000)]
    texts: list[str | tuple[str, str]] = [*TEXTS, *pairs]
    for one in texts:
        try:
            assert bool(encoder.trace(one)["output"].isfinite().all())
            read += 1
        except EncoderError as error:
            assert 20 < len(str(error)) < 400, one
    assert read >= len(TEXTS)


def test_a_sentence_that_searches_without_end_is_told_and_the_next_one_runs(tmp_path: Path) -> None:
    encoder = TextEncoder.from_pretrained(folder_with(USABLE["backtracks-on-some"], tmp_path))
    with pytest.raises(ValueError, match="the tokenizer cannot read this text"):
        encoder.trace("z" * 3000)
    assert encoder.trace("w1 w2").tokens == ["[CLS]", "[UNK]", "[SEP]"]


Change = Callable[[Path], None]


def index(shards: object) -> Change:
    """An index in place of the weights."""

    def damage(folder: Path) -> None:
        (folder / "model.safetensors").rename(folder / "a.safetensors")
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": shards}))

    return damage


def narrowed(folder: Path) -> None:
    """A query of one head less than the others."""
    found = load_file(folder / "model.safetensors")
    name = "bert.encoder.layer.1.attention.self.query.weight"
    save_file(found | {name: found[name][:20].clone()}, folder / "model.safetensors")


def hollow(name: str, size: int, first: bytes = b"") -> Change:
    """A file of so many bytes, all zero after the first ones, that takes no room on the disk."""

    def damage(folder: Path) -> None:
        with (folder / name).open("wb") as file:
            file.write(first)
            file.truncate(size)

    return damage


def pairs(change: Change) -> Change:
    """A vocab.json and a changed merges.txt in place of the tokenizer."""

    def damage(folder: Path) -> None:
        (folder / "tokenizer.json").unlink()
        (folder / "vocab.json").write_text(json.dumps({"a": 0, "b": 1, "ab": 2}))
        change(folder)

    return damage


def digits(name: str) -> Change:
    """A number of 5,000 digits in a file of fields."""

    def damage(folder: Path) -> None:
        raw = (folder / name).read_text() if (folder / name).is_file() else "{}"
        (folder / name).write_text('{"x":' + "9" * 5000 + ("," if len(raw) > 2 else "") + raw[1:])

    return damage


def narrow(folder: Path) -> None:
    """A table of fewer pieces than the configuration says, beside a tokenizer that has as many."""
    fields(vocab_size=900_000)(folder)


def many_numbers(folder: Path) -> None:
    """A map of far more numbers than the configuration says, of zeros that take no room on the disk."""
    header = {
        WORDS: {"dtype": "F32", "shape": [53, 30], "data_offsets": [0, 6360]},
        MAP: {"dtype": "F32", "shape": [30_000, 15_000], "data_offsets": [6360, 1_800_006_360]},
    }
    raw = json.dumps(header).encode()
    hollow("model.safetensors", 8 + len(raw) + 1_800_006_360, len(raw).to_bytes(8, "little") + raw)(folder)


WORDS, MAP = "bert.embeddings.word_embeddings.weight", "bert.encoder.layer.0.output.dense.weight"
FOLDERS: dict[str, tuple[Change, str]] = {
    "long-merges": (
        pairs(hollow("merges.txt", 2**23 + 1)),
        "merges.txt has 8,388,609 bytes; at most 8,388,608 are read",
    ),
    "long-header": (
        hollow("model.safetensors", 2**23, (2**22 + 1).to_bytes(8, "little")),
        "model.safetensors has a header of 4,194,305 bytes; at most 4,194,304 are read",
    ),
    "digits-of-config": (digits("config.json"), "999999999… of 5,000 digits; a number has at most 40"),
    "digits-of-tokenizer": (digits("tokenizer.json"), "tokenizer.json is not JSON: Exceeds the limit"),
    "lists-of-tokenizer": (
        text("tokenizer.json", lambda raw: raw[:-1] + ',"x":[' + "[]," * 2_000_000 + "0]}"),
        "lists and objects; at most 2,000,000 are read here",
    ),
    "a-million-claimed": (narrow, "has shape (53, 30); a vocab_size of 900000 needs as many rows"),
    "a-long-word": (fields(hidden_act="x" * 9000), "hidden_act is 'xxx"),
    "many-numbers": (many_numbers, "holds 450,001,590 numbers; a model of its config.json has"),
    "long-shard": (index({"x": "a" * 5000 + ".safetensors"}), "index.json names"),
    "shard-with-a-zero": (index({"x": "a\0b.safetensors"}), "index.json names"),
    "shard-with-half-a-character": (index({"x": "\ud800.safetensors"}), "index.json names"),
    "heads-against-their-width": (fields(head_dim=5), "head_dim is 5; 3 heads of a width of 30 have 10 numbers each"),
    "a-narrow-head": (narrowed, "(20, 30)"),
}


@in_turn("name", FOLDERS)
def test_a_folder_that_contradicts_itself_is_refused(name: str, tmp_path: Path) -> None:
    change, said = FOLDERS[name]
    saved(tmp_path, MODELS["bert"])
    change(tmp_path)
    with pytest.raises(CheckpointError) as error:
        TextEncoder.from_pretrained(tmp_path)
    assert said in str(error.value) and str(tmp_path) in str(error.value)
    assert len(str(error.value)) < 850


def test_a_size_of_heads_that_fits_opens(tmp_path: Path) -> None:
    saved(tmp_path, MODELS["bert"])
    fields(head_dim=10, attention_head_size=10)(tmp_path)
    assert TextEncoder.from_pretrained(tmp_path).config.n_heads == 3


@in_turn(("factor", "said"), [(1e30, True), (1.0, False)])
def test_weights_that_outgrow_their_numbers_are_told_when_they_are_opened(
    factor: float, said: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = tiny_model(TINY)
    for weights in model.parameters():
        weights.data.mul_(factor)
    checkpoint.save(model, tiny_tokenizer(), tmp_path)
    encoder = TextEncoder.from_pretrained(tmp_path)
    told = [one.getMessage() for one in caplog.records if "no finite numbers from" in one.getMessage()]
    assert (len(told) == 1 and str(tmp_path) in told[0]) is said
    assert bool(encoder.trace("w1 w2")["output"].isfinite().all()) is not said


def test_an_encoder_with_a_decoder_is_told_so(tmp_path: Path) -> None:
    """T5's fields, and those of another of its kind."""
    saved(tmp_path, MODELS["bert"])
    for kind in ("t5", "bart"):
        told = {"model_type": kind, "d_model": 512, "d_ff": 2048, "num_heads": 8, "num_layers": 6, "vocab_size": 53}
        (tmp_path / "config.json").write_text(json.dumps(told | {"is_encoder_decoder": True}))
        with pytest.raises(CheckpointError, match=f"model_type is '{kind}' .it is an encoder and a decoder; encoders"):
            TextEncoder.from_pretrained(tmp_path)


def test_a_name_of_the_hub_is_told_how_to_be_fetched() -> None:
    with pytest.raises(CheckpointError, match=r"encoder\.checkpoint\.hub\.download\('a/b', Path\('models'\)\)"):
        TextEncoder.from_pretrained("a/b")
