"""The card of an atlas: what it is of, and what pins its files."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from encoder.atlas.corpus import AtlasError, how_many
from encoder.support.errors import EncoderError
from encoder.trace.trace import Source

FORMAT, VERSION = "encoder-atlas", 2
CARD = "card.json"
PARTS, PLAN = "parts", "plan.json"
UNFINISHED = f"{PARTS}/{PLAN}"  # what a folder has until its card is written
CARD_BYTES = 1_000_000
KEPT = ("vectors", "head_vectors")
SIZES = {"layers": 96, "heads": 128, "units": 65_536, "width": 8192}  # the largest of each


@dataclass(frozen=True)
class AtlasCard:
    """What a card says.

    `sizes` are layers, heads, units and width of the model; `files` maps a name to its bytes and SHA-256.
    `pairs` says that its sentences are pairs of them, `left_out` how many were taken and not read: see --screen.
    """

    model: str
    model_sha256: str
    sizes: Mapping[str, int]
    corpus: str
    corpus_sha256: str
    sentences: int
    tokens: int
    licence: str
    vectors: tuple[int, ...]
    head_vectors: tuple[int, ...]
    command: str
    files: Mapping[str, tuple[int, str]]
    pairs: bool = False
    left_out: int = 0

    @property
    def scope(self) -> str:
        """What its numbers are of, in words."""
        return f"{self.tokens:,} tokens of {self.corpus} ({self.many})"

    @property
    def screened(self) -> str:
        """What is said of sentences that were left out, behind another sentence; "" where none was."""
        out = how_many(self.left_out, self.pairs)
        return f" {out} with vulgar, sexual or insulting words were left out." if self.left_out else ""

    @property
    def many(self) -> str:
        """How many sentences, or pairs of them, its corpus has, in words."""
        return how_many(self.sentences, self.pairs)


def read_card(folder: Path) -> AtlasCard:
    """Return the card of a folder.

    Raises:
        AtlasError: there is none, it is damaged, or it is of another kind or of a newer version.
    """
    path = folder / CARD
    if not path.is_file() and (folder / UNFINISHED).is_file():
        raise AtlasError(f"{folder.name} is an unfinished atlas; the same command goes on with it")
    if not path.is_file():
        raise AtlasError(f"{folder.name} is not an atlas: it has no {CARD}; python -m encoder.atlas makes one")
    try:
        if path.stat().st_size > CARD_BYTES:
            raise AtlasError(f"{CARD} of {folder.name} is too large to be a card")
        raw = json.loads(path.read_text(encoding="utf-8"))
    except AtlasError:
        raise
    except (OSError, ValueError, RecursionError) as error:  # a number of 5,000 digits is a ValueError of its own
        raise AtlasError(f"{CARD} of {folder.name} is damaged; make the atlas again") from error
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise AtlasError(f"{folder.name} is not an atlas: its {CARD} does not say that its format is {FORMAT}")
    version = raw.get("version")
    if type(version) is not int or version != VERSION:
        raise AtlasError(
            f"{folder.name} has version {str(version)[:20]} of the format, and this program reads version {VERSION}; "
            "make it again, or open it with the program that made it"
        )
    try:
        return card_of(raw)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise AtlasError(f"{CARD} of {folder.name} is damaged; make the atlas again") from error


def card_of(raw: Mapping[str, Any]) -> AtlasCard:
    """Return a card from its fields; KeyError, TypeError or ValueError where one is missing or is no such thing."""
    model, corpus = raw["model"], raw["corpus"]
    sizes = {name: counted(model[name], most) for name, most in SIZES.items()}
    files = {str(name): (counted(about["bytes"]), text(about["sha256"])) for name, about in raw["files"].items()}
    layers = {name: tuple(counted(layer, sizes["layers"]) for layer in raw[name]) for name in KEPT}
    return AtlasCard(
        text(model["name"]),
        text(model["sha256"]),
        sizes,
        text(corpus["name"]),
        text(corpus["sha256"]),
        counted(corpus["sentences"]),
        counted(corpus["tokens"]),
        text(corpus["licence"]),
        layers["vectors"],
        layers["head_vectors"],
        text(raw["command"]),
        files,
        corpus.get("pairs", False) is True,
        counted(corpus.get("left_out", 0)),
    )


def counted(value: Any, most: int = 1 << 62) -> int:
    """Return a whole number that can be one."""
    if type(value) is not int or not 0 <= value <= most:
        raise EncoderError(value)
    return value


def text(value: Any) -> str:
    """Return a text of no great length."""
    if not isinstance(value, str) or len(value) > 4000:
        raise EncoderError(value)
    return value


def check_model(folder: Path, card: AtlasCard, source: Source) -> None:
    """Refuse the atlas of another model.

    Raises:
        AtlasError: the weights are others.
    """
    if not card.model_sha256 or card.model_sha256 != source.sha256:
        raise AtlasError(
            f"{folder.name} is an atlas of the model {card.model} (sha256 {card.model_sha256 or 'unknown'}), "
            f"and this is {source.name} ({source.fingerprint})"
        )
