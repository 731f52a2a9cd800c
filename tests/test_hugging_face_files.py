"""Folders in Hugging Face's layout: what is left out of them, how else they may be written, and what is refused."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import transformers
from in_turn import in_turn
from published import PUBLISHED
from safetensors.torch import load_file, save_file
from tiny import SENTENCE
from torch import Tensor
from twins import MODELS, Change, fields, saved

from encoder import CheckpointError, TextEncoder, Trace
from encoder.checkpoint.hugging_face import UNFIT

pytestmark = pytest.mark.slow

WEIGHTS = "model.safetensors"


# What is left out, and what it is called


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    saved(tmp_path, MODELS["bert-with-all-its-heads"])
    left_out = TextEncoder.from_pretrained(tmp_path).left_out
    assert left_out == (
        "bert.pooler.dense.bias (pooler, which reads the first token for a classification)",
        "bert.pooler.dense.weight (pooler, which reads the first token for a classification)",
        "cls.seq_relationship.bias (next-sentence head)",
        "cls.seq_relationship.weight (next-sentence head)",
    )


def test_roberta_loses_the_rows_it_never_reads(tmp_path: Path) -> None:
    twin = saved(tmp_path, MODELS["roberta"])
    encoder = TextEncoder.from_pretrained(tmp_path)
    table = twin.roberta.embeddings.position_embeddings.weight
    assert torch.equal(encoder.model.embedding.positions.weight, table[2:])
    assert (encoder.config.max_positions, encoder.config.n_segments) == (19, 1)
    assert len(encoder.left_out) == 2 and all(name.startswith("rows of embeddings.") for name in encoder.left_out)


def test_of_one_row_of_segments_nothing_is_left_out(tmp_path: Path) -> None:
    saved(tmp_path, MODELS["roberta-one-segment"])
    (only,) = TextEncoder.from_pretrained(tmp_path).left_out
    assert only.startswith("rows of embeddings.position_embeddings")


def test_layers_of_albert_share_their_memory(tmp_path: Path) -> None:
    saved(tmp_path, MODELS["albert"])
    encoder = TextEncoder.from_pretrained(tmp_path)
    first, last = (encoder.model.get_parameter(f"layers.{i}.attention.w_q.weight") for i in (0, 2))
    assert first is last
    trace = encoder.trace("w1 w2")
    assert not torch.equal(trace["layers.0.attention.q"], trace["layers.2.attention.q"])


def weights(change: Callable[[dict[str, Tensor]], object]) -> Change:
    """Other tensors in the file."""

    def damage(folder: Path) -> None:
        found = load_file(folder / WEIGHTS)
        change(found)
        save_file(found, folder / WEIGHTS)

    return damage


def renamed(change: Callable[[str], str]) -> Change:
    return weights(lambda found: [found.update({change(name): found.pop(name)}) for name in list(found)])


SAME: dict[str, Change] = {  # what changes the file and not the model
    "decoder-bias-alone": renamed(lambda name: name.replace("predictions.bias", "predictions.decoder.bias")),
    "float64": weights(lambda found: found.update({name: tensor.double() for name, tensor in found.items()})),
}


def opened_again(folder: Path, name: str, change: Change) -> tuple[Trace, TextEncoder, Trace]:
    """The run of a model, and the same folder and its run after a change."""
    saved(folder, MODELS[name])
    before = TextEncoder.from_pretrained(folder).trace(SENTENCE)
    change(folder)
    after = TextEncoder.from_pretrained(folder)
    return before, after, after.trace(SENTENCE)


@in_turn("change", SAME.values())
def test_other_ways_to_write_the_same_model(change: Change, tmp_path: Path) -> None:
    before, _, after = opened_again(tmp_path, "bert", change)
    assert list(before) == list(after)
    assert [name for name in before if not torch.equal(before[name], after[name])] == []


# What is not needed, or would be made up


BESIDE: dict[str, tuple[Change, str]] = {
    "several": (
        weights(lambda found: found.update({f"crf.{name}": torch.zeros(5) for name in ("start", "end", "steps")})),
        "crf.* (3 tensors) (of another task)",
    ),
    "with-its-teacher": (
        weights(lambda found: found.update({f"teacher.{name}": tensor.clone() for name, tensor in found.items()})),
        "(of another task)",
    ),
}


@in_turn(("change", "said"), BESIDE.values())
def test_what_is_not_part_of_the_encoder_is_left_out_by_name(change: Change, said: str, tmp_path: Path) -> None:
    before, encoder, after = opened_again(tmp_path, "bert", change)
    assert torch.equal(before["mlm.logits"], after["mlm.logits"])
    assert any(said in one for one in encoder.left_out) or not said


NO_GUESSES: dict[str, tuple[Change, str]] = {
    "lacks-its-bias": (weights(lambda found: found.pop("cls.predictions.bias")), "is not whole"),
    "another-table-that-is-missing": (fields(tie_word_embeddings=False), "names words by a table of its own"),
}


@in_turn(("change", "said"), NO_GUESSES.values())
def test_a_head_whose_guesses_would_be_made_up_is_left_out(change: Change, said: str, tmp_path: Path) -> None:
    before, encoder, after = opened_again(tmp_path, "bert", change)
    assert torch.equal(before["output"], after["output"])
    assert encoder.predict(after) is None and said in encoder.why_no_guesses
    assert any("cls.predictions.transform.dense.weight" in one for one in encoder.left_out)


NO_WEIGHTS = {
    "a-list": ([1.0], "holds a list; it must hold tensors by their names"),
    "of-training": ({"epoch": 3, "model": {}}, "holds 'epoch', a int; it must hold tensors alone"),
    "of-names": ({1: torch.zeros(2)}, "holds a dict; it must hold tensors by their names"),
    "of-a-module": (torch.nn.Linear(2, 2), "cannot be read as weights alone"),
}


@in_turn(("held", "said"), NO_WEIGHTS.values())
def test_a_pickle_that_holds_no_weights_is_refused(held: object, said: str, tmp_path: Path) -> None:
    saved(tmp_path, MODELS["bert"])
    (tmp_path / WEIGHTS).unlink()
    torch.save(held, tmp_path / "pytorch_model.bin")
    with pytest.raises(CheckpointError) as error:
        TextEncoder.from_pretrained(tmp_path)
    assert said in str(error.value) and str(tmp_path) in str(error.value)


def test_architectures_are_kept(tmp_path: Path) -> None:
    saved(tmp_path, MODELS["bert-of-a-classifier"])
    assert TextEncoder.from_pretrained(tmp_path).architectures == ("BertForSequenceClassification",)


# What is refused


QUERY = "bert.encoder.layer.1.attention.self.query.weight"
REFUSED: dict[str, tuple[Change, tuple[str, ...]]] = {
    **{
        f"type-{kind}": (
            fields(model_type=kind),
            ("config.json: model_type is", repr(kind), UNFIT.get(str(kind), ""), "supported are bert, roberta,"),
        )
        for kind in (*UNFIT, "mamba", "", None, 3, ["bert"])
    },
    "relative-positions": (
        fields(position_embedding_type="relative_key"),
        ("position_embedding_type is 'relative_key'; it must be 'absolute': positions are part of the embedding",),
    ),
    "cross-attention": (fields(add_cross_attention=True), ("add_cross_attention is True", "their own sentence")),
    "pruned-heads": (fields(pruned_heads={"0": [1]}), ("pruned_heads is {'0': [1]}", "the same number of heads")),
    "activation": (fields(hidden_act="mish"), ("hidden_act is 'mish'; it must be one of relu, gelu",)),
    "heads-do-not-divide": (
        fields(num_attention_heads=7),
        ("d_model 30 is not divisible by n_heads 7", "n_heads is its num_attention_heads"),
    ),
    "too-many-layers": (
        fields(num_hidden_layers=4),
        ("lacks the tensor encoder.layer.3.attention.self.query.weight (layers.3.attention.w_q.weight)",),
    ),
    "too-few-layers": (fields(num_hidden_layers=2), ("no place for: encoder.layer.2.",)),
    "extra-tensor": (
        weights(lambda found: found.update({"bert.encoder.layer.0.adapter_2.weight": torch.zeros(2)})),
        ("inside the encoder that a bert model has no place for: bert.encoder.layer.0.adapter_2.weight",),
    ),
    "extra-tensors": (
        weights(lambda found: found.update({f"bert.encoder.x{i}": torch.zeros(1) for i in range(9)})),
        ("bert.encoder.x4 and 4 more",),
    ),
    "adapter": (
        weights(lambda found: found.update({f"{QUERY.removesuffix('weight')}lora_A.weight": torch.zeros(2)})),
        ("it holds an adapter", "merge it into the weights"),
    ),
    "no-encoder": (
        weights(lambda found: [found.pop(name) for name in list(found) if "embeddings" in name]),
        ("it holds no embeddings.word_embeddings.weight: no encoder that can be read here",),
    ),
    "twice": (
        weights(lambda found: found.update({QUERY.removeprefix("bert."): found[QUERY].clone()})),
        ("it holds encoder.layer.1.attention.self.query.weight twice, also under the name bert.encoder",),
    ),
    "whole-numbers": (
        weights(lambda found: found.update({QUERY: torch.zeros(30, 30, dtype=torch.int8)})),
        (f"{QUERY} is of type I8; weights must be one of F64, F32, F16, BF16",),
    ),
    "not-a-number": (
        weights(lambda found: found[QUERY].fill_(float("nan"))),
        ("attention.self.query.weight", "not finite numbers"),
    ),
}


@in_turn(("change", "said"), REFUSED.values())
def test_what_does_not_fit_is_named(change: Change, said: tuple[str, ...], tmp_path: Path) -> None:
    saved(tmp_path, MODELS["bert"])
    change(tmp_path)
    with pytest.raises(CheckpointError) as error:
        TextEncoder.from_pretrained(tmp_path)
    assert str(tmp_path) in str(error.value)
    assert [part for part in said if part not in str(error.value)] == [], str(error.value)


MODERN_REFUSED: dict[str, tuple[str, Change, str]] = {
    "scaled-angles": (
        "nomic-bert", fields(rope_parameters={"rope_type": "yarn", "factor": 2.0, "rope_theta": 1000.0}),
        "rope_type is 'yarn'; it must be default or linear or dynamic: it also makes scores larger",
    ),
    "angles-by-ntk": (
        "modernbert", fields(rope_parameters=..., rope_scaling={"type": "ntk", "factor": 2.0}),
        "rope_type is 'ntk'; it must be default or linear or dynamic: no code of this family knows that kind",
    ),
    "angles-by-wavelength": (
        "eurobert", fields(rope_parameters={"rope_type": "llama3", "factor": 8.0}), "depends on its wavelength",
    ),
    "angles-a-word": ("gte", fields(rope_parameters="ntk"), "the angles of its positions are 'ntk'; they must be an"),
    "angles-said-twice": (
        "gte", fields(rope_scaling={"type": "ntk", "factor": 2.0}), "it says twice how its angles are made",
    ),
    "no-factor": ("gte", fields(rope_parameters={"rope_type": "linear"}), "rope_type is 'linear' without a factor"),
    "half-turned": (
        "nomic-bert", fields(partial_rotary_factor=0.5), "partial_rotary_factor is '0.5'; it must be 1.0: all numbers",
    ),
    "mixed": (
        "new", fields(rope_scaling={"type": "ntk", "factor": 2.0, "mixed_b": 0.625}),
        "mixed_b is '0.625'; it must be None: pairs are slowed by the fixed rule",
    ),
    "scaled-by-length": ("new", fields(logn_attention_scale=True), "scores are not scaled by the length of the text"),
    "places-of-its-own": ("new", fields(position_embedding_type="absolute"), "queries and keys are turned by their"),
    "code-of-somebody": ("new", fields(auto_map={"AutoModel": "modeling.OtherModel"}), "is never run"),
    "no-gates": ("jina", fields(feed_forward_type="original"), "feed_forward_type is 'original'; it must be geglu or"),
    "normalized-queries": (
        "jina", fields(auto_map={"AutoModel": "somebody/jina-bert-v2-qk-post-norm--modeling_bert.JinaBertModel"}),
        "its queries and keys are normalized before they meet",
    ),
    "norms-of-queries": (
        "jina", weights(lambda found: found.update({NORMED: torch.ones(30)})),
        "no place for: bert.encoder.layer.0.attention.self.layer_norm_q.weight",
    ),
    "layers-in-another-order": (
        "modernbert", fields(layer_types=["sliding_attention"] * 4 + ["full_attention"]), "it must name each layer",
    ),
    "window-of-nothing": ("modernbert", fields(local_attention=1), "local_attention is 1; it must be a whole number"),
    "no-bias-of-words": ("modernbert", fields(decoder_bias=False), "decoder_bias is False; it must be True"),
    "unknown-bend": ("modernbert", fields(classifier_activation="mish"), "classifier_activation is 'mish'"),
    "other-distances": ("mpnet", fields(relative_attention_num_buckets=64), "it must be 32: distances are counted"),
    "other-padding": ("mpnet", fields(pad_token_id=0), "pad_token_id is 0; it must be 1"),
    "shared-keys": ("eurobert", fields(num_key_value_heads=1), "here every head has keys and values of its own"),
    "no-distances": ("deberta-v3", fields(relative_attention=False), "it must be true: scores are made of distances"),
    "other-scores": ("deberta-v3", fields(pos_att_type=["c2p", "p2p"]), "it must hold c2p, p2c or both"),
    "a-convolution": ("deberta-v3", fields(conv_kernel_size=3), "conv_kernel_size is 3; it must be 0: a convolution"),
    "widened-first": ("deberta-v3", fields(embedding_size=18), "embedding_size is 18; it must be hidden_size"),
    "more-buckets": ("deberta-v3", fields(position_buckets=20), "distances.table"),
    "farthest-too-near": ("deberta-v3", fields(max_relative_positions=8), "max_relative_positions is 8;"),
    "odd-rows": (
        "gte", weights(lambda found: found.update({FUSED: torch.zeros(89, 30)})), "its rows are 3 maps of one size",
    ),
}  # fmt: skip
NORMED = "bert.encoder.layer.0.attention.self.layer_norm_q.weight"
FUSED = "gte.encoder.layer.1.attention.qkv_proj.weight"


@in_turn(("name", "change", "said"), MODERN_REFUSED.values())
def test_what_a_newer_family_cannot_be_is_named(name: str, change: Change, said: str, tmp_path: Path) -> None:
    PUBLISHED[name](tmp_path) if name in PUBLISHED else saved(tmp_path, MODELS[name])
    change(tmp_path)
    with pytest.raises(CheckpointError) as error:
        TextEncoder.from_pretrained(tmp_path)
    assert str(tmp_path) in str(error.value) and said in str(error.value)


TURNS = ("rope_theta", "local_rope_theta", "rope_scaling", "rope_factor", "local_rope_factor")
SLOWED: dict[str, tuple[str, Change, tuple[object, ...]]] = {
    "as-older-files-say-it": (
        "modernbert",
        fields(rope_parameters=..., rope_scaling={"type": "linear", "factor": 2.0}, global_rope_theta=900.0),
        (900.0, 10_000.0, "none", 1.0, 1.0),  # transformers 5 takes this field for what it says in a newer one
    ),
    "layers-with-a-window-alone": (
        "modernbert",
        fields(rope_parameters={"sliding_attention": {"rope_type": "linear", "factor": 3.0, "rope_theta": 20.0}}),
        (160_000.0, 20.0, "linear", 1.0, 3.0),
    ),
    "by-ntk-under-its-later-name": (
        "gte",
        fields(rope_parameters=..., rope_theta=500_000.0, rope_scaling={"type": "ntk", "factor": 2.0}),
        (500_000.0, None, "ntk", 2.0, None),
    ),
    "not-before-the-longest-input": (
        "eurobert",
        fields(rope_parameters={"rope_type": "dynamic", "factor": 2.0}),
        (10_000.0, None, "none", 1.0, None),
    ),
}


@in_turn(("name", "change", "told"), SLOWED.values())
def test_how_turns_are_slowed(name: str, change: Change, told: tuple[object, ...], tmp_path: Path) -> None:
    saved(tmp_path, MODELS[name])
    change(tmp_path)
    config = TextEncoder.from_pretrained(tmp_path).config
    assert tuple(getattr(config, field) for field in TURNS) == told


KNOWN_CODE = {
    "gte": {"auto_map": {"AutoModel": "modeling_gte.GteModel"}, "position_embedding_type": "rope", "pack_qkv": True},
    "eurobert": {"auto_map": {"AutoConfig": "configuration_eurobert.EuroBertConfig"}},
}


@in_turn("name", KNOWN_CODE)
def test_code_that_is_known_is_named_and_not_run(name: str, tmp_path: Path) -> None:
    saved(tmp_path, MODELS[name])
    before = TextEncoder.from_pretrained(tmp_path).trace(SENTENCE)["output"]
    fields(**KNOWN_CODE[name])(tmp_path)
    (tmp_path / "modeling_gte.py").write_text("raise SystemExit")
    encoder = TextEncoder.from_pretrained(tmp_path)
    assert torch.equal(encoder.trace(SENTENCE)["output"], before)
    assert [one for one in encoder.left_out if re.search(r"code of its own, \w+ \(never run", one)]


@in_turn("padding", [-1, None, "1", 5000])
def test_a_padding_id_that_is_none(padding: object, tmp_path: Path) -> None:
    saved(tmp_path, MODELS["roberta"])
    fields(pad_token_id=padding)(tmp_path)
    with pytest.raises(CheckpointError, match=r"pad_token_id is .*; it must be a whole number from 0 to 999"):
        TextEncoder.from_pretrained(tmp_path)


# DeBERTa: what it does not read, and its words


def test_a_head_that_was_not_trained_makes_no_guesses_and_says_why(tmp_path: Path) -> None:
    """Version 3 was trained to find replaced words; its file has a head for words all the same."""
    saved(tmp_path, MODELS["deberta-v3"])
    head = {
        "lm_predictions.lm_head.dense.weight": (30, 30),
        "lm_predictions.lm_head.dense.bias": (30,),
        "lm_predictions.lm_head.LayerNorm.weight": (30,),
        "lm_predictions.lm_head.LayerNorm.bias": (30,),
        "lm_predictions.lm_head.bias": (53,),
    }
    found = {"mask_predictions.dense.weight": (30, 30), "mask_predictions.classifier.bias": (1,)}
    places = {"embeddings.position_embeddings.weight": (200, 30)}
    more = {name: torch.ones(size) for name, size in (head | found | places).items()}
    weights(lambda tensors: tensors.update(more))(tmp_path)
    encoder = TextEncoder.from_pretrained(tmp_path)
    assert encoder.model.mlm_head is None and encoder.predict(encoder.trace("w1 w2")) is None
    assert {one.split(" (")[0] for one in encoder.left_out} == set(more)
    assert encoder.why_no_guesses == (
        "This model has no head that guesses words. It learned to tell which words were replaced, never to name a "
        "hidden one. The head for words in its file was not trained, so its guesses would be random."
    )


def test_a_head_that_was_trained_makes_guesses(tmp_path: Path) -> None:
    saved(tmp_path, MODELS["deberta-v2-with-its-head"])
    encoder = TextEncoder.from_pretrained(tmp_path)
    assert encoder.predict(encoder.trace("w1 w2")) and encoder.why_no_guesses == ""


PIECES = [
    "[PAD]",
    "[CLS]",
    "[SEP]",
    "[UNK]",
    "[MASK]",
    "\u2581the",
    "\u2581cat",
    "s",
    "\u2581run",
    "ning",
    ",",
    "\u2581",
]


def test_words_of_deberta_are_those_of_its_sentencepiece(tmp_path: Path) -> None:
    saved(tmp_path, MODELS["deberta-v3"])
    vocabulary = [(piece, 0.0 if piece[0] == "[" else -1.0 - 0.1 * i) for i, piece in enumerate(PIECES)]
    theirs = transformers.DebertaV2Tokenizer(vocab=vocabulary, unk_id=3)
    theirs.save_pretrained(tmp_path)
    encoder = TextEncoder.from_pretrained(tmp_path)
    pair = ("the cats, running", "the cat [MASK]")
    trace = encoder.trace(pair)
    told = theirs(*pair)
    assert (trace.ids, trace.tokenization.segments) == (told["input_ids"], tuple(told["token_type_ids"]))
    assert [[trace.tokens[i] for i in word] for word in trace.tokenization.words][1:5] == [
        ["\u2581the"],
        ["\u2581cat", "s"],
        [","],
        ["\u2581run", "ning"],
    ]
    assert encoder.mask_token == "[MASK]" and trace.tokens[-2] == "[MASK]"
