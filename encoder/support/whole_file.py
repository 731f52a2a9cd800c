"""Files that are there whole or not at all: what was there before stays until all of the new one is on the disk."""

import gzip
import lzma
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from encoder.support.errors import EncoderError

OPENERS: dict[str, Callable[..., IO[Any]]] = {".xz": lzma.open, ".gz": gzip.open}  # by how a name ends


class WriteError(EncoderError):
    """A file that could not be written; the message says which and why. What was there before is there still."""


@contextmanager
def beside(path: Path, parents: bool = False) -> Iterator[Path]:
    """A place beside the file to write it at; it takes the file's place in one move where the block ends well.

    With `parents` the folders above it are made where they are missing.

    Raises:
        WriteError: the disk is full or cannot be written, or what has this name is no plain file.
    """
    replaceable(path)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        if parents:
            path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        raise WriteError(f"{path} could not be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def replaceable(path: Path) -> None:
    """Refuse what a file may not take the place of: a folder, a link, a device, a pipe.

    Raises:
        WriteError: it is one; the message says so.
    """
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise WriteError(f"{path} could not be written: {error.strerror or error}") from error
    if stat.S_ISDIR(mode):
        raise WriteError(f"{path} is a folder; a file must be named")
    if not stat.S_ISREG(mode):
        kind = "link" if stat.S_ISLNK(mode) else "device or pipe"
        raise WriteError(f"{path} is a {kind}, and only a plain file is replaced; name another")


def check(path: Path) -> None:
    """Refuse a place at which no file can be written, before the work is done that it is for.

    Raises:
        WriteError: it is there and no plain file, its folder is not there, or nothing can be written there.
    """
    replaceable(path)
    touch(path, path.parent)


def check_folder(path: Path) -> None:
    """Refuse a place at which no folder can be made or written in, before the work is done that it is for.

    Raises:
        WriteError: it is a file, or nothing can be written there.
    """
    touch(path, next(place for place in (path, *path.absolute().parents) if place.exists()))


def touch(path: Path, folder: Path) -> None:
    """Write a file in a folder, and take it away again.

    Raises:
        WriteError: nothing can be written there; the message names the path that it is for.
    """
    part = folder / f"{path.name}.{os.getpid()}.part"
    try:
        part.touch()
        part.unlink()
    except OSError as error:
        raise WriteError(f"{path} could not be written: {error.strerror or error}") from error


def write(path: Path, content: bytes | Iterable[bytes], parents: bool = False) -> None:
    """Put a file in place whole, from its bytes or piece by piece; takes and raises what `beside` does."""
    with beside(path, parents) as part, part.open("wb") as file:
        file.writelines([content] if isinstance(content, bytes) else content)
