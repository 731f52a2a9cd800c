"""Folders of sentence-transformers read whole: the vector of a sentence is the one that its own library makes."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from in_turn import in_turn
from twins import MINILM, MODELS, MODULES, PLAIN, put, saved

from encoder import CheckpointError, TextEncoder
from encoder.checkpoint import hub

pytestmark = pytest.mark.slow

TEXTS = ["w1 w2 w3", "w4", "w5 w1 w40 w2 w7 w9 w11 w3"]
SENTENCES = ["A dog barked.", "The hound made a noise at night.", "Prices rose by three percent."]
# model, pooling, unit length, prefixes, the usual prefix
FOLDERS: dict[str, tuple[str, str, bool, dict[str, str], str | None]] = {
    "mean": ("bert-without-head", "mean", False, {}, None),
    "cls-unit-query": ("bert-without-head", "cls", True, {"query": "w8 w9 ", "passage": "w10 "}, "query"),
    "max": ("distilbert-without-head", "max", False, {"query": "w3 "}, None),
    "root-unit": ("roberta", "mean_sqrt_len_tokens", True, {"clustering": "w1 w1 "}, "clustering"),
    "mean-unit": ("electra-discriminator", "mean", True, {"query": "", "passage": "w2 "}, "passage"),
}


def of_their_own(folder: Path | None = None, **given: Any) -> Any:
    """A model of the other library, which only the process loads that runs a test of it: it takes 0.1 GB."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(folder and str(folder), device="cpu", **given)


def made(folder: Path, name: str) -> Any:
    """A tiny folder as sentence-transformers saves it, and the model that it holds."""
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    kind, mode, unit, prompts, usual = FOLDERS[name]
    saved(folder / "plain", MODELS[kind])
    (folder / "plain" / "tokenizer_config.json").write_text(json.dumps(TOKENS["roberta" in kind]))
    transformer = Transformer(str(folder / "plain"), max_seq_length=12)
    parts = [transformer, Pooling(30, pooling_mode=mode), *[Normalize()] * unit]
    model = of_their_own(modules=parts, prompts=prompts, default_prompt_name=usual)
    model.save(str(folder / "whole"))
    return model


BERTS = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
ROBERTAS = {"pad_token": "<pad>", "unk_token": "<unk>", "cls_token": "<s>", "sep_token": "</s>"}
TOKENS = [one | {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 12} for one in (BERTS, ROBERTAS)]


def vector(encoder: TextEncoder, text: str) -> torch.Tensor:
    trace = encoder.trace(text)
    return trace["pooling.unit" if encoder.config.unit_length else "pooling.vector"][0]


@pytest.fixture(scope="module", params=FOLDERS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    where = tmp_path_factory.mktemp(request.param)
    return where / "whole", made(where, request.param)


def test_the_vector_is_that_of_its_own_library(folder: tuple[Path, Any]) -> None:
    encoder, theirs = TextEncoder.from_pretrained(folder[0]), folder[1]
    for text, wanted in zip(TEXTS, theirs.encode(TEXTS, convert_to_tensor=True), strict=True):
        torch.testing.assert_close(vector(encoder, encoder.prompted(text)), wanted, atol=1e-5, rtol=1e-5)
    for name in encoder.prompts:
        wanted = theirs.encode(TEXTS[0], prompt_name=name, convert_to_tensor=True)
        torch.testing.assert_close(vector(encoder, encoder.prompted(TEXTS[0], name)), wanted, atol=1e-5, rtol=1e-5)
    long = " ".join(f"w{i}" for i in range(30))  # both stop after twelve tokens
    wanted = theirs.encode(long, prompt="", convert_to_tensor=True)
    assert len(encoder.trace(long).tokens) == 12
    torch.testing.assert_close(vector(encoder, long), wanted, atol=1e-5, rtol=1e-5)


def test_real_sentences_through_minilm() -> None:
    encoder = TextEncoder.from_pretrained(MINILM)
    theirs = of_their_own(MINILM)
    assert encoder.max_tokens == 256 and not encoder.prompts
    long = "the old sea keeps " * 100
    texts = [*SENTENCES, long]
    for text, wanted in zip(texts, theirs.encode(texts, convert_to_tensor=True), strict=True):
        torch.testing.assert_close(vector(encoder, text), wanted, atol=1e-5, rtol=1e-5)
    batch = encoder.trace(SENTENCES)
    for trace, text in zip(batch, SENTENCES, strict=True):
        torch.testing.assert_close(trace["pooling.unit"][0], vector(encoder, text), atol=1e-6, rtol=1e-5)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a module that is not followed": ({"modules.json": [*MODULES[:2], ("2", "2_Dense", "models.Dense")]}, "s Dense;"),
    "another order": ({"modules.json": [MODULES[1], MODULES[0]]}, "lists Pooling, Transformer"),
    "no modules": ({"modules.json": []}, "lists nothing"),
    "a folder elsewhere": ({"modules.json": [MODULES[0], ("1", "../../etc", "models.Pooling")]}, "not a folder beside"),
    "an inner folder": ({"modules.json": [("0", "0_Transformer", "models.Transformer"), MODULES[1]]}, "move its files"),
    "two ways at once": ({"1_Pooling/config.json": {**PLAIN, "pooling_mode_cls_token": True}}, "by cls with mean"),
    "a way that is not followed": ({"1_Pooling/config.json": {"pooling_mode": "weightedmean"}}, "by weightedmean"),
    "no words": ({"1_Pooling/config.json": {"pooling_mode": 3}}, "pools by 3"),
    "a prefix left out": (
        {
            "1_Pooling/config.json": {**PLAIN, "include_prompt": False},
            "config_sentence_transformers.json": {"prompts": {"q": "w1 "}},
        },
        "leaves the tokens of the prefix out",
    ),
    "no prefixes": ({"config_sentence_transformers.json": {"prompts": ["w1"]}}, "prompts must be"),
    "an unknown prefix": ({"config_sentence_transformers.json": {"default_prompt_name": "q"}}, "prompt_name is"),
    "no length": ({"sentence_bert_config.json": {"max_seq_length": -1}}, "max_seq_length is -1"),
    "lowered": ({"sentence_bert_config.json": {"do_lower_case": True}}, "tells capitals apart"),
}


@in_turn("name", WRONG)
def test_what_is_not_followed_is_refused_by_name(name: str, tmp_path: Path) -> None:
    files, said = WRONG[name]
    if name == "lowered":  # a tokenizer that knows capitals
        put(tmp_path, files)
        path = tmp_path / "tokenizer.json"
        path.write_text(path.read_text().replace('"w0"', '"The"'))
    else:
        put(tmp_path, files)
    with pytest.raises(CheckpointError, match=said):
        TextEncoder.from_pretrained(tmp_path)


def test_without_modules_it_is_an_encoder(tmp_path: Path) -> None:
    (put(tmp_path, {}) / "modules.json").unlink()
    encoder = TextEncoder.from_pretrained(tmp_path)
    assert encoder.config.pooling is None and "pooling.vector" not in encoder.trace("w1 w2")
    with pytest.raises(ValueError, match="there is no prefix 'query'; this model has none"):
        encoder.prompted("w1", "query")


def test_masked_tokens_do_not_count(tmp_path: Path) -> None:
    encoder = TextEncoder.from_pretrained(put(tmp_path, {}))
    trace = encoder.trace("w1 w2 w3", hidden=[2])
    kept = trace["output"][[0, 1, 3, 4]].mean(0)
    torch.testing.assert_close(trace["pooling.vector"][0], kept, atol=1e-6, rtol=1e-5)


def test_the_hub_is_asked_for_them_too() -> None:
    sentences = ("modules.json", "1_Pooling/config.json", "config_sentence_transformers.json")
    there = dict.fromkeys(("config.json", "model.safetensors", "tokenizer.json", "README.md", *sentences), 10)
    wanted = hub.needed_files("owner/name", there)
    assert {*sentences} <= wanted.keys()
    assert "README.md" not in wanted
