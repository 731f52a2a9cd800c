"""Where atlases are: those that come with the project, and those in the folder that ENCODER_ATLASES names."""

import os
from dataclasses import dataclass
from pathlib import Path

from encoder.atlas.card import CARD
from encoder.atlas.corpus import AtlasError
from encoder.atlas.reading import Atlas
from encoder.trace.source import Source

SHIPPED = Path(__file__).parent / "shipped"
FOLDER = "ENCODER_ATLASES"
MOST = 200  # folders that are looked at
Stamp = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Shelf:
    """The atlases of a model, and what is to be said of folders that cannot be shown."""

    atlases: tuple[Atlas, ...]
    refused: tuple[str, ...]


def shelf(source: Source) -> Shelf:
    """What there is for a model; atlases of other models are left aside, damaged ones are told of."""
    found, refused = [], []
    for folder in every():
        try:
            atlas = Atlas(folder)
        except AtlasError as error:
            refused.append(str(error))
            continue
        if source.sha256 and atlas.card.model_sha256 == source.sha256:
            found.append(atlas)
    return Shelf(tuple(found), tuple(refused))


def every() -> list[Path]:
    """The folders of all atlases."""
    own = os.environ.get(FOLDER)
    roots = [SHIPPED, *([Path(own)] if own else [])]
    return [one for root in roots for one in folders(root)]


def stamp() -> Stamp:
    """What changes when an atlas comes, goes or is made again."""
    return tuple((str(one), (one / CARD).stat().st_mtime_ns) for one in every())


def folders(root: Path) -> list[Path]:
    """The folders in a folder that have a card, in their order; itself where it is an atlas."""
    if not root.is_dir():
        return []
    if (root / CARD).exists():
        return [root]
    return sorted(one for one in list(root.iterdir())[:MOST] if (one / CARD).exists())
