"""Where atlases are: those that come with the project, and those in the folder that ENCODER_ATLASES names."""

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from encoder.atlas.atlas_reader import Atlas
from encoder.atlas.card import CARD, UNFINISHED
from encoder.atlas.corpus import AtlasError
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.trace.trace import Source

SHIPPED = Path(__file__).parent / "shipped"
FOLDER = "ENCODER_ATLASES"
PACKAGED = f"; the package brings none; {FOLDER} may name encoder/atlas/shipped of a checkout of the project"
MOST = 200  # folders that are looked at
Stamp = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Shelf:
    """The atlases of a model, and what is to be said of folders that cannot be shown."""

    atlases: tuple[Atlas, ...]
    refused: tuple[str, ...]


def shelf(source: Source) -> Shelf:
    """Return what there is for a model; atlases of other models are left aside, damaged ones are told of.

    Folders are looked at again when a card has come, gone or changed.
    """
    own = os.environ.get(FOLDER, "")
    return opened(source, (own, Path(own).is_dir()), stamp())


@lru_cache(maxsize=16)
def opened(source: Source, own: tuple[str, bool], there: Stamp) -> Shelf:
    """Return the same, with the own folder, whether it is there, and the files as they are now."""
    atlases, refused = [], nothing_in(own[0])
    for folder in every():
        try:
            atlas = Atlas(folder)
        except AtlasError as error:
            refused.append(str(error))
            continue
        if source.sha256 and atlas.card.model_sha256 == source.sha256:
            atlases.append(atlas)
    return Shelf(tuple(atlases), tuple(refused))


def nothing_in(own: str) -> list[str]:
    """Return what is to be said of the folder that the variable names, where there is no atlas in it."""
    if not own or folders(Path(own)):
        return []
    why = "has no atlas in it" if Path(own).is_dir() else "is not there"
    return [f"{FOLDER} names a folder {Path(own).name}, which {why}; python -m encoder.atlas makes one"]


def every() -> list[Path]:
    """Return the folders of all atlases."""
    own = os.environ.get(FOLDER)
    roots = [SHIPPED, *([Path(own)] if own else [])]
    return [folder for root in roots for folder in folders(root)]


def stamp() -> Stamp:
    """Return what changes when an atlas comes, goes or is made again."""
    return tuple((str(atlas), (atlas / mark(atlas)).stat().st_mtime_ns) for atlas in every())


def folders(root: Path) -> list[Path]:
    """Return the folders in a folder that are an atlas or an unfinished one, in their order; itself where it is one."""
    if not root.is_dir():
        return []
    if mark(root):
        return [root]
    return sorted(entry for entry in list(root.iterdir())[:MOST] if mark(entry))


def mark(folder: Path) -> str:
    """Return the file by which a folder is known as an atlas or an unfinished one; empty where it is neither."""
    return next((name for name in (CARD, UNFINISHED) if (folder / name).exists()), "")


def atlas_of(encoder: TextEncoder, number: int = 0) -> Atlas:
    """Return one of the atlases of a model, the first unless it is numbered.

    Raises:
        AtlasError: it has none, or fewer.
    """
    atlases = shelf(encoder.source).atlases
    if not 0 <= number < len(atlases):
        raise AtlasError(
            f"{encoder.source.name!r} has {len(atlases)} atlases; there is no number {number}"
            + PACKAGED * (not SHIPPED.is_dir())
        )
    return atlases[number]
