"""A model and a tokenizer of transformers that somebody holds: nothing is written, and transformers is not imported."""

import hashlib
import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from encoder.checkpoint import hugging_face
from encoder.checkpoint.build import build
from encoder.checkpoint.families import FAMILIES
from encoder.checkpoint.folder import Loaded
from encoder.checkpoint.tensor_files import CheckpointError
from encoder.checkpoint.tokenizer_files import check_pieces, special_tokens

WEIGHTS = "the model"
SIGNALS = {"pixel_values": "images", "input_values": "sound", "input_features": "sound"}  # by what a model takes first


def from_object(model: Any, tokenizer: Any) -> Loaded:
    """Return the encoder in a model of transformers, as a folder that it had been saved to would give it.

    Weights that are float32 on the processor are shared with the model, also where one of its maps is several of ours;
    those of another type or place are copied. As of every model here, linear maps are also laid out once more for the
    processor: a model that is trained further is to be taken anew.

    Raises:
        CheckpointError: no such model or tokenizer, or one that does not fit; the message says why.
    """
    raw = config_of(model)
    weights = {name: plain(name, tensor) for name, tensor in model.state_dict().items()}
    config = hugging_face.read_fields(raw, mlm_head=True)
    names = hugging_face.whole_names(raw, config, weights)
    pieces = backend(tokenizer)
    check_pieces("the tokenizer", pieces, config.vocab_size)
    tensors = {ours: weights[theirs] for ours, theirs in names.ours.items()}
    names, arranged = hugging_face.taken(raw, names, tensors, hugging_face.is_tied(raw))
    config = names.of_heads(config)
    encoder = build(config, arranged, WEIGHTS, partial(hugging_face.their_name, raw))
    special = special_tokens(pieces, getattr(tokenizer, "special_tokens_map", {}))
    return Loaded(
        encoder,
        pieces,
        fingerprint(arranged),
        special,
        names.left_out,
        architectures=tuple(raw.get("architectures") or ()),
    )


def config_of(model: Any) -> Mapping[str, Any]:
    """Return what the config.json of a model would say.

    Raises:
        CheckpointError: it is no model of transformers, or one that reads something else than text.
    """
    config: Any = getattr(model, "config", None)
    if not isinstance(model, nn.Module) or not hasattr(config, "to_json_string"):
        raise CheckpointError(
            f"model is a {type(model).__name__}; it must be a model of transformers, such as "
            "AutoModelForMaskedLM.from_pretrained(...)"
        )
    raw: dict[str, Any] = json.loads(config.to_json_string()) | {"architectures": [type(model).__name__]}
    if (first := getattr(model, "main_input_name", "input_ids")) in SIGNALS:
        raise CheckpointError(f"{type(model).__name__} reads {SIGNALS[first]} ({first}); here models read text")
    if raw.get("model_type") not in FAMILIES and "CausalLM" in "".join(raw.get("architectures") or []):
        raise CheckpointError(f"{type(model).__name__} is a decoder; here every token sees every other")
    return raw


def plain(name: str, tensor: Tensor) -> Tensor:
    """Return a tensor in float32 on the processor: itself where it is so already.

    Raises:
        CheckpointError: it has no numbers yet.
    """
    if tensor.device.type == "meta":
        raise CheckpointError(f"{name} is on the device meta and has no numbers yet; load the model without it")
    return tensor.detach().to("cpu", torch.float32) if tensor.is_floating_point() else tensor


def backend(tokenizer: Any) -> Tokenizer:
    """Return a copy of the tokenizer inside a tokenizer of transformers, or of one of the package tokenizers itself.

    Raises:
        CheckpointError: it has none, as tokenizers written in Python have not.
    """
    inside = tokenizer if isinstance(tokenizer, Tokenizer) else getattr(tokenizer, "backend_tokenizer", None)
    if not isinstance(inside, Tokenizer):
        raise CheckpointError(
            f"tokenizer is a {type(tokenizer).__name__}, which holds none of the package tokenizers; "
            "AutoTokenizer.from_pretrained(..., use_fast=True) gives one that does"
        )
    copy = Tokenizer.from_str(inside.to_str())
    copy.no_padding()
    copy.no_truncation()
    return copy


def fingerprint(weights: Mapping[str, Tensor]) -> str:
    """Return the first 12 digits of the SHA-256 of the weights, in the order of their names."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(name.encode())
        digest.update(weights[name].contiguous().numpy().data)
    return digest.hexdigest()[:12]
