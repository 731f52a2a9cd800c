"""The packets that come with the library: the bundled sentences in `base`, there before any model is read."""

import re
from pathlib import Path

from encoder.pictures.view import EXAMPLES, OTHER

MODEL = "base"
KEYS = "The keys to the cabinet [MASK] on the table."
KEY = "The key to the cabinet [MASK] on the table."
SENTENCES = (KEYS, KEY, EXAMPLES[0], OTHER, *EXAMPLES[1:])
FOLDER = Path(__file__).parent / "shipped"


def path_of(sentence: str) -> Path:
    """The file of a sentence: its letters, "the-keys-to-the-cabinet-mask-on-the-table.packet"."""
    return FOLDER / f"{'-'.join(re.findall('[a-z]+', sentence.lower()))}.packet"


def shipped(sentence: str) -> bytes | None:
    """The packet of a bundled sentence in `base`, level 1; None for any other sentence."""
    return path_of(sentence).read_bytes() if sentence in SENTENCES else None
