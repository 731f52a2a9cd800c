"""What is saved comes back to the last bit; what is damaged is refused, by file and by problem."""

import json
import math
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from in_turn import in_turn
from safetensors.torch import load_file, save_file
from tiny import COVERING, SENTENCE, TINY, VARIANTS, tiny
from torch import Tensor

from encoder import CheckpointError, EncoderConfig, TextEncoder, checkpoint
from encoder.checkpoint import tensor_files

ROOT = Path(__file__).parents[1]
CONFIG = replace(TINY, mlm_head=True)
Damage = Callable[[Path], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small checkpoint in good order."""
    return saved_in(tmp_path)


def saved_in(above: Path) -> Path:
    """Save a small checkpoint in good order in a folder of that one."""
    encoder = tiny(CONFIG)
    checkpoint.save(encoder.model, encoder.tokenizer, above / "saved")
    return above / "saved"


def assert_same(one: TextEncoder, other: TextEncoder, text: str) -> None:
    """Equal configurations, weights and steps."""
    assert one.config == other.config
    weights, others = one.model.state_dict(), other.model.state_dict()
    assert list(weights) == list(others)
    assert [name for name in weights if not torch.equal(weights[name], others[name])] == []
    a, b = one.trace(text), other.trace(text)
    assert a.tokens == b.tokens
    assert [name for name in a if not torch.equal(a[name], b[name])] == []


@in_turn("config", [VARIANTS[name] for name in (*COVERING, "labels", "late-labels", "labels-words")])
def test_round_trip(config: EncoderConfig, tmp_path: Path) -> None:
    encoder = tiny(replace(config, trained_length=11))
    checkpoint.save(encoder.model, encoder.tokenizer, tmp_path)
    assert_same(TextEncoder.from_pretrained(tmp_path), encoder, SENTENCE)


def test_saved_files_are_plain(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.safetensors", "tokenizer.json"]
    assert len({path.stat().st_mode for path in folder.iterdir()}) == 1  # whoever may read one may read all
    json.loads((folder / "config.json").read_text(), parse_constant=pytest.fail)  # no Infinity, no NaN
    tensors = load_file(folder / "model.safetensors")
    assert "embedding.weight" in tensors
    assert {tensor.dtype for tensor in tensors.values()} == {torch.float32}


def test_a_loaded_model_is_ready_to_run_and_names_its_weights(folder: Path) -> None:
    encoder = TextEncoder.from_pretrained(folder)
    assert not encoder.model.training
    assert not any(parameter.requires_grad for parameter in encoder.model.parameters())
    name, fingerprint = encoder.source.name, encoder.source.fingerprint
    assert name == "saved"
    assert fingerprint.startswith("sha256 ")
    tensors = load_file(folder / "model.safetensors")
    save_file({**tensors, "mlm_head.bias": tensors["mlm_head.bias"] + 1}, folder / "model.safetensors")
    assert TextEncoder.from_pretrained(folder).source.fingerprint != fingerprint


def test_half_precision_is_widened_and_a_head_without_weights_is_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = {name: tensor.half() for name, tensor in load_file(folder / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors")
    monkeypatch.chdir(folder)  # the folder that one stands in has a name
    encoder = TextEncoder.from_pretrained(".")
    assert encoder.source.name == "saved"
    assert all(tensor.dtype == torch.float32 for tensor in encoder.model.state_dict().values())
    assert torch.equal(encoder.model.state_dict()["mlm_head.bias"], weights["mlm_head.bias"].float())
    save_file({n: t for n, t in weights.items() if not n.startswith("mlm_head.")}, folder / "model.safetensors")
    assert TextEncoder.from_pretrained(folder).config == replace(CONFIG, mlm_head=False)


# Damage


def remove(name: str) -> Damage:
    return lambda folder: (folder / name).unlink()


def write(name: str, content: str | bytes) -> Damage:
    data = content.encode() if isinstance(content, str) else content
    return lambda folder: (folder / name).write_bytes(data) and None


def configure(**changes: Any) -> Damage:
    """Other values in config.json; `...` takes a field out."""

    def damage(folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text()) | changes
        config = {name: value for name, value in config.items() if value is not ...}
        (folder / "config.json").write_text(json.dumps(config))

    return damage


def tensors(change: Callable[[dict[str, Tensor]], Any]) -> Damage:
    """Other tensors in model.safetensors."""

    def damage(folder: Path) -> None:
        found = load_file(folder / "model.safetensors")
        change(found)
        save_file(found, folder / "model.safetensors")

    return damage


def truncate(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def poison(name: str, value: float) -> Damage:
    return tensors(lambda found: found[name].view(-1)[3:4].fill_(value))


BERT = '{"model_type": "bert", "vocab_size": 53, "hidden_size": 30, "num_attention_heads": 3, "num_hidden_layers": 2}'
WEIGHTS = "model.safetensors"
W_Q = "layers.1.attention.w_q.weight"
TEN_GIGABYTES = 10 * 2**30


def header(claim: dict[str, Any] | int) -> Damage:
    """A file of nothing but a header; a number is only its claimed length."""
    said = b"{}" if isinstance(claim, int) else json.dumps(claim).encode()
    length = claim if isinstance(claim, int) else len(said)
    return lambda folder: (folder / WEIGHTS).write_bytes(length.to_bytes(8, "little") + said) and None


def claims(shape: list[int], end: int, dtype: str = "F32") -> Damage:
    """A file that says that it holds one tensor."""
    return header({"embedding.weight": {"dtype": dtype, "shape": shape, "data_offsets": [0, end]}})


def index(*shards: object) -> Damage:
    """An index of shards in the place of the weights."""

    def damage(folder: Path) -> None:
        (folder / WEIGHTS).unlink()
        place = {f"tensor{i}": shard for i, shard in enumerate(shards)}
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": place}))

    return damage


def pickled(folder: Path) -> None:
    """Weights as torch saves them, and no others."""
    (folder / WEIGHTS).unlink()
    torch.save({"embedding.weight": torch.zeros(53, 30)}, folder / "pytorch_model.bin")


def pipe(name: str) -> Damage:
    """A pipe in the place of a file: whoever reads it waits for ever."""

    def damage(folder: Path) -> None:
        (folder / name).unlink()
        os.mkfifo(folder / name)

    return damage


def moved_down(folder: Path) -> None:
    """A folder of a training, whose models lie in folders below it."""
    (folder / "checkpoint-500").mkdir()
    (folder / "config.json").rename(folder / "checkpoint-500" / "config.json")


DAMAGES: dict[str, tuple[Damage, tuple[str, ...]]] = {
    "header-of-ten-gigabytes": (header(TEN_GIGABYTES), (WEIGHTS, "is not a readable safetensors file")),
    "tensor-larger-than-its-bytes": (claims([2**40, 2**40], 0), (WEIGHTS, "is not a readable safetensors file")),
    "shard-elsewhere": (index("../model.safetensors"), ("index.json names '../model.safetensors'", "of this folder")),
    "shard-of-another-kind": (index("a.txt"), ("names 'a.txt'", "files of weights of this folder")),
    "shard-a-number": (index(3), ("index.json has no weight_map",)),
    "no-shards": (index(), ("names 0 files; it must name 1 to 64",)),
    "too-many-shards": (index(*(f"{i}.safetensors" for i in range(65))), ("names 65 files",)),
    "shard-missing": (index("a.safetensors"), ("has no a.safetensors, which model.safetensors.index.json names",)),
    "pickle-alone": (pickled, ("pytorch_model.bin lacks the tensor",)),
    "config-too-long": (write("config.json", b" " * 2**21), ("config.json", "has 2,097,152 bytes; at most 1,048,576")),
    "config-a-pipe": (pipe("config.json"), ("has no config.json",)),
    "weights-a-pipe": (pipe(WEIGHTS), ("has no weights: none of model.safetensors, pytorch_model.bin",)),
    "tokenizer-a-pipe": (pipe("tokenizer.json"), ("has no tokenizer: none of tokenizer.json",)),
    "no-config": (remove("config.json"), ("has no config.json", "a checkpoint holds config.json, model.safetensors")),
    "no-weights": (remove(WEIGHTS), ("has no weights: none of model.safetensors",)),
    "no-tokenizer": (remove("tokenizer.json"), ("has no tokenizer: none of tokenizer.json", "save_pretrained(...)")),
    "weights-cut-short": (truncate, (WEIGHTS, "is not a readable safetensors file")),
    "weights-are-text": (
        write(WEIGHTS, "version https://git-lfs.github.com/spec/v1"),
        (WEIGHTS, "is not a readable", "run git lfs pull"),
    ),
    "config-further-down": (moved_down, ("has no config.json", "there is one in its checkpoint-500")),
    "wrong-shape": (
        tensors(lambda found: found.update({W_Q: torch.zeros(30, 29)})),
        (WEIGHTS, f"{W_Q} has shape (30, 29), expected (30, 30)"),
    ),
    "missing-tensor": (
        tensors(lambda found: found.pop("layers.0.norm2.bias")),
        (WEIGHTS, "lacks the tensor layers.0.norm2.bias of shape (30,)"),
    ),
    "missing-half-the-head": (
        tensors(lambda found: found.pop("mlm_head.bias")),
        (WEIGHTS, "lacks the tensor mlm_head.bias of shape (53,)"),
    ),
    "extra-tensor": (
        tensors(lambda found: found.update({"pooler.weight": torch.zeros(2)})),
        (WEIGHTS, "no place for: pooler.weight"),
    ),
    "not-a-number": (poison(W_Q, math.nan), (WEIGHTS, f"{W_Q} holds values that are not finite")),
    "infinite": (poison("embedding.weight", math.inf), (WEIGHTS, "embedding.tokens.weight holds values that")),
    "config-not-json": (write("config.json", "d_model: 30"), ("config.json", "is not a JSON file")),
    "config-a-list": (write("config.json", "[30, 3]"), ("config.json", "holds a list")),
    "config-too-deep": (write("config.json", "[" * 200_000), ("config.json", "is not a JSON file")),
    "config-without-sizes": (configure(d_ff=..., n_heads=...), ("config.json", "lacks n_heads, d_ff")),
    "config-of-transformers": (
        write("config.json", BERT),
        ("config.json", "lacks intermediate_size, max_position_embeddings, which a bert model has"),
    ),
    "heads-do-not-divide": (configure(n_heads=7), ("config.json", "d_model 30 is not divisible by n_heads 7")),
    "size-a-string": (configure(d_model="30"), ("config.json", "d_model is '30'", "from 2 to 8192")),
    "undeclared-final-norm": (configure(final_norm=True), (WEIGHTS, "lacks the tensor final_norm.weight")),
    "tokenizer-not-json": (write("tokenizer.json", "[PAD]\n[UNK]"), ("tokenizer.json is",)),
    "vocabulary-too-small": (configure(vocab_size=20), ("model.safetensors", "(53, 30)", "a vocab_size of 20 needs")),
}


@in_turn(("damage", "said"), DAMAGES.values())
def test_damage_is_named(tmp_path: Path, damage: Damage, said: tuple[str, ...]) -> None:
    folder = saved_in(tmp_path)
    damage(folder)
    with pytest.raises(CheckpointError) as error:
        TextEncoder.from_pretrained(folder)
    assert str(folder) in str(error.value)
    assert [part for part in said if part not in str(error.value)] == []


class Trap:
    """Leaves a mark if it is ever unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.mark,)


def test_a_pickle_is_refused_and_never_executed(folder: Path, tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    bomb = pickle.dumps(Trap(mark))
    (folder / WEIGHTS).write_bytes(bomb)
    with pytest.raises(CheckpointError, match=r"model\.safetensors is not a readable safetensors file"):
        TextEncoder.from_pretrained(folder)
    assert not mark.exists()
    pickle.loads(bomb)
    assert mark.exists()
    torch.save({"embedding.weight": torch.zeros(53, 30)}, folder / WEIGHTS)
    with pytest.raises(CheckpointError, match=r"model\.safetensors is not a readable safetensors file"):
        TextEncoder.from_pretrained(folder)


def test_more_weights_than_fit_are_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = sum(tensor.numel() for tensor in load_file(folder / WEIGHTS).values()) * 4
    monkeypatch.setattr(tensor_files, "MOST_BYTES", size)
    TextEncoder.from_pretrained(folder)
    monkeypatch.setattr(tensor_files, "MOST_BYTES", size - 1)
    with pytest.raises(CheckpointError, match=r"the weights would take 0\.0 GiB in float32; at most"):
        TextEncoder.from_pretrained(folder)


def test_a_pickle_beside_is_not_opened_and_alone_never_executed(folder: Path, tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    for name in ("pytorch_model.bin", "training_args.bin", "tokenizer.pkl", "modeling.py"):
        (folder / name).write_bytes(pickle.dumps(Trap(mark)))
    TextEncoder.from_pretrained(folder)
    (folder / WEIGHTS).unlink()
    with pytest.raises(CheckpointError, match=r"pytorch_model\.bin cannot be read as weights alone"):
        TextEncoder.from_pretrained(folder)
    assert not mark.exists()


@in_turn("name", ["large", "bert-base-uncased", "org/model", "Base"])
def test_unknown_model(name: str) -> None:
    with pytest.raises(CheckpointError) as error:
        TextEncoder.from_pretrained(name)
    assert str(error.value).startswith(
        f"{name!r} is neither a bundled model (base, good-or-bad, small) nor a folder; from the"
    )


# From anywhere, without a network

OFFLINE = """
import socket, sys

class Refused(socket.socket):
    def __init__(self, *arguments, **options):
        raise AssertionError("the network was asked for")

socket.socket = socket.create_connection = socket.getaddrinfo = Refused
sys.path.insert(0, sys.argv[1])
from encoder import TextEncoder
encoder = TextEncoder.from_pretrained("base")
print(encoder.predict(encoder.trace("The capital of France is [MASK]."))[6][0][0])
"""


@pytest.mark.slow
def test_base_opens_from_another_folder_without_a_network(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, str(ROOT)], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "paris\n"), done.stderr
