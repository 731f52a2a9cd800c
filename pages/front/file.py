"""A file that a browser is given."""

from dataclasses import dataclass


@dataclass(frozen=True)
class File:
    """A file: its name, its type and what is in it, compressed."""

    name: str
    type: str
    packed: bytes
