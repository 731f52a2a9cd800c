"""A model of transformers that is held: every number is that of its folder, without a file between."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from in_turn import in_turn
from tiny import tiny_tokenizer
from twins import MODELS, SIZES, drawn, roberta_tokenizer, saved

from encoder import TextEncoder
from encoder.checkpoint import CheckpointError

pytestmark = pytest.mark.slow

TEXT = "w1 w2 w3 w2 w4 w9"
HELD = ("bert", "roberta-of-a-classifier", "distilbert", "albert", "nomic-bert", "eurobert-with-a-head-of-its-own")


def held(name: str) -> tuple[Any, Any]:
    """A model and a tokenizer of transformers."""
    model, config, values = MODELS[name]
    twin = drawn(getattr(transformers, model)(getattr(transformers, config)(**values, attn_implementation="eager")))
    pieces = roberta_tokenizer() if twin.config.pad_token_id == 1 else tiny_tokenizer()
    return twin, transformers.PreTrainedTokenizerFast(tokenizer_object=pieces)


@in_turn("name", HELD)
def test_it_is_what_its_folder_gives(name: str, tmp_path: Path) -> None:
    """Which is what transformers computes: see test_hugging_face.py. The model that was given stays as it is."""
    twin, tokenizer = held(name)
    before = {key: tensor.clone() for key, tensor in twin.state_dict().items()}
    encoder = TextEncoder.from_transformers(twin, tokenizer)
    trace = encoder.trace(TEXT)
    saved(tmp_path, MODELS[name])
    opened = TextEncoder.from_pretrained(tmp_path)
    assert (encoder.config, encoder.special) == (opened.config, opened.special)
    assert set(opened.left_out) <= set(encoder.left_out)
    again = opened.trace(TEXT)
    assert all(torch.equal(value, again[step.name]) for step in encoder.steps for value in [trace[step.name]])
    assert all(torch.equal(twin.state_dict()[key], tensor) for key, tensor in before.items())
    assert all(one.requires_grad for one in twin.parameters())


@in_turn("name", ["bert", "roberta", "modernbert", "nomic-bert"])
def test_weights_are_shared_where_they_can_be(name: str) -> None:
    twin, tokenizer = held(name)
    places = {tensor.untyped_storage().data_ptr() for tensor in twin.state_dict().values()}
    encoder = TextEncoder.from_transformers(twin, tokenizer)
    assert {tensor.untyped_storage().data_ptr() for tensor in encoder.model.parameters()} <= places
    half = TextEncoder.from_transformers(twin.half(), tokenizer)
    assert {tensor.dtype for tensor in half.model.parameters()} == {torch.float32}


def test_a_classifier_names_labels_and_no_words() -> None:
    encoder = TextEncoder.from_transformers(*held("bert-of-a-classifier"), called="mine")
    trace = encoder.trace(TEXT)
    assert encoder.source.name == "mine" and encoder.predict(trace) is None and not encoder.left_out
    assert sorted(name for name, _ in encoder.labels(trace)) == ["LABEL_0", "LABEL_1"]


def test_the_encoder_of_a_class_of_ones_own_is_taken_without_its_head() -> None:
    twin, tokenizer = held("bert-of-a-classifier")
    twin.__class__ = type("Mine", (type(twin),), {})
    encoder = TextEncoder.from_transformers(twin, tokenizer)
    assert encoder.config.classifier is None and encoder.labels(encoder.trace(TEXT)) is None
    assert any("(classification head)" in one for one in encoder.left_out)


def test_a_tokenizer_may_be_plain_and_other_weights_have_another_fingerprint() -> None:
    twin, tokenizer = held("bert")
    encoder = TextEncoder.from_transformers(twin, tokenizer.backend_tokenizer)
    assert encoder.source.maker == "TextEncoder.from_transformers(model, tokenizer)"
    assert encoder.source.name == "bert" and len(encoder.source.sha256) == 12
    twin.bert.embeddings.LayerNorm.bias.data.add_(1)
    assert TextEncoder.from_transformers(twin, tokenizer).source.sha256 != encoder.source.sha256


def small(config: str, model: str, **values: Any) -> Any:
    """A model that is no text encoder, as small as may be."""
    return getattr(transformers, model)(getattr(transformers, config)(**values))


IMAGE = {
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 1,
    "intermediate_size": 8,
    "image_size": 8,
    "patch_size": 4,
}
LLAMA = {**SIZES, "hidden_size": 12, "num_attention_heads": 3}
T5 = {"vocab_size": 53, "d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 1, "num_heads": 2}
UNFIT = {
    "an encoder and a decoder": (lambda: small("T5Config", "T5ForConditionalGeneration", **T5), "an encoder and a dec"),
    "a decoder": (lambda: small("LlamaConfig", "LlamaForCausalLM", **LLAMA), "is a decoder"),
    "vision": (lambda: small("ViTConfig", "ViTModel", **IMAGE), "reads images"),
    "a decoder of BERT": (lambda: small("BertConfig", "BertLMHeadModel", **SIZES, is_decoder=True), "is_decoder is Tr"),
    "no model": (lambda: torch.nn.Linear(2, 2), "must be a model of transformers"),
    "nothing": (lambda: None, "model is a NoneType"),
}


@in_turn("name", UNFIT)
def test_what_is_no_encoder_of_text_is_refused_by_what_it_is(name: str) -> None:
    make, said = UNFIT[name]
    with pytest.raises(CheckpointError, match=said):
        TextEncoder.from_transformers(make(), tiny_tokenizer())


def test_a_tokenizer_that_cannot_be_used_is_refused() -> None:
    twin, _ = held("bert")
    for tokenizer in (None, "bert", object()):
        with pytest.raises(CheckpointError, match="use_fast=True"):
            TextEncoder.from_transformers(twin, tokenizer)
    twin, tokenizer = held("bert")
    tokenizer.add_tokens([f"new{i}" for i in range(9)])
    with pytest.raises(CheckpointError, match="more than the vocab_size 53"):
        TextEncoder.from_transformers(twin, tokenizer)
