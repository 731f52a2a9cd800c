"""Files that anyone may have written: what they claim is looked at before they are read, and nothing is executed."""

import hashlib
import json
import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from encoder.support.errors import EncoderError
from encoder.support.progress import progress

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLED = ("pytorch_model.bin", "pytorch_model.bin.index.json", "model.pt", "pytorch_model.pt", "model.bin")
CONVERT = (
    "python -c \"from transformers import AutoModelForMaskedLM as M; M.from_pretrained('{0}').save_pretrained('{0}')\""
)
FLOATS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
MOST_JSON = 2**20  # bytes of a config.json
MOST_INDEX, MOST_HEADER = 4 * 2**20, 4 * 2**20  # bytes of an index of shards, and of the header of a safetensors file
MOST_DIGITS = 40  # of a number in a JSON file; tokenizers write 10^30 for no bound
MOST_SHARDS, MOST_TENSORS = 64, 20_000
LONGEST_MESSAGE = 800  # characters
SHARD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,180}\.safetensors", re.ASCII)  # a name that every system can take
MOST_BYTES = 4 * 2**30  # of a model's weights in float32


class CheckpointError(EncoderError):
    """A checkpoint folder that cannot be used; the message says which file, what is wrong and what is expected.

    What a file holds may be of any length, so the middle of a message that is too long is left out.
    """

    def __init__(self, message: str) -> None:
        half = LONGEST_MESSAGE // 2
        super().__init__(message if len(message) <= LONGEST_MESSAGE else f"{message[:half]} … {message[3 - half :]}")


@dataclass(frozen=True)
class Described:
    """What a file says of one of its tensors, before anything of it is read."""

    path: Path
    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def numbers(self) -> int:
        """How many numbers it holds."""
        count = 1
        for size in self.shape:
            count *= size
        return count


def read_json(path: Path, most_bytes: int = MOST_JSON) -> dict[str, Any]:
    """The object in a JSON file.

    Raises:
        CheckpointError: a file over the limit, or one that holds no JSON object.
    """
    raw = read_any_json(path, most_bytes)
    if not isinstance(raw, dict):
        raise CheckpointError(f"{path} holds a {type(raw).__name__}; a configuration is an object with named fields")
    return raw


def read_any_json(path: Path, most_bytes: int) -> Any:
    """What a JSON file holds.

    Raises:
        CheckpointError: a file over the limit, or one that is no JSON.
    """
    try:
        size = path.stat().st_size
        if size > most_bytes:
            raise CheckpointError(f"{path} has {size:,} bytes; at most {most_bytes:,} are read")
        return json.loads(path.read_text(encoding="utf-8"), parse_int=whole_number)
    except CheckpointError:
        raise
    except (OSError, RecursionError, ValueError) as error:
        raise CheckpointError(f"{path} is not a JSON file: {error}") from error


def whole_number(digits: str) -> int:
    """A whole number of a JSON file; a ValueError where it has more digits than any setting needs."""
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"it holds {digits[:9]}… of {len(digits):,} digits; a number has at most {MOST_DIGITS}")
    return int(digits)


def weight_files(folder: Path) -> list[Path]:
    """The safetensors file of a folder, or all shards that its index names.

    Raises:
        CheckpointError: there is none, or the index names something else than files of this folder.
    """
    if (folder / WEIGHTS).is_file():
        return [folder / WEIGHTS]
    if not (folder / INDEX).is_file():
        raise CheckpointError(f"{folder} has no {WEIGHTS}{unpickled(folder)}")
    named = read_json(folder / INDEX, MOST_INDEX).get("weight_map")
    if not isinstance(named, dict) or not all(isinstance(name, str) for name in named.values()):
        raise CheckpointError(f"{folder / INDEX} has no weight_map from the names of tensors to those of files")
    shards = sorted(set(named.values()))
    strange = [name for name in shards if not SHARD.fullmatch(name)]
    if strange or not 0 < len(shards) <= MOST_SHARDS:
        index = repr(strange[0][:80]) if strange else f"{len(shards)} files"
        raise CheckpointError(
            f"{folder / INDEX} names {index}; it must name 1 to {MOST_SHARDS} .safetensors files of this folder"
        )
    missing = [name for name in shards if not (folder / name).is_file()]
    if missing:
        raise CheckpointError(f"{folder} has no {missing[0]}, which {INDEX} names")
    return [folder / name for name in shards]


def unpickled(folder: Path) -> str:
    """What to do about weights that are there, but as a pickle; empty where none are."""
    pickles = [name for name in PICKLED if (folder / name).is_file()]
    if not pickles:
        return ""
    return (
        f"; {pickles[0]} is a pickle, which can run code, and is never opened. "
        f"If you trust it, convert it once: {CONVERT.format(folder)}"
    )


def described(paths: Iterable[Path]) -> dict[str, Described]:
    """Every tensor of some safetensors files by its name; their headers are read and checked, nothing else.

    Raises:
        CheckpointError: a file whose header is damaged or does not fit its size, or a tensor that stands in two files.
    """
    tensors: dict[str, Described] = {}
    for path in paths:
        try:
            check_header(path)
            with safe_open(path, "pt") as file:
                names = file.keys()
                if (count := len(tensors) + len(names)) > MOST_TENSORS:
                    raise CheckpointError(f"{path} makes {count:,} tensors; a model here has at most {MOST_TENSORS:,}")
                for name in names:
                    part = file.get_slice(name)
                    if name in tensors:
                        raise CheckpointError(f"{path} holds {name}, which {tensors[name].path.name} holds too")
                    tensors[name] = Described(path, name, part.get_dtype(), tuple(part.get_shape()))
        except CheckpointError:
            raise
        except (SafetensorError, OSError, ValueError, KeyError) as error:
            raise CheckpointError(f"{path} is not a readable safetensors file: {error}") from error
    return tensors


def check_header(path: Path) -> None:
    """Refuse a safetensors file whose header is larger than that of any model: it is read whole, whatever it holds.

    The file begins with the header's length, as a whole number of 8 bytes.
    """
    with path.open("rb") as file:
        first = file.read(8)
    size = struct.unpack("<Q", first)[0] if len(first) == 8 else 0
    if MOST_HEADER < size < path.stat().st_size:  # of any other length the library says that there is no header
        raise CheckpointError(f"{path} has a header of {size:,} bytes; at most {MOST_HEADER:,} are read")


def read(wanted: Mapping[str, Described]) -> dict[str, Tensor]:
    """The tensors in float32, under the names that `wanted` gives them.

    Raises:
        CheckpointError: numbers of another kind than floating point, more of them than fit, or a file that changed.
    """
    odd = [tensor for tensor in wanted.values() if tensor.dtype not in FLOATS]
    if odd:
        raise CheckpointError(
            f"{odd[0].path}: {odd[0].name} is of type {odd[0].dtype}; weights must be one of {', '.join(FLOATS)}"
        )
    size = 4 * sum(tensor.numbers for tensor in wanted.values())
    if size > MOST_BYTES:
        raise CheckpointError(
            f"the weights would take {size / 2**30:.1f} GiB in float32; at most {MOST_BYTES / 2**30:.0f} GiB are loaded"
        )
    tensors: dict[str, Tensor] = {}
    with progress("reading weights", "tensors") as hear:
        for path in {tensor.path: None for tensor in wanted.values()}:
            try:
                with safe_open(path, "pt") as file:
                    here = {name: tensor for name, tensor in wanted.items() if tensor.path == path}
                    for name, tensor in here.items():
                        tensors[name] = file.get_tensor(tensor.name).float()
                        hear(len(tensors), len(wanted))
            except (SafetensorError, OSError, ValueError, KeyError) as error:
                raise CheckpointError(f"{path} is not a readable safetensors file: {error}") from error
    return tensors


def fingerprint(paths: Iterable[Path]) -> str:
    """The first 12 digits of the SHA-256 of the files' contents, one after the other."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(2**20):
                digest.update(block)
    return digest.hexdigest()[:12]
