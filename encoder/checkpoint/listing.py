"""Checkpoint folders below one root: found by name, and never outside it."""

import os
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path, PurePosixPath

from encoder.checkpoint.tensor_files import IN_ONE, IN_SHARDS, CheckpointError

MODELS = "ENCODER_MODELS"  # the variable that names the folder of a server's models
MOST_FOLDERS = 200  # that are listed
MOST_ENTRIES = 2000  # that are looked at
LONGEST_NAME = 200  # characters
CACHED = re.compile(r"models--(?P<id>[\w.-]+)", re.ASCII)  # a model in the cache that huggingface_hub fills
REVISION = re.compile(r"[0-9a-f]{40}")


def within(root: Path, name: str) -> Path:
    """The folder of that name below a root: "my-model", or "team/my-model".

    Symbolic links are followed as long as they stay below the root, as those of a Hugging Face cache do. Of a model in
    such a cache the name is that on the hub, and the folder its newest snapshot.

    Raises:
        CheckpointError: a name that is no such name, no folder, or one that leads out of the root. No message holds the
            root's path.
    """
    parts = PurePosixPath(name).parts
    plain = 0 < len(name) <= LONGEST_NAME and not any(ord(character) < 32 or character == "\\" for character in name)
    if not plain or not parts or parts[0].startswith("/") or ".." in parts:
        raise CheckpointError(
            f"{name[:LONGEST_NAME]!r} is not the name of a model here; it must be a relative name such as my-model or "
            "team/my-model"
        )
    folder, top = root.joinpath(*parts), root.resolve()
    try:
        if not folder.is_dir():
            folder = snapshot(root / "models--{}".format("--".join(parts))) or folder
        if not inside(folder, top):
            raise CheckpointError(f"{name!r} leads out of the folder of models")
        if not folder.is_dir():
            raise CheckpointError(f"there is no model {name!r} in the folder of models")
        lower = (below for entry in entries(folder) if entry.is_dir() for below in entries(Path(entry.path)))
        astray = next(
            (entry.name for entry in chain(entries(folder), lower) if not inside(Path(entry.path), top)), None
        )
    except (
        OSError,
        RuntimeError,
        UnicodeEncodeError,
    ) as error:  # a name that the system cannot take, or links in a circle
        raise CheckpointError(f"{name!r} cannot be opened: {getattr(error, 'strerror', None) or error}") from error
    if astray is not None:
        raise CheckpointError(f"{astray!r} in {name!r} is a link that leads out of the folder of models")
    return folder


def snapshot(cached: Path) -> Path | None:
    """The folder of a model in the hub's cache: the revision that its main branch is at, else the newest one."""
    if not (cached / "snapshots").is_dir():
        return None
    main = cached / "refs" / "main"
    revision = main.read_text(encoding="utf-8", errors="replace")[:50].strip() if main.is_file() else ""
    if REVISION.fullmatch(revision) and (cached / "snapshots" / revision).is_dir():
        return cached / "snapshots" / revision
    revisions = [Path(entry.path) for entry in entries(cached / "snapshots") if entry.is_dir()]
    return max(revisions, key=lambda folder: folder.stat().st_mtime, default=None)


def inside(path: Path, top: Path) -> bool:
    """Whether a path, with all links followed, lies below a folder that is already resolved."""
    return path.resolve().is_relative_to(top)


def entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """What lies in a folder, in no order; the first MOST_ENTRIES of it."""
    with os.scandir(folder) as listed:
        for _, entry in zip(range(MOST_ENTRIES), listed, strict=False):
            yield entry


def folders(root: Path) -> list[str]:
    """The names, for `within`, of the checkpoint folders in a root and in its folders; MOST_FOLDERS at most.

    Hidden folders are left out, and so is what leads out of the root. A root that is not there has none.
    """
    models: list[str] = []
    waiting = [""]
    while waiting and len(models) < MOST_FOLDERS:
        above = waiting.pop(0)
        try:
            names = sorted(entry.name for entry in entries(root / above) if not entry.name.startswith("."))
        except OSError:
            continue
        if not above:  # what the hub's cache calls owner/name
            cached = [match["id"].replace("--", "/") for match in map(CACHED.fullmatch, names) if match]
            names = [name for name in names if not CACHED.fullmatch(name)]
            models += [name for name in cached if name not in models and usable(root, name)][:MOST_FOLDERS]
        for name in (f"{above}{name}" for name in names):
            if not usable(root, name):
                waiting += [f"{name}/"] if not above and (root / name).is_dir() else []
            elif len(models) < MOST_FOLDERS:
                models.append(name)
    return sorted(models)


def usable(root: Path, name: str) -> bool:
    """Whether a folder holds a configuration and weights, and may be opened."""
    try:
        folder = within(root, name)
    except CheckpointError:
        return False
    weights = any((folder / name).is_file() for name in (*IN_ONE, *IN_SHARDS))
    return weights and (folder / "config.json").is_file()
