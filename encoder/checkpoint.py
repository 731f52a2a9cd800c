"""Checkpoints on disk: config.json, model.safetensors, tokenizer.json. Nothing in them is ever executed."""

import hashlib
import json
import math
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.overrides import TorchFunctionMode

from encoder.config import EncoderConfig
from encoder.model import Encoder

BUNDLED = Path(__file__).parent / "pretrained"
FILES = ("config.json", "model.safetensors", "tokenizer.json")
ON_DISK = {"embedding.weight": "embedding.tokens.weight"}  # the name in the file -> the name in the model


class CheckpointError(ValueError):
    """A checkpoint folder that cannot be used; the message says which file, what is wrong and what is expected."""


def bundled_names() -> list[str]:
    """The models that come with the package."""
    return sorted(folder.name for folder in BUNDLED.iterdir() if (folder / "config.json").is_file())


def find(name_or_folder: str | Path) -> Path:
    """The folder of a bundled model or of a path."""
    if str(name_or_folder) in bundled_names():
        return BUNDLED / str(name_or_folder)
    folder = Path(name_or_folder)
    if not folder.is_dir():
        raise CheckpointError(
            f"{str(name_or_folder)!r} is neither a bundled model ({', '.join(bundled_names())}) nor a folder"
        )
    return folder


def load(folder: Path) -> tuple[Encoder, Tokenizer, str]:
    """Read a checkpoint folder.

    Returns:
        the model in float32 and evaluation mode, its tokenizer, and the first 12 digits of the weights' SHA-256.

    Raises:
        CheckpointError: a file is missing or damaged, or a tensor is missing, left over or of the wrong shape.
    """
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise CheckpointError(f"{folder} has no {' and no '.join(missing)}; a checkpoint holds {', '.join(FILES)}")
    tensors = read_tensors(folder / "model.safetensors")
    config = read_config(folder / "config.json", mlm_head=any(name.startswith("mlm_head.") for name in tensors))
    tokenizer = read_tokenizer(folder / "tokenizer.json", config)
    fingerprint = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()[:12]
    return build(config, tensors, str(folder / "model.safetensors")), tokenizer, fingerprint


def read_config(path: Path, mlm_head: bool) -> EncoderConfig:
    """The configuration in a config.json; every field the file lacks keeps its default, but sizes must be there."""
    try:
        raw: Any = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError) as error:
        raise CheckpointError(f"{path} is not a JSON file: {error}") from error
    if not isinstance(raw, dict):
        raise CheckpointError(f"{path} holds a {type(raw).__name__}; a configuration is an object with named fields")
    sizes = ("vocab_size", "d_model", "n_heads", "n_layers", "d_ff")
    absent = [name for name in sizes if name not in raw]
    if absent:
        kind = f" (it describes a {raw['model_type']!r} model)" if "model_type" in raw else ""
        raise CheckpointError(f"{path} lacks {', '.join(absent)}{kind}")
    known = {field.name for field in fields(EncoderConfig)}
    given = {name: value for name, value in raw.items() if name in known}
    if given.get("mask_value", 0.0) is None:
        given["mask_value"] = -math.inf
    try:
        return EncoderConfig(**{**given, "mlm_head": mlm_head})
    except (ValueError, TypeError) as error:
        raise CheckpointError(f"{path}: {error}") from error


def read_tokenizer(path: Path, config: EncoderConfig) -> Tokenizer:
    """The tokenizer in a tokenizer.json, checked against the size of the embedding table."""
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception
        raise CheckpointError(f"{path} is not a tokenizer: {error}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if tokenizer.get_vocab_size() > config.vocab_size:
        raise CheckpointError(
            f"{path} has {tokenizer.get_vocab_size()} pieces, more than the vocab_size {config.vocab_size} of the model"
        )
    return tokenizer


def read_tensors(path: Path) -> dict[str, Tensor]:
    """All tensors of a safetensors file, under the model's names, in float32."""
    try:
        tensors = load_file(path)
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        raise CheckpointError(f"{path} is not a readable safetensors file: {error}") from error
    renamed = {ON_DISK.get(name, name): tensor.float() for name, tensor in tensors.items()}
    twice = [name for name, ours in ON_DISK.items() if name in tensors and ours in tensors]
    if twice:
        raise CheckpointError(f"{path} holds {twice[0]} twice, also under the name {ON_DISK[twice[0]]}")
    return renamed


class Undrawn(TorchFunctionMode):
    """Leaves out torch.nn.init: drawing weights that are replaced at once takes longer than all the rest of loading."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Hand a tensor back as it is instead of filling it; do everything else as usual."""
        kwargs = kwargs or {}
        if getattr(func, "__module__", "") == "torch.nn.init":
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


def laid_out(config: EncoderConfig) -> Encoder:
    """An encoder of that configuration whose parameters have names and shapes, but no memory yet."""
    with torch.device("meta"), Undrawn():
        return Encoder(config)


def build(config: EncoderConfig, tensors: dict[str, Tensor], origin: str) -> Encoder:
    """An encoder of that configuration around the given weights, ready to run.

    Raises:
        CheckpointError: a tensor is missing, left over, of the wrong shape, or holds a value that is not a number.
    """
    model = laid_out(config)
    expected = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    for name, shape in expected.items():
        if name not in tensors:
            raise CheckpointError(f"{origin} lacks the tensor {name} of shape {shape}")
        if tuple(tensors[name].shape) != shape:
            raise CheckpointError(f"{origin}: {name} has shape {tuple(tensors[name].shape)}, expected {shape}")
        if not bool(tensors[name].isfinite().all()):
            raise CheckpointError(f"{origin}: {name} holds values that are not finite numbers")
    extra = sorted(tensors.keys() - expected.keys())
    if extra:
        raise CheckpointError(
            f"{origin} holds tensors that this configuration has no place for: {', '.join(extra[:5])}"
        )
    model.load_state_dict(tensors, assign=True)
    return model.eval().requires_grad_(False)


def random_weights(config: EncoderConfig, seed: int) -> dict[str, Tensor]:
    """Untrained weights, the same for the same seed and torch version.

    Linear maps are Xavier-uniform with zero biases; embeddings are normal with standard deviation d_model^-0.5 where
    they are scaled up afterwards and 0.02 where not; gamma is 1 and beta 0.
    """
    generator = torch.Generator().manual_seed(seed)
    shapes = {name: tensor.shape for name, tensor in laid_out(config).state_dict().items()}
    deviation = config.d_model**-0.5 if config.scale_embeddings else 0.02

    def draw(name: str, shape: torch.Size) -> Tensor:
        if name.startswith("embedding.") and len(shape) == 2:
            return torch.empty(shape).normal_(0, deviation, generator=generator)
        if len(shape) == 2:
            bound = math.sqrt(6 / (shape[0] + shape[1]))
            return torch.empty(shape).uniform_(-bound, bound, generator=generator)
        return torch.ones(shape) if "norm" in name and name.endswith("weight") else torch.zeros(shape)

    return {name: draw(name, shape) for name, shape in shapes.items()}


def save(model: Encoder, tokenizer: Tokenizer, folder: Path) -> None:
    """Write a checkpoint that `load` reads back; weights keep their dtype."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {ours: theirs for theirs, ours in ON_DISK.items()}
    save_file({names.get(n, n): t.contiguous() for n, t in model.state_dict().items()}, folder / "model.safetensors")
    config = asdict(model.config)
    config["mask_value"] = None if config["mask_value"] == -math.inf else config["mask_value"]
    (folder / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
    tokenizer.save(str(folder / "tokenizer.json"))
