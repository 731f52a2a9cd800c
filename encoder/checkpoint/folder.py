"""Checkpoints on disk: config.json, model.safetensors, tokenizer.json. Nothing in them is ever executed."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from functools import cache, partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from safetensors.torch import save as as_bytes
from tokenizers import Tokenizer

from encoder.checkpoint import hugging_face
from encoder.checkpoint.build import build, on_meta
from encoder.checkpoint.folder_reader import CONFIG, TOKENIZER, read_beside
from encoder.checkpoint.hugging_face import Names
from encoder.checkpoint.sentence_folder import SentenceSettings, read_sentence_settings
from encoder.checkpoint.tensor_files import (
    INDEX,
    WEIGHTS,
    CheckpointError,
    Described,
    described,
    fingerprint,
    read,
    read_json,
    weight_files,
)
from encoder.checkpoint.tokenizer_files import SpecialTokens, check_pieces, special_tokens
from encoder.model.classifier_config import read_classifier
from encoder.model.config import EncoderConfig
from encoder.model.encoder import Encoder
from encoder.support import whole_file
from encoder.support.errors import EncoderError, of_kind

BUNDLED = Path(__file__).parents[1] / "pretrained"
ADAPTER = "adapter_config.json"
LONGEST_NAME = 255  # characters of a folder, on any system
TABLE = "embedding.tokens.weight"
SPARE = 10_000_000  # numbers of tables that are not read whole
FILES = (CONFIG, WEIGHTS, TOKENIZER)
HEAD_OF = "head_of"  # in a config.json of our own: the bundled model whose weights stand below a head
SIZES = ("vocab_size", "d_model", "n_heads", "n_layers", "d_ff")
HUB_ID = re.compile(r"[\w-][\w.-]*(/[\w.-]+)?", re.ASCII)  # what may be the id of a model on the hub
ON_DISK = {"embedding.weight": "embedding.tokens.weight"}  # the name in the file -> the name in the model


@cache
def bundled_names() -> tuple[str, ...]:
    """The models that come with the package."""
    return tuple(sorted(folder.name for folder in BUNDLED.iterdir() if (folder / "config.json").is_file()))


def find(name_or_folder: str | Path) -> Path:
    """The folder of a bundled model or of a path."""
    of_kind("name", name_or_folder, str | PathLike, "the name of a bundled model or the path of a folder")
    if str(name_or_folder) in bundled_names():
        return BUNDLED / str(name_or_folder)
    folder = Path(name_or_folder)
    if len(folder.name) > LONGEST_NAME or not folder.is_dir():
        name = str(name_or_folder)[:100]
        fetch = (
            f"; from the Hugging Face hub it is fetched with encoder.checkpoint.hub.download({name!r}, Path('models'))"
        )
        raise CheckpointError(
            f"{name!r} is neither a bundled model ({', '.join(bundled_names())}) nor a folder"
            + fetch * bool(HUB_ID.fullmatch(name))
        )
    return folder


class Loaded(NamedTuple):
    """What a checkpoint folder holds.

    `sha256` are the first 12 digits of that of its weights; `left_out` names the tensors that the encoder does not
    need, and what they are; `special` the tokens that its tokenizer adds; `sentence` what a folder of
    sentence-transformers says of the vector of a sentence; `architectures` the classes that its config.json names.
    """

    model: Encoder
    tokenizer: Tokenizer
    sha256: str
    special: SpecialTokens
    left_out: tuple[str, ...]
    sentence: SentenceSettings | None = None
    architectures: tuple[str, ...] = ()


def load(folder: Path) -> Loaded:
    """Read a checkpoint folder, in our own layout or in Hugging Face's; the model is in float32 and evaluation mode.

    Raises:
        CheckpointError: a file is missing or damaged, the model is of a kind that is not supported, or a tensor of the
            encoder is missing or of the wrong shape.
    """
    if (folder / ADAPTER).is_file():
        raise CheckpointError(
            f"{folder} has an {ADAPTER}: it is an adapter of another model; merge it into that one and open the result"
        )
    if not (folder / CONFIG).is_file():
        below = sorted(path.parent.name for path in folder.glob(f"*/{CONFIG}"))[:5]
        hint = f"; there is one in its {', '.join(below)}" if below else ""
        raise CheckpointError(f"{folder} has no {CONFIG}; a checkpoint holds {', '.join(FILES)}{hint}")
    raw = read_json(folder / CONFIG)
    return load_theirs(folder, raw) if hugging_face.is_hugging_face(raw) else load_own(folder, raw)


def check_kind(folder: Path) -> None:
    """Refuse a config.json that says what no encoder here can be, before anything else of the folder is there.

    Raises:
        CheckpointError: no JSON object, a kind of model that is not supported, or fields that none here can have.
    """
    raw = read_json(folder / CONFIG)
    with told_of(folder / CONFIG):
        if not hugging_face.is_hugging_face(raw):
            own(raw, mlm_head=False)
        elif "model_type" in raw:
            hugging_face.read_fields(raw, mlm_head=False)


def with_encoder(raw: Mapping[str, Any], origin: Path) -> Mapping[str, Any]:
    """What a config.json of our own says, with what the one of the bundled model says that it is a head of.

    Raises:
        CheckpointError: there is no such model, or that is a head itself.
    """
    if HEAD_OF not in raw:
        return raw
    named = raw[HEAD_OF]
    if named not in bundled_names() or HEAD_OF in (whole := read_json(BUNDLED / named / CONFIG)):
        raise CheckpointError(
            f"{origin}: {HEAD_OF} is {named!r:.80}; it must be a bundled model with weights of its own"
        )
    return {**whole, **raw}


def load_head(folder: Path, raw: Mapping[str, Any]) -> Loaded:
    """Read a folder that holds a head alone, with the weights and the tokenizer of the bundled model that it is of."""
    whole = with_encoder(raw, folder / CONFIG)
    files, under = weight_files(folder), BUNDLED / str(whole[HEAD_OF])
    with told_of(folder / CONFIG):
        config = own(whole, mlm_head=False)
    there = described(weight_files(under))
    below = {ours: there[name] for ours, name in own_names(there).ours.items() if not ours.startswith("mlm_head.")}
    wanted = below | described(files)
    tokenizer, special = own_tokenizer(under, config.vocab_size)
    model = build(config, read(wanted), origin_of(files, folder))
    return Loaded(model, tokenizer, fingerprint([*weight_files(under), *files]), special, ())


def load_own(folder: Path, raw: Mapping[str, Any]) -> Loaded:
    """Read a folder that `save` has written."""
    if HEAD_OF in raw:
        return load_head(folder, raw)
    files = weight_files(folder)
    there, origin = described(files), origin_of(files, folder)
    with told_of(folder / CONFIG):
        config = own(raw, mlm_head=False)
    with told_of(origin):
        names = own_names(there)
    config = replace(config, mlm_head=names.mlm_head)
    wanted = {ours: there[name] for ours, name in names.ours.items()}
    check_amount(config, wanted, origin)
    tokenizer, special = own_tokenizer(folder, config.vocab_size)
    return Loaded(build(config, read(wanted), origin), tokenizer, fingerprint(files), special, ())


def load_theirs(folder: Path, raw: Mapping[str, Any]) -> Loaded:
    """Read a folder in Hugging Face's layout."""
    files = weight_files(folder)
    there, origin = described(files), origin_of(files, folder)
    with told_of(folder / CONFIG):
        raw, how = hugging_face.with_type(raw, there)
        alone = hugging_face.read_fields(raw, mlm_head=True)
    beside = read_beside(folder, raw, theirs=True, vocab_size=raw.get("vocab_size"))
    meant = {**beside.config, "model_type": raw["model_type"]}  # a field that config.json lacks has its usual value
    with told_of(folder / CONFIG):
        config = hugging_face.read_fields(meant, mlm_head=True)
    differences = hugging_face.differences(alone, config)
    with told_of(origin):
        names = hugging_face.whole_names(raw, config, there)
    wanted = {ours: there[name] for ours, name in names.ours.items()}
    check_amount(config, wanted, origin)
    tokenizer = Tokenizer.from_str(beside.tokenizer)
    check_pieces(folder, tokenizer, config.vocab_size)
    sentence = read_sentence_settings(folder, tokenizer)
    if sentence is not None:
        config = replace(config, pooling=sentence.pooling, unit_length=sentence.unit_length)
    tensors = read(wanted)
    with told_of(origin):
        names, tensors = hugging_face.taken(meant, names, tensors, hugging_face.is_tied(raw))
    config = names.of_heads(config)
    model = build(config, tensors, origin, partial(hugging_face.their_name, meant))
    classes = raw.get("architectures")
    return Loaded(
        model,
        tokenizer,
        fingerprint(files),
        special_tokens(tokenizer, beside.special),
        (*names.left_out, *differences, *([how] if how else [])),
        sentence,
        tuple(map(str, classes)) if isinstance(classes, list) else (),
    )


def origin_of(files: Sequence[Path], folder: Path) -> str:
    """The file of the weights, or the index of several, for messages."""
    return str(files[0] if len(files) == 1 else folder / INDEX)


def own_tokenizer(folder: Path, vocab_size: int) -> tuple[Tokenizer, SpecialTokens]:
    """The tokenizer.json of a folder in our own layout; that of somebody else is tried in another process first.

    Raises:
        CheckpointError: there is none, it is damaged, or its ids go beyond the table.
    """
    file = folder / TOKENIZER
    if file.resolve().is_relative_to(BUNDLED.resolve()):
        tokenizer = Tokenizer.from_file(str(file))
    else:
        tokenizer = Tokenizer.from_str(read_beside(folder, {}, theirs=False, vocab_size=vocab_size).tokenizer)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    check_pieces(folder, tokenizer, vocab_size)
    return tokenizer, special_tokens(tokenizer)


def check_amount(config: EncoderConfig, wanted: Mapping[str, Described], origin: str) -> None:
    """Refuse another number of pieces, or far more numbers, than a model of that configuration has: before all is read.

    A file may hold some numbers twice: a decoder is a copy of the embedding table.
    """
    table = wanted.get(TABLE)
    if table and table.shape[:1] != (config.vocab_size,):
        raise CheckpointError(
            f"{origin}: {table.name} has shape {table.shape}; a vocab_size of {config.vocab_size} needs as many rows"
        )
    needed = sum(tensor.numel() for tensor in on_meta(config).parameters())
    count = sum(tensor.numbers for tensor in wanted.values())
    if count > 2 * needed + SPARE:
        raise CheckpointError(f"{origin} holds {count:,} numbers; a model of its {CONFIG} has {needed:,}")


@contextmanager
def told_of(origin: str | Path) -> Iterator[None]:
    """Put the file in question before the message of an error."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise CheckpointError(f"{origin}: {error}") from error


def own_names(theirs: Iterable[str]) -> Names:
    """The tensors of our own layout."""
    ours: dict[str, str] = {}
    for name in theirs:
        called = ON_DISK.get(name, name)
        if called in ours:
            raise CheckpointError(f"it holds {ours[called]} twice, also under the name {name}")
        ours[called] = name
    return Names(ours, ())


def read_config(path: Path, mlm_head: bool) -> EncoderConfig:
    """The configuration in a config.json of our own; every field it lacks keeps its default, but sizes must be there.

    Raises:
        CheckpointError: no JSON object, or fields that no encoder here can have.
    """
    raw = with_encoder(read_json(path), path)
    with told_of(path):
        return own(raw, mlm_head and HEAD_OF not in raw)


def own(raw: Mapping[str, Any], mlm_head: bool) -> EncoderConfig:
    """The configuration in a config.json of our own layout."""
    absent = [name for name in SIZES if name not in raw]
    if absent:
        raise CheckpointError(f"it lacks {', '.join(absent)}")
    known = {field.name for field in fields(EncoderConfig)}
    given = {name: value for name, value in raw.items() if name in known}
    if given.get("mask_value", 0.0) is None:
        given["mask_value"] = -math.inf
    given["classifier"] = read_classifier(given.get("classifier"))
    return EncoderConfig(**{**given, "mlm_head": mlm_head})


def save(model: Encoder, tokenizer: Tokenizer, folder: Path) -> None:
    """Write a checkpoint that `load` reads back; weights keep their dtype.

    Of the folder's files each is there whole or not at all, config.json last: a folder without it is no model. A model
    that is there already is replaced only by one with the same configuration and tokenizer, so that no mix can be left.

    Raises:
        CheckpointError: the folder holds another model.
        WriteError: the disk is full or cannot be written; what was there before is there still.
    """
    names = {ours: theirs for theirs, ours in ON_DISK.items()}
    own_weights = {name: tensor.detach().contiguous() for name, tensor in model.named_parameters()}
    weights = as_bytes({names.get(name, name): tensor for name, tensor in own_weights.items()})
    config = asdict(model.config)
    config["mask_value"] = None if config["mask_value"] == -math.inf else config["mask_value"]
    shape, words = json.dumps(config, indent=1).encode(), tokenizer.to_str(pretty=True).encode()
    if holds_model(folder) and not (same(folder / CONFIG, shape) and same(folder / TOKENIZER, words)):
        raise CheckpointError(f"{folder} holds another model; save this one into a folder of its own")
    whole_file.write(folder / WEIGHTS, weights, parents=True)  # save_file would leave it readable by its owner alone
    whole_file.write(folder / TOKENIZER, words)
    whole_file.write(folder / CONFIG, shape)


def holds_model(folder: Path) -> bool:
    """Whether a folder holds a model, or what is left of one."""
    return any((folder / name).exists() for name in (CONFIG, WEIGHTS, INDEX))


def same(file: Path, content: bytes) -> bool:
    """Whether a file is there and holds these bytes."""
    return file.is_file() and file.read_bytes() == content


PACKAGED = "; the package has none, those of small are in a checkout of the project, in encoder/pretrained"
NAME = re.compile(r"step-(\d{6,9})\.safetensors")


def snapshots(name: str | Path) -> tuple[int, ...]:
    """Return the training steps whose weights a bundled model or a checkpoint folder keeps, in order; () for none.

    Raises:
        CheckpointError: there is no such model.
    """
    folder = find(name) / "snapshots"
    matches = [NAME.fullmatch(path.name) for path in folder.iterdir()] if folder.is_dir() else []
    return tuple(sorted(int(match[1]) for match in matches if match))


def load_snapshot(name: str | Path, step: int) -> Loaded:
    """Read the model as it was after so many steps of training.

    Raises:
        EncoderError: no weights are kept of that step; the message lists those that are.
        CheckpointError: there is no such model, or a file of it is damaged.
    """
    kept = snapshots(name)
    folder = find(name)
    if step not in kept:
        packaged = folder.parent == BUNDLED and not any(BUNDLED.glob("*/snapshots"))
        raise EncoderError(
            f"{str(name)!r} keeps no weights of step {step}; it has {', '.join(map(str, kept)) or 'none'}"
            + PACKAGED * packaged
        )
    path = folder / "snapshots" / f"step-{step:06d}.safetensors"
    there = described([path])
    with told_of(path):
        names = own_names(there)
    config = read_config(folder / CONFIG, names.mlm_head)
    tokenizer, special = own_tokenizer(folder, config.vocab_size)
    model = build(config, read({ours: there[theirs] for ours, theirs in names.ours.items()}), str(path))
    return Loaded(model, tokenizer, fingerprint([path]), special, ())
