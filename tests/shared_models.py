"""Real models, read once in a process of tests and never changed by them: each takes up to 220 MB."""

from functools import cache
from pathlib import Path

from encoder import TextEncoder
from encoder.exam import Treebank, bundled_treebanks


@cache
def pretrained(name: str | Path) -> TextEncoder:
    """The bundled model of that name, or that of a folder."""
    return TextEncoder.from_pretrained(name)


@cache
def treebanks() -> list[Treebank]:
    """Return the bundled treebanks, read once."""
    return bundled_treebanks()
