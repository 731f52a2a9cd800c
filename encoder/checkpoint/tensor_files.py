"""Files that anyone may have written: what they claim is looked at before they are read, and nothing is executed."""

import hashlib
import json
import re
import struct
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from encoder.support.errors import EncoderError
from encoder.support.progress import progress

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLE, PICKLE_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"
IN_ONE, IN_SHARDS = (WEIGHTS, PICKLE), (INDEX, PICKLE_INDEX)  # safetensors first, where a folder has both
FLOATS = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
DTYPES = {dtype: name for name, dtype in FLOATS.items()}
MOST_JSON = 2**20  # bytes of a config.json
MOST_INDEX, MOST_HEADER = 4 * 2**20, 4 * 2**20  # bytes of an index of shards, and of the header of a safetensors file
MOST_DIGITS = 40  # of a number in a JSON file; tokenizers write 10^30 for no bound
MOST_SHARDS, MOST_TENSORS = 64, 20_000
LONGEST_MESSAGE = 800  # characters
MOST_DESCRIBED = 4 * 2**20  # bytes of the part of a pickle that says which tensors there are
POINTER = b"version https://git-lfs"  # how a file begins whose content Git did not fetch
SHARD = re.compile(r"\w[\w.-]{0,180}\.(safetensors|bin)", re.ASCII)  # a name that every system can take
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
    """What a file says of one of its tensors, before it is read; one of a pickle is held, not yet copied."""

    path: Path
    name: str
    dtype: str
    shape: tuple[int, ...]
    held: Tensor | None = None

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
    """The file of a folder's weights, or all shards that its index names: safetensors, else what torch.save wrote.

    Raises:
        CheckpointError: there is none, or the index names something else than files of this folder.
    """
    whole = next((folder / name for name in IN_ONE if (folder / name).is_file()), None)
    index = next((folder / name for name in IN_SHARDS if (folder / name).is_file()), None)
    if whole is not None and (index is None or whole.name == WEIGHTS):
        return [whole]
    if index is None:
        raise CheckpointError(f"{folder} has no weights: none of {', '.join((*IN_ONE, *IN_SHARDS))}")
    named = read_json(index, MOST_INDEX).get("weight_map")
    if not isinstance(named, dict) or not all(isinstance(name, str) for name in named.values()):
        raise CheckpointError(f"{index} has no weight_map from the names of tensors to those of files")
    shards = sorted(set(named.values()))
    strange = [name for name in shards if not SHARD.fullmatch(name)]
    if strange or not 0 < len(shards) <= MOST_SHARDS:
        what = repr(strange[0][:80]) if strange else f"{len(shards)} files"
        raise CheckpointError(f"{index} names {what}; it must name 1 to {MOST_SHARDS} files of weights of this folder")
    missing = [name for name in shards if not (folder / name).is_file()]
    if missing:
        raise CheckpointError(f"{folder} has no {missing[0]}, which {index.name} names")
    return [folder / name for name in shards]


def described(paths: Iterable[Path]) -> dict[str, Described]:
    """Every tensor of some files of weights by its name; of safetensors the header is read and checked, nothing else.

    Raises:
        CheckpointError: a file whose header is damaged or does not fit its size, or a tensor that stands in two files.
    """
    tensors: dict[str, Described] = {}
    for path in paths:
        if path.suffix == ".bin":
            tensors |= in_pickle(path, tensors)
            continue
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


def bytes_of_weights(folder: Path) -> int:
    """About how many bytes the weights of a folder take in float32, from what their files say.

    Raises:
        CheckpointError: there are none, or a file of them is damaged.
    """
    files = weight_files(folder)
    pickled = sum(file.stat().st_size for file in files if file.suffix == ".bin")  # not opened to be weighed
    headed = described(file for file in files if file.suffix != ".bin")
    return pickled + sum(4 * tensor.numbers for tensor in headed.values())


def in_pickle(path: Path, others: Mapping[str, Described]) -> dict[str, Described]:
    """Every tensor of a file that torch.save wrote, read as weights alone: nothing in it is executed.

    Since torch 1.6 such a file is an archive, of which nothing is read before it is needed; others are read whole.

    Raises:
        CheckpointError: a file that is damaged, asks for code, or holds something else than tensors by name; or a
            tensor that stands in another file too.
    """
    try:
        if size := unpacked(path):
            raise CheckpointError(f"{path} says what it holds in {size:,} bytes; at most {MOST_DESCRIBED:,} are read")
        weights = torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except CheckpointError:
        raise
    except Exception as error:  # torch raises what it meets, down to IndexError
        message = " ".join(str(error).split())[:200]
        raise CheckpointError(f"{path} cannot be read as weights alone: {message or type(error).__name__}") from error
    if not isinstance(weights, dict) or not all(isinstance(name, str) for name in weights):
        raise CheckpointError(f"{path} holds a {type(weights).__name__}; it must hold tensors by their names")
    odd = [name for name, tensor in weights.items() if type(tensor) not in (Tensor, torch.nn.Parameter)]
    if odd:
        raise CheckpointError(
            f"{path} holds {odd[0]!r:.80}, a {type(weights[odd[0]]).__name__}; it must hold tensors alone"
        )
    if (count := len(others) + len(weights)) > MOST_TENSORS:
        raise CheckpointError(f"{path} makes {count:,} tensors; a model here has at most {MOST_TENSORS:,}")
    if twice := sorted(others.keys() & weights.keys()):
        raise CheckpointError(f"{path} holds {twice[0]}, which {others[twice[0]].path.name} holds too")
    return {
        name: Described(path, name, DTYPES.get(tensor.dtype, str(tensor.dtype)), tuple(tensor.shape), tensor.detach())
        for name, tensor in weights.items()
    }


def unpacked(path: Path) -> int:
    """How many bytes of an archive are no tensors, or are packed; 0 where that is no more than usual."""
    if not zipfile.is_zipfile(path):
        return 0
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
    packed = sum(part.file_size for part in parts if part.compress_type != zipfile.ZIP_STORED)
    listed = sum(part.file_size for part in parts if part.filename.endswith(".pkl"))
    size = max(packed, listed)
    return size if size > MOST_DESCRIBED else 0


def check_header(path: Path) -> None:
    """Refuse a safetensors file whose header is larger than that of any model: it is read whole, whatever it holds.

    The file begins with the header's length, as a whole number of 8 bytes.
    """
    with path.open("rb") as file:
        first = file.read(len(POINTER))
    if first == POINTER:
        raise CheckpointError(f"{path} is not a readable safetensors file: Git left a pointer to it; run git lfs pull")
    size = struct.unpack("<Q", first[:8])[0] if len(first) > 7 else 0
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
            here = {name: tensor for name, tensor in wanted.items() if tensor.path == path}
            try:
                with nullcontext(None) if path.suffix == ".bin" else safe_open(path, "pt") as file:
                    for name, tensor in here.items():
                        given = file.get_tensor(tensor.name) if file is not None else cast(Tensor, tensor.held)
                        tensors[name] = given.float().contiguous()
                        hear(len(tensors), len(wanted))
            except (SafetensorError, OSError, RuntimeError, ValueError, KeyError) as error:
                raise CheckpointError(f"{path} is not a readable file of weights: {error}") from error
    return tensors


def fingerprint(paths: Iterable[Path]) -> str:
    """The first 12 digits of the SHA-256 of the files' contents, one after the other."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(2**20):
                digest.update(block)
    return digest.hexdigest()[:12]
