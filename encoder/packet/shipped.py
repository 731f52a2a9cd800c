"""The packets that come with the library: the bundled sentences in `base`, there before any model is read."""

import re
from pathlib import Path

MODEL = "base"
SENTENCES = (  # those of the first page; then the examples of encoder.pictures.view, which would read torch first
    "The keys to the cabinet [MASK] on the table.",
    "The key to the cabinet [MASK] on the table.",
    "The animal didn't cross the street because it was too wide.",
    "The animal didn't cross the street because it was too tired.",
    "Keys on the table belong to Sara.",
    "The capital of France is [MASK].",
    "The cat chased the mouse.",
    "I understand this",
)
FOLDER = Path(__file__).parent / "shipped"


def path_of(sentence: str) -> Path:
    """Return the file of a sentence: its letters, "the-keys-to-the-cabinet-mask-on-the-table.packet"."""
    return FOLDER / f"{'-'.join(re.findall('[a-z]+', sentence.lower()))}.packet"


def shipped(sentence: str) -> bytes | None:
    """Return the packet of a bundled sentence in `base`, level 1; None for any other sentence."""
    return path_of(sentence).read_bytes() if sentence in SENTENCES else None
